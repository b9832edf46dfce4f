#!/usr/bin/env bash
# Runs Python with what the end-to-end tests use: their packages (made once), the programs of a cluster (built once) on
# the PATH and as CLUSTER_PROGRAMS.
#
#   tests/e2e/python.sh -m pytest ...
#   tests/e2e/python.sh bench/cluster/bench.py ...
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
exec "$venv/bin/python" "$@"
