"""The line that scripts/test.sh counts."""

from tests.aws.fake.conftest import pytest_terminal_summary  # noqa: F401 (pytest looks for it here)
