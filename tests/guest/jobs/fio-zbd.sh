# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC1091,SC2154  # RESULTS comes from run-job
#
# Runs fio's own tests of zoned drives, which are in /extra/fio-zbd, as
# /extra/fio-zbd/options says: TESTS, their numbers, and OPTIONS of the script.
# Leaves a line per test in zbd.tsv (number, PASS, FAIL or SKIP, seconds of the
# guest's time, reason) and its log in zbd-NUMBER.log.
# Knows nothing of what the tests do, nor of which are known to fail.

readonly LINE='Running test 0*([0-9]+) \.\.\. +([A-Z]+) *(.*)'
readonly LOG_BYTES=100000

# The script looks for fio two folders above its own, and writes logs there.
cp -r /extra/fio-zbd /tmp/fio
ln -s /usr/bin/fio /tmp/fio/fio
. /tmp/fio/options

suite()
{
    local number arguments=()
    for number in $TESTS; do
        arguments+=(-t "$number")
    done
    # shellcheck disable=SC2086  # they are several
    bash /tmp/fio/t/zbd/test-zbd-support $OPTIONS "${arguments[@]}" "$DRIVE" 2>&1
}

begin_ns=$(now_ns)
# Its status is 1 if a test has failed; what each did is in its line.
{ suite || :; } | while IFS= read -r line; do
    end_ns=$(now_ns)
    if [[ $line =~ $LINE ]]; then
        number=${BASH_REMATCH[1]}
        printf '%s\t%s\t%d.%03d\t%s\n' "$number" "${BASH_REMATCH[2]}" \
            $(((end_ns - begin_ns) / 1000000000)) \
            $(((end_ns - begin_ns) / 1000000 % 1000)) "${BASH_REMATCH[3]}" |
            tee -a "$RESULTS/zbd.tsv" | sed 's/^/zbd\t/' | say
        tail -c $LOG_BYTES "/tmp/fio/t/zbd/test-zbd-support.log.$number" \
            >"$RESULTS/zbd-$number.log"
    else
        echo "$line" >>"$RESULTS/zbd.out"
    fi
    begin_ns=$end_ns
done
