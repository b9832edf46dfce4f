"""Take-over of a cluster from Karpenter: tenon continues where Karpenter stopped, and replaces nothing.

While no tenon runs, objects are written as Karpenter 1.14 and 1.15 with its KWOK provider leave them. One cluster has one
`OldPool` for each kind of unfinished operation.
"""

from datetime import datetime, timedelta, timezone

import pytest

from world import CAPACITY_TYPE, CLAIM, DISRUPTED, HOSTNAME, KARPENTER, LABEL, NODE_POOL, POOL, TYPE, ZONE, World, condition, ending

HASH, HASH_VERSION = "karpenter.sh/nodepool-hash", "karpenter.sh/nodepool-hash-version"
# Of the template of each pool, by Karpenter's own hash function: KWOKNodeClass `default`, expireAfter Never, and the label.
HASHES = {
    "steady": "14575797084572699409",
    "restamped": "14625800346678113967",
    "joining": "7529482106932537184",
    "unlaunched": "17434028468779478265",
    "going": "2045945560601628617",
    "vanished": "17064032505529657118"}
FINALIZER = "karpenter.sh/termination"
ROOM = {"cpu": "3900m", "memory": "8182Mi", "pods": "64", "ephemeral-storage": "20Gi"}
LONG_AGO = timedelta(hours=3)


class OldPool(World):
    """A NodePool with one NodeClaim and its Node, and further objects that a test adds."""

    def __init__(self, api, what):
        super().__init__(api, f"old-{what}")
        self.what = what
        self.hash = HASHES[what]
        api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}})
        self.pool_then = self.claim_then = self.node_then = None

    @property
    def claim_name(self):
        return f"{self.namespace}-x7k2p"

    @property
    def node_name(self):
        return f"kwok-{self.claim_name}-modest-hertz-3418563471"

    def write_pool(self, version="v3", value=None, nodes=7):
        """`nodes`: the number in the status; if it is wrong, the corrected number shows later that tenon has counted."""
        thing = self.pool_thing(template={"expireAfter": "Never"})
        thing["metadata"]["annotations"] = {HASH: value or self.hash, HASH_VERSION: version}
        self.pool_then = self.create(thing)
        ready = [condition_thing(kind, generation=1) for kind in ("NodeClassReady", "ValidationSucceeded", "Ready")]
        self.api.patch(thing, {"status": {"nodes": nodes, "conditions": ready, "resources": {"cpu": "1", "nodes": str(nodes)}}},
                       status=True)

    def write_claim(self, states, version="v3", value=None, more=()):
        """`states`: the conditions of Launched, Registered and Initialized that are true; (): a claim just created."""
        owner = {"apiVersion": KARPENTER, "kind": POOL, "name": self.namespace, "uid": self.pool_then["metadata"]["uid"],
                 "blockOwnerDeletion": True}
        thing = {"apiVersion": KARPENTER, "kind": CLAIM,
                 "metadata": {"name": self.claim_name, "generateName": f"{self.namespace}-", "ownerReferences": [owner],
                              "finalizers": [FINALIZER], "labels": self.labels_of(states),
                              "annotations": {HASH: value or self.hash, HASH_VERSION: version,
                                              "karpenter.sh/nodeclaim-min-values-relaxed": "false",
                                              "compatibility.karpenter.sh/provider": "{}"}},
                 "spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
                          "expireAfter": "Never", "resources": {"requests": {"cpu": "1", "memory": "128Mi", "pods": "2"}},
                          "requirements": [{"key": LABEL, "operator": "In", "values": [self.namespace]},
                                           {"key": NODE_POOL, "operator": "In", "values": [self.namespace]},
                                           {"key": CAPACITY_TYPE, "operator": "In", "values": ["on-demand"]},
                                           {"key": TYPE, "operator": "In", "values": ["c-4x-amd64-linux", "s-4x-amd64-linux"]}]}}
        self.create(thing)
        if states:
            kinds = ("Launched", "Registered", "Initialized")
            conditions = [condition_thing(kind, state) for kind, state in zip(kinds, states)]
            conditions += [condition_thing("Ready", "True" if all(state == "True" for state in states) else "Unknown")]
            status = {"providerID": f"kwok://{self.node_name}", "capacity": ROOM, "allocatable": ROOM,
                      "conditions": [*more, *conditions]}
            if states[1] == "True":
                status["nodeName"] = self.node_name
            self.api.patch(thing, {"status": status}, status=True)
        self.claim_then = self.claim(self.claim_name)

    def labels_of(self, states):
        found = {LABEL: self.namespace, NODE_POOL: self.namespace, "karpenter.kwok.sh/kwoknodeclass": "default"}
        if states:
            found |= {TYPE: "c-4x-amd64-linux", ZONE: "test-zone-b", CAPACITY_TYPE: "on-demand", "kubernetes.io/arch": "amd64",
                      "kubernetes.io/os": "linux", "karpenter.kwok.sh/instance-cpu": "4", "karpenter.kwok.sh/instance-size": "4x",
                      "karpenter.kwok.sh/instance-family": "c", "karpenter.kwok.sh/instance-memory": "8Gi"}
        return found

    def write_node(self, registered=True, taints=()):
        labels = {**self.labels_of(True), HOSTNAME: self.claim_name, "kwok.x-k8s.io/node": "fake", "kwok-partition": "a",
                  "eks-node-viewer/instance-price": "0.108590"}
        meta = {"name": self.node_name, "labels": labels, "annotations": {"kwok.x-k8s.io/node": "fake"}}
        if registered:
            labels |= {"karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"}
            meta["annotations"] |= {**self.claim_then["metadata"]["annotations"], "karpenter.sh/do-not-repair": "false"}
            meta["finalizers"] = [FINALIZER]
            meta["ownerReferences"] = [{"apiVersion": KARPENTER, "kind": CLAIM, "name": self.claim_name,
                                        "uid": self.claim_then["metadata"]["uid"], "blockOwnerDeletion": True}]
        else:
            taints = [*taints, {"key": "karpenter.sh/unregistered", "effect": "NoExecute"}]
        self.create({"apiVersion": "v1", "kind": "Node", "metadata": meta,
                     "spec": {"providerID": f"kwok://{self.node_name}", "taints": list(taints)},
                     "status": {"capacity": ROOM, "allocatable": ROOM, "phase": "Pending"}})
        self.wait(lambda: condition(self.node(self.node_name), "Ready") == "True", "kwok makes the node ready")
        self.wait(lambda: "not-ready" not in str(self.node(self.node_name)["spec"]), "the node lifecycle controller finds it ready")
        self.node_then = self.node(self.node_name)

    def clear(self):
        super().clear()
        self.api.delete({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}})

    def claim_now(self):
        return self.claim(self.claim_name)


