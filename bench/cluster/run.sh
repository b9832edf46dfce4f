#!/usr/bin/env bash
# The same burst of pods on a real control plane, with Karpenter and with tenon (README.md):
#
#   bench/cluster/run.sh [--pods N] [--only tenon|karpenter]    some minutes; prints a table
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

scripts/build.sh release tenon >&2
karpenter=$(bench/cluster/karpenter/build.sh | tail -n 1)
exec tests/e2e/python.sh bench/cluster/bench.py --karpenter "$karpenter" "$@"
