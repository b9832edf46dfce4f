"""tenon is killed repeatedly while a Deployment grows, and must neither lose a node nor create one twice.

Each pod needs a node for itself, so there must be as many Nodes and claims as pods, each claim with its Node and each Node
with a pod.
"""

import time
from collections import Counter
from dataclasses import dataclass, field

import things
from bed.api import wait_for
from bed.tenon import Tenon

NAMESPACE = "chaos"
HOSTNAME = "kubernetes.io/hostname"     # of KWOK's nodes: the name of the claim
STEPS = 20                              # in which the Deployment grows


@dataclass
class Outcome:
    kills: int = 0
    seconds: float = 0          # until all pods ran
    nodes: int = 0
    faults: list = field(default_factory=list)

    def __str__(self):
        return (f"{self.kills} kills; {self.nodes} nodes, all pods on them after {self.seconds:.0f} s\n"
                + "\n".join(self.faults or ["nothing leaked, nothing twice"]))


def kill_again_and_again(cluster, api, nodes, seconds, period=2.0):
    """Kills a tenon every `period` seconds for `seconds` while pods for `nodes` nodes are added; then lets it finish."""
    prepare(api)
    tenon = Tenon(cluster, "killed", flags=["--disable-leader-election"])
    deployment = api.create(grown(nodes, 0))
    started, outcome = time.monotonic(), Outcome()
    tenon.start(until_it_leads=False)
    while (passed := time.monotonic() - started) < seconds:
        wanted = min(nodes, nodes * (int(passed * STEPS / (seconds * 0.8)) + 1) // STEPS)
        api.patch(deployment, {"spec": {"replicas": wanted}})
        time.sleep(max(0.0, started + period * (outcome.kills + 1) - time.monotonic()))
        tenon.kill()
        outcome.kills += 1
        outcome.faults += [f"it ended by itself: {line}" for line in tenon.stray_lines()]
        tenon.start(until_it_leads=False)
    api.patch(deployment, {"spec": {"replicas": nodes}})
    wait_for(lambda: bound(api, nodes), 600, "all pods have a node")
    outcome.seconds = time.monotonic() - started
    wait_for(lambda: settled(api), 120, "all claims are initialized")
    outcome.nodes = len(api.list("v1", "Node"))
    outcome.faults += faults(api, nodes)
    tenon.stop()
    return outcome


def prepare(api):
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    if not api.get("karpenter.kwok.sh/v1alpha1", "KWOKNodeClass", "default"):
        api.create(things.kwok_class())
    api.create({"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": NAMESPACE}, "spec": {
        "disruption": {"consolidateAfter": "Never"},
        "template": {"metadata": {"labels": {"e2e.example/chaos": "yes"}}, "spec": {
            "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
            "requirements": [{"key": "karpenter.kwok.sh/instance-cpu", "operator": "In", "values": ["1"]}]}}}})


def grown(nodes, replicas):
    assert replicas <= nodes
    return things.deployment("web", NAMESPACE, replicas, "600m", nodeSelector={"e2e.example/chaos": "yes"})


def bound(api, count):
    return sum(1 for pod in api.list("v1", "Pod", NAMESPACE) if pod["spec"].get("nodeName")) == count


def settled(api):
    return all(any(each["type"] == "Initialized" and each["status"] == "True"
                   for each in claim.get("status", {}).get("conditions", []))
               for claim in api.list("karpenter.sh/v1", "NodeClaim"))


def faults(api, count):
    """The violations, a line each."""
    nodes = {node["metadata"]["name"]: node["metadata"]["labels"][HOSTNAME] for node in api.list("v1", "Node")}
    claims = {claim["metadata"]["name"]: claim["status"].get("nodeName") for claim in api.list("karpenter.sh/v1", "NodeClaim")}
    used = Counter(pod["spec"]["nodeName"] for pod in api.list("v1", "Pod", NAMESPACE))
    found = [f"leaked: node {node} has no claim" for node, claim in nodes.items() if claim not in claims]
    found += [f"twice: claim {claim} has {number} nodes" for claim, number in Counter(nodes.values()).items() if number > 1]
    found += [f"claim {claim} has no node" for claim, node in claims.items() if node not in nodes]
    found += [f"too many: no pod is on node {node}" for node in nodes if not used[node]]
    if sum(used.values()) != count:
        found.append(f"{sum(used.values())} pods, not {count}")
    return found
