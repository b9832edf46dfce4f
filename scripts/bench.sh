#!/usr/bin/env bash
# Measures tenon (docs/design/bench.md):
#
#   scripts/bench.sh           tenon alone: time, price and memory of every case, as a table; some minutes
#   scripts/bench.sh peers     Karpenter's scheduler and tenon in turn; writes bench/RESULTS.md and what lies behind it
#   scripts/bench.sh prices    prices of plans for 500 random clusters, tenon against Karpenter (CASES=N SEED=N HEAVY=yes)
#   scripts/bench.sh report    bench/RESULTS.md and bench/results.svg again from bench/results.json
#
# OPENB_LIST=FILE: `peers` measures the pod list of Alibaba's openb trace itself, too. PEER_LIMIT=SECONDS: Karpenter is
# given up after so long in one case (600).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

bench=build/release/bench/tenon-bench
peer=build/peer-karpenter

build_tenon() {
    cmake --preset release -DTENON_BENCH=ON >/dev/null
    scripts/build.sh release "$@" >&2
}

build_peer() {
    say "bench: building Karpenter's scheduler (downloads its modules the first time)" >&2
    (cd bench/peer-karpenter && "$root/scripts/go.sh" build -o "$root/$peer" .)
}

built_with() {
    say "$(gcc --version | head -n 1), $(scripts/go.sh version | cut -d ' ' -f 3)"
}

# One table from several runs of tenon-bench: sizes and repetitions that keep the whole at a few minutes.
measure_tenon() {
    "$bench" -o table --case diverse --pods 1,100,1000,5000,10000,20000 --repeat 5
    local run
    for run in \
        "--case diverse --pods 100000 --repeat 3" \
        "--case diverse --pods 1000000 --repeat 1 --limit 120" \
        "--case preference,preference-ignore --repeat 5" \
        "--case distinct --pods 1000,20000,100000" \
        "--case distinct --pods 1000000 --repeat 1 --warm-up 0 --limit 120" \
        "--case hostname-anti-affinity,zone-spread-500,pools-50,nodes-5000,openb,openb-32 --repeat 5" \
        "--case diverse --pods 1000,20000,100000 --effort normal --limit 120" \
        "--case preference,distinct,hostname-anti-affinity,zone-spread-500 --effort normal --limit 120" \
        "--case pools-50,nodes-5000,openb,openb-32 --effort normal --limit 120" \
        "--case openb,openb-32 --effort best --repeat 1 --warm-up 0 --limit 120"; do
        # A case that is given up says so in its line of the table; the others go on.
        # shellcheck disable=SC2086 # the words of a run
        "$bench" -o table --no-header $run || true
    done
    "$bench" -o table --case fleet --repeat 5 || true
}

report() {
    python3 bench/peers/report.py bench/results.json bench/RESULTS.md bench/results.svg
}

case ${1:-tenon} in
tenon)
    build_tenon tenon-bench
    measure_tenon
    ;;
peers)
    build_tenon tenon-bench
    build_peer
    status=0
    python3 bench/peers/measure.py --tenon-bench "$bench" --peer "$peer" --work build/bench-peers \
        --results bench/results.json --limit "${PEER_LIMIT:-600}" --built-with "$(built_with)" \
        ${OPENB_LIST:+--openb-list "$OPENB_LIST"} || status=$?
    report
    cat bench/RESULTS.md
    exit "$status"
    ;;
prices)
    build_tenon tenon check_plan generate_case
    build_peer
    status=0
    python3 bench/peers/prices.py --tenon build/release/tenon --peer "$peer" \
        --checker build/release/tests/property/check_plan --generator build/release/tests/property/generate_case \
        --work build/bench-prices --cases "${CASES:-500}" --seed "${SEED:-1}" --jobs "$jobs" \
        ${HEAVY:+--heavy} \
        --record bench/results.json || status=$?
    [ ! -e bench/RESULTS.md ] || report
    exit "$status"
    ;;
report) report ;;
*) die "expected nothing, 'peers', 'prices' or 'report', got '$1'" ;;
esac
