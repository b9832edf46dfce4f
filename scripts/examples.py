#!/usr/bin/env python3
"""Plans the examples and checks the plans: every pod is placed, the output formats are valid, the checker accepts them.
Holds README.md to what the program prints.

    scripts/examples.py --tenon PROGRAM --checker PROGRAM --work DIR

The checker takes one catalogue for all pools, so sets with different EC2NodeClasses are checked separately. README.md shows the
plan of all examples and how the shop's day ends; --write-readme brings both up to date. The last line is "N passed, N failed". Exit: 0 all passed,
1 something failed.
"""

import argparse
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS_MAX = 100
# Files that are planned together, and the NodePool whose types all pools of the set share.
CHECKED_SETS = {
    "main": (["examples/nodes", "examples/workloads"], "general"),
    "default": (["examples/seeds/default.yaml"], "karpenter-default"),
    "donggyu": (["examples/seeds/donggyu.yaml"], "donggyu"),
    "farm": (["examples/seeds/farm.yaml"], "farm"),
    "wild": (["examples/seeds/wild.yaml"], "wild"),
}
PLAN_KEYS = {"nodeClaims", "existingNodes", "unschedulable", "price", "stats"}


class Failure(Exception):
    """What a check found."""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tenon", "checker", "work"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--write-readme", action="store_true", help="put the outputs into README.md before looking at it")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    checks = [("all: table", check_table), ("all: json", check_json), ("all: yaml", check_yaml),
              ("README.md: its plan", check_readme_plan), ("README.md: its fleet", check_readme_fleet),
              ("README.md: its day", check_readme_day)]
    checks += [(f"{name}: checker", check_set(name, *given)) for name, given in CHECKED_SETS.items()]
    failed = 0
    for name, check in checks:
        try:
            check(options)
            print(f"ok      {name}")
        except Failure as failure:
            failed += 1
            print(f"FAILED  {name}: {failure}")
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


def run(options, *arguments):
    """The output of the program, which has to end with 0."""
    done = subprocess.run([options.tenon.resolve(), *arguments], cwd=ROOT, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise Failure(f"tenon {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def tenon(options, *arguments):
    """The same of a program that has to print the same twice."""
    first, second = [run(options, *arguments) for _ in range(2)]
    if without_times(first) != without_times(second):
        raise Failure(f"tenon {' '.join(arguments)} does not print the same twice")
    return first


def without_times(output):
    return re.sub(r'("?solveMilliseconds"?: *)[0-9.e+-]+', r"\1…", output)


def check_table(options):
    for form in ("table", "wide"):
        for line in tenon(options, "plan", "-f", "examples/", "-o", form).splitlines():
            if form == "table" and len(line) > COLUMNS_MAX:
                raise Failure(f"a line of {len(line)} columns: {line}")


def check_json(options):
    plan = json.loads(tenon(options, "plan", "-f", "examples/", "-o", "json"))
    if set(plan) != PLAN_KEYS:
        raise Failure(f"keys {sorted(plan)}, expected {sorted(PLAN_KEYS)}")
    total = sum(claim["choice"]["pricePerHour"] for claim in plan["nodeClaims"])
    if abs(total - plan["price"]["perHour"]) > 1e-6 * max(total, 1):
        raise Failure(f"the choices cost {total}, the plan says {plan['price']['perHour']}")
    idle = {"general", "gpu", "karpenter-default", "donggyu", "wild", "farm"} - {
        claim["nodePool"] for claim in plan["nodeClaims"]}
    if idle:
        raise Failure(f"no node in {', '.join(sorted(idle))}, although there are pods for it")


def check_yaml(options):
    text = tenon(options, "plan", "-f", "examples/", "-o", "yaml")
    claims = json.loads(tenon(options, "plan", "-f", "examples/", "-o", "json"))["nodeClaims"]
    if text.count("kind: NodeClaim\n") != len(claims):
        raise Failure(f"{text.count('kind: NodeClaim')} NodeClaims, expected {len(claims)}")


def check_readme_plan(options):
    command = ["plan", "-f", "examples/"]
    check_readme(options, command, tenon(options, *command))


def check_readme_fleet(options):
    command = ["plan", "--consolidate", "-f", "examples/evening.dump"]
    check_readme(options, command, tenon(options, *command))


def check_readme_day(options):
    """The report's last paragraph, without the seconds that the machine took. (That histories are equal is the scenarios' step.)"""
    command = ["sim", "examples/scenarios/shop-day.yaml"]
    report = textwrap.dedent(run(options, *command).rstrip("\n").rpartition("\n\n")[2])
    check_readme(options, command, re.sub(r"(of the cluster's life in) [0-9.]+ s", r"\1 … s", report))


def check_readme(options, command, output):
    """README.md shows the output as the next block after its command; blocks are indented by four spaces."""
    page = ROOT / "README.md"
    before, line, after = page.read_text().partition(f"    $ build/release/tenon {' '.join(command)}\n")
    shown = re.match(r"((?:(?!    ).*\n)*)((?:    .*\n|\n(?=    ))*)", after)
    expected = before + line + shown[1] + "".join(f"    {each}".rstrip() + "\n" for each in output.splitlines()) + \
        after[shown.end():]
    if options.write_readme:
        page.write_text(expected)
    if page.read_text() != expected:
        raise Failure(f"shows other output of tenon {' '.join(command)}; scripts/examples.py --write-readme … mends it")


def check_set(name, paths, pool):
    """A check that the plan checker accepts what is planned for `paths`, and that it finds no pod without a home."""
    def check(options):
        files = [argument for path in paths for argument in ("-f", path)]
        folder = options.work / name
        folder.mkdir(exist_ok=True)
        plan, catalogue, manifests = folder / "plan.json", folder / "catalogue.json", folder / "manifests.yaml"
        plan.write_text(tenon(options, "plan", *files, "-o", "json"))
        catalogue.write_text(tenon(options, "catalog", *files, "--nodepool", pool, "-o", "json"))
        manifests.write_text("\n---\n".join(text_of(path) for path in paths))
        done = subprocess.run([options.checker, manifests, catalogue, plan], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise Failure(f"the checker ended with {done.returncode}:\n{done.stdout}")
    return check


def text_of(path):
    path = ROOT / path
    files = sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
    return "\n---\n".join(file.read_text() for file in files)


if __name__ == "__main__":
    sys.exit(main())
