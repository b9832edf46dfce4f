"""tenon with an API server inside, as a process, and what a measurement does with it."""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

from tests.aws.client.client import check_silence

ROOT = Path(__file__).resolve().parents[3]
DRIVER = os.environ.get("AWS_ENGINE_DRIVER", ROOT / "build/release/tests/aws/engine/aws_engine_driver")
QUIET_S = 1.5


class Tenon:
    """`with Tenon(fake) as tenon: tenon.launch(1000)`. It has made one launch and is at rest. `write_us`: what a write to the
    API server takes; `environment`: its variables instead of the fake's.

    Its log, at the level debug, is searched for the fake's secrets at the end."""

    def __init__(self, fake, write_us=3000, environment=None):
        self.fake, self.write_us = fake, write_us
        self.environment = {name: str(value) for name, value in (environment or fake.environment()).items()}

    def __enter__(self):
        self.log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen([DRIVER, self.fake.settings.cluster, str(self.write_us)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log, text=True, env=self.environment)
        self.read()
        self.launch(1)
        self.rest()
        return self

    def __exit__(self, kind, *_):
        self.process.communicate(timeout=60)
        if kind is None:
            assert self.process.returncode == 0, self.said()
            check_silence(self.fake, self.said())
        self.log.close()

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def rest(self):
        """Waits until nothing was asked of AWS for a while."""
        count = -1
        while count != (count := self.last_call()):
            time.sleep(QUIET_S)

    def ask(self, count):
        """Makes so many NodeClaims at once."""
        self.since = self.last_call()
        self.write(str(count))

    def answer(self):
        """Waits until all have been launched. Returns what driver.c says of them, and the calls of AWS since `ask`."""
        return {**self.read(), "calls": self.fake.control.calls(since=self.since)}

    def launch(self, count):
        self.ask(count)
        return self.answer()

    def refresh(self, launches):
        """Asks for types and prices anew beside so many launches. Returns what driver.c says of its turns."""
        self.write(f"refresh {launches}")
        return self.read()

    def write(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        assert line, self.said()[-4000:]
        return json.loads(line)

    def last_call(self):
        return max((call["number"] for call in self.fake.control.calls()), default=0)


def calls_of(launch, action, code=""):
    """The calls of an action in what Tenon.launch returned, with that error (empty: without any)."""
    return [call for call in launch["calls"] if call["action"] == action and call["code"] == code]


def refused(launch):
    return [call for call in launch["calls"] if call["code"] == "RequestLimitExceeded"]
