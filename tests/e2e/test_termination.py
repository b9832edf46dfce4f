"""Termination of Nodes: pods are drained first, as budgets and annotations allow, and no object is left."""

from datetime import datetime, timedelta

import pytest

import things
from world import CLAIM, DISRUPTED, DO_NOT_DISRUPT, KARPENTER, condition, condition_of

BALANCERS = "node.kubernetes.io/exclude-from-external-load-balancers"
DEADLINE = "karpenter.sh/nodeclaim-termination-timestamp"


def served(world, count=1, **spec):
    """A NodePool and a Deployment that runs. Returns its node and its NodeClaim."""
    world.deploy("web", count, **spec)
    world.waiting(count)
    world.pool()
    world.running(count)
    node, = world.ready_nodes(1)
    claim, = world.claims()
    return node, claim


@pytest.mark.parametrize("which", ["claim", "node"])
def test_pods_move_and_the_old_node_goes(world, which):
    node, claim = served(world, 2)
    world.api.delete({"claim": claim, "node": node}[which])
    world.gone(node)
    world.gone(claim)
    pods = world.running(2)
    assert node["metadata"]["name"] not in {pod["spec"]["nodeName"] for pod in pods}
    assert len(world.claims()) == 1


def test_a_node_that_goes_takes_no_new_pods(world):
    node, claim = served(world)
    pod, = world.pods()
    protect(world, pod)
    world.api.delete(claim)
    now = world.wait(lambda: tainted(world, node), "the taint")
    assert now["metadata"]["labels"][BALANCERS] == "karpenter"
    assert not now["spec"].get("unschedulable")
    world.event(node, "FailedDraining", "Failed to drain node, 1 pods are waiting to be evicted")
    drained = world.wait(lambda: condition_of(world.claim(claim["metadata"]["name"]), "Drained"), "the condition Drained")
    assert (drained["status"], drained["reason"]) == ("Unknown", "Draining")
    release(world, pod)
    world.gone(claim)


def tainted(world, node):
    now = world.node(node["metadata"]["name"])
    return now if now and DISRUPTED in now["spec"].get("taints", []) else None


def protect(world, pod):
    world.api.patch(pod_of(pod), {"metadata": {"annotations": {DO_NOT_DISRUPT: "true"}}})


def release(world, pod):
    world.api.patch(pod_of(pod), {"metadata": {"annotations": {DO_NOT_DISRUPT: None}}})


def pod_of(pod):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {key: pod["metadata"][key] for key in ("name", "namespace")}}


def test_a_pod_that_must_not_be_disrupted_is_waited_for(world):
    node, claim = served(world)
    pod, = world.pods()
    protect(world, pod)
    world.api.delete(claim)
    world.event(node, "FailedDraining", "1 pods are waiting")
    assert alive(world, pod)
    release(world, pod)
    world.gone(claim)
    world.gone(node)
    assert not alive(world, pod)


def alive(world, pod):
    now = world.api.get("v1", "Pod", pod["metadata"]["name"], world.namespace)
    return bool(now) and now["metadata"]["uid"] == pod["metadata"]["uid"] and "deletionTimestamp" not in now["metadata"]


def test_a_budget_is_respected(world):
    node, claim = served(world, 2)
    pods = world.pods()
    budget = world.api.create(things.budget("web", world.namespace, "web", 2))
    world.wait(lambda: world.api.get("policy/v1", "PodDisruptionBudget", "web", world.namespace)["status"].get("currentHealthy") == 2,
               "the budget is counted")
    world.api.delete(claim)
    world.event(node, "FailedDraining", "evicting pod violates a PDB")
    assert all(alive(world, pod) for pod in pods)
    world.api.delete(budget)
    world.gone(claim)
    world.running(2)


def test_a_budget_lets_one_go_after_the_other(world):
    node, claim = served(world, 3)
    world.api.create(things.budget("web", world.namespace, "web", 2))
    world.wait(lambda: world.api.get("policy/v1", "PodDisruptionBudget", "web", world.namespace)["status"].get("disruptionsAllowed") == 1,
               "the budget is counted")
    world.api.delete(claim)
    world.gone(node)
    world.running(3)
    assert len(world.claims()) <= 2     # the new claim is made while the old one still has pods


