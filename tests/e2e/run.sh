#!/usr/bin/env bash
# The end-to-end tests: builds the programs of a Kubernetes cluster (once), makes the Python environment (once), runs pytest.
#
#   tests/e2e/run.sh                              all of them
#   tests/e2e/run.sh tests/e2e/test_scenes.py     some; any option of pytest may follow, as -k or -x
#
# All of them are run by several processes with a cluster each (E2E_JOBS; two for each core unless set): tests mostly
# wait. parts.py shares them out. Some are run by one. How busy the machine is must not decide a result: the failed
# tests of up to five files are run once more with nothing beside them, and that counts; their first failures stay in the
# output. Logs of the clusters' programs lie in build/e2e/. The last line is "N passed, N failed".
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

tests=(tests/e2e/python.sh -m pytest --config-file tests/e2e/pytest.ini --rootdir "$root")
for word in "$@"; do
    [ ! -e "${word%%::*}" ] || exec "${tests[@]}" "$@"
done

# Once, before several processes would at once.
tests/aws/fake/python.sh -c pass
tests/deploy/programs/build.sh >/dev/null

again=build/e2e/again
mkdir -p build/e2e
rm -f "$again"
find build/e2e -name audit.log -delete
status=0
E2E_AGAIN=$again "${tests[@]}" tests/e2e --numprocesses "${E2E_JOBS:-$((2 * jobs))}" --no-loadscope-reorder \
    --durations 10 "$@" || status=$?
if [ "$status" != 1 ] || [ ! -e "$again" ]; then
    exit $status
fi
mapfile -t failed <"$again"
say "e2e: once more, with nothing beside it: ${failed[*]}"
"${tests[@]}" "${failed[@]}"
