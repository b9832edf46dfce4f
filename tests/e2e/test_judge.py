"""The judge of the scenes says no: a comparison that cannot fail would prove nothing."""

import pytest

from scenes.player import Outcome, judge

PLACED, NOWHERE = {"feasible": ["a", "b"]}, {"feasible": [], "message": "no room"}
PREEMPTS = {"feasible": [], "nominated": "a", "victims": ["low"]}


def outcome(node=None, message=None, nominated=None, victims=()):
    return Outcome(node, message, nominated, list(victims))


@pytest.mark.parametrize("probe, only, seen", [
    (PLACED, None, outcome("a")),
    (PLACED, None, outcome("a", nominated="a")),
    (PLACED, "b", outcome("b")),
    (PLACED, "c", outcome(message="no room")),
    (NOWHERE, None, outcome(message="no room")),
    (PREEMPTS, None, outcome(message="any", nominated="a", victims=["low"])),
])
def test_what_is_expected_is_right(probe, only, seen):
    assert not judge(probe, only, seen)


@pytest.mark.parametrize("probe, only, seen, complaint", [
    (PLACED, None, outcome("c"), "placed on c"),
    (PLACED, None, outcome(message="no room"), "placed nowhere"),
    (PLACED, "b", outcome(message="no room"), "b is not feasible: no room"),
    (PLACED, "c", outcome("c"), "c is feasible"),
    (PLACED, "c", outcome("a"), "no room for it"),
    (PLACED, None, outcome("a", victims=["low"]), "victims ['low']"),
    (PLACED, None, outcome("a", nominated="b"), "nominated for b"),
    (NOWHERE, None, outcome(), "no condition"),
    (NOWHERE, None, outcome(message="other"), "got      other"),
    (NOWHERE, None, outcome(message="no room", nominated="a"), "nominated for a"),
    (PREEMPTS, None, outcome(message="any", nominated="a"), "victims []"),
    (PREEMPTS, None, outcome(message="any", victims=["low"]), "nominated for None"),
])
def test_what_is_not_expected_is_told(probe, only, seen, complaint):
    assert any(complaint in line for line in judge(probe, only, seen))
