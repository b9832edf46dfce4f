#!/usr/bin/env bash
# Runs every fuzz target: tests/fuzz/run.sh SECONDS BUILD_DIR
#
# Each starts from tests/fuzz/corpus/NAME; further inputs that it finds go to BUILD_DIR/fuzz/NAME and are used again, so
# that the tree stays clean. An input that makes a target fail is in BUILD_DIR/fuzz/NAME.crash-…, its output in NAME.log
# beside it. One line per target (runs, edges covered); the last is "N passed, N failed". Exit 1 if one fails.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: $0 SECONDS BUILD_DIR" >&2
    exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
seconds=$1
build=$(cd "$2" && pwd)
found=$build/fuzz

# run_target PROGRAM: runs a target and prints its line; returns 0 if it passed.
run_target() {
    local name=${1##*/fuzz_} status=0 log runs covered
    log=$found/$name.log
    mkdir -p "$found/$name"
    "$1" -max_total_time="$seconds" -max_len=4096 -rss_limit_mb=1024 -timeout=10 -print_final_stats=1 \
        -artifact_prefix="$found/$name." -dict="$here/words.dict" "$found/$name" "$here/corpus/$name" \
        >"$log" 2>&1 || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    printf '%-6s  %-16s %10s runs %8s edges\n' "$([ $status -eq 0 ] && echo ok || echo FAILED)" "$name" \
        "${runs:-?}" "${covered:-?}"
    if [ $status -ne 0 ]; then
        grep -m 1 -E '^tenon: bug at|^==[0-9]+== *ERROR|^SUMMARY' "$log" || tail -n 3 "$log"
        sed -n 's/.*Test unit written to //p' "$log" | while read -r unit; do
            echo "$unit, in base64: $(base64 -w 0 "$unit")"
        done
    fi
    return $status
}

mkdir -p "$found"
targets=("$build"/tests/fuzz/fuzz_*)
programs=()
for target in "${targets[@]}"; do
    if [ -f "$target" ] && [ -x "$target" ]; then
        programs+=("$target")
    fi
done
if [ ${#programs[@]} -eq 0 ]; then
    echo "no fuzz targets below $build/tests/fuzz: build the preset fuzz or asan" >&2
    exit 2
fi

# As many at a time as there are cores; their lines come in the order of the names.
export -f run_target
export seconds here found
printf '%s\0' "${programs[@]}" |
    xargs -0 -I PROGRAM -P "${JOBS:-$(nproc)}" bash -c 'run_target PROGRAM >"$found/${0##*/}.line"' PROGRAM || true

failed=0
for program in "${programs[@]}"; do
    line=$found/${program##*/}.line
    cat "$line"
    grep -q '^ok ' "$line" || failed=$((failed + 1))
done
echo "$((${#programs[@]} - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
