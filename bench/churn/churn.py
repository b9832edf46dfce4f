#!/usr/bin/env python3
"""How often consolidation takes back what it did: a day of load that swings, with the fleet search and with Karpenter's
classic method.

    bench/churn/churn.py [--tenon PATH] [--seeds 10] [--first 1] [--hours 24] [--jobs N] [--work DIR]

Each seed draws workloads whose replicas swing with periods of 20 minutes to 8 hours, noise on top, and lets
`tenon sim` live through the day, once per method. Counted from its log:

  moves       nodes that went by consolidation with pods on them
  undone      nodes that moves saved, and that the provisioner opened again within an hour
  pods moved  pods on nodes that went so

Exit: 0 the fleet search undoes at most a fifth of what classic undoes, and costs no more; 1 not so.
"""

import argparse
import json
import math
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
METHODS = ["fleet", "classic"]
STEP_MIN = 5
UNDONE_WITHIN = timedelta(hours=1)
MOST_UNDONE = 0.2
POOL = """\
apiVersion: tenon.sh/v1alpha1
kind: Scenario
name: churn-{seed}-{method}
description: load that swings
duration: {hours}h
seed: {seed}
settings: {{consolidation: {method}, effort: fast}}
timeline:
- at: 0s
  apply:
  - apiVersion: karpenter.k8s.aws/v1
    kind: EC2NodeClass
    metadata: {{name: default}}
    spec:
      amiSelectorTerms: [{{alias: al2023@latest}}]
      role: KarpenterNodeRole-shop
      subnetSelectorTerms: [{{tags: {{karpenter.sh/discovery: shop}}}}]
      securityGroupSelectorTerms: [{{tags: {{karpenter.sh/discovery: shop}}}}]
  - apiVersion: karpenter.sh/v1
    kind: NodePool
    metadata: {{name: general}}
    spec:
      template:
        spec:
          nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}}
          requirements:
          - {{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}}
          - {{key: kubernetes.io/arch, operator: In, values: [amd64]}}
          - {{key: karpenter.k8s.aws/instance-category, operator: In, values: [c, m, r]}}
          - {{key: karpenter.k8s.aws/instance-generation, operator: Gt, values: ["5"]}}
      disruption: {{consolidateAfter: 1m, budgets: [{{nodes: 20%}}]}}
"""
DEPLOYMENT = """\
  - apiVersion: apps/v1
    kind: Deployment
    metadata: {{name: {name}}}
    spec:
      replicas: {replicas}
      selector: {{matchLabels: {{app: {name}}}}}
      template:
        metadata: {{labels: {{app: {name}}}}}
        spec: {{containers: [{{name: main, image: main, resources: {{requests: {{cpu: {cpu}m, memory: {memory}Mi}}}}}}]}}
"""


def main():
    options = parse_arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    seeds = range(options.first, options.first + options.seeds)
    with ThreadPoolExecutor(options.jobs) as pool:
        days = list(pool.map(lambda day: live(options, *day), [(seed, method) for seed in seeds for method in METHODS]))
    print("| seed | method | moves | undone | pods moved | $ a day | floor |\n|--:|---|--:|--:|--:|--:|--:|")
    for day in days:
        print("| {seed} | {method} | {moves} | {undone} | {pods} | {dollars:.2f} | {floor:.2f} |".format(**day))
    return verdict({method: [day for day in days if day["method"] == method] for method in METHODS})


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tenon", type=Path, default=ROOT / "build/release/tenon")
    parser.add_argument("--seeds", type=int, default=10, help="how many days (10)")
    parser.add_argument("--first", type=int, default=1, help="seed of the first (1)")
    parser.add_argument("--hours", type=int, default=24, help="of a day (24)")
    parser.add_argument("--jobs", type=int, default=2, help="days at a time (2)")
    parser.add_argument("--work", type=Path, default=ROOT / "build/churn", help="where scenarios and logs go")
    return parser.parse_args()


