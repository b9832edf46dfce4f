#!/usr/bin/env bash
# The fake's tests; any option of pytest may follow. Without one, all of them. The last line is "N passed, N failed".
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/common.sh"

exec tests/aws/fake/python.sh -m pytest -p no:cacheprovider --strict-markers --quiet --rootdir "$root" \
    --numprocesses "$jobs" --dist loadfile tests/aws/fake "$@"
