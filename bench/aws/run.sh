#!/usr/bin/env bash
# tenon on AWS, measured (README.md):
#
#   bench/aws/run.sh burst|turns|scale|soak [option...]    one part; --record keeps what was measured in bench/aws/results.json
#   bench/aws/run.sh all                             all parts, recorded, and bench/RESULTS-AWS.md from them: 30 minutes
#   bench/aws/run.sh report                          that page again
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

measure() {
    local part=$1
    shift
    case $part in
    burst | turns) tests/aws/fake/python.sh "bench/aws/$part.py" "$@" ;;
    scale | soak) tests/e2e/python.sh "bench/aws/$part.py" "$@" ;;
    *) die "expected burst, turns, scale, soak, all or report, got '$part'" ;;
    esac
}

case ${1:-} in
report) exec python3 bench/aws/report.py ;;
all)
    scripts/build.sh release tenon aws_engine_driver >&2
    status=0
    for part in burst turns scale soak; do
        measure "$part" --record || status=1
    done
    python3 bench/aws/report.py
    exit "$status"
    ;;
*)
    scripts/build.sh release tenon aws_engine_driver >&2
    tests/aws/fake/python.sh -c pass
    measure "$@"
    ;;
esac