def condition_thing(kind, status="True", reason=None, generation=1):
    when = (datetime.now(timezone.utc) - LONG_AGO).strftime("%Y-%m-%dT%H:%M:%SZ")
    unknown = "AwaitingReconciliation", "object is awaiting reconciliation"
    return {"type": kind, "status": status, "lastTransitionTime": when, "observedGeneration": generation,
            "reason": reason or (kind if status == "True" else unknown[0]), "message": "" if status == "True" else unknown[1]}


@pytest.fixture(scope="module")
def taken_over(api, tenon):
    """Writes all objects while no tenon runs, then starts tenon."""
    tenon.stop()
    old = {what: OldPool(api, what) for what in HASHES}
    try:
        write_all(old)
        tenon.start()
        for world in old.values():
            world.wait(lambda w=world: w.pool_now()["status"]["nodes"] != 7, "tenon has counted the pool's nodes")
        yield old
    finally:
        for world in old.values():
            world.clear()


def write_all(old):
    done = ("True", "True", "True")
    steady = old["steady"]
    steady.write_pool()
    steady.write_claim(done, more=[condition_thing("ConsistentStateFound")])
    steady.write_node()
    steady.deploy("web", 2)
    steady.running(2)

    restamped = old["restamped"]
    restamped.write_pool("v2", "1234")
    restamped.write_claim(done, "v2", "1234")
    restamped.write_node()

    joining = old["joining"]
    joining.write_pool()
    joining.write_claim(("True", "Unknown", "Unknown"))
    joining.write_node(registered=False)

    unlaunched = old["unlaunched"]
    unlaunched.write_pool()
    unlaunched.write_claim(())

    going = old["going"]
    going.write_pool()
    going.write_claim(done)
    going.write_node(taints=[DISRUPTED])
    going.api.delete(going.claim_then)

    vanished = old["vanished"]
    vanished.write_pool()
    vanished.write_claim(done)


