#!/bin/bash
# Makes Debian packages of what `make install` installs:
#   libpfring8     the shared library, with the plain name too: programs load libpfring.so by it
#   libpfring-dev  headers, the static library, pkg-config file and pfring_config
#   pfring-tools   the tools
#
#   packaging/deb.sh STAGE OUT VERSION    STAGE: where `make install DESTDIR=STAGE PREFIX=/usr` went
set -euo pipefail

stage=$(realpath "$1") out=$(realpath -m "$2") version=$3
here=$(cd "$(dirname "$0")/.." && pwd)
architecture=$(dpkg --print-architecture)
cd "$stage"
lib=$(dirname "$(find usr/lib -name libpfring.so.8)")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The libraries that the shared object needs, by the symbols that it uses.
glibc=$(objdump -T "$lib/libpfring.so.8" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)

move() { # move PACKAGE PATH...: from the stage into the tree of a package
    local package=$1 path
    shift
    for path in "$@"; do
        mkdir -p "$work/$package/$(dirname "$path")"
        cp -a "$path" "$work/$package/$path"
    done
}

finish() { # finish PACKAGE DEPENDS SUMMARY TEXT
    local package=$1 depends=$2 summary=$3 text=$4 root=$work/$1
    local doc=$root/usr/share/doc/$package section=libs
    mkdir -p "$doc" "$root/DEBIAN"
    { cat "$here/LICENSE-MIT"; echo; cat "$here/LICENSE-APACHE"; } >"$doc/copyright"
    gzip -9n <"$here/CHANGELOG.md" >"$doc/changelog.gz"
    find "$root/usr/share/man" -name '*.[1-9]' -exec gzip -9n {} + 2>/dev/null || true
    case $package in
    *-dev) section=libdevel ;;
    *-tools) section=net ;;
    esac
    cat >"$root/DEBIAN/control" <<EOF
Package: $package
Version: $version
Architecture: $architecture
Maintainer: The pfring authors <pfring@localhost>
Section: $section
Priority: optional
Depends: $depends
Conflicts: pfring, pfring-dkms
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Description: $summary
 $text
EOF
    if [ "$package" = libpfring8 ]; then
        sed -i '/^Depends/a Recommends: libpcap0.8t64 | libpcap0.8' "$root/DEBIAN/control"
        echo "activate-noawait ldconfig" >"$root/DEBIAN/triggers"
    fi
    find "$root" -type d -exec chmod 755 {} +
    dpkg-deb --root-owner-group --build "$root" "$out/${package}_${version}_$architecture.deb" >/dev/null
    echo "$out/${package}_${version}_$architecture.deb"
}

mkdir -p "$out"
move libpfring8 "$lib"/libpfring.so* usr/share/man/man7/pfring.7
strip --strip-unneeded "$work/libpfring8/$lib"/libpfring.so.*.*.*
move libpfring-dev usr/include/pfring.h usr/include/pfring_wait.h usr/include/linux/pf_ring.h \
    "$lib/libpfring.a" "$lib/pkgconfig/libpfring.pc" usr/bin/pfring_config
for tool in usr/bin/*; do
    [ "$tool" = usr/bin/pfring_config ] || move pfring-tools "$tool"
done
move pfring-tools usr/share/man/man1/*
strip --strip-unneeded "$work"/pfring-tools/usr/bin/*

finish libpfring8 "libc6 (>= ${glibc#GLIBC_}), libgcc-s1" "packet capture by the interface of libpfring, without a kernel module" \
    "Programs that were written for PF_RING run on it unchanged, on stock Linux."
finish libpfring-dev "libpfring8 (= $version), libc6-dev" "packet capture by the interface of libpfring (development)" \
    "Headers and the static library."
finish pfring-tools "libpfring8 (>= $version), libc6 (>= ${glibc#GLIBC_})" "tools that count and measure packets" \
    "pfcount and others, on libpfring."
