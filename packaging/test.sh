#!/bin/bash
# The packages of `make deb`, tested: what is in them, and that an unmodified program captures in a root
# that has the run-time package and the C library, nothing else. Prints TAP. As root, with DEBS=folder.
set -u

debs=${DEBS:?} blast=${BLAST:?} program=${PROGRAM:?}
. "$(dirname "$0")/tap.sh"

finish() {
    umount "$work/root/proc" 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT

skip_rest() {
    echo "ok $((count + 1)) - the rest # SKIP $1"
    echo "1..$((count + 1))"
    exit 0
}

contains() { # contains PACKAGE PATH...
    local package=$1 path
    shift
    dpkg-deb --contents "$debs/$package"_*.deb >"$work/contents" || return
    for path in "$@"; do
        grep -q " \./usr/.*$path" "$work/contents" || { echo "no $path"; return 1; }
    done
}

conflicts() {
    local deb
    for deb in "$debs"/*.deb; do
        [ "$(dpkg-deb --field "$deb" Conflicts)" = "pfring, pfring-dkms" ] || return
    done
}

library_is_lean() {
    local lib
    dpkg-deb --extract "$debs"/libpfring8_*.deb "$work/lean" || return
    lib=$(find "$work/lean" -name 'libpfring.so.*.*.*')
    [ "$(stat -c %s "$lib")" -le 1048576 ] || { ls -l "$lib"; return 1; }
    ! nm -D --undefined-only "$lib" | grep -v '@GLIBC_\|@GCC_\| w ' | grep .
}

install_run_time() {
    mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers" "$root/bin" "$root/proc"
    touch "$root/var/lib/dpkg/status"
    # Its dependencies are put there by hand below: the C library and the compiler's run time.
    dpkg --root="$root" --force-depends --install "$debs"/libpfring8_*.deb
}

add_program() {
    local file
    cp "$program" "$root/bin/capture" || return
    # What the program and the library need, with the loader, where the loader looks.
    for file in $(ldd "$program" "$root"/usr/lib/*/libpfring.so.8 | grep -o '/[^ ]*' | grep -v ':$' | grep -v libpfring | sort -u); do
        mkdir -p "$root/$(dirname "$file")"
        cp -L "$file" "$root/$file" || return
    done
    mount -t proc proc "$root/proc"
}

in_namespace() {
    ip link add va type veth peer name vb && ip link set va arp off up && ip link set vb arp off up || return
    echo 1 >/proc/sys/net/ipv6/conf/vb/disable_ipv6
    strace -f -o "$work/trace" -e trace=socket,init_module,finit_module,openat \
        timeout 20 chroot "$root" /bin/capture vb 10 >"$work/out" &
    local tries=0
    until grep -qs ready "$work/out"; do
        tries=$((tries + 1))
        [ $tries -le 100 ] || { echo "the program does not start"; return 1; }
        sleep 0.1
    done
    "$blast" va 10 1000 >/dev/null
    wait $! || return
    grep -x "10 packets" "$work/out"
}

captures() {
    export -f in_namespace
    export work root blast
    unshare --net bash -c in_namespace
}

no_module() {
    ! grep -E 'init_module|pf_ring|socket\((27|AF_IB)' "$work/trace"
}

root=$work/root
check "the run-time package has the library under its three names" \
    contains libpfring8 'libpfring.so ->' 'libpfring.so.8 ->' 'libpfring.so.8.9.0$' man7/pfring.7.gz
check "the development package has headers, archive and what builds look for" \
    contains libpfring-dev include/pfring.h include/pfring_wait.h include/linux/pf_ring.h libpfring.a libpfring.pc bin/pfring_config
check "the tools have their manuals" contains pfring-tools bin/pfcount man1/pfcount.1.gz
check "ntop's packages are declared as conflicting" conflicts
check "the library is at most 1 MiB and needs the C library and the compiler's run time only" library_is_lean
[ "$(id -u)" = 0 ] || skip_rest "installing needs root"
check "the run-time package installs into an empty root" install_run_time
check "a program that was linked with another libpfring is put there" add_program
check "it captures 10 frames" captures
check "no module is loaded, and no socket of PF_RING's family is opened" no_module
echo "1..$count"
