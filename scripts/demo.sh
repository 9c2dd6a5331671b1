#!/bin/sh
# The main job, shown: pfcount counts a capture file, then live packets in every wait mode.
#
#   scripts/demo.sh        after the build; BUILD=folder if it is not build/
#
# The live part sends numbered frames over a veth pair in a network namespace that ends with this
# script. It needs the right to make one (root, or user namespaces); without it that part is left
# out with one line. Ends with status 1 when counted + dropped differs from sent in any mode.
#
# FRAMES, RATE and MODES can be set in the environment.
set -u

here=$(cd "$(dirname "$0")/.." && pwd) || exit 1
BUILD=${BUILD:-$here/build}
FRAMES=${FRAMES:-50000}
RATE=${RATE:-25000}
MODES=${MODES:-passive active adaptive sleep yield}
IDLE_S=2
pfcount=$BUILD/bin/pfcount
blast=$BUILD/c-tests/blast
sample=$here/examples-c/sample.pcap

fail() {
    echo "demo: $*" >&2
    exit 1
}

# The number before a word of pfcount's last statistics: field FILE 'pkts rcvd'. Its digits come in
# groups, set off by apostrophes.
field() {
    tr -d "'" <"$1" | sed -n "s/.*\[\([0-9]*\) $2\].*/\1/p" | tail -n 1
}

# CPU time of a process and its threads so far, in microseconds.
cpu_us() {
    cat /proc/"$1"/task/*/schedstat 2>/dev/null | {
        sum=0
        while read -r ns _; do sum=$((sum + ns / 1000)); done
        echo "$sum"
    }
}

now_us() {
    read -r up _ </proc/uptime
    echo "${up%.*}${up#*.}0000"
}

# CPU time over wall time as a percentage with one digit: percent CPU_US WALL_US
percent() {
    [ "$2" -gt 0 ] || set -- 0 1
    tenths=$(($1 * 1000 / $2))
    echo "$((tenths / 10)).$((tenths % 10))"
}

# --- a capture file ---

count_file() {
    [ -f "$sample" ] || fail "$sample is missing"
    echo "pfcount -i pcap:examples-c/sample.pcap"
    "$pfcount" -i "pcap:$sample" 2>"$work/file" || fail "pfcount ended with status $?: $(cat "$work/file")"
    counted=$(field "$work/file" 'pkts rcvd\]\[[0-9]* bytes rcvd')
    [ -n "$counted" ] && [ "$counted" -gt 0 ] || fail "pfcount counted nothing in $sample"
    echo "$counted packets counted"
}

# --- live packets ---

make_link() {
    for scope in all default; do
        echo 1 >/proc/sys/net/ipv6/conf/$scope/disable_ipv6
    done 2>/dev/null
    ip link add demo-a type veth peer name demo-b && ip link set demo-a arp off up &&
        ip link set demo-b arp off up
}

# Waits until a process has written a line that matches into a file.
wait_for_line() {
    tries=0
    until grep -qs "$2" "$3"; do
        tries=$((tries + 1))
        kill -0 "$1" 2>/dev/null && [ $tries -lt 50 ] || return 1
        sleep 0.1
    done
}

# One row of the table. 0 if every frame sent is accounted for.
run_mode() {
    mode=$1
    PFRING_WAIT=$mode "$pfcount" -i demo-b -e 1 >"$work/out" 2>"$work/err" &
    counter=$!
    wait_for_line $counter '^Capturing from' "$work/out" ||
        fail "pfcount does not start in mode $mode: $(cat "$work/err")"

    cpu=$(cpu_us $counter) wall=$(now_us)
    sleep $IDLE_S
    idle=$(percent $(($(cpu_us $counter) - cpu)) $(($(now_us) - wall)))

    cpu=$(cpu_us $counter) wall=$(now_us)
    sent=$("$blast" demo-a "$FRAMES" "$RATE") || fail "blast sent $sent of $FRAMES frames"
    busy=$(percent $(($(cpu_us $counter) - cpu)) $(($(now_us) - wall)))

    sleep 0.2 # longer than any packet waits in a ring
    kill -TERM $counter
    wait $counter || fail "pfcount ended with status $? in mode $mode: $(cat "$work/err")"
    counter=

    counted=$(field "$work/err" 'pkts rcvd\]\[[0-9]* bytes rcvd')
    dropped=$(field "$work/err" 'pkts dropped')
    [ -n "$counted" ] && [ -n "$dropped" ] || fail "pfcount printed no statistics in mode $mode"
    verdict=ok
    [ $((counted + dropped)) -eq "$sent" ] || verdict=WRONG
    printf '%-9s %9d %9d %9d %8s %8s  %s\n' "$mode" "$sent" "$counted" "$dropped" "$busy" "$idle" \
        "$verdict"
    [ $verdict = ok ]
}

count_live() {
    make_link || fail "the veth pair could not be made"
    echo
    echo "$FRAMES frames at $RATE a second over a veth pair, once in each wait mode"
    printf '%-9s %9s %9s %9s %8s %8s\n' mode sent counted dropped 'CPU %' 'idle %'
    status=0
    for mode in $MODES; do
        run_mode "$mode" || status=1
    done
    [ $status -eq 0 ] || echo "demo: frames are missing or were counted twice" >&2
    return $status
}

# --- the whole ---

[ -x "$pfcount" ] || fail "$pfcount is missing: build first"

counter=
work=$(mktemp -d) || exit 1
trap 'if [ -n "$counter" ]; then kill "$counter" 2>/dev/null; fi; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ "${1:-}" = --live ]; then
    count_live
    exit
fi

count_file
missing=
for tool in ip unshare; do
    command -v $tool >/dev/null || missing="$missing $tool"
done
[ -x "$blast" ] || missing="$missing $blast"
if [ -n "$missing" ]; then
    echo "live packets are left out: these are missing:$missing"
elif unshare -n ip link show lo >/dev/null 2>&1; then
    unshare -n "$0" --live
elif unshare -rn ip link show lo >/dev/null 2>&1; then
    unshare -rn "$0" --live
else
    echo "live packets are left out: no right to make a network namespace (try as root)"
fi
