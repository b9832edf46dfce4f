"""Fixture of the tests of tenon: a namespace, NodePools, and pods that only nodes of these NodePools may run.

    def test_pods_get_a_node(world):
        world.pool()
        world.deploy("web", 3)
        assert len({pod["spec"]["nodeName"] for pod in world.running(3)}) == 1

Each NodePool gives its nodes the label `test: NAMESPACE` and each pod selects it, so that tests can share a cluster
without affecting each other. Waits have a timeout (bed/api.py), and a failed wait reports what was there instead.
"""

from collections import Counter

import things
from bed.api import wait_for

LABEL = "e2e.example/test"
ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"
TYPE = "node.kubernetes.io/instance-type"
CAPACITY_TYPE = "karpenter.sh/capacity-type"
NODE_POOL = "karpenter.sh/nodepool"
DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
DISRUPTED = {"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}
KARPENTER, CLAIM, POOL, NODE_CLASS = "karpenter.sh/v1", "NodeClaim", "NodePool", "KWOKNodeClass"
SECONDS = 30


class World:
    """One test's part of the cluster."""

    def __init__(self, api, namespace):
        self.api = api
        self.namespace = namespace
        self.selector = {LABEL: namespace}
        self.cluster_wide = []      # objects without a namespace, to be removed after the test

    # --- objects

    def create(self, thing):
        """Creates an object without a namespace, which is removed after the test."""
        made = self.api.create(thing)
        if "namespace" not in made["metadata"]:
            self.cluster_wide.append(made)
        return made

    def pool(self, name="", requirements=(), template=None, labels=None, annotations=None, ready=True, **spec):
        """Creates the NodePool NAMESPACE-name and waits until it is ready. `template`: further fields of
        spec.template.spec; `spec`: further fields of the NodePool, such as limits or weight. Default: nodes are never
        consolidated."""
        thing = self.pool_thing(name, requirements, template, labels, annotations, **spec)
        made = self.create(thing)
        if ready:
            self.wait(lambda: condition(self.api.get(KARPENTER, POOL, thing["metadata"]["name"]), "Ready") == "True",
                      f"NodePool {thing['metadata']['name']} is ready")
        return made

    def pool_thing(self, name="", requirements=(), template=None, labels=None, annotations=None, **spec):
        if "replicas" not in spec:
            spec = {"disruption": {"consolidateAfter": "Never"}, **spec}
        meta = {"labels": {**self.selector, **(labels or {})}, **({"annotations": annotations} if annotations else {})}
        return {"apiVersion": KARPENTER, "kind": POOL, "metadata": {"name": self.name(name)},
                "spec": {**spec, "template": {
                    "metadata": meta,
                    "spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": NODE_CLASS, "name": "default"},
                             "requirements": list(requirements), **(template or {})}}}}

    def name(self, name=""):
        return f"{self.namespace}-{name}" if name else self.namespace

    def pod(self, name, cpu="500m", **spec):
        return self.api.create(things.pod(name, self.namespace, cpu, **self.placed(spec)))

    def deploy(self, name, replicas, cpu="500m", **spec):
        return self.api.create(things.deployment(name, self.namespace, replicas, cpu, **self.placed(spec)))

    def placed(self, spec):
        """The pod's spec with a node selector for nodes of this test."""
        return {**spec, "nodeSelector": {**self.selector, **spec.get("nodeSelector", {})}}

    def scale(self, deployment, replicas):
        return self.api.patch(deployment, {"spec": {"replicas": replicas}})

    # --- queries

    def pods(self, **selection):
        return self.api.list("v1", "Pod", self.namespace, **selection)

    def nodes(self):
        return self.api.list("v1", "Node", label_selector=f"{LABEL}={self.namespace}")

    def node(self, name):
        return self.api.get("v1", "Node", name)

    def claims(self):
        return self.api.list(KARPENTER, CLAIM, label_selector=f"{LABEL}={self.namespace}")

    def claim(self, name):
        return self.api.get(KARPENTER, CLAIM, name)

    def pool_now(self, name=""):
        return self.api.get(KARPENTER, POOL, self.name(name))

    def labels(self, key):
        """The number of the test's nodes by value of a label."""
        return Counter(node["metadata"]["labels"].get(key) for node in self.nodes())

    def placement(self, key, pods=None):
        """The number of pods that have a node, by value of a label of the node."""
        nodes = {node["metadata"]["name"]: node["metadata"]["labels"] for node in self.nodes()}
        return Counter(nodes[pod["spec"]["nodeName"]][key] for pod in pods or self.pods() if pod["spec"].get("nodeName"))

    def events(self, thing, reason=None):
        """Messages of the events about an object."""
        name = thing["metadata"]["name"]
        found = self.api.list("v1", "Event", thing["metadata"].get("namespace", "default"),
                              field_selector=f"involvedObject.name={name},involvedObject.uid={thing['metadata']['uid']}")
        return [event["message"] for event in found if reason in (None, event["reason"])
                and event["source"].get("component") == "karpenter"]

    # --- waiting

    def wait(self, question, what, seconds=SECONDS):
        try:
            return wait_for(question, seconds, what)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.picture()}") from None

    def waiting(self, count):
        """All pods of the test, once that many are pending. If the NodePool is created afterwards, one plan has them all."""
        def look():
            found = [pod for pod in self.pods() if condition(pod, "PodScheduled") == "False"]
            return found if len(found) == count else None
        return self.wait(look, f"{count} pods wait for a node")

    def running(self, count, **selection):
        """All pods of the test, once that many run and there are no others."""
        def look():
            found = self.pods(**selection)
            is_so = len(found) == count and all(pod["status"].get("phase") == "Running" for pod in found)
            return found if is_so else None
        return self.wait(look, f"{count} pods run") if count else self.wait(lambda: not self.pods(**selection), "no pod is left")

    def ready_nodes(self, count):
        """The test's nodes, once there are that many and each is initialized."""
        def look():
            found = self.nodes()
            is_so = len(found) == count and all("karpenter.sh/initialized" in node["metadata"]["labels"] for node in found)
            return found if is_so else None
        return self.wait(look, f"{count} nodes are initialized") if count else \
            self.wait(lambda: not self.nodes(), "no node is left") or []

    def event(self, thing, reason, text):
        """Waits for an event with that reason whose message contains the text; returns the first one's message."""
        return self.wait(lambda: next((message for message in self.events(thing, reason) if text in message), None),
                         f"an event {reason} about {thing['metadata']['name']}: {text}")

    def gone(self, thing):
        """Waits until no object of that name exists."""
        def look():
            now = self.api.get(thing["apiVersion"], thing["kind"], thing["metadata"]["name"], thing["metadata"].get("namespace"))
            return now is None or now["metadata"]["uid"] != thing["metadata"]["uid"]
        self.wait(look, f"{thing['kind']} {thing['metadata']['name']} is gone")

    # --- messages of failed tests

    def picture(self):
        """The test's objects, a line each, for the message of a failed test."""
        lines = []
        for pod in self.pods():
            lines.append(f"pod {pod['metadata']['name']}: {pod['status'].get('phase')} on {pod['spec'].get('nodeName')}")
            lines += [f"    {message}" for message in self.events(pod)]
        for claim in self.claims():
            lines.append(f"{ending(claim)}claim {claim['metadata']['name']}: " + ", ".join(
                f"{each['type']}={each['status']}({each['reason']})" for each in claim.get("status", {}).get("conditions", [])))
        for node in self.nodes():
            lines.append(f"{ending(node)}node {node['metadata']['name']}: taints {node['spec'].get('taints', [])}")
        return "\n".join(lines) or "there is nothing of the test"

    # --- cleaning up

    def clear(self):
        """Deletes all objects without waiting for nodes to be drained, which no other test can see."""
        for api_version, kind in things.WORKLOADS:
            self.api.delete_all(api_version, kind, self.namespace)
        for thing in reversed(self.cluster_wide):
            self.api.delete(thing)
        for claim in self.claims():
            self.api.delete(claim)


def condition(thing, kind):
    """The status of an object's condition; None: it has none, or there is no object."""
    return (condition_of(thing, kind) or {}).get("status")


def condition_of(thing, kind):
    return next((each for each in (thing or {}).get("status", {}).get("conditions", []) if each["type"] == kind), None)


def requirement(key, operator, *values, **more):
    return {"key": key, "operator": operator, "values": list(values), **more} if values or operator == "In" else \
        {"key": key, "operator": operator, **more}


def ending(thing):
    return "going: " if thing["metadata"].get("deletionTimestamp") else ""
