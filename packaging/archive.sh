#!/bin/sh
# Makes an archive that can be linked beside any other, one of another Rust library included: one object, in
# which only the functions of the C headers are global.
#
#   archive.sh RUST_ARCHIVE SYMBOLS OUT
#
# RUST_ARCHIVE: what cargo built. SYMBOLS: the list of exported functions, `#` begins a comment.
# The groups of the members (COMDAT) are dissolved, else the linker would keep one of two libraries' personality
# routine for both.
set -eu
rust=$1 symbols=$2 out=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed 's/#.*//' "$symbols" | awk 'NF { print $1 }' >"$work/keep"
sed 's/^/--undefined=/' "$work/keep" >"$work/roots"
"${LD:-ld}" -r --gc-sections --force-group-allocation -o "$work/all.o" "@$work/roots" "$rust"
"${OBJCOPY:-objcopy}" --keep-global-symbols="$work/keep" --strip-debug \
    --remove-section=.llvmbc --remove-section=.llvmcmd "$work/all.o" "$work/pfring.o"
rm -f "$out"
"${AR:-ar}" rcs "$out" "$work/pfring.o"
