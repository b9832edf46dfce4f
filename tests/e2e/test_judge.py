"""The comparison of scenes detects differences."""

import pytest

from scenes.player import Outcome, judge

PLACED, NOWHERE = {"feasible": ["a", "b"]}, {"feasible": [], "message": "no room"}
PREEMPTS = {"feasible": [], "nominated": "a", "victims": ["low"]}


def outcome(node=None, message=None, nominated=None, victims=(), waits=False, passed=None):
    return Outcome(node, waits, message, nominated, list(victims), passed or (["a", "b"] if node else None))


@pytest.mark.parametrize("probe, seen", [
    (PLACED, outcome("a")),
    (PLACED, outcome("a", nominated="a", waits=True)),
    (NOWHERE, outcome(message="no room")),
    (PREEMPTS, outcome(message="any", nominated="a", victims=["low"])),
])
def test_what_is_expected_is_right(probe, seen):
    assert not judge(probe, seen)


@pytest.mark.parametrize("probe, seen, complaint", [
    (PLACED, outcome("c"), "placed on c"),
    (PLACED, outcome(message="no room"), "placed nowhere"),
    (PLACED, outcome("a", passed=["a"]), "let pass ['a']"),
    (PLACED, outcome("a", passed=["a", "b", "c"]), "let pass ['a', 'b', 'c']"),
    (PLACED, outcome("a", victims=["low"]), "victims ['low']"),
    (PLACED, outcome("a", nominated="b", waits=True), "nominated for b"),
    (PLACED, outcome("a", waits=True), "nominated for None, expected a"),
    (PLACED, outcome("a", nominated="a"), "nominated for a, expected None"),
    (NOWHERE, outcome(), "no condition"),
    (NOWHERE, outcome("a"), "placed on a"),
    (NOWHERE, outcome(message="other"), "got      other"),
    (NOWHERE, outcome(message="no room", nominated="a"), "nominated for a"),
    (PREEMPTS, outcome(message="any", nominated="a"), "victims []"),
    (PREEMPTS, outcome(message="any", victims=["low"]), "nominated for None"),
])
def test_what_is_not_expected_is_told(probe, seen, complaint):
    assert any(complaint in line for line in judge(probe, seen))