def verdict(by_method):
    total = {method: {what: sum(day[what] for day in days) for what in ("moves", "undone", "dollars")}
             for method, days in by_method.items()}
    for method, sums in total.items():
        print(f"{method}: {sums['moves']} moves, {sums['undone']} undone, "
              f"${sums['dollars']:.2f}")
    fleet, classic = total["fleet"], total["classic"]
    good = fleet["undone"] <= MOST_UNDONE * classic["undone"] and fleet["dollars"] <= classic["dollars"]
    print("1 passed, 0 failed" if good else "0 passed, 1 failed")
    return 0 if good else 1


# --- a day


def live(options, seed, method):
    name = f"{seed}-{method}"
    scenario = options.work / f"{name}.yaml"
    scenario.write_text(draw(seed, method, options.hours), encoding="utf-8")
    with open(options.work / f"{name}.log", "w", encoding="utf-8") as log:
        answer = subprocess.run([options.tenon, "sim", scenario, "-o", "json", "--log"], stdout=subprocess.PIPE, stderr=log,
                                text=True, check=False)
    report = json.loads(answer.stdout)
    events = list(read_log(options.work / f"{name}.log"))
    moves = [event for event in events if event["what"] == "move"]
    return {"seed": seed, "method": method, "moves": sum(move["nodes"] for move in moves),
            "pods": sum(move["pods"] for move in moves), "undone": count_undone(events),
            "dollars": report["money"]["dollars"], "floor": report["money"]["floor"]}


def draw(seed, method, hours):
    random.seed(seed)
    workloads = [{"name": f"w{number}", "cpu": random.choice([250, 500, 1000, 2000]), "most": random.randint(10, 60),
                  "period": random.choice([20, 45, 90, 240, 480]), "phase": random.random(), "noise": random.random() * 0.2}
                 for number in range(random.randint(3, 6))]
    text = POOL.format(seed=seed, method=method, hours=hours)
    for load in workloads:
        load["memory"] = random.choice([1, 2, 4]) * load["cpu"]
        load["now"] = replicas(load, 0)
        text += DEPLOYMENT.format(replicas=load["now"], **load)
    for minute in range(STEP_MIN, hours * 60, STEP_MIN):
        for load in workloads:
            want = replicas(load, minute)
            if want != load["now"]:
                load["now"] = want
                text += f"- at: {minute}m\n  scale: {{name: {load['name']}, replicas: {want}}}\n"
    return text


def replicas(load, minute):
    swing = 0.55 + 0.4 * math.sin(2 * math.pi * (minute / load["period"] + load["phase"]))
    return max(1, round(load["most"] * swing * (1 + random.uniform(-load["noise"], load["noise"]))))


# --- what happened


def read_log(path):
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        at = datetime.fromisoformat(line[:19])
        if "disrupting node(s)" in line and "command=Underutilized/" in line:
            yield {"what": "move", "at": at, "nodes": number(line, "disrupted-node-count"),
                   "new": number(line, "replacement-node-count"), "pods": number(line, "pod-count")}
        elif "computed new nodeclaim(s)" in line:
            yield {"what": "bought", "at": at, "nodes": number(line, "nodeclaims")}


def number(line, key):
    return int(re.search(rf"{key}=(\d+)", line)[1])


def count_undone(events):
    """Nodes that moves saved and the provisioner bought again within an hour, each once."""
    undone, saved = 0, []
    for event in events:
        saved = [item for item in saved if event["at"] - item[0] <= UNDONE_WITHIN and item[1]]
        if event["what"] == "move":
            saved.append([event["at"], max(0, event["nodes"] - event["new"])])
            continue
        bought = event["nodes"]
        for item in reversed(saved):
            taken = min(bought, item[1])
            item[1] -= taken
            bought -= taken
            undone += taken
    return undone


if __name__ == "__main__":
    sys.exit(main())
