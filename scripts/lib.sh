# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shared by the scripts here: paths, progress lines, errors, root or sudo, and
# a private apt that reads Debian trixie. Source it; it runs nothing.
# Knows nothing of zones, of guests and of what QEMU is told to run.

# shellcheck shell=bash disable=SC2034  # the paths are used by those who source

# --- Paths --------------------------------------------------------------------

FEMU_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
SCRIPTS_DIR=$FEMU_TOP/scripts
CORE_BUILD=$FEMU_TOP/build-core          # the Makefile's build of the core
GUEST_BUILD=$FEMU_TOP/build-guest        # kernel, initramfs, apt's downloads
OUT_DIR=$FEMU_TOP/out                    # one folder per run
QEMU_WORK=${QEMU_WORK:-$FEMU_TOP/build-qemu}
QEMU_TREE=$QEMU_WORK/src                 # QEMU's sources, our overlay on them
QEMU_BUILD=$QEMU_WORK/build
QEMU_SANITIZED=$QEMU_WORK/sanitize       # a second build, with sanitizers
QEMU_BIN=$QEMU_BUILD/qemu-system-x86_64
QEMU_FIRMWARE=$QEMU_WORK/firmware        # for QEMU's -L
DEBIAN_SUITE=trixie                      # what QEMU and the guest come from

# --- Progress and errors ------------------------------------------------------

# A line that says what is going on. SCRIPT_NAME is set by who sources this.
say()
{
    printf '%s: %s\n' "${SCRIPT_NAME:-femu}" "$*" >&2
}

die()
{
    say "error: $*"
    exit 1
}

# takes_none ARG...: ends a script that has arguments.
takes_none()
{
    [ $# -eq 0 ] ||
        die "$1: takes no arguments; --help tells what it reads"
}

# answer_help ARG...: if that is what a script is asked for, prints its head and
# ends it.
answer_help()
{
    case ${1-} in
    -h|--help) sed -nE '1,3d; /^$/q; s/^# ?//p' "$0"; exit 0 ;;
    esac
}

# one_at_a_time FOLDER NAME: waits for other scripts that hold the lock NAME in
# FOLDER, and holds it until this one ends.
one_at_a_time()
{
    mkdir -p "$1" 2>/dev/null || true
    { exec 9>"$1/$2"; } 2>/dev/null ||
        die "$1 cannot be written; a copy of this tree can be built"
    flock -n 9 || { say "waiting for another $SCRIPT_NAME"; flock 9; }
}

# progress LABEL DONE TOTAL TEXT: one line that overwrites itself on a terminal,
# cut where that ends; in a log, a line every 10 s. With what is left, going by
# the time since the first call.
progress_last_s=$SECONDS
progress_first_s=
progress()
{
    local label=$1 done=$2 total=$3 text=$4 percent=100 left_s=0 line
    if [ -z "$progress_first_s" ]; then
        progress_first_s=$SECONDS
        progress_columns=$(stty size <&2 2>/dev/null | cut -d' ' -f2) || true
        [ "${progress_columns:-0}" -gt 0 ] || progress_columns=80
    fi
    if [ "$total" -gt 0 ]; then
        percent=$((100 * done / total))
    fi
    if [ "$done" -gt 0 ]; then
        left_s=$(((SECONDS - progress_first_s) * (total - done) / done))
    fi
    line="$label: $(printf '%3d' "$percent")% [$done/$total]"
    if [ "$left_s" -ge 90 ]; then
        line+=", about $(((left_s + 30) / 60)) min left"
    elif [ "$left_s" -ge 1 ]; then
        line+=", about $left_s s left"
    fi
    line+=" $text"
    if [ -t 2 ]; then
        printf '\r\033[K%s' "${line:0:progress_columns - 1}" >&2
    elif [ $((SECONDS - progress_last_s)) -ge 10 ]; then
        progress_last_s=$SECONDS
        printf '%s\n' "$line" >&2
    fi
}

progress_end()
{
    progress_first_s=
    if [ -t 2 ]; then
        printf '\r\033[K' >&2
    fi
}

