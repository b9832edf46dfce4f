#!/usr/bin/env python3
"""Runs Karpenter's scheduler and tenon in turn on the same inputs and keeps what came out in a JSON file.

    measure.py --tenon-bench PATH --peer PATH --work DIR --results FILE [--limit SECONDS] [--openb-list FILE]

Each case is written as files by tenon-bench, solved by the peer in a process of its own, then by tenon-bench with
--effort fast and normal (best too where it is asked for); then again, up to three rounds while the peer is quick. A
peer that is not done after --limit seconds, reading included, is given up. report.py makes the report from the file,
which is written after every case. Exit: 0 done, 1 something failed (its row says what). Needs Python's standard
library only.
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIVERSE = HERE.parent / "workloads" / "karpenter-diverse"
ROUNDS = 3
QUICK_SECONDS = 15       # a peer that takes longer runs once
PEER_WORKERS = 5         # threads of Karpenter's scheduler, as in its own benchmark (its default: the CPUs it requests)
REPEATS = {"fast": 10, "normal": 3, "best": 1}
FLEET_REPEATS = 5        # of each pass
SAMPLE_NODES = 1000      # of the fleet, for both
PEER_CANDIDATES = 20     # nodes that Karpenter evaluates


@dataclass(frozen=True)
class Case:
    name: str
    pods: int
    nodes: int = None            # existing nodes
    efforts: tuple = ("fast", "normal")
    csv: Path = None             # pods of openb from this list
    repeats: int = None          # instead of REPEATS

    @property
    def label(self):
        return f"{self.name} (list)" if self.csv else self.name

    def arguments(self):
        words = ["--case", self.name, "--pods", self.pods]
        words += ["--nodes", self.nodes] if self.nodes else []
        return words + (["--csv", self.csv] if self.csv else [])


# What both solve: all sizes that Karpenter can finish.
COMMON = (
    [Case("diverse", pods) for pods in (1, 50, 100, 500, 1000, 2000, 5000, 10000, 20000)]
    + [Case("preference", 4000), Case("preference-ignore", 4000)]
    + [Case("distinct", pods) for pods in (1000, 10000)]
    + [Case("hostname-anti-affinity", pods) for pods in (1000, 5000)]
    + [Case("zone-spread-500", pods) for pods in (2000, 10000)]
    + [Case("pools-50", pods) for pods in (500, 5000)]
    + [Case("nodes-5000", 1000, nodes=1000), Case("nodes-5000", 5000, nodes=5000)]
    + [Case(name, 8152, efforts=("fast", "normal", "best")) for name in ("openb", "openb-32")]
)

# What only tenon solves.
ALONE = [
    Case("diverse", 100000, repeats=5),
    Case("diverse", 1000000, repeats=3),
    Case("distinct", 20000),
    Case("distinct", 100000, repeats=3),
    Case("distinct", 1000000, efforts=("fast",), repeats=1),
]


def main():
    options = parse_arguments()
    started = time.monotonic()
    results = {"machine": machine(), "versions": versions(options), "date": today(), "limitSeconds": options.limit,
               "peerWorkers": PEER_WORKERS, "rows": [], "alone": []}
    earlier = read_results(options.results)
    results |= {key: earlier[key] for key in ("prices", "heavyPrices", "fleet") if key in earlier}
    common, alone = chosen(options)
    if results["machine"]["loadAtStart"] > 0.5:
        print(f"the load of this machine is {results['machine']['loadAtStart']}: times will be longer than they are on "
              "a quiet one", file=sys.stderr)
    for number, case in enumerate(common, 1):
        say(started, f"[{number}/{len(common)}] {case.label}, {case.pods} pods: Karpenter and tenon in turn")
        results["rows"].append(compare(options, case))
        write_results(options.results, results)
    for number, case in enumerate(alone, 1):
        say(started, f"[{number}/{len(alone)}] {case.label}, {case.pods} pods: tenon alone")
        results["alone"].append({**row_of(case), "tenon": {effort: [solve_with_tenon(options, case, effort)]
                                                           for effort in case.efforts}})
        write_results(options.results, results)
    if not options.cases or "fleet" in options.cases.split(","):
        say(started, f"fleet: passes of consolidation; {SAMPLE_NODES} of its nodes, Karpenter and tenon in turn")
        results["fleet"] = compare_fleets(options)
        write_results(options.results, results)
    failed = [row for row in results["rows"] + results["alone"] if has_error(row)]
    for row in failed:
        print(f"{row['label']}, {row['pods']} pods: {has_error(row)}", file=sys.stderr)
    if "error" in results.get("fleet", {}):
        print(f"fleet: {results['fleet']['error']}", file=sys.stderr)
        failed.append(results["fleet"])
    say(started, f"{options.results}: {len(results['rows'])} cases with the peer, {len(results['alone'])} alone")
    return 1 if failed else 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    for name, text in [("tenon-bench", "tenon-bench"), ("peer", "bench/peer-karpenter")]:
        parser.add_argument(f"--{name}", type=Path, metavar="PATH", required=True, help=f"the program: {text}")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="folder for the inputs")
    parser.add_argument("--results", type=Path, required=True, metavar="FILE", help="JSON file to write")
    parser.add_argument("--limit", type=int, default=600, metavar="SECONDS",
                        help="give the peer up after so long (600)")
    parser.add_argument("--openb-list", type=Path, metavar="FILE",
                        help="the list itself (openb_pod_list_default.csv of alibaba/clusterdata), to be measured too")
    parser.add_argument("--cases", metavar="NAME[,..]", help="only these cases")
    parser.add_argument("--pods-max", type=int, metavar="N", help="only cases of at most so many pods")
    parser.add_argument("--built-with", default="", metavar="TEXT", help="compilers, for the report")
    return parser.parse_args()


def chosen(options):
    common, alone = list(COMMON), list(ALONE)
    if options.openb_list:
        common += [Case(name, 8152, efforts=("fast", "normal", "best"), csv=options.openb_list.resolve())
                   for name in ("openb", "openb-32")]

    def wanted(case):
        return ((not options.cases or case.name in options.cases.split(","))
                and (not options.pods_max or case.pods <= options.pods_max))

    return [case for case in common if wanted(case)], [case for case in alone if wanted(case)]


def row_of(case):
    return {"case": case.name, "label": case.label, "pods": case.pods, "existingNodes": case.nodes or 0}


def compare(options, case):
    """One row: the peer and tenon in turn."""
    row = {**row_of(case), "karpenter": [], "tenon": {effort: [] for effort in case.efforts}}
    try:
        folder = write_inputs(options, case)
    except (OSError, subprocess.SubprocessError) as problem:
        row["karpenter"].append({"error": f"no inputs: {problem}"})
        return row
    for _ in range(ROUNDS):
        started = time.monotonic()
        row["karpenter"].append(solve_with_peer(options, case, folder))
        quick = time.monotonic() - started < QUICK_SECONDS
        for effort in case.efforts:
            row["tenon"][effort].append(solve_with_tenon(options, case, effort))
        if not quick:
            break
    return row


def write_inputs(options, case):
    folder = options.work / case.label.replace(" ", "-").replace("(", "").replace(")", "")
    command = [options.tenon_bench, *case.arguments(), "--write-manifests", folder]
    options.work.mkdir(parents=True, exist_ok=True)
    subprocess.run([str(part) for part in command], check=True, stderr=subprocess.DEVNULL)
    return folder / f"{case.name}-{case.pods}"


def peer_input(case, folder):
    """Karpenter's own benchmark reads its pods from the list; everything else comes as manifests."""
    diverse = DIVERSE / f"diverse-{case.pods}.csv"
    if case.name == "diverse" and diverse.exists():
        return ["--diverse", diverse]
    policy = json.loads((folder / "options.json").read_text())["preferencePolicy"]
    return ["-f", folder / "manifests.json", "--catalog", folder / "catalog.json", "--preference-policy", policy,
            "--workers", PEER_WORKERS]


