#!/usr/bin/env bash
# tenon's client against the fake, and all of tenon with an API server inside; any option of pytest may follow. The last
# line is "N passed, N failed".
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/common.sh"

exec tests/aws/fake/python.sh -m pytest -p no:cacheprovider --strict-markers --quiet --rootdir "$root" \
    --numprocesses $((jobs * 2)) --dist worksteal tests/aws/{client,engine} "$@"
