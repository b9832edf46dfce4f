#!/usr/bin/env bash
# tenon beside Karpenter's controller for AWS (compare.py): builds what is missing, once. The last line is "N passed, M failed".
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/common.sh"

controller=()
[[ " $* " == *" --recorded "* ]] || controller=(--controller "$(tests/aws/peer/karpenter/build.sh | tail -n 1)")
tests/aws/fake/python.sh -c pass
exec tests/e2e/python.sh tests/aws/peer/compare.py "${controller[@]}" "$@"
