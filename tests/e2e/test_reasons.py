"""A pod that gets no node has one event with the reason."""

import pytest

from world import ZONE, requirement


@pytest.mark.parametrize("pool,pod,text", [
    ({}, {"cpu": "300"}, "no instance type has enough resources"),
    ({}, {"nodeSelector": {ZONE: "test-zone-x"}}, "no instance type met the scheduling requirements"),
    ({}, {"nodeSelector": {"team": "red"}}, 'label "team" does not have known values'),
    ({"template": {"taints": [{"key": "dedicated", "effect": "NoSchedule"}]}}, {}, "did not tolerate taint (taint=dedicated:NoSchedule)"),
    ({"requirements": [requirement("kubernetes.io/arch", "In", "arm64")]}, {"nodeSelector": {"kubernetes.io/arch": "amd64"}},
     "key kubernetes.io/arch, kubernetes.io/arch In [amd64] not in kubernetes.io/arch In [arm64]"),
    ({"requirements": [requirement(ZONE, "In", "test-zone-x")]}, {}, "filtered out all available instance types"),
], ids=["too big", "no such zone", "unknown label", "taint", "wrong arch", "empty pool"])
def test_the_reason_is_told(world, pool, pod, text):
    world.pool(**pool)
    made = world.pod("stuck", **pod)
    world.event(made, "FailedScheduling", text)
    assert not world.claims()


def test_a_pod_gets_its_node_when_the_reason_goes(world):
    pool = world.pool(template={"taints": [{"key": "dedicated", "effect": "NoSchedule"}]})
    pod = world.pod("web")
    world.event(pod, "FailedScheduling", "did not tolerate taint")
    world.api.patch(pool, {"spec": {"template": {"spec": {"taints": None}}}})
    world.running(1)


def test_a_pod_is_told_where_it_will_go(world):
    world.pool()
    pod = world.pod("web")
    world.running(1)
    claim, = world.claims()
    world.event(pod, "Nominated", f"Pod should schedule on: nodeclaim/{claim['metadata']['name']}")
