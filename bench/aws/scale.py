#!/usr/bin/env python3
"""5,000 instances and all types of EC2 in six zones (README.md): how much memory and processor tenon takes at rest, on a real
control plane; then the same while kubelets report.

    bench/aws/run.sh scale [--instances 5000] [--idle-seconds 240] [--record FILE]

One instance is launched by tenon; it, its NodeClaim and its Node are then copied while tenon rests. Exit: 0 all as promised.
"""

import argparse
import copy
import itertools
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests/e2e"), str(ROOT / "bench/aws")]

from aws_world import EC2, EC2_CLASS, Cloud, Ec2World               # noqa: E402
from bed.api import Api, wait_for                                   # noqa: E402
from kubelets import Kubelets                                       # noqa: E402
from record import RESULTS, record                                  # noqa: E402
from world import CLAIM, KARPENTER, condition                       # noqa: E402

WORK = ROOT / "build" / "bench-aws"
MEGABYTE = 1 << 20
# At rest: less than so much of the processor in so long, three times in a row.
REST_S, REST_USE, REST_TIMES = 20, 0.05, 3
REST_PATIENCE_S = 900
WRITERS = 4
# They would hold 5,000 leases with two processors, fall behind, and write of Nodes that do not report.
OTHERS = "kwok", "kube-controller-manager", "kube-scheduler"


def main():
    options = parse_arguments()
    result = at_rest(options)
    record("scale", result, options.record)
    wrong = broken_promises(result)
    print("\n".join(wrong) or "all held")
    return 1 if wrong else 0


def at_rest(options):
    cloud = Cloud(WORK / "scale", "ReservedCapacity=true", aws_flags=["--everywhere", "--subnet-bits", 16, "--no-throttle"])
    cloud.start()
    try:
        cloud.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "scale"}})
        world = Ec2World(cloud, "scale")
        world.pool()
        world.deploy("web", 1)
        claim, = world.launched(1)
        wait_for(lambda: world.claim(claim["metadata"]["name"])["metadata"]["annotations"].get("karpenter.k8s.aws/tagged"), 60,
                 "the instance is tagged")
        cloud.aws.machines.stop()
        cloud.tenon.stop()
        for other in OTHERS:
            cloud.cluster.processes[other].stop()
        kubelets = multiply(cloud, world.claim(claim["metadata"]["name"]), options.instances - 1)
        cloud.tenon.start()
        return {**measure(cloud, world, kubelets, options), "types": cloud.aws.control("state")["types"],
                "zones": len({one["zone"] for one in cloud.aws.control("state")["subnets"].values()})}
    finally:
        cloud.cluster.stop()


# --- many of one

def multiply(cloud, claim, count):
    """Copies the claim, its instance and its Node; the copies' kubelets."""
    ident = claim["status"]["providerID"].rsplit("/", 1)[1]
    node = cloud.api.get("v1", "Node", claim["status"]["nodeName"])
    copies = cloud.aws.control("copies", instance=ident, count=count)
    apis = itertools.cycle([Api(cloud.cluster.layout.kubeconfig) for _ in range(WRITERS)])
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(add, apis, itertools.repeat((claim, node, ident)), enumerate(copies)))
    return Kubelets(cloud.cluster.layout.kubeconfig, [one["name"] for one in copies], node["status"]["conditions"])


def add(api, model, numbered):
    """A NodeClaim with its status, and its Node, for a copy of the model's instance."""
    claim, node, ident = model
    number, instance = numbered
    claim, node = bare(claim, f"copy-{number}"), bare(node, instance["name"])
    claim["status"]["providerID"] = node["spec"]["providerID"] = claim["status"]["providerID"].replace(ident, instance["id"])
    claim["status"]["nodeName"] = node["metadata"]["labels"]["kubernetes.io/hostname"] = instance["name"]
    status, made = claim["status"], api.create(claim)
    api.patch(made, {"status": status}, status=True)
    for owner in node["metadata"]["ownerReferences"]:
        owner.update(name=claim["metadata"]["name"], uid=made["metadata"]["uid"])
    api.create(node)


def bare(thing, name):
    """A copy of an object to be created under another name."""
    made = copy.deepcopy(thing)
    for key in ("uid", "resourceVersion", "creationTimestamp", "generation", "generateName", "managedFields"):
        made["metadata"].pop(key, None)
    made["metadata"]["name"] = name
    return made


# --- what it takes

def rest(process):
    """Seconds until it rests: each of the objects has to be looked at, and most are written, by an API server that is busy with them."""
    began, calm = time.monotonic(), 0
    while calm < REST_TIMES:
        assert time.monotonic() - began < REST_PATIENCE_S, "it does not come to rest"
        used = process.cpu_seconds()
        time.sleep(REST_S)
        calm = calm + 1 if process.cpu_seconds() - used < REST_USE * REST_S else 0
    return round(time.monotonic() - began)


def measure(cloud, world, kubelets, options):
    process = cloud.tenon.process
    wait_for(lambda: condition(world.class_now(), "Ready") == "True", 60, "the class is ready")
    settled = rest(process)
    silent = look(process, options.idle_seconds)
    with kubelets:
        told = look(process, options.idle_seconds)
    return {"instances": options.instances, "seconds until it rests": settled, "idle seconds": options.idle_seconds,
            "claims": count(cloud, KARPENTER, CLAIM), "nodes": count(cloud, "v1", "Node"), "classes": count(cloud, EC2, EC2_CLASS),
            **silent, "reports of kubelets": kubelets.reports, "with reports": told,
            "resident at most since its start, MB": round(process.proc_number("status", "VmHWM:") * 1024 / MEGABYTE, 1),
            "instances alive": len(cloud.aws.instances())}


def look(process, seconds):
    """What it takes in so long."""
    used, began, resident = process.cpu_seconds(), time.monotonic(), 0
    while time.monotonic() - began < seconds:
        resident = max(resident, process.resident_bytes())
        time.sleep(5)
    return {"cores": round((process.cpu_seconds() - used) / (time.monotonic() - began), 4),
            "resident, MB": round(resident / MEGABYTE, 1)}


def count(cloud, api_version, kind):
    """How many there are, without having all of them sent."""
    page = cloud.api.resource(api_version, kind).get(limit=1).to_dict()
    return len(page["items"]) + page["metadata"].get("remainingItemCount", 0)


def broken_promises(result):
    everywhere = result["instances"] == result["claims"] == result["nodes"] == result["instances alive"]
    return [why for is_so, why in [
        (everywhere, "instances, claims and nodes are not as many"),
        (result["resident, MB"] <= 150, "more than 150 MB at rest"), (result["cores"] < 0.01, "0.01 core or more at rest")]
        if not is_so]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--instances", type=int, default=5000)
    parser.add_argument("--idle-seconds", type=int, default=240)
    parser.add_argument("--record", type=Path, nargs="?", const=RESULTS, metavar="FILE", help="[bench/aws/results.json]")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
