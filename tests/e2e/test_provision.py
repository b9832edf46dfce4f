"""Provisioning: pending pods get nodes that fit, and no more nodes than they need."""

from datetime import datetime

import things
from catalogue import GPU
from world import CAPACITY_TYPE, NODE_POOL, TYPE, requirement

CPUS = "karpenter.kwok.sh/instance-cpu"


def test_a_deployment_gets_a_node_that_tenon_made(world):
    world.deploy("web", 3)
    world.waiting(3)
    pool = world.pool()
    pods = world.running(3)
    node, = world.ready_nodes(1)
    claim, = world.claims()
    assert {pod["spec"]["nodeName"] for pod in pods} == {node["metadata"]["name"]}
    assert node["metadata"]["labels"][NODE_POOL] == pool["metadata"]["name"]
    assert claim["status"]["nodeName"] == node["metadata"]["name"]
    assert claim["status"]["providerID"] == node["spec"]["providerID"]


def test_the_first_claim_of_a_lone_deployment(world, tenon, report):
    """The time it takes is printed at the end of the run and is not checked."""
    world.pool()
    world.deploy("web", 1)
    world.running(1)
    pod, = world.pods()
    claim, = world.claims()
    said, = [line for line in tenon.lines("created nodeclaim") if line["NodeClaim"]["name"] == claim["metadata"]["name"]]
    whole = pod["metadata"]["creationTimestamp"], claim["metadata"]["creationTimestamp"]
    seconds = (moment(said["time"]) - moment(whole[0])).total_seconds()
    report(f"first NodeClaim of a lone Deployment: {max(seconds - 1, 0):.2f} to {seconds:.2f} s after its pod "
           "(the API server tells whole seconds)")


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def test_pods_that_are_there_together_share_a_node(world):
    for name, replicas, cpu in [("a", 4, "1"), ("b", 8, "250m"), ("c", 2, "500m")]:
        world.deploy(name, replicas, cpu)
    world.waiting(14)
    world.pool()
    world.running(14)
    assert len(world.nodes()) == 1


def test_later_pods_take_the_room_that_is_there(world):
    world.pool(requirements=[requirement(CPUS, "In", "8")])
    first = world.deploy("web", 1, "1")
    world.running(1)
    world.scale(first, 5)
    world.running(5)
    assert len(world.claims()) == 1


def test_a_pod_that_is_too_big_for_the_room_gets_a_node_of_its_own(world):
    world.pool(requirements=[requirement(CPUS, "In", "2", "4")])
    world.pod("small", "1500m")
    world.running(1)
    world.pod("big", "3")
    world.running(2)
    assert world.labels(CPUS) == {"2": 1, "4": 1}


def test_the_cheapest_type_that_fits_is_taken(world):
    world.pool()
    world.pod("lean", "1500m")
    world.running(1)
    assert world.labels(TYPE) in [{"c-2x-amd64-linux": 1}, {"c-2x-arm64-linux": 1}, {"c-2x-amd64-windows": 1},
                                  {"c-2x-arm64-windows": 1}]
    assert world.labels(CAPACITY_TYPE) == {"spot": 1}


def test_a_pool_says_which_types_it_wants(world):
    world.pool(requirements=[requirement("karpenter.kwok.sh/instance-family", "NotIn", "c"), requirement(CPUS, "Gt", "8"),
                             requirement("kubernetes.io/arch", "In", "arm64"), requirement("kubernetes.io/os", "In", "linux"),
                             requirement(CAPACITY_TYPE, "In", "on-demand")])
    world.pod("picky", "1")
    world.running(1)
    assert world.labels(TYPE) == {"s-16x-arm64-linux": 1}
    assert world.labels(CAPACITY_TYPE) == {"on-demand": 1}


def test_a_pod_says_which_node_it_wants(world):
    world.pool()
    world.pod("arm", nodeSelector={"kubernetes.io/arch": "arm64", "kubernetes.io/os": "linux", TYPE: "m-4x-arm64-linux"})
    world.running(1)
    assert world.labels(TYPE) == {"m-4x-arm64-linux": 1}


def test_gpus_come_with_the_type_that_has_them(world):
    world.pool()
    pod = things.pod("train", world.namespace, **world.placed({}))
    pod["spec"]["containers"][0]["resources"]["limits"] = {GPU: "2"}
    world.api.create(pod)
    world.running(1)
    assert world.labels(TYPE) == {"g-32x-amd64-linux": 1}


def test_pods_without_a_gpu_leave_those_alone(world):
    world.pool(requirements=[requirement("karpenter.kwok.sh/instance-family", "In", "g", "s"), requirement(CPUS, "In", "8")])
    world.pod("plain", "6")
    world.running(1)
    assert next(iter(world.labels(TYPE))).startswith("s-8x-")


def test_room_for_daemons_is_counted(world):
    """2 CPUs would be enough for the pod alone."""
    world.pool(requirements=[requirement(CPUS, "In", "2", "4")])
    labels = {"app": "agent"}
    world.api.create({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent", "namespace": world.namespace},
                      "spec": {"selector": {"matchLabels": labels}, "template": {
                          "metadata": {"labels": labels}, "spec": things.pod_spec("1", **world.placed({}))}}})
    world.pod("web", "1500m")
    world.running(2)
    assert world.labels(CPUS) == {"4": 1}


def test_pods_that_have_no_wish_for_a_node_of_ours_are_left_alone(world):
    """The pod is for another scheduler."""
    world.pool()
    world.pod("foreign", schedulerName="other")
    world.pod("ours")
    world.wait(lambda: [pod for pod in world.pods() if pod["status"].get("phase") == "Running"], "the other pod runs")
    assert len(world.claims()) == 1
    assert world.claims()[0]["spec"]["resources"]["requests"]["pods"] == "1"
