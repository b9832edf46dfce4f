#!/usr/bin/env python3
"""The same burst of pods on a real control plane, once with Karpenter and once with tenon (README.md).

    bench/cluster/run.sh [--pods N] [--only tenon|karpenter] [--record FILE]
    bench/cluster/run.sh --shrink [--pods N] [--only tenon|karpenter] [--record FILE]
    bench/cluster/run.sh --idle [--nodes N] [--pods N] [--only tenon|karpenter]

Each gets a cluster of its own, one after the other. Prints a table; `--record` writes what was measured as JSON.
"""

import argparse
import contextlib
import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import workload                                                     # noqa: E402
from audit import Audit                                             # noqa: E402
from autoscalers import KarpenterSide, TenonSide, price, profile    # noqa: E402
from bed.api import Api, wait_for                                   # noqa: E402
from bed.cluster import Cluster                                     # noqa: E402
from report import idle_table, table                                # noqa: E402
from shrink import second_half                                      # noqa: E402

WORK = ROOT / "build" / "bench-cluster"
PATIENCE_S = 1800
IDLE_S, SETTLE_S = 180, 60
QUIET_S = 5     # after the start, so that nothing of it is still under way
MEGABYTE = 1 << 20


def main():
    options = parse_arguments()
    results = []
    for name in options.only or ["karpenter", "tenon"]:
        print(f"{name}: {options.pods} pods", file=sys.stderr)
        results.append((rest if options.idle else run)(name, options))
        print(json.dumps(results[-1]), file=sys.stderr)
    if options.record:
        options.record.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print((idle_table if options.idle else table)(results))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pods", type=int, default=10000)
    parser.add_argument("--shrink", action="store_true",
                        help="the second half too: consolidation for 5 minutes, 60 %% of the pods go, 12 minutes of rest")
    parser.add_argument("--idle", action="store_true", help="nothing happens: nodes and pods stand for three minutes")
    parser.add_argument("--nodes", type=int, default=1000, help="of --idle")
    parser.add_argument("--only", action="append", choices=["tenon", "karpenter"])
    parser.add_argument("--karpenter", type=Path, required=True, metavar="DIR", help="what karpenter/build.sh made")
    parser.add_argument("--record", type=Path, metavar="FILE")
    parser.add_argument("--perf", type=Path, metavar="FILE", help="of the autoscaler, with `perf record`, for the burst; with --shrink FILE.shrink, too")
    return parser.parse_args()


@contextlib.contextmanager
def bed(name, options, elects=False):
    """A cluster with one of the two in it, at rest: the cluster, its audit log, its API and the autoscaler."""
    audit = Audit(WORK / f"{name}-audit")
    types = options.karpenter / "instance_types.json"
    with Cluster(WORK / name, flags={"kube-apiserver": audit.flags}) as cluster:
        side = TenonSide(cluster, types, elects) if name == "tenon" else KarpenterSide(cluster, types, options.karpenter)
        api = begin(cluster, side, [workload.node_pool()])
        time.sleep(QUIET_S)
        yield cluster, audit, api, side


def begin(cluster, side, pools):
    """Starts an autoscaler in a new cluster and gives it NodePools. Returns the API once they are ready."""
    side.start()
    api = Api(cluster.layout.kubeconfig)
    wait_for(lambda: api.get("v1", "ServiceAccount", "default", "default"), what="the controller manager's first work")
    for thing in (workload.node_class(), *pools):
        api.create(thing)
    for pool in pools:
        name = pool["metadata"]["name"]
        wait_for(lambda name=name: is_ready(api.get("karpenter.sh/v1", "NodePool", name)), 120, what=f"the NodePool {name} is ready")
    return api


