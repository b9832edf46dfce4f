#!/usr/bin/env python3
"""tenon and Karpenter's controller for AWS ask AWS for the same.

    make aws-peer                       all sets
    tests/aws/peer/run.sh [--only NAME ...] [--keep FOLDER]
    tests/aws/peer/run.sh --record      all sets; what Karpenter asked for is written down
    tests/aws/peer/run.sh --recorded    tenon alone, beside what was written down

Each program has a control plane and a fake of AWS of its own, and gets the same objects (sets.py). What it asked for, set by
set, is compared as normal.py reads it. What differs and may is in explained.py. The last line is
"N passed, M failed": a set is one test.
"""

import argparse
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests" / "e2e"), str(Path(__file__).resolve().parent)]

import explained
import normal
from bed.api import Api
from bed.aws import NAME, Aws
from bed.cluster import Cluster
from bed.layout import free_ports
from bed.process import Process
from bed.tenon import install, program
from recording import Recording
from sets import DISCOVERY, ROLE, SETS, need
from world import condition

EC2, KARPENTER = "karpenter.k8s.aws/v1", "karpenter.sh/v1"
GATES = "ReservedCapacity=true,StaticCapacity=true"
# What machines are told of the cluster is the same of both clusters.
ENDPOINT, BUNDLE = "https://cluster.example", "Y2VydGlmaWNhdGU="
# tenon makes launch templates at the rate that EC2 grants by default, 50 and then 5 a second; a launch of any type needs 15.
PATIENCE_S, QUIET_S = 420, 90


def karpenter(cluster, aws, controller):
    metrics, health = free_ports(2)
    return Process("karpenter", [controller], cluster.folder / "karpenter.log", {
        "PATH": os.environ["PATH"], **aws.environment(), "KUBECONFIG": str(cluster.layout.kubeconfig),
        "SYSTEM_NAMESPACE": "kube-system", "METRICS_PORT": str(metrics), "HEALTH_PROBE_PORT": str(health),
        "DISABLE_LEADER_ELECTION": "true", "CPU_REQUESTS": "2000", "MEMORY_LIMIT": "0", "CLUSTER_NAME": NAME,
        "CLUSTER_ENDPOINT": ENDPOINT, "CLUSTER_CA_BUNDLE": BUNDLE,
        "INTERRUPTION_QUEUE": NAME, "FEATURE_GATES": GATES, "LOG_LEVEL": "debug"})


def tenon(cluster, aws):
    metrics, health = free_ports(2)
    words = [program(), "run", "--provider", "aws", "--cluster-name", NAME, "--interruption-queue", NAME, "--kubeconfig",
             cluster.layout.kubeconfig, "--disable-leader-election", "--feature-gates", GATES, "--log-level", "debug",
             "--metrics-port", metrics, "--health-probe-port", health, "--disruption=false",
             "--cluster-endpoint", ENDPOINT, "--cluster-ca-bundle", BUNDLE]
    return Process("tenon", words, cluster.folder / "tenon.log", {"PATH": os.environ["PATH"], **aws.environment()})


# --- objects of a set

def called(name):
    """What the objects of a set are called: a name that is nothing else."""
    return f"peer-{name}"


def objects_of(name, about):
    found = {"amiSelectorTerms": [{"alias": "al2023@latest"}], "role": ROLE, "subnetSelectorTerms": [DISCOVERY],
             "securityGroupSelectorTerms": [DISCOVERY], **about.spec}
    yield {"apiVersion": EC2, "kind": "EC2NodeClass", "metadata": {"name": name},
           "spec": {key: value for key, value in found.items() if value is not None}}
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": name}
    template = {"nodeClassRef": reference, "requirements": list(about.needs), **about.claim}
    yield {"apiVersion": KARPENTER, "kind": "NodePool", "metadata": {"name": name},
           "spec": {"disruption": {"consolidateAfter": "Never"}, "template": {"metadata": {"labels": about.labels}, "spec": template}}}


def claim_of(name, about):
    labels = {"karpenter.sh/nodepool": name, "karpenter.k8s.aws/ec2nodeclass": name, **about.labels}
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": name}
    return {"apiVersion": KARPENTER, "kind": "NodeClaim",
            "metadata": {"name": name, "labels": labels, "annotations": about.annotations},
            "spec": {"nodeClassRef": reference, "requirements": [*about.needs, need("karpenter.sh/nodepool", name)],
                     "resources": {"requests": about.requests}, "expireAfter": "Never", **about.claim}}


class Making:
    """The world of AWS as a set sees it, and the ids of what it made there."""

    def __init__(self, aws):
        self.aws, self.ids = aws, []

    def control(self, method, **arguments):
        answer = self.aws.control(method, **arguments)
        if method.startswith("add_") and answer:
            self.ids.append(answer)
        return answer


# --- one program