def test_what_is_finished_is_left_as_it_is(taken_over):
    world = taken_over["steady"]
    world.wait(lambda: world.pool_now()["status"]["nodes"] == 1, "the pool has one node")
    before, after = world.claim_then, world.claim_now()
    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert {key: after["metadata"].get(key) for key in ("labels", "annotations", "finalizers", "ownerReferences")} == \
        {key: before["metadata"].get(key) for key in ("labels", "annotations", "finalizers", "ownerReferences")}
    assert after["spec"] == before["spec"]
    assert after["status"]["conditions"] == before["status"]["conditions"]      # no Drifted among them
    assert [claim["metadata"]["name"] for claim in world.claims()] == [world.claim_name]


def test_its_node_too(taken_over):
    world = taken_over["steady"]
    before, after = world.node_then, world.node(world.node_name)
    # Kubernetes' own controllers add the two deprecated labels.
    labels = {key: value for key, value in after["metadata"]["labels"].items() if not key.startswith("beta.kubernetes.io/")}
    assert labels == {key: value for key, value in before["metadata"]["labels"].items() if not key.startswith("beta.")}
    for key in ("uid", "annotations", "finalizers", "ownerReferences"):
        assert after["metadata"][key] == before["metadata"][key], key
    assert after["spec"] == before["spec"]
    assert {pod["spec"]["nodeName"] for pod in world.running(2)} == {world.node_name}


def test_its_pool_has_the_same_hash(taken_over):
    world = taken_over["steady"]
    assert world.pool_now()["metadata"]["annotations"] == {HASH: world.hash, HASH_VERSION: "v3"}
    assert condition(world.pool_now(), "Ready") == "True"


def test_the_node_is_room_for_new_pods(taken_over):
    world = taken_over["steady"]
    world.api.patch({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": world.namespace}},
                    {"spec": {"replicas": 4}})
    assert {pod["spec"]["nodeName"] for pod in world.running(4)} == {world.node_name}
    assert len(world.claims()) == 1


def test_hashes_of_an_older_kind_are_made_anew_without_drift(taken_over):
    world = taken_over["restamped"]
    expected = {HASH: world.hash, HASH_VERSION: "v3"}
    world.wait(lambda: expected.items() <= world.pool_now()["metadata"]["annotations"].items(), "the pool is stamped")
    now = world.claim_now()
    assert expected.items() <= now["metadata"]["annotations"].items()
    assert condition(now, "Drifted") is None and not ending(now)
    assert now["metadata"]["uid"] == world.claim_then["metadata"]["uid"]


def test_a_node_that_was_about_to_join_joins(taken_over):
    world = taken_over["joining"]
    world.wait(lambda: condition(world.claim_now(), "Ready") == "True", "the claim is ready")
    node = world.node(world.node_name)
    assert "karpenter.sh/unregistered" not in str(node["spec"])
    assert (node["metadata"]["labels"]["karpenter.sh/initialized"], node["metadata"]["finalizers"]) == ("true", [FINALIZER])
    assert world.claim_now()["status"]["nodeName"] == world.node_name
    assert len(world.nodes()) == 1


def test_a_claim_that_was_not_launched_yet_is_launched_once(taken_over):
    world = taken_over["unlaunched"]
    node, = world.ready_nodes(1)
    assert node["metadata"]["labels"][TYPE] == "c-4x-amd64-linux"
    assert world.claim_now()["metadata"]["uid"] == world.claim_then["metadata"]["uid"]
    assert len(world.claims()) == 1


def test_a_node_that_was_going_goes(taken_over):
    world = taken_over["going"]
    world.wait(lambda: not world.claim_now() and not world.node(world.node_name), "claim and node are gone")


def test_a_claim_whose_node_has_vanished_goes(taken_over, tenon):
    world = taken_over["vanished"]
    world.wait(lambda: not world.claim_now(), "the claim is gone")
    said = tenon.lines("garbage collecting nodeclaim with no cloudprovider representation")
    assert [line["NodeClaim"]["name"] for line in said] == [world.claim_name]
