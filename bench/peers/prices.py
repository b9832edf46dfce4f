#!/usr/bin/env python3
"""Compares what tenon's and Karpenter's plans cost on random clusters.

    prices.py --tenon PATH --peer PATH --checker PATH --generator PATH --work DIR [--cases 500] [--seed 1] [--heavy]

For each seed the generator of tests/property makes a cluster; tenon plans it once, the peer three times (it breaks
ties at random). Where tenon and a run of the peer place exactly the same pods, their prices are compared: tenon must
not be above the peer's cheapest such run. What does not count: a run that the plan checker refuses, for what is not
allowed is not cheap; and one that puts pods into NodePools of lower weight than tenon does, for the weight comes before
the price. Nor may tenon place fewer pods than a run that the checker accepts, pods of higher priority first.

All of that twice. With preferences ignored both solve the same problem, and tenon must never be above. With preferences
respected tenon may be above: it finds ways to honour what the peer gives up, and a preference may cost something.
The sum of tenon's prices is also compared with that of their floors. --heavy: the generator's heavier clusters, in which
constraints bind. With --record the counts go into the results of measure.py, for the report.

Exit: 0 tenon is never above and places as many, 1 it is above somewhere with preferences ignored, or places fewer, or a
case failed; 2 wrong use. Needs Python's
standard library only.
"""

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "differential"))

import compare  # noqa: E402
import measure  # noqa: E402
import run as differential  # noqa: E402

TOLERANCE = 1e-6        # of a price per hour: sums of floats in another order

BELOW = "tenon is cheaper"
EQUAL = "equal"
ABOVE = "tenon is dearer"
LIGHTER_POOLS = "tenon is dearer, in NodePools of higher weight"
FEWER = "tenon places fewer pods than a valid plan of Karpenter"
ONLY_REFUSED = "Karpenter's plans with the same pods are refused by the checker"
OTHER_PODS = "not the same pods"
PANICKED = "Karpenter panics"
FAILED = "a program failed"
OUTCOMES = [BELOW, EQUAL, ABOVE, LIGHTER_POOLS, FEWER, ONLY_REFUSED, OTHER_PODS, PANICKED, FAILED]
POLICIES = ["Ignore", "Respect"]


@dataclass
class Comparison:
    outcome: str
    tenon: float = 0.0
    karpenter: float = 0.0      # cheapest run with the same pods
    note: str = ""
    floor: float | None = None  # of tenon's plan; None: not computed


def main():
    options = parse_arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    comparisons = {policy: compare_all(options, policy) for policy in POLICIES}
    for policy in POLICIES:
        print_report(policy, comparisons[policy])
    if options.record:
        record(options, comparisons)
    failed = count(comparisons["Ignore"], ABOVE) + sum(
        count(comparisons[policy], outcome) for policy in POLICIES for outcome in (FEWER, FAILED))
    print(f"{options.cases * len(POLICIES) - failed} passed, {failed} failed")
    return 1 if failed else 0


def compare_all(options, policy):
    started = time.monotonic()
    folders = differential.generated_cases(options)
    for folder in folders:
        set_policy(folder, policy)
    differential.say(started, f"preferences: {policy}: {options.cases} clusters from seed {options.seed}")
    differential.run_peer(options, folders)
    differential.say(started, f"Karpenter planned each {differential.PEER_RUNS} times")
    with ThreadPoolExecutor(options.jobs) as pool:
        comparisons = dict(zip(folders, pool.map(lambda folder: judge(options, folder), folders)))
    differential.say(started, "tenon planned all")
    return comparisons


def set_policy(folder, policy):
    path = folder / "options.json"
    chosen = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(chosen | {"preferencePolicy": policy}) + "\n")


