# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # ARGS
#
# Finds out from latencies which of a drive's zones share units of the flash, by
# pivot and needle, as ZenFS+ does (Oh et al., IEEE Access 2023):
# results/find.out, as JSON.
#
#   ARGS="first=0 count=16 scramble=1"
#
# With place=4 four tenants, each of which may use 4 zones of its own, read and
# write: three of them write, one reads. First each takes the first of its zones
# (step "naive"), then the first that shares no unit with another's ("placed").
#
# Knows nothing of the drive.

first=${first:-0}
count=${count:-16}
character=/dev/ng${DRIVE#/dev/nvme}
TENANTS=4

# Zones that have been finished and reset have other blocks, on some drives.
scramble()
{
    local zone
    for zone in $(seq $((first + count - 1)) -2 "$first"); do
        zone-op "$DRIVE" finish "$zone" && zone-op "$DRIVE" reset "$zone"
    done
}

# placed_zones: of each tenant's zones the first whose group no other has.
placed_zones()
{
    jq -r --argjson each "$place" --argjson first "$first" \
        --argjson tenants "$TENANTS" '
        def group_of($groups; $zone):
            [range($groups | length) |
             select($groups[.] | index($zone))][0];
        .groups as $groups |
        reduce range($tenants) as $tenant ({used: [], zones: []};
            .used as $used |
            [range($each) + $first + $tenant * $each] as $own |
            (([$own[] | select(group_of($groups; .) as $group |
                               $used | index($group) | not)] + $own)[0])
            as $zone |
            .used += [group_of($groups; $zone)] | .zones += [$zone]) |
        .zones | join(" ")' "$RESULTS/find.out"
}

# tenants NAME ZONE...: the first reads, the others write.
tenants()
{
    local name=$1 reader=$2 zone
    local -a options
    shift 2
    prepare "reset the zones" blkzone reset "$DRIVE"
    options=(--name=read --rw=randread --bs=4k --offset="${reader}z"
             --prefill=40% --exitall=1 --number_ios=1000)
    for zone in "$@"; do
        options+=(--name="write$zone" --rw=write --bs=48k --offset="${zone}z")
    done
    step "$name" zns-load --filename="$character" "${options[@]}"
}

if [ "${scramble:-0}" = 1 ]; then
    prepare "finish and reset every second zone" scramble
fi
step find zone-finder "$character" "$first" "$count"
if [ -n "${place:-}" ]; then
    # shellcheck disable=SC2046  # words are wanted
    tenants naive $(seq "$first" "$place" \
        $((first + place * (TENANTS - 1))))
    # shellcheck disable=SC2046
    tenants placed $(placed_zones)
fi
