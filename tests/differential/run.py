#!/usr/bin/env python3
"""The differential test: tenon against Karpenter's own scheduler, on random clusters.

    run.py --tenon PATH --peer PATH --checker PATH --generator PATH [--cases 300] [--seed 1] [--heavy] --work DIR
    run.py --peer PATH --peer-only --work DIR

For each seed the generator writes a case; tenon plans it once, the peer three times, and the checker looks at every
plan. Per workload tenon has to place at least as many pods as Karpenter's best run, unless the checker refuses the
difference (compare.py). The hand-written cases beside this file are included; for them the peer's plans are compared with
expected ones (expectations.py). All cases and plans are left in the work folder.

Exit: 0 all passed, 1 something failed, 2 wrong use. Only Python's standard library is needed.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import compare
import expectations

HAND_WRITTEN = Path(__file__).resolve().parent / "cases"
TIMEOUT_SECONDS = 120    # of one program on one case
PEER_RUNS = 3


class Failure(Exception):
    """A program failed in a case."""


def main():
    options = parse_arguments()
    options.work.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    folders = hand_written_cases(options.work)
    if not options.peer_only:
        folders += generated_cases(options)
        say(started, f"{options.cases} cases generated from seed {options.seed}")
    run_peer(options, folders)
    say(started, f"Karpenter solved {len(folders)} cases, {PEER_RUNS} times each")
    wrong_peer = check_expectations(folders)
    passed, failed = len(peer_cases(folders)) - len(wrong_peer), len(wrong_peer)
    if not options.peer_only:
        with ThreadPoolExecutor(options.jobs) as pool:
            verdicts = dict(zip(folders, pool.map(lambda folder: judge(options, folder), folders)))
        say(started, f"tenon planned and the checker looked at {len(folders)} cases")
        report(verdicts)
        ok = sum(verdict.passed for verdict in verdicts.values())
        passed, failed = passed + ok, failed + len(verdicts) - ok
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    for name, text in [("tenon", "tenon"), ("checker", "the plan checker"), ("generator", "the case generator")]:
        parser.add_argument(f"--{name}", type=Path, metavar="PATH", help=f"the program: {text}")
    parser.add_argument("--peer", type=Path, metavar="PATH", required=True, help="the program: bench/peer-karpenter")
    parser.add_argument("--cases", type=int, default=300, help="number of random cases (300)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first case; the others follow (1)")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="folder for cases and plans")
    parser.add_argument("--jobs", type=int, default=2, help="programs at the same time (2)")
    parser.add_argument("--peer-only", action="store_true", help="only check the peer on the hand-written cases")
    parser.add_argument("--heavy", action="store_true", help="the generator's heavier clusters, in which constraints bind")
    options = parser.parse_args()
    if not options.peer_only and not (options.tenon and options.checker and options.generator):
        parser.error("--tenon, --checker and --generator are needed (or --peer-only)")
    return options


def hand_written_cases(work):
    """Copies the hand-written cases into the work folder; a case without a catalogue gets the common one."""
    folders = []
    for source in sorted(path for path in HAND_WRITTEN.iterdir() if path.is_dir()):
        folder = work / f"case-{source.name}"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder)
        if not (folder / "catalog.json").exists():
            shutil.copy(HAND_WRITTEN / "catalog.json", folder)
        folders.append(folder)
    return folders


def generated_cases(options):
    def generate(seed):
        folder = options.work / f"seed-{seed}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        result = run_program([options.generator, "--seed", str(seed), "--heavy", "yes" if options.heavy else "no",
                              "--out", folder])
        if result.returncode != 0:
            raise SystemExit(f"the generator failed on seed {seed}: {result.stderr.strip()}")
        return folder

    with ThreadPoolExecutor(options.jobs) as pool:
        return list(pool.map(generate, range(options.seed, options.seed + options.cases)))


def run_peer(options, folders):
    """Runs the peer on all cases, in several processes. A case that it cannot solve has no plans afterwards."""
    processes = []
    for job in range(options.jobs):
        share = options.work / f"peer-{job}.txt"
        share.write_text("".join(f"{folder}\n" for folder in folders[job::options.jobs]))
        errors = (options.work / f"peer-{job}.log").open("w")
        command = [options.peer, "--batch", share, "--runs", str(PEER_RUNS)]
        processes.append((subprocess.Popen(command, stderr=errors), errors))
    for process, errors in processes:
        process.wait()
        errors.close()
        if process.returncode != 0:
            print(f"the peer reports failures: see {errors.name}")


def peer_cases(folders):
    return [folder for folder in folders if (folder / "peer.json").exists()]


def check_expectations(folders):
    """Prints the peer's differences from the expected plans of the hand-written cases. Returns these cases."""
    wrong = []
    for folder in peer_cases(folders):
        expected = read_json(folder / "peer.json")
        plans = peer_plans(folder)
        problems = [] if plans else ["the peer made no plan"]
        for number, plan in enumerate(plans):
            problems += [f"run {number}: {problem}" for problem in expectations.unmet(expected, plan)]
        for problem in problems:
            print(f"  {folder.name}: peer: {problem}")
        if problems:
            wrong.append(folder)
    return wrong


