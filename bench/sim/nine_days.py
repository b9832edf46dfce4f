#!/usr/bin/env python3
"""Nine days of the shop without a restart (R184: a seed shows nine): what tenon holds must not grow.

    tests/e2e/python.sh bench/sim/nine_days.py [--days 9]     some minutes; build tenon-bench-sim first

The scenario is examples/scenarios/shop-day.yaml again and again, with its faults, in one life of the embedded cluster. All that a life
of tenon holds is what malloc gets back when it is killed: after two days, and after all of them. Names are allowed for: those of
objects that are gone are kept until 65,536 more are (docs/design/state.md). Not counted is the life's view of the embedded
cloud, which remembers every instance. What is resident is mostly the embedded cluster's, which
keeps each write for its journal.

Exit: 0 all that it promises held; 1 something did not, and the last lines say what.
"""

import argparse
import copy
import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
SHOP = ROOT / "examples" / "scenarios" / "shop-day.yaml"
WORK = ROOT / "build" / "soak"
WARM_UP_DAYS = 2            # until all that is kept for days is there
NAMES_KEPT, NAME_BYTES = 65536, 120
GROWTH_MB = 2.0             # from then on, besides names: arenas grow by whole chunks
JOB_TTL_S = 12 * 3600
LIFE = re.compile(r"^the controller .* without its view of the cloud ([\d.]+) MB$")
LINE = re.compile(r"^ *([\d.]+) h .* (\d+) nodes .* ([\d.]+) MB state +([\d.]+) MB resident$")
UNITS = {"h": 3600, "m": 60, "s": 1}


class Loader(yaml.SafeLoader):
    """Times stay the texts that they are."""

    yaml_implicit_resolvers = {first: [each for each in each_of if each[0] != "tag:yaml.org,2002:timestamp"]
                               for first, each_of in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def seconds(duration):
    return sum(int(number) * UNITS[unit] for number, unit in re.findall(r"(\d+)([hms])", duration))


def moved(line, day):
    """A line of the timeline on another day; Jobs are others there, and go when they have ended for long."""
    line = copy.deepcopy(line)
    for field in ("at", "until"):
        if field in line:
            line[field] = f"{seconds(line[field]) + day * 86400}s"
    job = line.get("apply", {})
    if job:
        job["metadata"]["name"] += f"-{day}"
        job["spec"]["ttlSecondsAfterFinished"] = JOB_TTL_S
    for expected in line.get("expect", []):
        if expected.get("kind") == "Job":
            expected["name"] += f"-{day}"
    return line


def is_of_the_beginning(line):
    return seconds(line["at"]) < 600 and "load" not in line


def scenario(days):
    shop = yaml.load(SHOP.read_text(encoding="utf-8"), Loader)
    begin = [line for line in shop["timeline"] if is_of_the_beginning(line)]
    rest = [line for line in shop["timeline"] if not is_of_the_beginning(line)]
    return {**shop, "name": "nine-days", "duration": f"{24 * days}h",
            "timeline": begin + [moved(line, day) for day in range(days) for line in rest]}


def live(days):
    """(hour, nodes, MB of tenon's State, MB resident) of each half hour, and what else was printed."""
    rows, others = [], []
    path = WORK / f"{days}-days.yaml"
    path.write_text(yaml.safe_dump(scenario(days), sort_keys=False), encoding="utf-8")
    with subprocess.Popen([ROOT / "build/release/bench/sim/tenon-bench-sim", path], stdout=subprocess.PIPE, text=True) as process:
        for text in process.stdout:
            found = LINE.match(text.rstrip())
            if not found:
                others.append(text.rstrip())
                continue
            rows.append(tuple(map(float, found.groups())))
            if sys.stderr.isatty():
                print(f"\r{text.rstrip()}", end="", file=sys.stderr, flush=True)
    return rows, others


def held(others):
    """MB that a life of tenon held at its end."""
    return next(float(found.group(1)) for found in map(LIFE.match, others) if found)


def broken_promises(warm, ends, others):
    found, names_mb = [], NAMES_KEPT * NAME_BYTES / 1e6
    growth = held(others) - warm
    if growth > GROWTH_MB + min(names_mb, ends[-1][2] - ends[WARM_UP_DAYS - 1][2]):
        found.append(f"what tenon holds grew by {growth:.1f} MB")
    if ends[-1][2] > ends[WARM_UP_DAYS - 1][2] + names_mb:
        found.append("its State grew by more than names")
    if not any(text.startswith("green") for text in others):
        found.append("not all was as the scenario expects: run tenon sim on it")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--days", type=int, default=9)
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    warm = held(live(WARM_UP_DAYS)[1])
    rows, others = live(options.days)
    ends = rows[47::48]
    if len(ends) < options.days:
        sys.exit("nine_days.py: it did not live to the end: " + "\n".join(others))
    print("| day | nodes | tenon's State, MB | resident, MB |\n|--:|--:|--:|--:|")
    for day, (_, nodes, state, resident) in enumerate(ends, 1):
        print(f"| {day} | {nodes:.0f} | {state} | {resident} |")
    print("\n".join(others))
    print(f"held after {WARM_UP_DAYS} days: {warm} MB, after {options.days}: {held(others)} MB")
    wrong = broken_promises(warm, ends, others)
    print("\n".join(wrong) or "all held")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