def count(comparisons, outcome):
    return sum(comparison.outcome == outcome for comparison in comparisons.values())


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    for name, text in [("tenon", "tenon"), ("peer", "bench/peer-karpenter"), ("checker", "the plan checker"),
                       ("generator", "the case generator")]:
        parser.add_argument(f"--{name}", type=Path, metavar="PATH", required=True, help=f"the program: {text}")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="folder for clusters and plans")
    parser.add_argument("--cases", type=int, default=500, help="number of random clusters (500)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first; the others follow (1)")
    parser.add_argument("--jobs", type=int, default=2, help="programs at the same time (2)")
    parser.add_argument("--heavy", action="store_true", help="heavier clusters")
    parser.add_argument("--record", type=Path, metavar="FILE", help="results of measure.py to put the counts into")
    return parser.parse_args()


def judge(options, folder):
    try:
        document = differential.plan_with_tenon(options, folder)
        tenon = compare.read_plan(document)
        runs = [compare.read_plan(plan) for plan in differential.peer_plans(folder)]
        if not runs:
            return without_plans(folder, tenon)
        weights = pool_weights(folder)
        comparison = compare_plans(tenon, runs, lambda number: is_accepted(options, folder, number, runs[number]),
                                   lambda run: weight_of(run, weights) < weight_of(tenon, weights),
                                   pod_priorities(folder))
        comparison.floor = document["price"]["floorPerHour"]
        return comparison
    except (differential.Failure, KeyError, TypeError, ValueError, OSError, subprocess.TimeoutExpired) as problem:
        return Comparison(FAILED, note=f"{type(problem).__name__}: {problem}")


def without_plans(folder, tenon):
    if (folder / "panic.txt").exists():
        return Comparison(PANICKED, tenon.price)
    return Comparison(FAILED, note="the peer made no plan")


def is_accepted(options, folder, number, plan):
    if plan.complaints:
        return False
    differential.check_plan(options, folder, folder / f"plan-{number}.json", plan)
    return plan.accepted


def items_of(folder, kind):
    items = json.loads((folder / "manifests.json").read_text())["items"]
    return [item for item in items if item["kind"] == kind]


def pool_weights(folder):
    return {item["metadata"]["name"]: item["spec"].get("weight", 0) for item in items_of(folder, "NodePool")}


def pod_priorities(folder):
    """By namespace/name, of pods that have one."""
    return {f"{item['metadata'].get('namespace') or 'default'}/{item['metadata']['name']}": item["spec"]["priority"]
            for item in items_of(folder, "Pod") if item["spec"].get("priority")}


def weight_of(plan, weights):
    """Sum of the weights of the pools that the pods of new nodes are in; claims are named <pool>-<number>."""
    return sum(weights.get(home.rpartition("-")[0], 0) * len(pods) for home, pods in plan.homes.items())


def compare_plans(tenon, runs, accepts, is_lighter, priorities):
    """First the pods, then the prices; see compare_prices."""
    for number, run in enumerate(runs):
        if places_more(run, tenon, priorities) and accepts(number):
            return Comparison(FEWER, tenon.price, run.price, f"{len(tenon.placed)} of its {len(run.placed)} pods")
    return compare_prices(tenon, runs, accepts, is_lighter)


def places_more(run, other, priorities):
    """Whether a run places more pods of the highest priority in which the two differ."""
    mine, its = (Counter(priorities.get(pod, 0) for pod in plan.placed) for plan in (run, other))
    different = [priority for priority in mine.keys() | its.keys() if mine[priority] != its[priority]]
    return bool(different) and mine[max(different)] > its[max(different)]


def compare_prices(tenon, runs, accepts, is_lighter=lambda run: False):
    """Cheapest first; `accepts(number)` asks the checker, only where it matters: the run is below tenon."""
    same = sorted((run.price, number) for number, run in enumerate(runs) if run.placed == tenon.placed)
    if not same:
        return Comparison(OTHER_PODS, tenon.price, min(run.price for run in runs))
    refused = 0
    for price, number in same:
        if price < tenon.price - TOLERANCE and not accepts(number):
            refused += 1
            continue
        outcome = ABOVE if price < tenon.price - TOLERANCE else EQUAL if price <= tenon.price + TOLERANCE else BELOW
        if outcome == ABOVE and is_lighter(runs[number]):
            outcome = LIGHTER_POOLS
        return Comparison(outcome, tenon.price, price, f"{refused} cheaper runs are refused" if refused else "")
    return Comparison(ONLY_REFUSED, tenon.price, same[0][0])


