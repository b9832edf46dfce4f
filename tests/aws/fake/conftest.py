"""A fake for each test, clients of it, and the line that scripts/test.sh counts."""

import pytest

from tests.aws.fake import Fake
from tests.aws.fake.support import Clients, World


@pytest.fixture
def fake():
    """One without throttling: what is about it has its own."""
    with Fake(throttle=False) as one:
        yield one


@pytest.fixture
def aws(fake):
    """boto3's clients: aws.ec2, aws.iam …, without retries."""
    return Clients(fake)


@pytest.fixture
def world(fake, aws):
    """Shorthands for launches."""
    return World(fake, aws)


def pytest_terminal_summary(terminalreporter):
    passed, failed = ({test.nodeid for kind in kinds for test in terminalreporter.stats.get(kind, [])}
                      for kinds in (["passed"], ["failed", "error"]))
    terminalreporter.write_line(f"{len(passed - failed)} passed, {len(failed)} failed")
