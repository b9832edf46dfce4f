"""Settings of NodePools: taints, weights, limits, minValues, daemons; and their status."""

import pytest

from catalogue import ZONES
from world import KARPENTER, NODE_CLASS, POOL, TYPE, ZONE, condition, condition_of, requirement

CPUS = "karpenter.kwok.sh/instance-cpu"
HASH, HASH_VERSION = "karpenter.sh/nodepool-hash", "karpenter.sh/nodepool-hash-version"
TAINT = {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}


# --- choice of the pool

def test_a_tainted_pool_is_for_those_who_tolerate_it(world):
    world.pool("plain")
    world.pool("batch", template={"taints": [TAINT]}, weight=50)
    world.pod("plain")
    world.pod("batch", tolerations=[{"key": "dedicated", "operator": "Exists"}])
    world.running(2)
    pools = {pod["metadata"]["name"]: pool_of(world, pod) for pod in world.pods()}
    assert pools["plain"] == world.name("plain")
    batch = [node for node in world.nodes() if node["metadata"]["labels"]["karpenter.sh/nodepool"] == world.name("batch")]
    assert all(TAINT in node["spec"]["taints"] for node in batch)


def pool_of(world, pod):
    return world.node(pod["spec"]["nodeName"])["metadata"]["labels"]["karpenter.sh/nodepool"]


def test_the_heavier_pool_goes_first(world):
    """Even if it is more expensive."""
    world.pod("web")
    world.waiting(1)
    world.pool("heavy", requirements=[requirement("karpenter.sh/capacity-type", "In", "on-demand")], weight=10, ready=False)
    world.pool("light", ready=False)
    pod, = world.running(1)
    assert pool_of(world, pod) in (world.name("heavy"), world.name("light"))
    second = world.pod("second", nodeSelector={ZONE: ZONES[0] if world.labels(ZONE) != {ZONES[0]: 1} else ZONES[1]})
    world.running(2)
    assert pool_of(world, world.api.get("v1", "Pod", second["metadata"]["name"], world.namespace)) == world.name("heavy")


def test_what_the_heavy_pool_cannot_do_the_light_one_does(world):
    world.pool("heavy", requirements=[requirement("kubernetes.io/arch", "In", "amd64")], weight=10)
    world.pool("light")
    world.pod("arm", nodeSelector={"kubernetes.io/arch": "arm64"})
    pod, = world.running(1)
    assert pool_of(world, pod) == world.name("light")


def test_labels_of_a_pool_can_be_asked_for(world):
    world.pool("red", labels={"team": "red"})
    world.pool("blue", labels={"team": "blue"}, annotations={"paid-by": "blue"})
    world.pod("web", nodeSelector={"team": "blue"})
    pod, = world.running(1)
    node = world.node(pod["spec"]["nodeName"])
    assert node["metadata"]["labels"]["team"] == "blue" and node["metadata"]["annotations"]["paid-by"] == "blue"


def test_a_pool_that_only_demands_that_a_label_exists_lets_the_pod_choose(world):
    world.pool(requirements=[requirement("team", "Exists")])
    world.pod("web", nodeSelector={"team": "green"})
    pod, = world.running(1)
    assert world.node(pod["spec"]["nodeName"])["metadata"]["labels"]["team"] == "green"


# --- limits

def test_the_limit_of_cpus_is_kept(world):
    """Each pod takes a node of 4 CPUs."""
    pool = world.pool(requirements=[requirement(CPUS, "In", "4")], limits={"cpu": "8"})
    waits = all_but_one(world, 3)
    world.event(waits, "FailedScheduling", "exceed limits for nodepool")
    assert len(world.claims()) == 2
    world.api.patch(pool, {"spec": {"limits": {"cpu": "16"}}})
    world.running(3)


def all_but_one(world, count):
    """Creates pods that each require another zone and a node for itself, so that the scheduler cannot swap them. Returns
    the one that is still pending when all others run. They are of Deployments, since the controller manager may evict a
    pod from a node whose taint it still believes to be there."""
    for zone in ZONES[:count]:
        world.deploy(zone, 1, "3", nodeSelector={ZONE: zone})

    def look():
        pods = world.pods()
        waits = [pod for pod in pods if pod["status"].get("phase") != "Running"]
        return waits if len(pods) == count and len(waits) == 1 else None
    return world.wait(look, "all pods but one run")[0]


def test_the_limit_of_nodes_is_kept(world):
    pool = world.pool(requirements=[requirement(CPUS, "In", "4")], limits={"nodes": "1"})
    waits = all_but_one(world, 2)
    world.event(waits, "FailedScheduling", "node limits have been exhausted for nodepool")
    world.api.patch(pool, {"spec": {"limits": {"nodes": "2"}}})
    world.running(2)
    assert len(world.claims()) == 2


