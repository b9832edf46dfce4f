"""Topology rules: pods with spreads, affinity, anti-affinity and node selectors get nodes that meet them."""

import pytest

import things
from catalogue import ZONES
from world import HOSTNAME, ZONE, requirement


def test_replicas_spread_over_all_zones(world):
    world.deploy("web", 8, topologySpreadConstraints=things.spread("web", ZONE))
    world.waiting(8)
    world.pool()
    world.running(8)
    assert world.placement(ZONE) == {zone: 2 for zone in ZONES}


def test_replicas_spread_over_the_zones_of_the_pool(world):
    world.deploy("web", 4, topologySpreadConstraints=things.spread("web", ZONE))
    world.waiting(4)
    world.pool(requirements=[requirement(ZONE, "In", *ZONES[:2])])
    world.running(4)
    assert world.placement(ZONE) == {zone: 2 for zone in ZONES[:2]}


def test_the_spread_counts_pods_that_run_already(world):
    every_node = {**things.spread("web", ZONE)[0], "nodeAffinityPolicy": "Ignore"}
    world.pool("old")
    world.pod("first", labels={"app": "web"}, nodeSelector={ZONE: ZONES[1]})
    world.running(1)
    world.deploy("web", 3, nodeSelector={"era": "new"}, topologySpreadConstraints=[every_node])
    world.wait(lambda: len(world.pods()) == 4, "all pods are there")
    world.pool("new", labels={"era": "new"})
    world.running(4)
    assert world.placement(ZONE) == {zone: 1 for zone in ZONES}


def test_replicas_spread_over_nodes(world):
    world.deploy("web", 4, topologySpreadConstraints=things.spread("web", HOSTNAME))
    world.waiting(4)
    world.pool()
    world.running(4)
    assert sorted(world.placement(HOSTNAME).values()) == [1, 1, 1, 1]


def test_a_soft_spread_is_kept_when_that_costs_nothing_else(world):
    world.pool()
    soft = [{**things.spread("web", ZONE)[0], "whenUnsatisfiable": "ScheduleAnyway"}]
    world.deploy("web", 4, nodeSelector={ZONE: ZONES[0]}, topologySpreadConstraints=soft)
    world.running(4)
    assert world.placement(ZONE) == {ZONES[0]: 4}


@pytest.mark.parametrize("key,nodes", [(HOSTNAME, 3), (ZONE, 3)], ids=["node", "zone"])
def test_replicas_that_avoid_each_other(world, key, nodes):
    world.deploy("web", 3, affinity={"podAntiAffinity": required(key, app="web")})
    world.waiting(3)
    world.pool()
    world.running(3)
    assert sorted(world.placement(key).values()) == [1] * nodes


def test_replicas_that_come_bit_by_bit_get_a_node_each(world):
    """The scheduler may place another replica on a node than the planned one; that must not lead to an additional node."""
    world.pool()
    world.deploy("web", 6, affinity={"podAntiAffinity": required(HOSTNAME, app="web")})
    world.running(6)
    assert len(world.claims()) == 6


def test_pods_follow_another_into_its_zone(world):
    world.pool()
    world.deploy("base", 1, nodeSelector={ZONE: ZONES[2]})
    world.deploy("near", 3, affinity={"podAffinity": required(ZONE, app="base")})
    world.running(4)
    assert world.placement(ZONE) == {ZONES[2]: 4}


def test_pods_that_want_their_own_kind_around_stay_together(world):
    world.deploy("herd", 5, "2", affinity={"podAffinity": required(HOSTNAME, app="herd")})
    world.waiting(5)
    world.pool()
    world.running(5)
    assert list(world.placement(HOSTNAME).values()) == [5]


def test_a_pod_keeps_away_from_those_that_run(world):
    world.pool()
    world.deploy("loud", 1, nodeSelector={ZONE: ZONES[0]})
    world.running(1)
    world.pod("quiet", affinity={"podAntiAffinity": required(ZONE, app="loud")})
    world.running(2)
    assert world.placement(ZONE)[ZONES[0]] == 1


def test_one_of_several_node_affinity_terms_is_enough(world):
    world.pool()
    terms = [{"matchExpressions": [requirement(ZONE, "In", "no-such-zone")]},
             {"matchExpressions": [requirement(ZONE, "In", ZONES[3]), requirement("kubernetes.io/os", "In", "linux")]}]
    world.pod("choosy", affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}})
    world.running(1)
    assert world.placement(ZONE) == {ZONES[3]: 1}


def test_a_preference_that_nobody_can_meet_is_dropped(world):
    world.pool()
    wish = {"weight": 1, "preference": {"matchExpressions": [requirement(ZONE, "In", "no-such-zone")]}}
    world.pod("dreamer", affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [wish]}})
    world.running(1)


def test_a_preference_that_can_be_met_is_kept(world):
    world.pool()
    wish = {"weight": 1, "preference": {"matchExpressions": [requirement(ZONE, "In", ZONES[2])]}}
    world.pod("lucky", affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [wish]}})
    world.running(1)
    assert world.placement(ZONE) == {ZONES[2]: 1}


def test_pods_of_one_host_port_get_a_node_each(world):
    deployment = things.deployment("port", world.namespace, 2, **world.placed({}))
    deployment["spec"]["template"]["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080}]
    world.api.create(deployment)
    world.waiting(2)
    world.pool()
    world.running(2)
    assert len(world.nodes()) == 2


def required(key, **labels):
    return {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": key, "labelSelector": {"matchLabels": labels}}]}