def solve_with_peer(options, case, folder):
    command = [options.peer, *peer_input(case, folder), "--timings"]
    try:
        result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=options.limit)
    except subprocess.TimeoutExpired:
        return {"timeout": True}
    if result.returncode != 0:
        return {"error": f"the peer ended with {result.returncode}: {result.stderr.strip()[-300:]}"}
    return json.loads(result.stdout)


def solve_with_tenon(options, case, effort):
    command = [options.tenon_bench, *case.arguments(), "--effort", effort, "-o", "json",
               "--repeat", case.repeats or REPEATS[effort]]
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode not in (0, 1):
        return {"error": f"tenon-bench ended with {result.returncode}: {result.stderr.strip()[-300:]}"}
    return json.loads(result.stdout)[0]


# --- the fleet


def compare_fleets(options):
    """Passes of tenon over the whole fleet; what each node alone would need, asked by both on some of its nodes."""
    sample = ["--sample", SAMPLE_NODES]
    try:
        return {"tenon": commit(), "date": today(), "load": round(os.getloadavg()[0], 2),
                "whole": fleet_passes(options, []), "sample": fleet_passes(options, sample),
                "karpenter": peer_candidates(options, write_fleet(options, sample))}
    except (OSError, ValueError, subprocess.SubprocessError) as problem:
        return {"error": str(problem)}


