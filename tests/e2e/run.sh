#!/usr/bin/env bash
# The end-to-end tests: builds the programs of a Kubernetes cluster (once), makes the Python environment (once), runs pytest.
#
#   tests/e2e/run.sh                              all of them
#   tests/e2e/run.sh tests/e2e/test_scenes.py     some; any option of pytest may follow, as -k or -x
#
# All of them are run by several processes with a cluster each (E2E_JOBS, 3 unless set): tests mostly wait. Some are run
# by one. Logs of the clusters' programs lie in build/e2e/. The last line is "N passed, N failed".
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

paths=(tests/e2e --numprocesses "${E2E_JOBS:-3}" --dist loadfile)
for word in "$@"; do
    [ ! -e "${word%%::*}" ] || paths=()
done
exec tests/e2e/python.sh -m pytest --config-file tests/e2e/pytest.ini --rootdir "$root" "${paths[@]}" "$@"
