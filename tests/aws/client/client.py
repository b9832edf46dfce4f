"""tenon's client as a process, and what a test does with it."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DRIVER = os.environ.get("AWS_CLIENT_DRIVER", ROOT / "build/release/tests/aws/client/aws_client_driver")


class Client:
    """`with Client(fake, AWS_REGION="us-east-1") as client: client.call("DescribeSubnets")`.

    The process gets these variables and no others. At its end everything that it ever said is searched for secrets."""

    def __init__(self, fake, **variables):
        self.fake, self.said = fake, []
        self.variables = {name: str(value) for name, value in variables.items()}
        self.variables.setdefault("AWS_ENDPOINT_URL", fake.url)
        self.variables.setdefault("AWS_EC2_METADATA_SERVICE_ENDPOINT", fake.url)

    def __enter__(self):
        self.process = subprocess.Popen([DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=self.variables)
        return self

    def __exit__(self, kind, *_):
        out, err = self.process.communicate(timeout=60)
        self.said += [out, err]
        if kind is None:
            assert self.process.returncode == 0, err
            check_silence(self.fake, "\n".join(self.said))

    def ask(self, **line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline()
        assert reply, self.process.stderr.read()
        self.said.append(reply)
        return json.loads(reply)

    def open(self):
        return self.ask(do="open")

    def call(self, operation, input=None, **options):
        return self.ask(do="call", operation=operation, input=input or {}, **options)

    def output(self, operation, input=None, **options):
        """What a call that succeeds gives."""
        reply = self.call(operation, input, **options)
        assert "error" not in reply, reply
        return reply["output"]

    def burst(self, operation, threads, calls, input=None):
        return self.ask(do="burst", operation=operation, input=input or {}, threads=threads, calls=calls)


def check_silence(fake, text):
    """Nothing that is secret was said. Session tokens and keys of the fake are found by their first letters, too."""
    secrets = set(fake.metadata.settings.pod_tokens) | set(fake.metadata._tokens) | set(fake.world.web_tokens)
    for identity in fake.identities._by_key.values():
        secrets |= {identity.secret, identity.token}
    for secret in secrets - {None}:
        assert secret not in text and secret[:24] not in text, "a secret was said"


def keys(fake):
    return {"AWS_ACCESS_KEY_ID": fake.settings.access_key, "AWS_SECRET_ACCESS_KEY": fake.settings.secret}
