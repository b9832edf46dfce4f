"""The second half: what consolidation makes of the burst's fleet, when nothing changes and when most pods go."""

import json
import subprocess
import time
from pathlib import Path

import workload
from autoscalers import price, profile

ROOT = Path(__file__).resolve().parents[2]
KEPT = 0.4              # of the pods
CONSOLIDATE_S = 300     # left alone after the burst
STILL_S = 420           # no node came or went for so long: it has ended. Karpenter looks again after some 30 s; tenon waits
                        # five minutes at most for nodes to come to rest
FIRST_S = 600           # until the first one goes: pods take their time to end
PATIENCE_S = 2400
REST_S = 720
STEP_S = 2


def second_half(api, audit, side, options):
    known = options.karpenter / "instance_types.json"
    results = {"after_burst": after_burst(api, known), "shrunk": shrink(api, audit, side, options)}
    results["rest"] = rest(api, audit, side)
    return results


def after_burst(api, known):
    time.sleep(CONSOLIDATE_S)
    nodes = api.list("v1", "Node")
    return {"seconds": CONSOLIDATE_S, "nodes": len(nodes), "price": price(nodes, known)}


def shrink(api, audit, side, options):
    known = options.karpenter / "instance_types.json"
    since, used, started = audit.size(), side.process.cpu_seconds(), time.monotonic()
    kept = 0
    for deployment in api.list("apps/v1", "Deployment", workload.NAMESPACE):
        replicas = int(deployment["spec"]["replicas"] * KEPT)
        kept += replicas
        api.patch(deployment, {"spec": {"replicas": replicas}})
    with profile(side, options.perf and f"{options.perf}.shrink"):
        took = last_change(api) - started
    spent = side.process.cpu_seconds() - used
    nodes = api.list("v1", "Node")
    return {"pods": kept, "seconds": took, "cpu_seconds": spent, "nodes": len(nodes), "price": price(nodes, known),
            "floor": floor(api, known), "evictions": evictions(audit, side, since)}


def last_change(api):
    """When the last node came or went, if there is such an end."""
    began = changed = time.monotonic()
    names, patience = node_names(api), FIRST_S
    while time.monotonic() - changed < patience and time.monotonic() - began < PATIENCE_S:
        time.sleep(STEP_S)
        now = node_names(api)
        if now != names:
            names, changed, patience = now, time.monotonic(), STILL_S
    return changed


def rest(api, audit, side):
    since, used, started, before = audit.size(), side.process.cpu_seconds(), time.monotonic(), node_names(api)
    time.sleep(REST_S)
    seconds = time.monotonic() - started
    return {"seconds": seconds, "cores": (side.process.cpu_seconds() - used) / seconds,
            "evictions": evictions(audit, side, since), "nodes_changed": len(before ^ node_names(api))}


def node_names(api):
    return {node["metadata"]["name"] for node in api.list("v1", "Node")}


def evictions(audit, side, since):
    return audit.calls(side.name, since)[("create", "pods/eviction")]


def floor(api, known):
    """$ an hour that no set of fresh nodes for the pods that are there can cost less than; tenon proves it."""
    items = [api.get("karpenter.sh/v1", "NodePool", "default"), workload.node_class()]
    items += [waiting(pod) for pod in api.list("v1", "Pod", workload.NAMESPACE) if "deletionTimestamp" not in pod["metadata"]]
    manifests = ROOT / "build" / "bench-cluster" / "pods.json"
    manifests.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), encoding="utf-8")
    plan = subprocess.run([ROOT / "build/release/tenon", "plan", "-f", manifests, "--catalog", known, "-o", "json"],
                          stdout=subprocess.PIPE, check=False, text=True).stdout
    return json.loads(plan)["price"]["floorPerHour"]


def waiting(pod):
    """The pod as it was before it had a node."""
    spec = {name: value for name, value in pod["spec"].items() if name != "nodeName"}
    return {"apiVersion": "v1", "kind": "Pod", "spec": spec,
            "metadata": {name: pod["metadata"].get(name, {}) for name in ("name", "namespace", "labels")}}
