#!/usr/bin/env python3
"""disrupt/classic against Karpenter's own consolidation, on random fleets.

    consolidation.py --classic PATH --peer PATH --generator PATH [--cases 100] [--seed 1] [--heavy] --work DIR

Of each fleet both programs say which nodes are candidates, at what price and cost; what becomes of each alone (nothing,
it goes, it is replaced by one of some types); and which several nodes go together. They differ in few cases: where there
is a choice Karpenter packs pods by the order of its maps, it lets pods go whose affinity kube-scheduler would not see
satisfied (an existing pod must match all terms), and it counts pods that have ended but are of a StatefulSet.

Exit: 0 passed, 1 failed, 2 wrong use. Only Python's standard library is needed.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Shares: of candidates that are none to the other or differ in price or cost, of nodes with which tenon does less than
# Karpenter, of nodes that end alike, and of fleets of which tenon saves less by taking several nodes together.
CANDIDATES_MOST = 0.005
WORSE_MOST = 0.02
EQUAL_LEAST = 0.85
SEVERAL_MOST = 0.08
CENT = 0.01
RANK = {"stays": 0, "replaced": 1, "goes": 2}


def main():
    options = parse_arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    seeds = range(options.seed, options.seed + options.cases)
    with ThreadPoolExecutor(options.jobs) as pool:
        folders = list(pool.map(lambda seed: generate(options, seed), seeds))
        list(pool.map(lambda job: run_peer(options, folders[job::options.jobs], job), range(options.jobs)))
        both = list(pool.map(lambda seed, folder: (peer_report(folder), classic(options, seed)), seeds, folders))
    counts, problems = Counter(), []
    for seed, (theirs, ours) in zip(seeds, both):
        compare(seed, theirs, ours, counts, problems)
    for problem in problems:
        print(f"  {problem}")
    for what, count in sorted(counts.items()):
        print(f"      {what:<42}{count:>8}")
    failed = verdict(counts)
    for text in failed:
        print(f"FAILED: {text}")
    print(f"{4 - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("classic", "peer", "generator"):
        parser.add_argument(f"--{name}", type=Path, metavar="PATH", required=True, help="the program")
    parser.add_argument("--cases", type=int, default=100, help="number of random fleets (100)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first; the others follow (1)")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="folder for cases and reports")
    parser.add_argument("--jobs", type=int, default=2, help="programs at the same time (2)")
    parser.add_argument("--heavy", action="store_true", help="the generator's heavier clusters, in which constraints bind")
    return parser.parse_args()


def generate(options, seed):
    folder = options.work / f"fleet-{seed}"
    folder.mkdir(exist_ok=True)
    run([options.generator, "--seed", seed, "--out", folder, "--profile", "fleet",
         "--heavy", "yes" if options.heavy else "no"])
    return folder


def run_peer(options, folders, job):
    """A fleet that makes Karpenter panic has no report afterwards."""
    share = options.work / f"peer-{job}.txt"
    share.write_text("".join(f"{folder}\n" for folder in folders))
    for folder in folders:
        (folder / "commands.json").unlink(missing_ok=True)
    run([options.peer, "--batch", share, "--commands"], check=False)


def peer_report(folder):
    path = folder / "commands.json"
    return json.loads(path.read_text()) if path.exists() else None


def classic(options, seed):
    return json.loads(run([options.classic, seed] + (["--heavy"] if options.heavy else [])))


def run(command, check=True):
    return subprocess.run([str(part) for part in command], check=check, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, timeout=600).stdout


# --- comparison


def compare(seed, theirs, ours, counts, problems):
    if theirs is None:
        counts["fleets of which Karpenter says nothing"] += 1
        return
    counts["fleets"] += 1
    theirs_by, ours_by = by_node(theirs), by_node(ours)
    for node in sorted(theirs_by.keys() | ours_by.keys()):
        a, b = theirs_by.get(node), ours_by.get(node)
        if not a or not b or abs(a["price"] - b["price"]) > 1e-6 or abs(a["cost"] - b["cost"]) > 1e-6:
            counts["candidates that differ"] += 1
            problems.append(f"fleet {seed}: {node}: candidate: Karpenter {facts(a)}, tenon {facts(b)}")
        else:
            counts["candidates"] += 1
            compare_alone(f"fleet {seed}: {node}", a, b, counts, problems)
    compare_several(f"fleet {seed}", theirs["multi"], ours["multi"], counts, problems)


def by_node(report):
    return {candidate["node"]: candidate for candidate in report["candidates"] if candidate["consolidates"]}


def facts(candidate):
    return f"${candidate['price']:.4f} cost {candidate['cost']:g}" if candidate else "no candidate"


def compare_alone(where, theirs, ours, counts, problems):
    a, b = fate(theirs["single"]), fate(ours["single"])
    if a == b:
        same = sorted(types(theirs["single"])) == sorted(types(ours["single"]))
        counts["alone: equal" if same else "alone: equal, other types"] += 1
    elif RANK[b] > RANK[a]:
        counts["alone: better than Karpenter"] += 1
    else:
        counts["alone: worse than Karpenter"] += 1
        problems.append(f"{where}: {a} with Karpenter, {b} with tenon: {ours['why'][:160]}")


def fate(command):
    if command is None:
        return "stays"
    return "replaced" if command["types"] else "goes"


def types(command):
    return command["types"] if command else []


def compare_several(where, theirs, ours, counts, problems):
    a, b = theirs["saving"] if theirs else 0, ours["saving"] if ours else 0
    if abs(a - b) < CENT:
        counts["several: equal saving"] += 1
    elif b > a:
        counts["several: saves more"] += 1
    else:
        counts["several: saves less"] += 1
        problems.append(f"{where}: several: Karpenter saves ${a:.3f}, tenon ${b:.3f}")


def verdict(counts):
    alone = sum(count for what, count in counts.items() if what.startswith("alone: "))
    differ, worse = counts["candidates that differ"], counts["alone: worse than Karpenter"]
    equal, less = counts["alone: equal"], counts["several: saves less"]
    checks = [(alone and differ <= CANDIDATES_MOST * alone, f"{differ} of {alone} candidates differ"),
              (worse <= WORSE_MOST * alone, f"{worse} of {alone} nodes end worse than with Karpenter"),
              (equal >= EQUAL_LEAST * alone, f"only {equal} of {alone} nodes end as with Karpenter"),
              (less <= SEVERAL_MOST * counts["fleets"], f"in {less} of {counts['fleets']} fleets several nodes save less")]
    return [text for holds, text in checks if not holds]


if __name__ == "__main__":
    sys.exit(main())
