"""Pods with volumes get nodes that the volumes can reach."""

import pytest

import things
from catalogue import ZONES
from world import ZONE, condition

DRIVER = "disk.e2e.example"
PROVISIONED_BY = "volume.kubernetes.io/storage-provisioner"
SELECTED_NODE = "volume.kubernetes.io/selected-node"


def test_a_bound_volume_says_the_zone(world):
    volume = world.create(disk(world.name("data"), ZONES[2], claim=("data", world.namespace)))
    world.create(claim("data", world.namespace, volumeName=volume["metadata"]["name"], storageClassName=""))
    world.wait(lambda: world.api.get("v1", "PersistentVolumeClaim", "data", world.namespace)["status"].get("phase") == "Bound",
               "the claim is bound")
    world.pool()
    world.pod("db", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])
    world.running(1)
    assert world.placement(ZONE) == {ZONES[2]: 1}


def test_a_volume_is_made_where_the_first_pod_goes(world):
    """WaitForFirstConsumer: tenon chooses the node, the scheduler informs the provisioner, which the test simulates."""
    storage = world.create(storage_class(world, ZONES[1]))
    world.create(claim("data", world.namespace, storageClassName=storage["metadata"]["name"]))
    world.pool()
    world.pod("db", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])
    provision(world, "data", storage)
    world.running(1)
    assert world.placement(ZONE) == {ZONES[1]: 1}


def test_an_ephemeral_volume_is_a_claim_too(world):
    storage = world.create(storage_class(world, ZONES[3]))
    world.pool()
    template = {"spec": {**CLAIM_SPEC, "storageClassName": storage["metadata"]["name"]}}
    world.pod("cache", volumes=[{"name": "data", "ephemeral": {"volumeClaimTemplate": template}}])
    provision(world, "cache-data", storage)
    world.running(1)
    assert world.placement(ZONE) == {ZONES[3]: 1}


@pytest.mark.parametrize("missing", ["claim", "class"])
def test_a_pod_whose_volume_cannot_be_is_told_why(world, missing):
    if missing == "class":
        world.create(claim("data", world.namespace, storageClassName="no-such-class"))
    world.pool()
    pod = world.pod("db", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])
    world.waiting(1)
    # Another pod gets a node meanwhile: tenon has planned for both.
    world.pod("other")
    world.wait(lambda: len(world.claims()) == 1, "the other pod's NodeClaim")
    world.wait(lambda: world.api.get("v1", "Pod", "other", world.namespace)["status"].get("phase") == "Running", "it runs")
    assert condition(world.api.get("v1", "Pod", "db", world.namespace), "PodScheduled") == "False"
    what = {"claim": 'PersistentVolumeClaim "data" not found', "class": "no-such-class"}[missing]
    world.event(pod, "FailedScheduling", what)
    assert len(world.claims()) == 1


CLAIM_SPEC = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


def claim(name, namespace, **spec):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": namespace},
            "spec": {**CLAIM_SPEC, **spec}}


def storage_class(world, zone):
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": world.name()},
            "provisioner": DRIVER, "volumeBindingMode": "WaitForFirstConsumer",
            "allowedTopologies": [{"matchLabelExpressions": [{"key": ZONE, "values": [zone]}]}]}


def disk(name, zone, claim, storage_class_name=""):
    terms = [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}]
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name, "annotations": {
                "pv.kubernetes.io/provisioned-by": DRIVER}},
            "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": storage_class_name,
                     "csi": {"driver": DRIVER, "volumeHandle": name}, "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
                     "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": claim[0], "namespace": claim[1]}}}


def provision(world, name, storage):
    """Simulates a CSI driver's provisioner: waits for the scheduler's choice, and makes the volume there."""
    def chosen():
        now = world.api.get("v1", "PersistentVolumeClaim", name, world.namespace)
        return (now or {"metadata": {}})["metadata"].get("annotations", {}).get(SELECTED_NODE)
    node = world.node(world.wait(chosen, "the scheduler's choice of a node for the volume"))
    volume = disk(world.name(name), node["metadata"]["labels"][ZONE], (name, world.namespace), storage["metadata"]["name"])
    volume["spec"]["claimRef"]["uid"] = world.api.get("v1", "PersistentVolumeClaim", name, world.namespace)["metadata"]["uid"]
    world.create(volume)
