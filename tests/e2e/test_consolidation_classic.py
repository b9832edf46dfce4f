"""Consolidation in Karpenter's classic way (`--consolidation classic`), Balanced pools too. Acted together: fleet.py.
It starts one command at a time, whose nodes may be of several of these fleets."""

from fleet import scene
from test_consolidation import LARGE, SMALL
from world import TYPE

FLAGS = ("--consolidation", "classic")


@scene
def test_two_half_empty_nodes_become_one(fleet):
    fleet.pool()
    claims = yield from fleet.nodes_in_use("ab")
    yield
    gone = yield from fleet.one_of_two_goes(claims)
    assert fleet.went_after(gone, []) == "Underutilized"


def of_one_node(fleet, before, after):
    """A Balanced pool of one node with a pod, and of a type that would be cheaper."""
    pool = fleet.pool(types=(before, after), policy="Balanced")
    claim = fleet.new_node("a", type=before)
    yield
    fleet.put("web", on="a", cpu="600m")
    yield
    return pool, claim


@scene
def test_balanced_takes_a_move_that_saves_much(fleet):
    pool, claim = yield from of_one_node(fleet, LARGE, SMALL)
    before = [fleet.claim(claim["metadata"]["name"]), pool]
    yield fleet.wait(lambda: any(f">= threshold 0.50 (k: 2" in text for each in before
                                 for text in fleet.events(each, "ConsolidationApproved")), "the event ConsolidationApproved")
    yield fleet.gone(claim)
    new, = fleet.claims()
    assert new["metadata"]["labels"][TYPE] == SMALL
    assert fleet.went_after(claim, [new]) == "Underutilized"


@scene
def test_balanced_leaves_a_move_that_saves_little(fleet):
    """c-1x saves a fifth of the price of m-1x: too little under Balanced, and enough without it."""
    pool, claim = yield from of_one_node(fleet, "m-1x-amd64-linux", SMALL)
    yield
    yield fleet.looks(2)
    fleet.stays("a")
    fleet.api.patch(pool, {"spec": {"disruption": {"consolidationPolicy": "WhenEmptyOrUnderutilized"}}})
    yield fleet.gone(claim)
    assert fleet.labels(TYPE) == {SMALL: 1}
