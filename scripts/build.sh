#!/usr/bin/env bash
# Configures a CMake preset and builds it, all of it or the named targets: scripts/build.sh PRESET [TARGET...]
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ $# -gt 0 ] || die "expected a preset of CMakePresets.json"
preset=$1
shift

if [ ! -e "build/$preset/build.ninja" ]; then
    cmake --preset "$preset"
fi
cmake --build "build/$preset" --parallel "$jobs" ${1:+--target "$@"}
