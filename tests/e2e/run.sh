#!/usr/bin/env bash
# The end-to-end tests: builds the programs of a Kubernetes cluster (once), makes the Python environment (once), runs pytest.
#
#   tests/e2e/run.sh                              all of them
#   tests/e2e/run.sh tests/e2e/test_scenes.py     some; any option of pytest may follow, as -k or -x
#
# All of them are run by several processes with a cluster each (E2E_JOBS, 3 unless set): tests mostly wait. Some are run
# by one. Logs of the clusters' programs lie in build/e2e/. The last line is "N passed, N failed".
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

wanted=$root/tests/e2e/requirements.txt
venv=$root/build/venv/e2e-$(sha256sum "$wanted" | cut -c 1-12)

if [ ! -e "$venv/.complete" ]; then
    say "e2e: installing pytest and the Kubernetes client into ${venv#"$root"/}" >&2
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$wanted" >&2
    touch "$venv/.complete"
fi
CLUSTER_PROGRAMS=${CLUSTER_PROGRAMS:-$(tests/e2e/programs/build.sh | tail -n 1)}
export CLUSTER_PROGRAMS PYTHONDONTWRITEBYTECODE=1 PATH=$CLUSTER_PROGRAMS:$PATH
paths=(tests/e2e --numprocesses "${E2E_JOBS:-3}" --dist loadfile)
for word in "$@"; do
    [ ! -e "${word%%::*}" ] || paths=()
done
exec "$venv/bin/python" -m pytest --config-file tests/e2e/pytest.ini --rootdir "$root" "${paths[@]}" "$@"
