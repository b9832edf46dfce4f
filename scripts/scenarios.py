#!/usr/bin/env python3
"""Runs the scenarios on the embedded cluster: all are green, and each has the same history in every run.

    scripts/scenarios.py TENON [--other TENON] [--jobs N] [FILE-OR-FOLDER...]

Without FILE, all of tests/scenario and examples/scenarios. Each must be green (`tenon sim --help`). Ten of them, spread
over the whole list, are run twice: they must give the same journal hash, and also with the program of --other
(another compiler's). One of them is recorded and replayed, and a journal that differs must be detected.
The table of tests/scenario/README.md must name files that exist, and each scenario once at least. The last line is
"N passed, N failed". Exit: 0 all passed, 1 something failed, 2 wrong use.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["tests/scenario", "examples/scenarios"]
PAGE = ROOT / "tests/scenario/README.md"
UNIT_TESTS = [ROOT / "tests/unit/ctl", ROOT / "tests/unit"]  # names on the page are relative to one of them
REPEATED = 10
SLOW = "disasters"  # run in full once; not among the repeated ones
RED = 3


class Failure(Exception):
    """What a check found."""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon", type=Path, help="the program, build/release/tenon")
    parser.add_argument("paths", nargs="*", type=Path, help="scenarios or folders; none: all")
    parser.add_argument("--other", type=Path, help="a program built by another compiler")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="scenarios at a time")
    options = parser.parse_args()
    for program in (options.tenon, options.other):
        if program and not os.access(program, os.X_OK):
            parser.error(f"{program}: no such program; build it first: scripts/build.sh release tenon")
    files = scenario_files(options.paths or [ROOT / folder for folder in FOLDERS])
    if not files:
        parser.error("no scenarios")
    checks = green_checks(options, files)
    with ThreadPoolExecutor(options.jobs) as pool:
        failed = sum(pool.map(passes_not, checks + repeated_checks(options, files)))
    later = [("a journal is replayed", lambda: check_replay(options, repeated(files)[0]))]
    if not options.paths:
        later.append(("tests/scenario/README.md", check_page))
    failed += sum(map(passes_not, later))
    count = len(checks) + len(repeated_checks(options, files)) + len(later)
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0


def scenario_files(paths):
    files = []
    for path in paths:
        files += sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
    return [file.resolve() for file in files]


def passes_not(named_check):
    name, check = named_check
    start = time.monotonic()
    try:
        check()
    except Failure as failure:
        print(f"FAILED  {name}: {failure}", flush=True)
        return 1
    print(f"ok      {name} ({time.monotonic() - start:.1f} s)", flush=True)
    return 0


def name_of(file):
    return str(file.relative_to(ROOT)) if file.is_relative_to(ROOT) else str(file)


# --- running

def simulate(program, *arguments):
    """The result of `tenon sim`; a program that breaks off is a failure, a red scenario is none."""
    done = subprocess.run([program.resolve(), "sim", "--no-floor", "--plain", *arguments], cwd=ROOT, text=True,
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, RED):
        raise Failure(f"tenon sim ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


def reports(program, file, *arguments):
    """The reports of a file's scenarios, one object each."""
    text, decoder, found = simulate(program, "-o", "json", file, *arguments).stdout, json.JSONDecoder(), []
    while text.strip():
        report, end = decoder.raw_decode(text.lstrip())
        text = text.lstrip()[end:]
        found.append(report)
    if not found:
        raise Failure("no report")
    return found


def hashes(program, file):
    return [report["journal"]["hash"] for report in reports(program, file)]


# --- all are green

def green_checks(options, files):
    # The long ones first, so that none of them is alone at the end.
    ordered = sorted(files, key=lambda file: SLOW not in file.parts)
    return [(name_of(file), lambda file=file: check_green(options, file)) for file in ordered]


def check_green(options, file):
    for report in reports(options.tenon, file):
        if not report["green"]:
            raise Failure(complaint(report))
        if not report["expectations"]:
            raise Failure("expects nothing")


def complaint(report):
    found = [f"{entry['type']} after {entry['seconds']:g} s, line {entry['line']}: {entry['text']}"
             for entry in report["timeline"] if entry["type"] in ("failed", "refused")]
    found += [f"promise {violation['rule']} broken: {violation['text']}" for violation in report["violations"]]
    return "\n        ".join(["red", *found])


# --- the same twice

def repeated(files):
    quick = [file for file in files if SLOW not in file.parts and file.parent.name != "scenarios"] or files
    step = max(1, len(quick) // REPEATED)
    return quick[step // 2::step][:REPEATED]


def repeated_checks(options, files):
    return [(f"{name_of(file)}: one history", lambda file=file: check_history(options, file))
            for file in repeated(files)]


def check_history(options, file):
    first = hashes(options.tenon, file)
    if hashes(options.tenon, file) != first:
        raise Failure("the same seed gave two histories")
    if options.other and hashes(options.other, file) != first:
        raise Failure(f"{options.other} gave another history")


def check_replay(options, file):
    """A journal is recorded and replayed; one in which a decision was changed is not taken for the same."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "journal"
        simulate(options.tenon, file, "--record", journal)
        for program in filter(None, (options.tenon, options.other)):
            if simulate(program, "--replay", journal).returncode != 0:
                raise Failure(f"{name_of(file)}: {program} replays it otherwise")
        lines = journal.read_text().splitlines(keepends=True)
        place = len(lines) // 2
        lines[place] = lines[place].replace('"at":', '"at":1', 1)
        journal.write_text("".join(lines))
        if simulate(options.tenon, "--replay", journal).returncode != RED:
            raise Failure(f"{name_of(file)}: a changed journal was taken for the same")


# --- the page

def check_page():
    """The page names scenarios as `subject/name` and unit tests as `folder/test_file.function`; both must exist."""
    text = PAGE.read_text()
    scenarios = {str(file.relative_to(PAGE.parent).with_suffix("")) for file in PAGE.parent.rglob("*.yaml")}
    subjects = {name.split("/")[0] for name in scenarios}
    named = {name for name in re.findall(r"`([a-z]+/[a-z0-9-]+)`", text) if name.split("/")[0] in subjects}
    tests = set(re.findall(r"`((?:[a-z]+/)?test_[a-z_]+)\.([a-z0-9_]+)`", text))
    sources = {str(file.relative_to(folder).with_suffix("")): file.read_text()
               for folder in UNIT_TESTS for file in folder.rglob("test_*.c")}
    wrong = [f"{name} does not exist" for name in sorted(named - scenarios)]
    wrong += [f"{name} is not named" for name in sorted(scenarios - named)]
    wrong += [f"{file}.{function} does not exist" for file, function in sorted(tests)
              if not re.search(rf"^TEST(_F)?\((\w+, \w+, )?{function}\)", sources.get(file, ""), re.MULTILINE)]
    if wrong:
        raise Failure("; ".join(wrong))


if __name__ == "__main__":
    sys.exit(main())
