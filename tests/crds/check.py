#!/usr/bin/env python3
"""Tries tenon's definitions of Karpenter's kinds on a real API server.

    check.py --kubeconfig FILE (--tenon PATH | --definitions FOLDER) [--yardstick FOLDER]

Installs each definition in place of what is there, then has the API server judge the objects of cases/. With a
yardstick (a folder with Karpenter's own definitions, *.yaml) the same objects are judged by those too, and verdicts,
stored objects, printed columns and names are compared. The API server should be one that is thrown away after:
definitions are deleted on the way, and with them every object of their kinds.

Exit: 0 all as expected, 1 something was not, 2 wrong use. Needs the packages kubernetes and PyYAML.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import yaml

import cases
import verdicts
from server import Server


def main():
    options = parse_arguments()
    server, all_cases = Server(options.kubeconfig), cases.load()
    own, shapes = judge_all(server, texts_of(options), all_cases)
    say(f"{len(all_cases)} objects judged: {counted(own)}")
    failures = [(case.title, wrong) for case, verdict in own.items() if (wrong := verdicts.complaint(case, verdict))]
    failures += shown_otherwise(shapes, cases.load_shapes(), "expected")
    if options.yardstick:
        texts = [file.read_text() for file in sorted(options.yardstick.glob("*.yaml"))]
        theirs, their_shapes = judge_all(server, texts, all_cases)
        say(f"by the yardstick: {counted(theirs)}")
        failures += differences(own, theirs) + shown_otherwise(shapes, their_shapes, "by the yardstick")
    for title, wrong in failures:
        print(f"FAILED {title}: {wrong}")
    failed = {title for title, _ in failures}
    print(f"{len(({case.title for case in all_cases} | shapes.keys()) - failed)} passed, {len(failed)} failed")
    return 1 if failures else 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kubeconfig", type=Path, required=True)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--tenon", type=Path, help="the program, whose `tenon crds` is tried")
    source.add_argument("--definitions", type=Path, help="a folder of definitions to try instead")
    parser.add_argument("--yardstick", type=Path, help="a folder of definitions to compare with")
    return parser.parse_args()


def texts_of(options):
    if options.definitions:
        return [file.read_text() for file in sorted(options.definitions.glob("*.yaml"))]
    printed = subprocess.run([options.tenon.resolve(), "crds"], check=True, capture_output=True, text=True).stdout
    return printed.split("\n---\n")


def judge_all(server, texts, all_cases):
    """Installs the definitions; the verdict by case, and how kubectl shows the kind by name of definition."""
    definitions = {}
    for definition in map(yaml.safe_load, texts):
        server.remove(definition)
        definitions[definition["metadata"]["name"]] = server.install(definition)
    missing = {case.definition for case in all_cases} - definitions.keys()
    if missing:
        raise SystemExit(f"no definition of {', '.join(sorted(missing))}")
    judged = {case: verdicts.try_case(server, definitions[case.definition], case) for case in all_cases}
    return judged, {name: server.shape(definition) for name, definition in definitions.items()}


def counted(judged):
    return ", ".join(f"{count} {word}" for word, count in sorted(Counter(v.word() for v in judged.values()).items()))


def shown_otherwise(shapes, others, whose):
    return [(name, f"kubectl shows {shape}, {whose} {others.get(name)}") for name, shape in shapes.items()
            if json.dumps(shape) != json.dumps(others.get(name))]


def differences(own, theirs):
    """Where the yardstick says otherwise without a case saying so, or a case says so and it does not."""
    return [(case.title, wrong) for case, verdict in own.items() if (wrong := difference(case, verdict, theirs[case]))]


def difference(case, verdict, other):
    """How the yardstick's verdict differs from what the case leads to expect, in one line; "" when it does not."""
    if other.word() != (case.karpenter or verdict.word()):
        return f"{verdict.word()} {verdict.message}, but {other.word()} by the yardstick {other.message}"
    if case.karpenter:
        return ""
    if other.stored != verdict.stored:
        return f"stored as {verdict.stored}, by the yardstick as {other.stored}"
    if any(part not in other.message for part in case.refused or []):
        return f"the yardstick says {other.message}"
    return ""


def say(text):
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