# ninja_progress LABEL: rewrites ninja's "[n/m] what" lines from standard input
# as progress; other lines are dropped (the log has them).
ninja_progress()
{
    local label=$1 line
    while IFS= read -r line; do
        if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*)$ ]]; then
            progress "$label" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" \
                "${BASH_REMATCH[3]##* }"
        fi
    done
    progress_end
}

# run_logged LOG COMMAND...: output goes to LOG; its tail is shown on failure.
run_logged()
{
    local log=$1
    shift
    printf '\n+ %s\n' "$*" >>"$log"
    if ! "$@" >>"$log" 2>&1 </dev/null; then
        say "failed: $*"
        tail -n 30 "$log" >&2
        die "the whole log is $log"
    fi
}

# build_with_ninja LOG LABEL DIR [TARGET...]: ninja with progress. Its output
# is added to LOG and left in DIR/ninja.log; errors are shown on failure.
build_with_ninja()
{
    local log=$1 label=$2 dir=$3 out=$3/ninja.log
    shift 3
    if ninja -C "$dir" "$@" 2>&1 </dev/null | tee "$out" |
            ninja_progress "$label"; then
        cat "$out" >>"$log"
        return
    fi
    cat "$out" >>"$log"
    grep -A 25 -m 1 -E '^FAILED|error:' "$out" >&2 || tail -n 25 "$out" >&2
    die "$label failed; the whole log is $log"
}

# check_warnings DIR FILES: shows what the compiler warns of in files that match
# FILES. They are compiled again the next time, so that no warning gets lost.
# With WERROR=1 in the environment, that is an error.
check_warnings()
{
    local dir=$1 warning="[^ ]*($2)[^ :]*:[0-9]+:[0-9]+: warning:" files
    files=$(grep -oE "$warning" "$dir/ninja.log" | cut -d: -f1 | sort -u) ||
        return 0
    grep -E "$warning" "$dir/ninja.log" | sort -u >&2
    (cd "$dir" && xargs touch -c <<<"$files")
    if [ "${WERROR:-0}" = 1 ]; then
        die "our own files compile with warnings"
    fi
}

# --- Root or sudo -------------------------------------------------------------

as_root()
{
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "needs root: run as root, or install sudo: $*"
    fi
}

is_debian()
{
    command -v apt-get >/dev/null && command -v dpkg-query >/dev/null &&
        grep -qsE '^ID=debian$' /etc/os-release
}

# --- Python -------------------------------------------------------------------

# The system's Python: a version manager's may come first in PATH and lack what
# Debian's packages bring.
system_python()
{
    if [ -x /usr/bin/python3 ]; then
        echo /usr/bin/python3
    else
        command -v python3 || die "python3 is missing"
    fi
}

# version_at_least HAVE WANT: dotted numbers, compared number by number.
version_at_least()
{
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

# --- A private apt ------------------------------------------------------------

# Prints the base addresses from which this machine's own apt gets Debian's
# main archive, likeliest first. apt itself parses its sources, so both formats
# and every option are understood. DEBIAN_URI in the environment comes first.
debian_uris()
{
    local uri release component origin label
    {
        if [ -n "${DEBIAN_URI:-}" ]; then
            echo "0 ${DEBIAN_URI%/}/"
        fi
        # shellcheck disable=SC2016  # apt's own variables
        apt-get indextargets --no-release-info --format \
            '$(REPO_URI)|$(RELEASE)|$(COMPONENT)' 'Created-By: Packages' |
        while IFS='|' read -r uri release component; do
            [ "$component" = main ] || continue
            case $uri in
            http:*|https:*|file:*|copy:*|mirror+*|tor+*|ftp:*) ;;
            *) continue ;;
            esac
            case $release in
            bookworm|trixie|forky|sid|stable|testing|unstable|oldstable)
                echo "1 $uri" ;;
            *-security|*/updates) ;;
            *) echo "2 $uri" ;;
            esac
        done
    } | sort -s -u | awk '!seen[$2]++ { print $2 }'
}

