#!/usr/bin/env bash
# Installs the Debian packages that are missing; does nothing, quickly, when everything is there.
#
#   scripts/setup.sh build    what building and the unit tests need
#   scripts/setup.sh package  that, and what images and packages need
#   scripts/setup.sh test     what building needs, and what the other checks need (clang, sanitizers, linters, Python, ccache)
#
# Uses apt-get, through sudo only when not root.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Who needs what is said in docs/design/README.md, "What it is built on".
build_packages=(gcc g++ cmake ninja-build pkg-config python3 coinor-libcbc-dev coinor-libclp-dev libcmocka-dev
    libcurl4-openssl-dev libexpat1-dev libmicrohttpd-dev libsimdjson-dev libssl-dev libxxhash-dev libyaml-dev)
test_packages=("${build_packages[@]}" clang libclang-rt-14-dev llvm clang-format clang-tidy cppcheck gcovr
    ca-certificates ccache dpkg-dev fish man-db openssl python3-venv zsh)
# The image is for the other architecture, too.
other=aarch64
[ "$(uname -m)" != aarch64 ] || other=x86-64
package_packages=("${build_packages[@]}" bubblewrap ccache dpkg-dev "g++-$other-linux-gnu" lintian make openssl qemu-user-static)

case ${1:-} in
build) packages=("${build_packages[@]}") ;;
test) packages=("${test_packages[@]}") ;;
package) packages=("${package_packages[@]}") ;;
*) die "expected 'build', 'package' or 'test', got '${1:-}'" ;;
esac

command -v dpkg-query >/dev/null ||
    die "this is no Debian system; install the equivalents of: ${packages[*]}; then use cmake --preset directly"

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done

if [ ${#missing[@]} = 0 ]; then
    say "setup: all ${#packages[@]} packages are installed"
    exit 0
fi

as_root=()
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "not root and no sudo; as root, run: apt-get install ${missing[*]}"
    as_root=(sudo env DEBIAN_FRONTEND=noninteractive)
fi

say "setup: installing ${#missing[@]} of ${#packages[@]} packages: ${missing[*]}"
"${as_root[@]}" apt-get update --quiet || say "setup: apt-get update failed; trying with the package lists that are here"
"${as_root[@]}" apt-get install --quiet --yes --no-install-recommends "${missing[@]}" </dev/null
say "setup: done"
