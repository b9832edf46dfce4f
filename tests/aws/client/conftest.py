"""A fake for each test, and the line that scripts/test.sh counts."""

import pytest

from tests.aws.fake import Fake
from tests.aws.fake.conftest import pytest_terminal_summary  # noqa: F401 (pytest looks for it here)


@pytest.fixture
def fake():
    with Fake(throttle=False) as one:
        yield one
