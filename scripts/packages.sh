#!/bin/bash
# The Debian packages that building and testing take: the one list, for people, make and CI.
#
#   scripts/packages.sh list       prints them, one a line
#   scripts/packages.sh install    installs those that are missing; as root
#
# Rust is not among them: rustc 1.95 or newer and cargo, with rustfmt and clippy for .ci/run, come
# from rustup or from a newer distribution.
set -euo pipefail

PACKAGES=(
    gcc g++ make binutils # the library and the tools; nm and readelf for the tests of the ABI
    perl                  # prove, which runs the C tests
    pkg-config cmake      # builds that look for the library
    python3               # examples-c/make_sample.py
    iproute2              # namespaces and veth pairs
    procps util-linux     # ps; unshare, setpriv, taskset
    libpcap-dev           # brings the libpcap of run time too, whatever that package is called
    tcpdump               # a second opinion on what was on the wire
    valgrind strace
    masscan               # a program that loads libpfring by itself
    clang libclang-dev    # a second C compiler; bindgen, which reads the headers back
    musl-tools            # the headers with another C library
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross # the layouts on another processor ...
    qemu-user                                   # ... and the unit tests
)

missing() {
    local package
    for package in "${PACKAGES[@]}"; do
        if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
            echo "$package"
        fi
    done
}

install_missing() {
    local packages
    mapfile -t packages < <(missing)
    if [ "${#packages[@]}" -eq 0 ]; then
        return
    fi
    if [ "$(id -u)" -ne 0 ]; then
        echo "packages.sh: only root can install: ${packages[*]}" >&2
        exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update
    apt-get install -y --no-install-recommends "${packages[@]}"
}

case "${1:-}" in
    list) printf '%s\n' "${PACKAGES[@]}" ;;
    install) install_missing ;;
    *)
        echo "usage: scripts/packages.sh list|install" >&2
        exit 2
        ;;
esac
