#!/usr/bin/env python3
"""kill -9 of tenon every 2 s for 5 minutes while it creates 500 nodes, on a cluster of its own.

    tests/e2e/python.sh tests/e2e/chaos/run.py [--nodes 500] [--seconds 300] [--period 2]

2026-11-21, on 2 cores with a load of 18: 150 kills, 500 nodes, all pods on them after 422 s; nothing leaked, nothing twice.

Exit: 0, or 1 when a node leaked or was made twice.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))

from bed.api import Api                                 # noqa: E402
from bed.cluster import Cluster                         # noqa: E402
from bed.tenon import install                           # noqa: E402
from chaos.killing import kill_again_and_again          # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--period", type=float, default=2)
    options = parser.parse_args()
    with Cluster(ROOT / "build" / "e2e" / "chaos") as cluster:
        install(cluster)
        outcome = kill_again_and_again(cluster, Api(cluster.layout.kubeconfig), options.nodes, options.seconds, options.period)
    print(outcome)
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