def play(folder, start, names):
    """What a program asked AWS for, and what became of the objects: {set: {...}}."""
    with Cluster(folder) as cluster:
        install(cluster)
        api = Api(cluster.layout.kubeconfig)
        api.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "kube-dns", "namespace": "kube-system"},
                    "spec": {"clusterIP": "10.0.0.10", "ports": [{"port": 53, "protocol": "UDP"}]}})
        aws = Aws(cluster)
        aws.start()
        aws.machines.joins = False
        aws.control("throttle", enabled=False)
        makings = {name: Making(aws) for name in names}
        sets = {name: SETS[name](makings[name]) for name in names}
        process = start(cluster, aws)
        process.start()
        cluster.processes[process.name] = process
        for name, about in sets.items():
            for thing in objects_of(called(name), about):
                api.create(thing)
        look(api, sets, "EC2NodeClass", EC2, lambda thing: condition(thing, "Ready") in ("True", "False")
             and condition(thing, "ValidationSucceeded") not in (None, "Unknown"))
        for name, about in sets.items():
            if about.launches:
                api.create(claim_of(called(name), about))
        launching = {name: about for name, about in sets.items() if about.launches}
        look(api, launching, "NodeClaim", KARPENTER,
             lambda thing: condition(thing, "Launched") == "True" and thing["metadata"]["labels"].get("karpenter.sh/capacity-type"))
        found = collect(api, aws, sets, makings)
        aws.stop()
        return found


def look(api, sets, kind, version, is_done):
    """Waits until all are done, or nothing changes any more: those that never are show in the comparison."""
    def waiting():
        things = {thing["metadata"]["name"]: thing for thing in api.list(version, kind)}
        return [name for name in sets if not is_done(things.get(called(name), {}))]
    left, since, end = waiting(), time.monotonic(), time.monotonic() + PATIENCE_S
    while left and time.monotonic() < min(end, since + QUIET_S):
        time.sleep(0.5)
        now = waiting()
        if now != left:
            left, since = now, time.monotonic()
    print(f"    {kind}: {len(sets) - len(left)} of {len(sets)} are done; not: {', '.join(left) or 'none'}", flush=True)


def collect(api, aws, sets, makings):
    calls = aws.control("calls")
    templates = {call["params"]["LaunchTemplateName"]: normal.template(call["params"]) for call in calls
                 if call["action"] == "CreateLaunchTemplate" and not normal.is_dry(call)}
    found = {}
    texts = [str(call["params"]) for call in calls]
    for name, about in sets.items():
        thing = api.get(EC2, "EC2NodeClass", called(name))
        profile = (thing or {}).get("status", {}).get("instanceProfile") or "?"
        mine = [call for call, text in zip(calls, texts) if f"'{called(name)}'" in text
                or (call["service"] == "iam" and profile in text)]
        claim = api.get(KARPENTER, "NodeClaim", called(name))
        words = {profile: "PROFILE", (thing or {}).get("metadata", {}).get("uid", "?"): "UID",
                 **{one: f"MADE-{number}" for number, one in enumerate(makings[name].ids)}}
        found[name] = normal.without(words, {
            "set": asdict(about), "class": normal.class_status(thing), "hash": normal.class_annotations(thing),
            "iam": [f"{call['action']} {sorted(plain_params(call))}" for call in mine
                    if call["service"] == "iam" and not call["action"].startswith(("Get", "List"))],
            "allowed": sorted({call["action"] for call in mine if normal.is_dry(call) and call["code"] == "DryRunOperation"}),
            **({"claim": normal.claim(claim) if claim else None,
                "fleets": [normal.fleet(call["params"], templates) for call in mine
                           if call["action"] == "CreateFleet" and not normal.is_dry(call) and call["code"] == ""]}
               if about.launches else {})})
        found[name]["iam"] = sorted(set(found[name]["iam"]))    # what is tried again is the same again
    return found


def plain_params(call):
    for key, value in call["params"].items():
        yield f"{key}={sorted((tag['Key'], tag['Value']) for tag in value) if key == 'Tags' else value}"


# --- the comparison

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--controller", help="Karpenter's controller; run.sh builds it unless --recorded")
    parser.add_argument("--recorded", action="store_true", help="compare with what Karpenter asked for once")
    parser.add_argument("--record", action="store_true", help="write down what Karpenter asks for")
    parser.add_argument("--only", nargs="+", choices=list(SETS), default=list(SETS))
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "aws-peer", help="folder of logs and of what was asked")
    options = parser.parse_args()
    if options.record and (options.recorded or len(options.only) < len(SETS)):
        parser.error("--record runs both programs with all sets")
    if options.recorded:
        theirs = Recording().read()
    else:
        theirs = run(options, "karpenter", lambda cluster, aws: karpenter(cluster, aws, options.controller))
        if options.record:
            Recording().write(theirs)
    return judge(options.only, theirs, run(options, "tenon", tenon))


def run(options, name, start):
    print(f"{name}: {len(options.only)} sets", flush=True)
    found = plain_json(play(options.keep / name, start, options.only))
    (options.keep / f"{name}.json").write_text(json.dumps(found, indent=1, sort_keys=True), encoding="utf-8")
    return found


def plain_json(found):
    return json.loads(json.dumps(found, default=str))


def judge(names, theirs, ours):
    failed = 0
    for name in names:
        explained.leave_out(theirs[name], ours[name])
        lines = list(normal.differences(theirs[name], ours[name]))
        failed += bool(lines)
        for line in lines[:20]:
            print(f"{name}: {line}")
        if len(lines) > 20:
            print(f"{name}: and {len(lines) - 20} more")
    print(f"{len(names) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
