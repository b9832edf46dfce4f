"""Pods without a node get one that fits."""

from world import NODE_POOL


def test_a_deployment_gets_a_node_that_tenon_made(world):
    pool = world.pool()
    world.deploy("web", 3)
    pods = world.running(3)
    node, = world.ready_nodes(1)
    claim, = world.claims()
    assert {pod["spec"]["nodeName"] for pod in pods} == {node["metadata"]["name"]}
    assert node["metadata"]["labels"][NODE_POOL] == pool["metadata"]["name"]
    assert claim["status"]["nodeName"] == node["metadata"]["name"]
    assert claim["status"]["providerID"] == node["spec"]["providerID"]