def print_report(policy, comparisons):
    outcomes = Counter(comparison.outcome for comparison in comparisons.values())
    for folder, comparison in comparisons.items():
        if comparison.outcome in (ABOVE, FEWER, FAILED):
            print(f"  {folder.name}: {comparison.outcome}: {describe(comparison)}")
    print(f"\n{f'random clusters, preferences: {policy}':<66}{len(comparisons):>8}")
    for outcome in OUTCOMES:
        print(f"  {outcome:<64}{outcomes[outcome]:>8}")
    tenon, karpenter = sums(comparisons)
    print(f"{'sum of prices per hour where both place the same pods, tenon':<66}{tenon:>8.2f}")
    print(f"{'  Karpenter':<66}{karpenter:>8.2f}")
    if karpenter:
        print(f"{'  tenon / Karpenter':<66}{tenon / karpenter:>8.3f}")
    tenon, floor = sums_over_floor(comparisons)
    print(f"{'sum of prices per hour of all plans with a floor, tenon':<66}{tenon:>8.2f}")
    print(f"{'  floor':<66}{floor:>8.2f}")
    if floor:
        print(f"{'  tenon / floor':<66}{tenon / floor:>8.3f}")


def describe(comparison):
    if comparison.outcome == FAILED:
        return comparison.note
    ratio = f" ({comparison.tenon / comparison.karpenter:.4f})" if comparison.karpenter else ""
    note = f", {comparison.note}" if comparison.note else ""
    return f"{comparison.tenon:.5f} against {comparison.karpenter:.5f} $/h{ratio}{note}"


def sums(comparisons):
    same = [comparison for comparison in comparisons.values() if comparison.outcome in (BELOW, EQUAL, ABOVE, LIGHTER_POOLS)]
    return sum(comparison.tenon for comparison in same), sum(comparison.karpenter for comparison in same)


def sums_over_floor(comparisons):
    """Of the prices and of the floors, over all of tenon's plans that have a floor."""
    with_floor = [comparison for comparison in comparisons.values() if comparison.floor is not None]
    return sum(comparison.tenon for comparison in with_floor), sum(comparison.floor for comparison in with_floor)


def record(options, comparisons):
    results = json.loads(options.record.read_text()) if options.record.exists() else {}
    results["heavyPrices" if options.heavy else "prices"] = {"tenon": measure.commit()} | {policy: counts_of(options, comparisons[policy]) for policy in POLICIES}
    options.record.write_text(json.dumps(results, indent=1) + "\n")


def counts_of(options, comparisons):
    outcomes = Counter(comparison.outcome for comparison in comparisons.values())
    tenon, karpenter = sums(comparisons)
    over_floor, floor = sums_over_floor(comparisons)
    return {
        "clusters": len(comparisons), "seed": options.seed, "peerRuns": differential.PEER_RUNS,
        "outcomes": {outcome: outcomes[outcome] for outcome in OUTCOMES},
        "tenonPerHour": round(tenon, 5), "karpenterPerHour": round(karpenter, 5),
        "withFloorPerHour": round(over_floor, 5), "floorPerHour": round(floor, 5),
        "dearer": [{"case": folder.name, "tenon": comparison.tenon, "karpenter": comparison.karpenter}
                   for folder, comparison in comparisons.items() if comparison.outcome == ABOVE],
        "fewer": [{"case": folder.name, "note": comparison.note}
                  for folder, comparison in comparisons.items() if comparison.outcome == FEWER],
    }


if __name__ == "__main__":
    sys.exit(main())
