#!/usr/bin/env bash
# Python with botocore, and with tests of its source distribution: tests/aws/wire/python.sh FILE...
#
# Both come from PyPI at the version of requirements.txt into a virtual environment below build/, and are never
# committed. BOTOCORE_TESTS names the folder of the tests: of protocols, recorded answers, signatures, endpoints.
here=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/common.sh"

wanted=$root/tests/aws/wire/requirements.txt
venv=$root/build/venv/aws-wire-$(sha256sum "$wanted" | cut -c 1-12)

if [ ! -e "$venv/.complete" ]; then
    say "aws-wire: installing $(head -n 1 "$wanted") and its tests into ${venv#"$root"/}" >&2
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$wanted" >&2
    "$venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary botocore --dest "$venv" \
        "$(head -n 1 "$wanted")" >&2
    mkdir "$venv/tests"
    tar -xzf "$venv"/botocore-*.tar.gz -C "$venv/tests" --strip-components 2 --wildcards \
        '*/tests/unit/protocols' '*/tests/unit/response_parsing' '*/tests/unit/auth/aws4_testsuite' \
        '*/tests/functional/endpoint-rules'
    rm "$venv"/botocore-*.tar.gz
    touch "$venv/.complete"
fi
cd "$here"
export BOTOCORE_TESTS=$venv/tests PYTHONDONTWRITEBYTECODE=1
exec "$venv/bin/python" "$@"