def test_min_values_keep_the_choice_wide(world):
    world.pool(requirements=[requirement(TYPE, "Exists", minValues=40), requirement("karpenter.kwok.sh/instance-family", "In",
                                                                                     "c", "m", "s", minValues=3)])
    world.pod("web")
    world.running(1)
    claim, = world.claims()
    wanted = {each["key"]: each for each in claim["spec"]["requirements"]}
    assert wanted[TYPE]["minValues"] == 40 and len(wanted[TYPE]["values"]) >= 40
    assert {name[0] for name in wanted[TYPE]["values"]} >= {"c", "m", "s"}
    assert claim["metadata"]["annotations"]["karpenter.sh/nodeclaim-min-values-relaxed"] == "false"


def test_min_values_that_cannot_be_met_are_told(world):
    pool = world.pool(requirements=[requirement("karpenter.kwok.sh/instance-family", "In", "c", "s", minValues=2),
                                    requirement(TYPE, "In", "c-2x-amd64-linux", "c-4x-amd64-linux")])
    pod = world.pod("web")
    world.event(pod, "FailedScheduling", "nodepool requirements filtered out all available instance types")
    world.event(pool, "NoCompatibleInstanceTypes", "due to minValues incompatibility")
    assert not world.claims()


# --- status

def test_status_counts_what_the_pool_has(world):
    pool = world.pool(requirements=[requirement(CPUS, "In", "4")])
    world.wait(lambda: world.pool_now()["status"].get("nodes") == 0, "no node is counted")
    world.deploy("web", 1, "3")
    world.running(1)
    world.wait(lambda: world.pool_now()["status"].get("nodes") == 1, "one node is counted")
    now = world.pool_now()
    # KWOK's nodes have what their claims request.
    assert now["status"]["resources"]["cpu"] == "3" and now["status"]["resources"]["nodes"] == "1"
    assert now["metadata"]["generation"] == pool["metadata"]["generation"]


@pytest.mark.parametrize("template,value", [
    ({"expireAfter": "Never"}, "7428780003907761376"), ({"expireAfter": "720h"}, "12745407319442031341")])
def test_the_hash_of_a_pool_is_karpenters(world, template, value):
    thing = world.pool_thing(template=template)
    del thing["spec"]["template"]["metadata"]
    pool = world.create(thing)
    stamped = world.wait(lambda: world.pool_now()["metadata"].get("annotations", {}).get(HASH), "a hash")
    assert (stamped, world.pool_now()["metadata"]["annotations"][HASH_VERSION]) == (value, "v3")
    # Fields that cause no drift do not change the hash; those of the template do.
    world.api.patch(pool, {"spec": {"weight": 7, "limits": {"cpu": "100"}, "template": {"spec": {"requirements": [
        {"key": ZONE, "operator": "In", "values": ["test-zone-a"]}]}}}})
    world.api.patch(pool, {"spec": {"template": {"spec": {"expireAfter": "1h"}}}})
    world.wait(lambda: world.pool_now()["metadata"]["annotations"][HASH] != value, "another hash")


def test_every_vector_of_a_hash(world):
    """All hashed fields at once, with the hashes of Karpenter's own library."""
    taint = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}
    thing = world.pool_thing(template={
        "expireAfter": "720h", "terminationGracePeriod": "1h", "taints": [taint, {"key": "spot", "effect": "NoExecute"}],
        "startupTaints": [{"key": "init", "value": "true", "effect": "NoSchedule"}]})
    thing["spec"]["template"]["metadata"] = {"labels": {"team": "a", "env": "prod"}, "annotations": {"note": "x"}}
    world.create(thing)
    assert world.wait(lambda: world.pool_now()["metadata"].get("annotations", {}).get(HASH), "a hash") == "16036565076475960369"


def test_a_pool_waits_for_its_class(world):
    reference = {"group": "karpenter.kwok.sh", "kind": NODE_CLASS, "name": world.name("late")}
    world.pool(template={"nodeClassRef": reference}, ready=False)
    said = world.wait(lambda: false_condition(world, "NodeClassReady"), "its class is missed")
    assert said["reason"] == "NodeClassNotFound"
    assert condition(world.pool_now(), "Ready") == "False"
    # Of a Deployment: see all_but_one.
    world.deploy("web", 1)
    world.waiting(1)
    world.create({"apiVersion": "karpenter.kwok.sh/v1alpha1", "kind": NODE_CLASS, "metadata": {"name": world.name("late")}})
    world.running(1)
    assert condition(world.pool_now(), "Ready") == "True"


def test_a_pool_of_another_cloud_is_left_alone(world):
    world.create(dict(world.pool_thing("foreign"), spec={"template": {"spec": {"requirements": [], "nodeClassRef": {
        "group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}}}}))
    world.pool("ours")
    assert "status" not in world.api.get(KARPENTER, POOL, world.name("foreign"))
    assert "annotations" not in world.api.get(KARPENTER, POOL, world.name("foreign"))["metadata"]


def test_a_pool_that_makes_no_sense_says_so(world):
    """Mistakes that the definitions' rules do not detect."""
    world.pool(template={"taints": [TAINT, {**TAINT, "value": "other"}]}, ready=False)
    said = world.wait(lambda: false_condition(world, "ValidationSucceeded"), "it is refused")
    assert said["reason"] == "NodePoolValidationFailed"
    assert "duplicate" in said["message"]


def false_condition(world, kind):
    found = condition_of(world.pool_now(), kind)
    return found if found and found["status"] == "False" else None
