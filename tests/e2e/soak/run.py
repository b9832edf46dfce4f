#!/usr/bin/env python3
"""Hours of an ordinary life on a real control plane with KWOK's nodes: what tenon holds must not grow (R184).

    tests/e2e/python.sh tests/e2e/soak/run.py [--minutes 10] [--round-s 240]

Deployments breathe in a round of some minutes, so that nodes come, are consolidated and go; a Deployment is rolled and a Job runs once
in each round; pools change now and then. What tenon holds is shown on a terminal, and kept as it goes in build/e2e/soak/samples.jsonl. In
the end all work goes, and with it every node. Descriptors are compared at rest, before and after: while work goes on, they are as many
as calls go on at once.

Exit: 0 all that it promises held; 1 something did not, and the last lines say what.
"""

import argparse
import json
import math
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

import things                                           # noqa: E402
from bed.api import Api, unanswered, wait_for           # noqa: E402
from bed.cluster import Cluster                         # noqa: E402
from bed.samples import Samples, open_files             # noqa: E402
from bed.tenon import Tenon, install                    # noqa: E402
from world import World                                 # noqa: E402

WORK = ROOT / "build" / "e2e" / "soak"
SAMPLES = WORK / "samples.jsonl"
NAMESPACE = "soak"
ROUND_S = 240           # a whole breath
LEAST_ROUND_S = 90
STEP_S = 10
LEAST_MIN = 10          # two rounds, besides the time in which caches fill
END_S = 600             # until all nodes are gone, a fifth at a time
REST_S = 90             # until connections that calls have left behind are closed
LOW, HIGH = 5, 60       # replicas of a Deployment
APPS = {"web": "500m", "api": "1500m", "worker": "250m"}
GROWTH_MB, GROWTH_FILES = 1.0, 1
# What a life without faults has no reason to write.
BAD_LEVELS = ("ERROR", "PANIC", "FATAL")


