#!/usr/bin/env python3
"""bench/RESULTS-AWS.md from bench/aws/results.json: what was asked, and what was measured."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INTRODUCTION = """# tenon on AWS: what was measured

Made by `bench/aws/report.py` from `bench/aws/results.json`; how it is measured: [bench/aws/README.md](aws/README.md).
"""


def main():
    results = json.loads((ROOT / "bench/aws/results.json").read_text(encoding="utf-8"))
    text = INTRODUCTION
    for name, (title, rows) in TABLES.items():
        if name in results:
            text += section(title, rows(results[name]), results[name])
    (ROOT / "bench/RESULTS-AWS.md").write_text(text, encoding="utf-8")


def section(title, rows, one):
    lines = ["", f"## {title}", "",
             f"{one['date']} UTC, commit {one['commit']}, {one['processors']} processors, load {one['load']} from other work and this", "",
             "| | measured | asked |", "|---|---:|---:|"]
    return "\n".join(lines + [f"| {what} | {measured} | {asked} |" for what, measured, asked in rows]) + "\n"


def listed(values):
    return ", ".join(str(value) for value in values)


def burst(one):
    lone = one["lone request after its intent, ms"]
    return [("NodeClaims at once, rounds", f"{one['claims']}, {one['rounds']}", ""),
            ("instances", listed(one["instances"]), "1000"), ("fleets", listed(one["fleets"]), "≤ 12"),
            ("calls of AWS in all", listed(one["calls"]), ""), ("refused by EC2's default limits", listed(one["refused"]), "0"),
            ("last fleet asked for, ms after the first intent", listed(one["last request after the first intent, ms"]), "≤ 1100"),
            ("a lone claim's fleet, ms after its intent: median, most", f"{lone['median']}, {lone['most']}", "≤ 60"),
            ("30 % refused: instances", listed(one["30 % refused: instances"]), "1000"),
            ("30 % refused: calls", listed(one["30 % refused: calls"]), ""),
            ("30 % refused: of them refused", listed(one["30 % refused: of them refused"]), ""),
            ("calls, where exactly 30 % are refused, as a multiple", one["calls with 30 % refused, as a multiple"], "≤ 1.5")]


def turns(one):
    return [("NodeClaims, rounds", f"{one['claims']}, {one['rounds']}", ""),
            ("a refresh, s", listed(one["seconds of a refresh"]), ""),
            ("longest turn meanwhile, ms of processor", listed(one["longest turn, ms of processor"]), "≤ 10"),
            ("the same by the clock, ms", listed(one["longest turn, ms"]), ""),
            ("longest turn without a refresh, ms of processor", listed(one["without a refresh, ms of processor"]), ""),
            ("the same by the clock, ms", listed(one["without a refresh, ms"]), "")]


def scale(one):
    return [("instances, NodeClaims, Nodes", f"{one['instances alive']}, {one['claims']}, {one['nodes']}", "5000"),
            ("types, zones", f"{one['types']}, {one['zones']}", "1395, 6"),
            ("seconds from its start until it rests", one["seconds until it rests"], ""),
            ("resident at rest, MB", one["resident, MB"], "≤ 150"),
            ("resident at most since the start, MB", one["resident at most since its start, MB"], ""),
            (f"cores at rest, over {one['idle seconds']} s", one["cores"], "< 0.01"),
            (f"while kubelets report, {one['reports of kubelets']} times in as long: resident, MB; cores",
             f"{one['with reports']['resident, MB']}; {one['with reports']['cores']}", "")]


def soak(one):
    memory, kinds = one["memory of the last life, MB"], one["messages by kind"]
    return [("minutes, nodes, kills", f"{one['minutes']:g}, {one['nodes']}, {one['kills']}", "15, , 2"),
            ("messages sent; received and deleted; left", f"{one['messages']}; {one['messages deleted']}; {one['messages left']}",
             "10,000; all; 0"),
            ("by kind", "; ".join(f"{kind}: {count}" for kind, count in kinds.items()), ""),
            ("instances interrupted; their NodeClaims deleted once, more often",
             f"{kinds['interruption of ours']}; {one['interrupted claims deleted once']}, {one['interrupted claims deleted more often']}",
             "all once"),
            ("NodeClaims made, instances launched", f"{one['claims made']}, {one['instances launched']}", "equal"),
            ("longest without owner, s", one["longest without owner, s"], "≤ 180"),
            ("credentials asked for, each for a minute", one["credentials asked for"], ""),
            ("errors of AWS", "; ".join(f"{what}: {count}" for what, count in one["errors of AWS"].items()) or "none", ""),
            ("resident in the last life, MB: least, most", f"{memory['least']}, {memory['most']}", ""),
            ("growth of its mean from the first half to the second, MB", memory["growth"], "± 1"),
            ("descriptors (connections are kept for a while): least, most; growth of their mean",
             f"{one['descriptors']['least']}, {one['descriptors']['most']}; "
             f"{one['descriptors']['growth']}", "constant"),
            ("threads: least, most", f"{one['threads']['least']}, {one['threads']['most']}", ""),
            ("secrets in the log at level debug", one["secrets in the log"], "0")]


TABLES = {"burst": ("A burst", burst), "turns": ("Turns while types and prices are asked for", turns),
          "scale": ("5,000 instances at rest", scale), "soak": ("The soak", soak)}

if __name__ == "__main__":
    main()
