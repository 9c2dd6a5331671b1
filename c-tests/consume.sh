#!/bin/sh
# R60: builds find the library in the usual ways: pkg-config, CMake, pfring_config with the archive.
# Prints TAP. PREFIX_DIR is the prefix that the library was built into.
set -u
prefix=${PREFIX_DIR:?}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
count=0

check() { # check NAME COMMAND...
    name=$1
    shift
    count=$((count + 1))
    if "$@" >"$work/log" 2>&1; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        sed 's/^/# /' "$work/log"
    fi
}

skip() {
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

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
check "pfring_config names what the archive needs" by_pfring_config
echo "1..$count"