class Life:
    def __init__(self, cluster, tenon, round_s):
        self.tenon, self.round_s = tenon, round_s
        self.api = Api(cluster.layout.kubeconfig)
        self.world = World(self.api, NAMESPACE)
        self.rounds = self.pods_most = self.nodes_most = self.lines_before = 0

    def begin(self):
        self.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        self.api.create(things.kwok_class())
        self.files_before = self.files_at_rest()
        self.samples = Samples(SAMPLES)     # their time begins with the work
        self.pool = self.world.pool(disruption={"consolidateAfter": "15s", "budgets": [{"nodes": "20%"}]})
        self.apps = [self.world.deploy(name, LOW, cpu, topologySpreadConstraints=things.spread(name) if name == "web" else [])
                     for name, cpu in APPS.items()]
        # Definitions that are a second old may not be watched yet: what the log says of that is not of an ordinary life.
        wait_for(self.world.nodes, what="a first node")
        self.lines_before = len(self.tenon.lines())

    def files_at_rest(self):
        """Descriptors when nothing has been done for a while, without those of calls that come now and then; 0 when tenon has ended."""
        least = math.inf
        time.sleep(REST_S)
        for _ in range(10):
            least = min(least, open_files(self.tenon.process.pid) if self.tenon.process.is_running() else 0)
            time.sleep(1)
        return least

    def run(self, seconds):
        began = time.monotonic()
        while (elapsed := time.monotonic() - began) < seconds:
            if elapsed >= self.rounds * self.round_s:
                self.once_in_a_round()
            for number, app in enumerate(self.apps):
                self.world.scale(app, breath(elapsed / self.round_s + number / len(self.apps)))
            self.look(elapsed)
            time.sleep(STEP_S)

    def once_in_a_round(self):
        self.rounds += 1
        mark = {"metadata": {"annotations": {"e2e.example/round": str(self.rounds)}}}
        self.api.patch(self.apps[self.rounds % len(self.apps)], {"spec": {"template": mark}})
        self.api.patch(self.pool, {"spec": {"limits": {"cpu": str(1000 + self.rounds % 2)}}})
        spec = things.pod_spec("700m", **self.world.placed({}), restartPolicy="Never")
        self.api.delete_all("batch/v1", "Job", NAMESPACE)
        self.api.create({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": f"batch-{self.rounds}", "namespace": NAMESPACE},
                         "spec": {"completions": 8, "parallelism": 8, "template": {"spec": spec}}})

    def look(self, elapsed):
        pods, nodes = len(self.world.pods()), len(self.world.nodes())
        self.pods_most, self.nodes_most = max(self.pods_most, pods), max(self.nodes_most, nodes)
        self.samples.take(self.tenon.process, pods=pods, nodes=nodes)
        if sys.stderr.isatty():
            row = self.samples.rows[-1]
            print(f"\r{elapsed / 60:6.1f} min  {pods:4} pods  {nodes:3} nodes  {row['rss']:6.1f} MB  {row['files']:3} descriptors",
                  end="", file=sys.stderr, flush=True)

    def end(self):
        """All work goes; what did not go with it."""
        for kind in (("batch/v1", "Job"), ("apps/v1", "Deployment")):
            self.api.delete_all(*kind, NAMESPACE)
        left = unanswered([self.no_pods, self.no_nodes, self.no_claims], END_S)
        self.files_after = self.files_at_rest()
        return left

    def no_pods(self):
        """no pod is left"""
        return not self.world.pods()

    def no_nodes(self):
        """no Node is left"""
        return not self.world.nodes()

    def no_claims(self):
        """no NodeClaim is left"""
        return not self.world.claims()

    def result(self, left):
        lines = self.tenon.lines()
        count = lambda message: sum(line.get("message") == message for line in lines)    # noqa: E731
        return {"minutes": round(self.samples.rows[-1]["at"] / 60, 1), "rounds": self.rounds, "pods at most": self.pods_most,
                "nodes at most": self.nodes_most, "claims made": count("created nodeclaim"), "claims gone": count("deleted nodeclaim"),
                "processor, s": round(self.samples.rows[-1]["processor"], 1), **self.samples.summary(),
                "files at rest": {"before": self.files_before, "after": self.files_after},
                "errors in the log": sorted({line.get("message") for line in lines[self.lines_before:] if line.get("level") in BAD_LEVELS}),
                "stray lines": self.tenon.stray_lines(), "ended by itself": not self.tenon.process.is_running(), "left": left}


def breath(turns):
    return round(LOW + (HIGH - LOW) * (1 - math.cos(2 * math.pi * turns)) / 2)


def broken_promises(result):
    """What did not hold, as sentences."""
    return [why for is_so, why in [
        (not result["ended by itself"], "tenon ended"), (not result["stray lines"], "it wrote something that is no line of a log"),
        (not result["errors in the log"], "its log has errors"), (not result["left"], "nodes are left"),
        (result["claims made"] > result["nodes at most"], "nothing came and went"),
        (result["claims made"] == result["claims gone"], "claims made and claims gone are not as many"),
        (max(result["rss"]["growth"], result["anonymous"]["growth"]) <= GROWTH_MB, "memory grew"),
        (result["files at rest"]["after"] - result["files at rest"]["before"] <= GROWTH_FILES, "descriptors grew"),
    ] if not is_so]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=LEAST_MIN)
    parser.add_argument("--round-s", type=float, default=ROUND_S, help="seconds of a round; fewer put more into an hour")
    options = parser.parse_args()
    if options.round_s < LEAST_ROUND_S:
        parser.error(f"--round-s: expected {LEAST_ROUND_S} or more: in less, nodes have no time to be empty")
    if options.minutes < LEAST_MIN:
        parser.error(f"--minutes: expected {LEAST_MIN} or more: in less, what grows cannot be told from what comes and goes")
    with Cluster(WORK) as cluster:
        install(cluster)
        tenon = Tenon(cluster, "soaked")
        tenon.start()
        life = Life(cluster, tenon, options.round_s)
        life.begin()
        life.run(options.minutes * 60)
        result = life.result(life.end())
        tenon.stop()
    print(json.dumps(result, indent=1))
    wrong = broken_promises(result)
    print("\n".join(wrong) or "all held")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
