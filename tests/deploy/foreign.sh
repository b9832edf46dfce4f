#!/usr/bin/env bash
# Tests of an image's program that is of another architecture than this machine, under QEMU's emulation of its processor.
#
#   tests/deploy/foreign.sh FOLDER      FOLDER is one of scripts/image_binary.sh
#
# The unit tests; and the image's own program: it says its version, and lives the scenarios of disruption to the same end, each line
# of the journal, as this machine's program does. The last line is "N passed, N failed".
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

[ $# = 1 ] || die "expected a folder of scripts/image_binary.sh"
folder=$(cd "$1" && pwd)
processor=$(sed -nE 's/^CROSS_TRIPLET:[A-Z]+=([^-]+)-.*/\1/p' "$folder/build/CMakeCache.txt")
emulator=("qemu-$processor-static" -L "$folder/inputs/root")
# Graviton2's. The emulator's own choice signs return addresses, and computes for most of its time what hardware does at once.
export QEMU_CPU=neoverse-n1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# result NAME COMMAND...
result() {
    local name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        say "FAILED  $name"
        failed=$((failed + 1))
    fi
}

unit_tests() {
    cmake --build "$folder/build" --parallel "$jobs" >"$work/build.log" 2>&1 || { tail -n 30 "$work/build.log" && return 1; }
    ctest --test-dir "$folder/build" --parallel "$jobs" --output-on-failure --no-tests=error
}

says_its_version() {
    [ "$("${emulator[@]}" "$folder/tenon" version)" = "$(build/release/tenon version)" ]
}

# The journals name neither time nor machine.
lives_alike() {
    "${emulator[@]}" "$folder/tenon" sim "$1" --record "$work/there" >"$work/told" && build/release/tenon sim "$1" --record "$work/here" \
        >"$work/told" && cmp "$work/here" "$work/there"
}

scripts/build.sh release tenon >"$work/build.log"
result "unit tests" unit_tests
result version says_its_version
for scenario in tests/scenario/disruption/*.yaml; do
    result "$scenario" lives_alike "$scenario"
done
say "$passed passed, $failed failed"
[ "$failed" = 0 ]