def test_the_deadline_beats_everything(world):
    """It overrides a budget, and a pod that must not be disrupted."""
    world.deploy("web", 1)
    world.waiting(1)
    world.pool(template={"terminationGracePeriod": "2s"})
    pod, = world.running(1)
    claim, = world.claims()
    protect(world, pod)
    world.api.create(things.budget("web", world.namespace, "web", 1))
    world.api.delete(claim)
    now = world.wait(lambda: annotated(world, claim), "the deadline")
    ends = datetime.fromisoformat(now["metadata"]["annotations"][DEADLINE].replace("Z", "+00:00"))
    began = datetime.fromisoformat(now["metadata"]["deletionTimestamp"].replace("Z", "+00:00"))
    assert ends - began == timedelta(seconds=2)
    world.event(pod, "Disrupted", "This bypasses the PDB of the pod and the do-not-disrupt annotation.")
    world.gone(claim)
    assert not alive(world, pod)


def annotated(world, claim):
    now = world.claim(claim["metadata"]["name"])
    return now if now and DEADLINE in now["metadata"].get("annotations", {}) else None


def test_critical_pods_go_last(world):
    """They are not evicted while another pod is still there."""
    world.deploy("web", 1)
    world.pod("vital", priorityClassName="system-cluster-critical")
    world.waiting(2)
    world.pool()
    world.running(2)
    node, = world.ready_nodes(1)
    claim, = world.claims()
    web, = world.pods(label_selector="app=web")
    vital = world.api.get("v1", "Pod", "vital", world.namespace)
    protect(world, web)
    world.api.delete(claim)
    world.event(node, "FailedDraining", "2 pods are waiting")
    assert alive(world, vital)
    release(world, web)
    world.gone(claim)
    assert not alive(world, vital)


def test_pods_that_tolerate_it_stay_to_the_end(world):
    world.pod("guard", tolerations=[{"operator": "Exists"}])
    world.waiting(1)
    world.pool()
    guard, = world.running(1)
    claim, = world.claims()
    world.api.delete(claim)
    world.gone(claim)
    assert not world.events(guard, "Evicted")


def test_volumes_are_detached_before_the_node_ends(world):
    node, claim = served(world)
    volume = world.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": world.name("disk")},
                           "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                                    "csi": {"driver": "disk.e2e.example", "volumeHandle": world.name()}}})
    attachment = world.create({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": world.name()},
                               "spec": {"attacher": "disk.e2e.example", "nodeName": node["metadata"]["name"],
                                        "source": {"persistentVolumeName": volume["metadata"]["name"]}}})
    world.api.delete(claim)
    world.event(node, "AwaitingVolumeDetachment", attachment["metadata"]["name"])
    said = world.wait(lambda: condition_of(world.claim(claim["metadata"]["name"]), "VolumesDetached"), "the condition VolumesDetached")
    assert (said["status"], said["reason"]) == ("Unknown", "AwaitingVolumeDetachment")
    assert world.node(node["metadata"]["name"])
    world.api.delete(attachment)
    world.gone(claim)
    world.gone(node)


def test_an_evicted_pod_is_told_so(world):
    _, claim = served(world)
    pod, = world.pods()
    world.api.delete(claim)
    world.event(pod, "Evicted", "Evicted pod: Forceful Termination")


# --- expiration and garbage collection

def test_a_claim_that_is_too_old_is_replaced(world):
    world.deploy("web", 1)
    world.waiting(1)
    pool = world.pool(template={"expireAfter": "4s"})
    old, = world.running(1)
    claim, = world.claims()
    # The replacement must not expire as well.
    world.api.patch(pool, {"spec": {"template": {"spec": {"expireAfter": "Never"}}}})
    world.gone(claim)
    new, = world.running(1)
    assert new["spec"]["nodeName"] != old["spec"]["nodeName"]
    assert [each["spec"]["expireAfter"] for each in world.claims()] == ["Never"]


def test_a_pool_takes_its_nodes_with_it(world):
    """Through Kubernetes' garbage collector, which learns of new kinds every half minute."""
    node, claim = served(world)
    world.api.delete(world.pool_now())
    world.wait(lambda: world.claim(claim["metadata"]["name"]) is None, "the NodeClaim goes", 60)
    world.gone(node)
    assert condition(world.api.get(KARPENTER, CLAIM, claim["metadata"]["name"]), "Ready") is None