# The keyring that Debian's archive is signed with.
debian_keyring()
{
    local file
    for file in ${DEBIAN_KEYRING:+"$DEBIAN_KEYRING"} \
                /usr/share/keyrings/debian-archive-keyring.gpg \
                /usr/share/keyrings/debian-archive-keyring.pgp; do
        if [ -r "$file" ]; then
            echo "$file"
            return
        fi
    done
    die "no keyring of Debian's archive: install debian-archive-keyring"
}

# private_apt_write DIR TYPES URI: an apt configuration wholly inside DIR.
private_apt_write()
{
    local dir=$1 types=$2 uri=$3 type keyring
    keyring=$(debian_keyring)
    mkdir -p "$dir"/{etc/sources.d,etc/preferences.d,state/lists/partial} \
        "$dir"/cache/archives/partial
    : >"$dir/state/status"
    for type in $types; do
        echo "$type [signed-by=$keyring] $uri $DEBIAN_SUITE main"
    done >"$dir/etc/sources.list"
    cat >"$dir/apt.conf" <<CONF
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear Acquire::IndexTargets::deb::DEP-11;
#clear Acquire::IndexTargets::deb::CNF;
#clear Acquire::IndexTargets::deb::Contents-deb;
APT::Default-Release "";
APT::Sandbox::User "$(id -un)";
Dir::Etc::sourcelist "$dir/etc/sources.list";
Dir::Etc::sourceparts "$dir/etc/sources.d";
Dir::Etc::preferences "$dir/etc/preferences";
Dir::Etc::preferencesparts "$dir/etc/preferences.d";
Dir::State "$dir/state";
Dir::State::status "$dir/state/status";
Dir::Cache "$dir/cache";
Acquire::Languages "none";
Acquire::Retries "3";
CONF
}

# host_apt DIR: makes an apt in DIR that knows the sources of the Debian which this
# machine itself is, with its security updates.
host_apt()
{
    local dir=$1 codename keyring uri suite component
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    is_debian || die "this machine is not a Debian: its packages' sources are" \
        "not known"
    keyring=$(debian_keyring)
    private_apt_write "$dir" "" ""
    # shellcheck disable=SC2016  # apt's own variables
    apt-get indextargets --no-release-info --format \
        '$(REPO_URI)|$(RELEASE)|$(COMPONENT)' 'Created-By: Packages' |
    sort -u | while IFS='|' read -r uri suite component; do
        case $suite/$component in
        "$codename"/main|"$codename"-*/main)
            echo "deb-src [signed-by=$keyring] $uri $suite main" ;;
        esac
    done >"$dir/etc/sources.list"
    apt-get -c "$dir/apt.conf" -qq update >"$dir/log" 2>&1 || {
        tail -n 5 "$dir/log" >&2
        die "the sources of this machine's packages are not to be had"
    }
}

# private_apt DIR TYPES [URI]: makes an apt in DIR that knows the main archive of
# DEBIAN_SUITE and nothing else, from the first of this machine's own addresses
# that serves it, or from URI. TYPES is "deb", "deb-src" or both. The machine's
# configuration is read, never changed. Use it as: apt-get -c DIR/apt.conf ...
private_apt()
{
    local dir=$1 types=$2 own=${3:-} uri tried=
    command -v apt-get >/dev/null ||
        die "no apt here, and so none of Debian's packages: QEMU needs your" \
            "own sources (QEMU_SRC=tree or tarball of QEMU 10.2), the guest one" \
            "that \"make guest\" built elsewhere (GUEST=its build-guest folder)"
    while read -r uri; do
        tried="$tried $uri"
        private_apt_write "$dir" "$types" "$uri"
        if apt-get -c "$dir/apt.conf" -qq -o APT::Update::Error-Mode=any \
            update >"$dir/log" 2>&1; then
            return 0
        fi
    done < <(if [ -n "$own" ]; then echo "$own"; else debian_uris; fi)
    if [ -n "$tried" ]; then
        tail -n 5 "$dir/log" >&2
    fi
    [ -z "$own" ] || die "Debian $DEBIAN_SUITE is not at $own"
    die "Debian $DEBIAN_SUITE is at none of this machine's apt sources:" \
        "${tried:- (there are none)}; set DEBIAN_URI= to an archive that has" \
        "it (for QEMU alone, QEMU_SRC= to its sources will do)"
}
