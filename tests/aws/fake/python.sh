#!/usr/bin/env bash
# Runs Python with the packages that the fake and its tests use (installed once), beside them Node.js and its packages,
# and Java with ElasticMQ.
#
#   tests/aws/fake/python.sh -m tests.aws.fake --port 4566
#   tests/aws/fake/python.sh -m pytest tests/aws/fake
source "$(dirname "${BASH_SOURCE[0]}")/../../../scripts/common.sh"

here=$root/tests/aws/fake
mark=$(cat "$here"/{requirements.txt,package-lock.json,elasticmq.txt} | sha256sum | cut -c 1-12)
venv=$root/build/venv/aws-fake-$mark

if [ ! -e "$venv/.complete" ]; then
    say "aws-fake: installing boto3, moto, the AWS SDK for JavaScript and ElasticMQ into ${venv#"$root"/}" >&2
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$here/requirements.txt" >&2
    mkdir "$venv/js"
    cp "$here"/package{,-lock}.json "$venv/js"
    PATH=$venv/bin:$PATH npm --prefix "$venv/js" ci --ignore-scripts --no-audit --no-fund --loglevel error >&2
    "$venv/bin/python" "$here/jars.py" "$venv/elasticmq" >&2
    touch "$venv/.complete"
fi
export PYTHONDONTWRITEBYTECODE=1 PATH=$venv/bin:$PATH NODE_PATH=$venv/js/node_modules ELASTICMQ=$venv/elasticmq
exec "$venv/bin/python" "$@"
