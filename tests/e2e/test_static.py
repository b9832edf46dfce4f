"""Static NodePools: as many nodes as `replicas`, with or without pods."""

from world import DO_NOT_DISRUPT


def test_replicas_are_made_without_any_pod(world):
    world.pool(replicas=2, ready=False)
    world.ready_nodes(2)
    assert len(world.claims()) == 2


def test_replicas_come_and_go(world):
    pool = world.pool(replicas=1, ready=False)
    first, = world.ready_nodes(1)
    world.api.patch(pool, {"spec": {"replicas": 3}})
    world.ready_nodes(3)
    world.api.patch(pool, {"spec": {"replicas": 1}})
    world.wait(lambda: len(alive(world)) == 1, "one is left")
    world.api.patch(pool, {"spec": {"replicas": 0}})
    world.wait(lambda: not alive(world), "none is left")
    world.gone(first)


def alive(world):
    return [claim for claim in world.claims() if "deletionTimestamp" not in claim["metadata"]]


def test_a_node_in_use_stays_when_there_are_too_many(world):
    pool = world.pool(replicas=3, ready=False)
    world.ready_nodes(3)
    pod = world.pod("web", "100m")
    world.running(1)
    world.api.patch(pod, {"metadata": {"annotations": {DO_NOT_DISRUPT: "true"}}})
    world.api.patch(pool, {"spec": {"replicas": 1}})
    world.wait(lambda: len(alive(world)) == 1, "one is left")
    kept, = alive(world)
    assert kept["status"]["nodeName"] == world.pods()[0]["spec"]["nodeName"]


def test_one_that_is_deleted_is_replaced(world):
    world.pool(replicas=1, ready=False)
    world.ready_nodes(1)
    claim, = world.claims()
    world.api.delete(claim)
    world.wait(lambda: [each for each in alive(world) if each["metadata"]["uid"] != claim["metadata"]["uid"]], "another one")
    world.gone(claim)
    assert len(world.claims()) == 1


def test_the_limit_of_nodes_is_kept(world):
    pool = world.pool(replicas=3, limits={"nodes": "2"}, ready=False)
    world.ready_nodes(2)
    assert len(world.claims()) == 2
    assert pool["spec"]["replicas"] == 3


def test_pods_use_the_nodes_that_are_there(world):
    world.pool(replicas=1, ready=False)
    world.ready_nodes(1)
    world.pod("web", "100m")
    world.running(1)
    assert len(world.claims()) == 1
