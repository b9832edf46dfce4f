#!/usr/bin/env bash
# The client's tests against the fake; any option of pytest may follow. The last line is "N passed, N failed".
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/common.sh"

exec tests/aws/fake/python.sh -m pytest -p no:cacheprovider --strict-markers --quiet --rootdir "$root" \
    --numprocesses $((jobs * 2)) --dist worksteal tests/aws/client "$@"