def fleet_passes(options, words):
    return json.loads(run_fleet(options, ["-o", "json", "--repeat", FLEET_REPEATS, *words]))


def write_fleet(options, words):
    folder = options.work / "fleet"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run_fleet(options, ["--write-manifests", folder, *words])
    return next(folder.iterdir())


def run_fleet(options, words):
    command = [options.tenon_bench, "--case", "fleet", *words]
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def peer_candidates(options, folder):
    """Karpenter's evaluations of single nodes: their number of all, and the seconds of each."""
    command = [options.peer, "-f", folder / "manifests.json", "--catalog", folder / "catalog.json", "--commands",
               "--candidates", PEER_CANDIDATES, "--workers", PEER_WORKERS]
    result = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True,
                            timeout=options.limit)
    candidates = json.loads(result.stdout)["candidates"]
    return {"nodes": len(candidates), "seconds": [one["seconds"] for one in candidates if one["seconds"]]}


def has_error(row):
    """Why the row is not whole, or None. A peer that ran out of time is an answer, not an error."""
    runs = row.get("karpenter", []) + [run for runs in row["tenon"].values() for run in runs]
    return next((run["error"] for run in runs if "error" in run), None)


def machine():
    with open("/proc/cpuinfo") as lines:
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {"cpu": names[0] if names else platform.machine(), "cpus": os.cpu_count(),
            "memoryGib": round(pages / 2**30, 1), "kernel": platform.release(),
            "loadAtStart": round(os.getloadavg()[0], 2)}


def commit():
    """The commit of this tree."""
    described = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=HERE, capture_output=True, text=True)
    return described.stdout.strip() or "unknown"


def versions(options):
    module = (HERE.parent / "peer-karpenter" / "go.mod").read_text()
    lines = [line.split() for line in module.splitlines()]
    karpenter = next(words[1] for words in lines if words[:1] == ["sigs.k8s.io/karpenter"])
    return {"tenon": commit(), "karpenter": karpenter, "builtWith": options.built_with}


def today():
    return datetime.date.today().isoformat()


def read_results(path):
    return json.loads(path.read_text()) if path.exists() else {}


def write_results(path, results):
    path.write_text(json.dumps(results, indent=1) + "\n")


def say(started, text):
    print(f"[{time.monotonic() - started:6.1f} s] {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
