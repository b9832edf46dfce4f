# What the scripts of this folder share. Source it first: it goes to the root of the tree and sets the environment.
#
# Sets: root (of the tree), cache (a folder that survives `make clean`), jobs (how many programs at the same time).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

cache=${XDG_CACHE_HOME:-${HOME:-$root/build}/.cache}/tenon
jobs=${JOBS:-$(nproc)}

# Nothing here asks a question: a test run has no terminal.
export DEBIAN_FRONTEND=noninteractive
# Compilations are kept between builds, and between clones, where ccache is installed.
if command -v ccache >/dev/null; then
    export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi

say() { printf '%s\n' "$*"; }

die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}
