#!/bin/sh
# R60: builds find the library in the usual ways: pkg-config, CMake, autoconf, pfring_config with the archive, which
# links statically and beside another Rust library too.
# Prints TAP. PREFIX_DIR is the prefix that the library was built into.
set -u
prefix=${PREFIX_DIR:?}
. "$(dirname "$0")/../packaging/tap.sh"
trap 'rm -rf "$work"' EXIT
cat >"$work/version.c" <<'EOF'
#include <pfring.h>
#include <stdio.h>
int main(void)
{
    uint32_t version = 0;
    pfring_version_noring(&version);
    printf("%#x\n", version);
    return version == RING_VERSION_NUM ? 0 : 1;
}
EOF

by_pkg_config() {
    PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    export PKG_CONFIG_PATH
    # Flags are several words.
    # shellcheck disable=SC2046
    cc -Wall -Werror -o "$work/p" "$work/version.c" $(pkg-config --cflags --libs libpfring) &&
        LD_LIBRARY_PATH=$prefix/lib "$work/p" && pkg-config --exact-version=8.9.0 libpfring
}

by_cmake() {
    cat >"$work/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.10)
project(consume C)
find_library(PFRING NAMES libpfring.a REQUIRED)
find_path(PFRING_INCLUDE pfring.h REQUIRED)
add_executable(v version.c)
target_include_directories(v PRIVATE ${PFRING_INCLUDE})
target_link_libraries(v ${PFRING} pthread dl m)
EOF
    cmake -S "$work" -B "$work/b" -DCMAKE_PREFIX_PATH="$prefix" && cmake --build "$work/b" &&
        "$work/b/v"
}

by_pfring_config() {
    # shellcheck disable=SC2046
    cc -Wall -Werror -I"$prefix/include" -o "$work/c" "$work/version.c" "$prefix/lib/libpfring.a" \
        $("$prefix/bin/pfring_config" --libs) && "$work/c" &&
        test "$("$prefix/bin/pfring_config" --include)" = "" && ! "$prefix/bin/pfring_config"
}

# What AC_CHECK_LIB and AC_CHECK_HEADER try: a function of no known type, the header alone.
by_autoconf() {
    printf 'char pfring_open(void);\nint main(void) { return pfring_open(); }\n' >"$work/conftest.c"
    printf '#include <pfring.h>\n' >"$work/conftest2.c"
    cc -w -fno-builtin -o "$work/conftest" "$work/conftest.c" -L"$prefix/lib" -lpfring &&
        cc -c -I"$prefix/include" -o "$work/conftest.o" "$work/conftest2.c"
}

# The symbols of the archive are those of the shared object and no other.
only_public_symbols() {
    globals() { readelf -sW "$@" | awk '($5 == "GLOBAL" || $5 == "WEAK") && $7 != "UND" && $8 != "" { print $8 }' | sort -u; }
    globals --dyn-syms "$prefix/lib/libpfring.so" >"$work/shared" && globals "$prefix/lib/libpfring.a" >"$work/static"
    test -s "$work/static" && diff "$work/shared" "$work/static"
}

fully_static() {
    # shellcheck disable=SC2046
    cc -Wall -Werror -static -I"$prefix/include" -o "$work/s" "$work/version.c" "$prefix/lib/libpfring.a" \
        $("$prefix/bin/pfring_config" --libs) && "$work/s"
}

beside_rust() {
    cat >"$work/other.rs" <<'EOF'
#[no_mangle]
pub extern "C" fn other() -> i32 {
    std::panic::catch_unwind(|| panic!("caught")).map_or(7, |()| 0)
}
EOF
    cat >"$work/both.c" <<'EOF'
#include <pfring.h>
#include <errno.h>
int other(void);
int main(void)
{
    return pfring_open("no-such-if", 100, 0) == NULL && errno == ENODEV && other() == 7 ? 0 : 1;
}
EOF
    rustc --edition 2021 --crate-type staticlib -C panic=unwind -o "$work/libother.a" "$work/other.rs" || return 1
    for archives in "$prefix/lib/libpfring.a $work/libother.a" "$work/libother.a $prefix/lib/libpfring.a"; do
        # shellcheck disable=SC2046,SC2086
        cc -I"$prefix/include" -o "$work/both" "$work/both.c" $archives \
            $("$prefix/bin/pfring_config" --libs) -lpthread -ldl -lm && "$work/both" || return 1
    done
}

if command -v pkg-config >/dev/null; then
    check "r60: pkg-config finds libpfring" by_pkg_config
else
    skip "r60: pkg-config finds libpfring" "no pkg-config"
fi
if command -v cmake >/dev/null; then
    check "r60: CMake finds libpfring.a" by_cmake
else
    skip "r60: CMake finds libpfring.a" "no cmake"
fi
check "autoconf's checks find -lpfring and pfring.h" by_autoconf
check "the archive has the public symbols only" only_public_symbols
check "a fully static program" fully_static
if command -v rustc >/dev/null; then
    check "the archive links beside another Rust library" beside_rust
else
    skip "the archive links beside another Rust library" "no rustc"
fi
check "pfring_config names what the archive needs" by_pfring_config
echo "1..$count"
