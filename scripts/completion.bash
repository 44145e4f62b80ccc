# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Completion for bash: femu-sim's commands, options and parameters of a drive,
# femu-zns's, and in this repository make's targets and their variables.
#
#   . scripts/completion.bash      (an installed femu-sim brings it along)
#
# What there is, the programs themselves are asked. Knows nothing of what it
# means.

# _femu_words WORDS...: those that the word under the cursor begins; one that ends
# in "=" is followed by its value, not by a blank.
_femu_words()
{
    mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur")
    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null || true
}

_femu_files()
{
    compopt -o filenames 2>/dev/null || true
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

# Sets cur, the word under the cursor, and option, whose value it is or nothing:
# bash splits --config=x at the "=".
_femu_split()
{
    local words=("${COMP_WORDS[@]:0:COMP_CWORD + 1}")
    cur=${words[-1]} option=
    if [ "$cur" = = ]; then
        cur= option=${words[-2]-}
    elif [ ${#words[@]} -gt 2 ] && [ "${words[-2]}" = = ]; then
        option=${words[-3]}
    elif [[ ${words[-2]-} == -? ]]; then
        option=${words[-2]}
    elif [[ $cur == *=* ]]; then        # where "=" is no break of words
        option=${cur%%=*} cur=${cur#*=}
    fi
}

# _femu_sim_options PROGRAM COMMAND: its options, and those of fio's jobs.
_femu_sim_options()
{
    "$1" "$2" --help 2>/dev/null | sed -nE \
        -e 's/^  (-., )?(--[a-z-]+)(=?).*/\2\3/p' \
        -e 's/^  ([a-z]+_*[a-z_]*) .*/--\1=/p'
}

_femu_sim()
{
    local cur option program=${COMP_WORDS[0]} command=${COMP_WORDS[1]-}
    _femu_split
    if [ "$COMP_CWORD" = 1 ]; then
        _femu_words "$("$program" help 2>/dev/null |
                       sed -nE 's/^  ([a-z]+) .*/\1/p')"
        return
    fi
    case $option in
    -s|--set)
        _femu_words "$("$program" params 2>/dev/null |
                       sed -nE 's/^  ([a-z-]+) = .*/\1=/p')" ;;
    -o|--op)
        case $command in
        bench) _femu_words write randread mix ;;
        *) _femu_words write append read randread finish reset ;;
        esac ;;
    --output-format) _femu_words normal json csv ;;
    '')
        case $cur in
        -*) _femu_words "$(_femu_sim_options "$program" "$command")" ;;
        *) if [ "$command" = help ]; then
               _femu_words "$("$program" help | sed -nE 's/^  ([a-z]+) .*/\1/p')"
           else
               _femu_files
           fi ;;
        esac ;;
    *) _femu_files ;;
    esac
}

# In an archive of "make dist".
_femu_zns()
{
    local cur option top command=${COMP_WORDS[1]-}
    _femu_split
    top=$(dirname "$(readlink -f "$(command -v "${COMP_WORDS[0]}")")")
    if [ "$COMP_CWORD" = 1 ]; then
        _femu_words "$("${COMP_WORDS[0]}" help |
                       sed -nE 's/^  femu-zns ([a-z]+) .*/\1/p')"
    elif [ -n "$option" ]; then
        _femu_files
    elif [[ $command == [a-z]* ]] && [ -f "$top/scripts/$command" ]; then
        _femu_words "$(sed -nE 's/^  ([A-Z][A-Z_]*)=.*/\1=/p' \
                       "$top/scripts/$command")"
    else
        _femu_files
    fi
}

# Elsewhere, whoever completed make before does so.
_femu_make()
{
    local cur option target=${COMP_WORDS[1]-}
    if [ ! -x scripts/variables ]; then
        COMPREPLY=()
        ! declare -F _make >/dev/null || _make "$@"
        return
    fi
    _femu_split
    if [ -n "$option" ]; then
        _femu_files
    elif [ "$COMP_CWORD" = 1 ]; then
        _femu_words "$(scripts/variables --of)"
    else
        _femu_words "$(scripts/variables --of "$target")"
    fi
}

complete -o default -F _femu_sim femu-sim
complete -o default -F _femu_zns femu-zns
complete -o default -F _femu_make make
