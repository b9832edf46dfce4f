"""Consolidation in Karpenter's classic way (`--consolidation classic`), which alone knows Balanced. Acted together: fleet.py."""

import test_consolidation as usual
from fleet import scene
from world import TYPE

FLAGS = ("--consolidation", "classic")

test_two_half_empty_nodes_become_one = scene(usual.test_two_half_empty_nodes_become_one.act)
test_a_large_node_becomes_a_small_one = scene(usual.test_a_large_node_becomes_a_small_one.act)


@scene
def test_two_large_nodes_become_a_small_one_in_one_command(fleet):
    fleet.pool(types=(usual.MIDDLE, usual.LARGE))
    claims = [fleet.new_node(name, type=usual.LARGE) for name in "ab"]
    yield
    for name in "ab":
        fleet.put(f"web-{name}", on=name)
    yield
    for claim in claims:
        yield fleet.gone(claim)
    assert fleet.labels(TYPE) == {usual.MIDDLE: 1}
    assert fleet.commands("a") == fleet.commands("b")
    assert fleet.stage.metrics("karpenter_voluntary_disruption_decisions_total", consolidation_type="multi", decision="replace") == 1


def balanced(fleet, before, after):
    """A pool of one node, which has a pod, and of a type that would be cheaper."""
    fleet.pool(types=(before, after), policy="Balanced")
    claim = fleet.new_node("a", type=before)
    yield
    fleet.put("web", on="a", cpu="600m")
    yield
    return claim


@scene
def test_balanced_takes_a_move_that_saves_much(fleet):
    claim = yield from balanced(fleet, usual.LARGE, usual.SMALL)
    yield fleet.event(claim_now(fleet, claim), "ConsolidationApproved", "score 0.88 >= threshold 0.50 (k: 2")
    yield fleet.gone(claim)
    assert fleet.labels(TYPE) == {usual.SMALL: 1}


@scene
def test_balanced_leaves_a_move_that_saves_little(fleet):
    """m-1x costs a quarter more than c-1x."""
    yield from balanced(fleet, "m-1x-amd64-linux", usual.SMALL)
    yield
    yield fleet.looks(2)
    fleet.stays("a")


def claim_now(fleet, claim):
    return fleet.claim(claim["metadata"]["name"])


@scene
def test_without_balanced_it_is_made(fleet):
    fleet.pool(types=("m-1x-amd64-linux", usual.SMALL))
    claim = fleet.new_node("a", type="m-1x-amd64-linux")
    yield
    fleet.put("web", on="a", cpu="600m")
    yield
    yield fleet.gone(claim)
    assert fleet.labels(TYPE) == {usual.SMALL: 1}