def peer_plans(folder):
    return [read_json(path) for path in sorted(folder.glob("plan-*.json"))]


def judge(options, folder):
    """Plans one case with tenon, checks all plans and compares them."""
    try:
        tenon = compare.read_plan(plan_with_tenon(options, folder))
        check_plan(options, folder, folder / "tenon.json", tenon)
        runs = [compare.read_plan(plan) for plan in peer_plans(folder)]
        if not runs:
            return without_peer(folder, tenon)
        for number, run in enumerate(runs):
            check_plan(options, folder, folder / f"plan-{number}.json", run)
        return compare.compare(tenon, runs, compare.workloads_of(read_json(folder / "manifests.json")))
    except (Failure, KeyError, TypeError, ValueError, OSError, subprocess.TimeoutExpired) as problem:
        return compare.Verdict(compare.ERROR, [f"{type(problem).__name__}: {problem}"])


def without_peer(folder, tenon):
    """Judges a case in which Karpenter panics: there is nothing to compare, but tenon's plan must be valid."""
    panic = folder / "panic.txt"
    if not panic.exists():
        raise Failure("the peer made no plan")
    if not tenon.accepted:
        return compare.Verdict(compare.TENON_REFUSED, tenon.complaints)
    return compare.Verdict(compare.PANICKED, [panic.read_text().strip()])


def plan_with_tenon(options, folder):
    command = [options.tenon, "plan", "-f", folder / "manifests.json", "--catalog", folder / "catalog.json", "-o", "json"]
    if (folder / "options.json").exists():
        chosen = read_json(folder / "options.json")
        for key, flag in [("preferencePolicy", "--preference-policy"), ("minValuesPolicy", "--min-values-policy")]:
            if key in chosen:
                command += [flag, chosen[key]]
    result = run_program(command)
    if result.returncode not in (0, 3):
        raise Failure(f"tenon ended with {result.returncode}: {result.stderr.strip()[-500:]}")
    (folder / "tenon.json").write_text(result.stdout)
    return json.loads(result.stdout)


def check_plan(options, folder, plan_path, plan):
    """Runs the checker and adds its violations to the plan."""
    command = [options.checker, folder / "manifests.json", folder / "catalog.json", plan_path]
    if (folder / "options.json").exists():
        command += ["--options", folder / "options.json"]
    result = run_program(command)
    if result.returncode not in (0, 1):
        raise Failure(f"the checker ended with {result.returncode} on {plan_path.name}: {result.stderr.strip()[-500:]}")
    compare.add_complaints(plan, result.stdout)
    if (result.returncode == 1) != bool(plan.complaints):
        raise Failure(f"the checker ended with {result.returncode} but named {len(plan.complaints)} violations "
                      f"in {plan_path.name}")


def report(verdicts):
    """Prints every difference with its causes, then the table."""
    for folder, verdict in verdicts.items():
        if verdict.outcome != compare.EQUAL:
            print(f"  {folder.name}: {verdict.outcome}")
            for cause in verdict.causes:
                print(f"      {cause}")
    outcomes = Counter(verdict.outcome for verdict in verdicts.values())
    kinds = sum((verdict.kinds for verdict in verdicts.values()), Counter())
    print(f"\n{'cases':<48}{len(verdicts):>8}")
    for outcome in compare.OUTCOMES:
        print(f"  {outcome:<46}{outcomes[outcome]:>8}")
        if outcome == compare.REFUSED:
            print_counts(kinds)
    print("cases with a violation in a plan of Karpenter, by kind")
    print_counts(Counter(kind for verdict in verdicts.values() for kind in verdict.karpenter_violations))
    prices = [verdict.prices for verdict in verdicts.values() if verdict.prices]
    print(f"{'cases where both place everything':<48}{len(prices):>8}")
    for name, index in [("tenon", 0), ("Karpenter", 1)]:
        print(f"  {'price per hour, ' + name:<46}{sum(pair[index] for pair in prices):>8.2f}")
    print()


def print_counts(counts):
    for kind, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        print(f"      {kind:<42}{number:>8}")


def run_program(command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=TIMEOUT_SECONDS)


def read_json(path):
    return json.loads(path.read_text())


def say(started, text):
    print(f"[{time.monotonic() - started:6.1f} s] {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
