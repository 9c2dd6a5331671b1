#!/bin/bash
# The other targets: musl (R58: the library is built, a static program with it reads ten frames) and aarch64
# (R59: unit tests under emulation). Prints TAP. What a machine lacks is skipped with a line. BLAST is the
# sender of numbered frames; live frames need root.
set -u
cd "$(dirname "$0")/.."
blast=${BLAST:?}
. packaging/tap.sh
trap 'rm -rf "$work"' EXIT

# The standard library of a target: there already, or fetched by rustup.
has_target() {
    [ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ] || timeout 120 rustup target add "$1" >/dev/null 2>&1
}

build_for_musl() {
    cargo rustc --release --lib --locked --crate-type staticlib --target "$1" &&
        packaging/archive.sh "target/$1/release/libpfring.a" abi/symbols.txt "$work/libpfring.a"
}

# The unwinder is the one that comes with Rust's target: gcc's is made for glibc.
link_with_musl() {
    local unwind
    unwind=$(rustc --print sysroot)/lib/rustlib/$1/lib/self-contained/libunwind.a
    musl-gcc -static -Wall -Werror -Iinclude -o "$work/capture" packaging/capture.c "$work/libpfring.a" \
        -nodefaultlibs "$unwind" -lc
}

no_glibc_names() {
    ! readelf -sW "$work/libpfring.a" | awk '$7 == "UND" { print $8 }' | grep '_chk$\|^__strdup$'
}

ten_frames() {
    unshare --net sh -euc "
        ip link add va type veth peer name vb
        ip link set va up
        ip link set vb up
        (sleep 1; $blast va 10 1000) &
        timeout 20 $work/capture vb 10"
}

musl=x86_64-unknown-linux-musl
if [ "$(uname -m)" != x86_64 ] || ! command -v musl-gcc >/dev/null; then
    skip "r58: the library for musl" "no musl-gcc for this machine"
elif ! has_target "$musl"; then
    skip "r58: the library for musl" "the Rust target $musl cannot be had"
else
    check "r58: the library is built for musl" build_for_musl "$musl"
    check "r58: a static program with musl is linked" link_with_musl "$musl"
    check "r58: no symbol that only glibc has" no_glibc_names
    if unshare --net true 2>/dev/null; then
        check "r58: a program with musl reads ten frames" ten_frames
    else
        skip "r58: a program with musl reads ten frames" "no right to make a network namespace"
    fi
fi

# Not under emulation: qemu-user knows nothing of SIOCETHTOOL, nor of stamps, and its own memory would be counted.
unit_tests() {
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
        CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu" \
        timeout 900 cargo test --locked --lib --target "$1" -- \
        --skip sys::ethtool --skip ::live:: --skip leave_no_memory_behind
}

arm=aarch64-unknown-linux-gnu
if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
    skip "r59: unit tests on aarch64" "no aarch64-linux-gnu-gcc or no qemu-aarch64"
elif ! has_target "$arm"; then
    skip "r59: unit tests on aarch64" "the Rust target $arm cannot be had"
else
    check "r59: unit tests on aarch64, emulated" unit_tests "$arm"
fi
echo "1..$count"
