#!/usr/bin/env python3
"""Plans the examples and checks the plans: every pod is placed, the output formats are valid, the checker accepts them.

    scripts/examples.py --tenon PROGRAM --checker PROGRAM --work DIR

The checker takes one catalogue for all pools, so sets with different EC2NodeClasses are checked separately. README.md shows the
plan of all examples; --write-readme brings that up to date. The last line is "N passed, N failed". Exit: 0 all passed,
1 something failed.
"""

import argparse
import json
import re
import subprocess
import sys
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
    parser.add_argument("--write-readme", action="store_true", help="put the plan into README.md before looking at it")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    checks = [("all: table", check_table), ("all: json", check_json), ("all: yaml", check_yaml),
              ("README.md: its plan", check_readme("plan", "-f", "examples/")),
              ("README.md: its fleet", check_readme("plan", "--consolidate", "-f", "examples/evening.dump"))]
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


def tenon(options, *arguments):
    """The output of the program, which has to end with 0 and to say the same twice."""
    first, second = [subprocess.run([options.tenon.resolve(), *arguments], cwd=ROOT, text=True, check=False,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    command = " ".join(["tenon", *arguments])
    if first.returncode != 0:
        raise Failure(f"{command} ended with {first.returncode}:\n{first.stdout}{first.stderr}")
    if without_times(first.stdout) != without_times(second.stdout):
        raise Failure(f"{command} does not print the same twice")
    return first.stdout


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


def check_readme(*arguments):
    """A check that README.md shows what the command prints, as a block that is indented by four spaces."""
    def check(options):
        page = ROOT / "README.md"
        words = " ".join(arguments)
        before, command, after = page.read_text().partition(f"    $ build/release/tenon {words}\n")
        after = after[re.match(r"(    .*\n|\n(?=    ))*", after).end():]
        shown = tenon(options, *arguments)
        expected = before + command + "".join(f"    {line}".rstrip() + "\n" for line in shown.splitlines()) + after
        if options.write_readme:
            page.write_text(expected)
        if page.read_text() != expected:
            raise Failure("shows something else than tenon prints; scripts/examples.py --write-readme … mends it")
    return check


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
