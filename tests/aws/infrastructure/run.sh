#!/usr/bin/env bash
# deploy/aws: its form, and the printed rights under moto's IAM; any option of pytest may follow. The last line is "N passed, N
# failed".
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/common.sh"

exec tests/aws/fake/python.sh -m pytest -p no:cacheprovider --strict-markers --quiet --rootdir "$root" \
    --numprocesses 2 --dist loadfile tests/aws/infrastructure "$@"