def run(name, options):
    with bed(name, options) as (cluster, audit, api, side):
        lone = lone_pod(api, audit)
        since, used = audit.size(), cpu_seconds(cluster)
        with profile(side, options.perf):
            started = time.monotonic()
            make_burst(api, options.pods)
            wait_for_pods(api, options.pods)
            took = time.monotonic() - started
        spent = {part: seconds - used[part] for part, seconds in cpu_seconds(cluster).items()}
        nodes = api.list("v1", "Node")
        result = {"side": name, "pods": options.pods, "seconds": took, "first_claim_seconds": lone, "nodes": len(nodes),
                "claims": len(api.list("karpenter.sh/v1", "NodeClaim")),
                "price": price(nodes, options.karpenter / "instance_types.json"),
                "cpu_seconds": spent, "cpu_seconds_with_start": side.process.cpu_seconds(),
                "peak_mb": side.process.proc_number("status", "VmHWM:") * 1024 / MEGABYTE,
                "calls": [[verb, what, count] for (verb, what), count in sorted(audit.calls(name, since).items())]}
        return result | (second_half(api, audit, side, options) if options.shrink else {})


def rest(name, options):
    """What it takes to look after a cluster in which nothing happens: it has made the nodes itself, each for as many pods."""
    with bed(name, options, elects=True) as (cluster, audit, api, side):
        fill(api, options.nodes, options.pods)
        time.sleep(SETTLE_S)
        since, used, started = audit.size(), side.process.cpu_seconds(), time.monotonic()
        time.sleep(IDLE_S)
        seconds = time.monotonic() - started
        return {"side": name, "pods": options.pods, "nodes": len(api.list("v1", "Node")), "seconds": seconds,
                "cores": (side.process.cpu_seconds() - used) / seconds, "resident_mb": side.process.resident_bytes() / MEGABYTE,
                "peak_mb": side.process.proc_number("status", "VmHWM:") * 1024 / MEGABYTE,
                "calls": [[verb, what, count] for (verb, what), count in sorted(audit.calls(name, since).items())]}


def fill(api, nodes, pods):
    """Nodes of 16 CPUs for one large pod each; then small pods on them."""
    api.create(workload.namespace(workload.NAMESPACE))
    api.create(workload.deployment("large", workload.NAMESPACE, nodes, "12"))
    wait_for_pods(api, nodes)
    api.create(workload.deployment("small", workload.NAMESPACE, pods - nodes, "100m", memory="10Mi"))
    wait_for_pods(api, pods)


# --- steps

def lone_pod(api, audit):
    """Seconds from the first pod of a lone Deployment to the first NodeClaim; the cluster is empty before and after."""
    api.create(workload.namespace(workload.LONE))
    deployment = api.create(workload.deployment("one", workload.LONE, 1, "1"))
    wait_for(lambda: runs(api, workload.LONE), 120, what="the lone pod runs")
    api.delete(deployment)
    wait_for(lambda: not api.list("v1", "Pod", workload.LONE), 120, what="the lone pod is gone")
    for claim in api.list("karpenter.sh/v1", "NodeClaim"):
        api.delete(claim)
    wait_for(lambda: not api.list("v1", "Node"), 120, what="the node of the lone pod is gone")
    return audit.first("nodeclaims") - audit.first("pods", workload.LONE)


def make_burst(api, pods):
    api.create(workload.namespace(workload.NAMESPACE))
    for deployment in workload.burst(pods):
        api.create(deployment)


def wait_for_pods(api, pods):
    """Returns when the Deployments have all their pods and none is in another phase than Running. That they are ready does
    not count: a busy kwok renews leases late, the controller manager then takes the pods for lost, and kwok does not
    say otherwise."""
    deadline = time.monotonic() + PATIENCE_S
    while made(api) < pods or others(api):
        if time.monotonic() > deadline:
            raise SystemExit(f"not all of {pods} pods run after {PATIENCE_S} s")
        time.sleep(0.5)


def made(api):
    return sum(thing["status"].get("replicas", 0) for thing in api.list("apps/v1", "Deployment", workload.NAMESPACE))


def others(api):
    return api.list("v1", "Pod", workload.NAMESPACE, field_selector="status.phase!=Running", limit=1)


def runs(api, namespace):
    return any(pod["status"].get("phase") == "Running" for pod in api.list("v1", "Pod", namespace))


def is_ready(thing):
    return any(condition["type"] == "Ready" and condition["status"] == "True"
               for condition in thing.get("status", {}).get("conditions", []))


# --- figures

def cpu_seconds(cluster):
    return {name: process.cpu_seconds() for name, process in cluster.processes.items()}


if __name__ == "__main__":
    main()
