#!/usr/bin/env python3
"""A cluster that Karpenter runs is handed to tenon and back, both with disruption on: no node is replaced, no pod evicted.

    tests/e2e/python.sh bench/cluster/hand_over.py --karpenter DIR [--nodes 300] [--seconds 240]

Karpenter's build for KWOK makes the nodes, each for a pod that fills most of it and some small ones. Then the one stops and the other
starts, as `helm upgrade` does it, on the objects that are there; each has the cluster for `--seconds`, in which it gives a new pod a
node, and takes that away when the pod goes. Evictions are counted in the API server's audit log.

Exit: 0 all nodes are what they were; 1 something else happened, and the last lines say what.
"""

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import workload                                                     # noqa: E402
from audit import Audit                                             # noqa: E402
from autoscalers import KarpenterSide, TenonSide                    # noqa: E402
from bed.api import wait_for                                        # noqa: E402
from bed.cluster import Cluster                                     # noqa: E402
from bench import WORK, begin, fill                                 # noqa: E402

SETTLE_S = 60
PATIENCE_S = 300
PROOF = "proof"


def uids(api, version, kind):
    return {thing["metadata"]["name"]: thing["metadata"]["uid"] for thing in api.list(version, kind)}


def fleet(api):
    """What has to stay: uids of Nodes, NodeClaims and the NodePool."""
    return {kind: uids(api, version, kind) for version, kind in
            (("v1", "Node"), ("karpenter.sh/v1", "NodeClaim"), ("karpenter.sh/v1", "NodePool"))}


def proof_pool():
    """For nodes that no other pod can be moved to."""
    pool = workload.node_pool()
    pool["metadata"]["name"] = PROOF
    pool["spec"]["template"]["spec"]["taints"] = [{"key": PROOF, "effect": "NoSchedule"}]
    return pool


def proof():
    deployment = workload.deployment(PROOF, workload.NAMESPACE, 1, "1")
    deployment["spec"]["template"]["spec"] |= {"tolerations": [{"key": PROOF, "operator": "Exists"}],
                                               "nodeSelector": {"karpenter.sh/nodepool": PROOF}}
    return deployment


def prove_at_work(api, before):
    """A pod more gets a node of its own, which goes with it."""
    deployment = api.create(proof())
    wait_for(lambda: len(uids(api, "v1", "Node")) == len(before["Node"]) + 1, PATIENCE_S, "a node for one pod more")
    wait_for(lambda: any(pod["status"].get("phase") == "Running" for pod in
                         api.list("v1", "Pod", workload.NAMESPACE, label_selector=f"app={PROOF}")), PATIENCE_S, "the pod runs")
    api.delete(deployment)
    wait_for(lambda: len(uids(api, "v1", "Node")) == len(before["Node"]), PATIENCE_S, "the node goes with its pod")


def have(api, before, seconds):
    """Its time with the cluster."""
    began = time.monotonic()
    prove_at_work(api, before)
    time.sleep(max(0.0, seconds - (time.monotonic() - began)))


def count_calls(audit, name, since):
    calls = audit.calls(name, since)
    return {"evictions": sum(count for (verb, what), count in calls.items() if what == "pods/eviction"),
            "NodeClaims made": calls["create", "nodeclaims"], "calls": sum(calls.values())}


def differences(before, after):
    return [f"{kind}: {len(names.keys() - after[kind].keys())} are gone, {len(after[kind].keys() - names.keys())} are new, "
            f"{sum(after[kind].get(name, uid) != uid for name, uid in names.items())} are others"
            for kind, names in before.items() if names != after[kind]]


def prepare(cluster, karpenter, nodes):
    """A cluster at rest whose nodes Karpenter has made; its API."""
    api = begin(cluster, karpenter, [workload.node_pool(), proof_pool()])
    fill(api, nodes, 3 * nodes)
    time.sleep(SETTLE_S)
    return api


def stop(cluster, side):
    cluster.processes.pop(side.name, None)
    side.process.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--karpenter", type=Path, required=True, metavar="DIR", help="what karpenter/build.sh made")
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=240)
    options = parser.parse_args()
    types, wrong = options.karpenter / "instance_types.json", []
    audit = Audit(WORK / "hand-over-audit")
    with Cluster(WORK / "hand-over", flags={"kube-apiserver": audit.flags}) as cluster:
        karpenter = KarpenterSide(cluster, types, options.karpenter, elects=True)
        tenon = TenonSide(cluster, types, elects=True)
        api = prepare(cluster, karpenter, options.nodes)
        before = fleet(api)
        print(f"Karpenter made {len(before['Node'])} nodes", flush=True)
        for leaves, comes in ((karpenter, tenon), (tenon, karpenter)):
            stop(cluster, leaves)
            since = audit.size()
            comes.start()
            have(api, before, options.seconds)
            counts, found = count_calls(audit, comes.name, since), differences(before, fleet(api))
            print(f"{comes.name}, {options.seconds:.0f} s:", ", ".join(f"{number} {what}" for what, number in counts.items()))
            wrong += [f"{comes.name}: {text}" for text in found]
            if counts["evictions"]:
                wrong.append(f"{comes.name} evicted pods")
    print("\n".join(wrong) or "all nodes are what they were")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
