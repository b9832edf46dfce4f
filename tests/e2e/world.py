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
        self.cluster_wide = []      # what has no namespace, to be removed with the test

    # --- making

    def create(self, thing):
        """Creates what has no namespace to go with; it goes with the test."""
        made = self.api.create(thing)
        if "namespace" not in made["metadata"]:
            self.cluster_wide.append(made)
        return made

    def pool(self, name="", requirements=(), template=None, labels=None, annotations=None, ready=True, **spec):
        """A NodePool of the test, called NAMESPACE-name, once it is ready. `template`: more of spec.template.spec; the
        rest of `spec` is the NodePool's own, as limits or weight. Nodes are never consolidated unless it says so."""
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
        """The pod's spec with the wish for a node of this test."""
        return {**spec, "nodeSelector": {**self.selector, **spec.get("nodeSelector", {})}}

    def scale(self, deployment, replicas):
        return self.api.patch(deployment, {"spec": {"replicas": replicas}})

    # --- looking

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
        """How many of the test's nodes have which value of a label."""
        return Counter(node["metadata"]["labels"].get(key) for node in self.nodes())

    def placement(self, key, pods=None):
        """How many of the pods that have a node are where, by a label of their nodes."""
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
        """All pods of the test, once that many wait for a node. Whoever makes the NodePool after that has them all in one plan."""
        def look():
            found = [pod for pod in self.pods() if condition(pod, "PodScheduled") == "False"]
            return found if len(found) == count else None
        return self.wait(look, f"{count} pods wait for a node")

    def running(self, count, **selection):
        """All pods of the test, once that many run and there is no other."""
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
        """The message of the first event with that reason which contains the text."""
        return self.wait(lambda: next((message for message in self.events(thing, reason) if text in message), None),
                         f"an event {reason} about {thing['metadata']['name']}: {text}")

    def gone(self, thing):
        """Waits until the object is not there any more, not even another one of its name."""
        def look():
            now = self.api.get(thing["apiVersion"], thing["kind"], thing["metadata"]["name"], thing["metadata"].get("namespace"))
            return now is None or now["metadata"]["uid"] != thing["metadata"]["uid"]
        self.wait(look, f"{thing['kind']} {thing['metadata']['name']} is gone")

    # --- for people

    def picture(self):
        """What is there, a line each: for the message of a failed test."""
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

    # --- the end

    def clear(self):
        """Asks for the end of everything. Nobody waits for nodes to be drained: no other test can see them."""
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
