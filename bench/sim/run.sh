#!/usr/bin/env bash
# A day of 5,000 nodes and 100,000 pods on the embedded cluster, with what it took (bench/sim/README.md):
#
#   bench/sim/run.sh [SCENARIO]   bench/sim/day-5000.yaml by default; some minutes
#   bench/sim/run.sh small        a day of 100 nodes, a few seconds
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

scenario=${1:-bench/sim/day-5000.yaml}
[ "$scenario" = small ] && scenario=tests/scenario/scale/day-100.yaml
[ -f "$scenario" ] || die "there is no scenario $scenario"

cmake --preset release -DTENON_BENCH=ON >/dev/null
scripts/build.sh release tenon-bench-sim >&2
build/release/bench/sim/tenon-bench-sim "$scenario"
