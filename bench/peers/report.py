#!/usr/bin/env python3
"""Makes the report of the bench from the results of measure.py (and prices.py): a page and a picture.

    report.py RESULTS.json RESULTS.md results.svg

Of Karpenter's runs the fastest and the cheapest count, of tenon's solves the median; so a ratio here is not flattered
by noise. Needs Python's standard library only.
"""

import json
import statistics
import sys
from pathlib import Path

import plot

GIB = 2**30
MIB = 2**20


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    results = json.loads(Path(sys.argv[1]).read_text())
    if not results.get("rows"):
        print(f"{sys.argv[1]} holds no measurements; make bench-peers makes them", file=sys.stderr)
        return 2
    page, picture = Path(sys.argv[2]), Path(sys.argv[3])
    page.write_text(render_page(results, picture.name))
    picture.write_text(render_picture(results))
    return 0


# --- figures of a row -------------------------------------------------------------------------------------------------


def finished(runs):
    return [run for run in runs if "error" not in run and not run.get("timeout")]


def karpenter_seconds(row):
    return min((run["solveSeconds"] for run in finished(row.get("karpenter", []))), default=None)


def karpenter_run(row):
    """Its cheapest run of those that place most pods, or None."""
    runs = finished(row.get("karpenter", []))
    return min(runs, key=lambda run: (-run["scheduled"], run["pricePerHour"]), default=None)


def tenon_run(row, effort):
    """The solve of the rounds with the median time, or None. Plans are the same in all."""
    runs = sorted(finished(row["tenon"].get(effort, [])), key=lambda run: run["median_ms"])
    return runs[(len(runs) - 1) // 2] if runs else None


def tenon_seconds(row, effort):
    medians = [run["median_ms"] for run in finished(row["tenon"].get(effort, []))]
    return statistics.median(medians) / 1e3 if medians else None


# --- words ------------------------------------------------------------------------------------------------------------


def seconds_text(seconds):
    if seconds is None:
        return "–"
    if seconds >= 10:
        return f"{seconds:.1f} s"
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 0.01 else f"{seconds * 1e3:.2f} ms"


def times_text(slow, fast):
    if slow is None or not fast:
        return "–"
    ratio = slow / fast
    return f"{ratio:,.0f}×" if ratio >= 10 else f"{ratio:.1f}×"


def money_text(amount):
    return "–" if amount is None else f"{amount:,.2f}"


def ratio_text(amount, of):
    return "–" if amount is None or not of else f"{amount / of:.3f}"


def mib_text(count):
    return "–" if count is None else f"{count:,.0f}"


def karpenter_time_text(row, limit):
    if karpenter_seconds(row) is not None:
        return seconds_text(karpenter_seconds(row))
    return f"over {limit} s" if any(run.get("timeout") for run in row["karpenter"]) else "failed"


def table(head, rows):
    """A table of Markdown; the first two columns are texts, the others numbers."""
    marks = ["---" if number == 0 else "--:" for number in range(len(head))]
    lines = [head, marks] + rows
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


# --- the page ---------------------------------------------------------------------------------------------------------


def name_of(row):
    nodes = f", {row['existingNodes']:,} nodes" if row["existingNodes"] else ""
    return f"{row['label']}{nodes}"


def time_table(results):
    rows = []
    for row in results["rows"]:
        slow = karpenter_seconds(row)
        cells = [name_of(row), f"{row['pods']:,}", karpenter_time_text(row, results["limitSeconds"])]
        for effort in ("fast", "normal"):
            fast = tenon_seconds(row, effort)
            cells += [seconds_text(fast), times_text(slow, fast)]
        rows.append(cells)
    return table(["case", "pods", "Karpenter", "tenon, fast", "faster", "tenon, normal", "faster"], rows)


def cost_table(results):
    rows = []
    for row in results["rows"]:
        peer, fast, normal = karpenter_run(row), tenon_run(row, "fast"), tenon_run(row, "normal")
        price, floor = peer and peer["pricePerHour"], normal and normal["floor"]
        rows.append([
            name_of(row), f"{row['pods']:,}", peer["nodes"] if peer else "–", normal["nodes"] if normal else "–",
            money_text(price), money_text(fast and fast["price"]), money_text(normal and normal["price"]),
            ratio_text(normal and normal["price"], price), money_text(floor),
            ratio_text(normal and normal["price"], floor), ratio_text(price, floor),
        ])
    return table(["case", "pods", "nodes, Karpenter", "nodes, tenon", "$/h, Karpenter", "tenon, fast",
                  "tenon, normal", "tenon / Karpenter", "floor $/h", "tenon / floor", "Karpenter / floor"], rows)


def memory_table(results):
    rows = []
    for row in results["rows"]:
        peer = min((run["peakRssBytes"] for run in finished(row["karpenter"])), default=None)
        before = min((run["rssBeforeBytes"] for run in finished(row["karpenter"])), default=None)
        fast, normal = tenon_run(row, "fast"), tenon_run(row, "normal")
        rows.append([name_of(row), f"{row['pods']:,}", mib_text(before and before / MIB), mib_text(peer and peer / MIB),
                     mib_text(fast and fast["rss_before_mib"]), mib_text(fast and fast["rss_peak_mib"]),
                     mib_text(normal and normal["rss_peak_mib"])])
    return table(["case", "pods", "Karpenter before", "peak", "tenon before", "peak, fast", "peak, normal"], rows)


def effort_table(results):
    rows = []
    for row in results["rows"]:
        for effort in ("fast", "normal", "best"):
            run = tenon_run(row, effort) if "best" in row["tenon"] else None
            if run:
                rows.append([name_of(row), effort, seconds_text(run["median_ms"] / 1e3), run["nodes"],
                             money_text(run["price"]), money_text(run["floor"]),
                             ratio_text(run["price"], run["floor"])])
    return table(["case", "effort", "time", "nodes", "$/h", "floor $/h", "tenon / floor"], rows)


def alone_table(results):
    rows = []
    for row in results["alone"]:
        for effort in row["tenon"]:
            run = tenon_run(row, effort)
            if not run:
                rows.append([name_of(row), f"{row['pods']:,}", effort, row["tenon"][effort][0].get("error", "failed"),
                             *["–"] * 6])
                continue
            rows.append([name_of(row), f"{row['pods']:,}", effort, seconds_text(run["median_ms"] / 1e3),
                         f"{run['median_ms'] * 1e3 / run['pods']:.2f}", f"{run['classes']:,}", f"{run['nodes']:,}",
                         money_text(run["price"]), ratio_text(run["price"], run["floor"]),
                         f"{mib_text(run['rss_before_mib'])} / {mib_text(run['rss_peak_mib'])}"])
    return table(["case", "pods", "effort", "time", "µs per pod", "classes", "nodes", "$/h", "tenon / floor",
                  "MiB before / peak"], rows)


def fleet_text(fleet):
    """`fleet`: as measure.py records it, or None."""
    if not fleet:
        return "Not measured: `make bench-peers`.\n"
    if "error" in fleet:
        return f"Failed: {fleet['error']}\n"
    rows = [[one["fleet"], f"{one['nodes']:,}", f"{one['pods']:,}", f"{one['candidates']:,}", one["commands"],
             ms_text(one["facts_ms"]), ms_text(one["pass_ms"]), ms_text(one["changed_ms"]),
             us_text(one["whatif_us"]), us_text(one["whatif_late_us"]), mib_text(one["rss_peak_bytes"] / 1e6)]
            for one in fleet["whole"]]
    return (f"{fleet['date']}, tenon {fleet['tenon']}, load {fleet['load']} at the start. "
            "Passes of tenon's consolidation over a fleet of which every pool may lose 10 % of its nodes. *wasteful*: "
            "planned, then some of its pods gone; *settled*: after passes until nothing is found. A pass is all "
            "methods, from the objects to commands; *facts* is the part of it before the methods begin. *Changed* is "
            "the next pass, while its commands are under way, after one pod of one node has ended. A what-if is one "
            "node that would go alone, up to its replacements. Times are those of the processor.\n\n"
            + table(["fleet", "nodes", "pods", "candidates", "commands", "facts", "pass", "changed", "what-if, median",
                     "99 %", "MB, peak"], rows)
            + "\n" + candidates_text(fleet["sample"][0], fleet["karpenter"]))


def candidates_text(mine, peer):
    """What one candidate costs, on some nodes of the fleet with waste."""
    seconds = sorted(peer["seconds"])
    median, mean = statistics.median(seconds), statistics.mean(seconds)
    my_median, my_mean = mine["whatif_us"] / 1e6, mine["whatifs_ms"] / 1e3 / mine["candidates"]
    return (f"The same question to both on {mine['nodes']:,} nodes of it with {mine['pods']:,} pods: what becomes of one "
            f"node's pods. Karpenter evaluates {len(seconds)} of {peer['nodes']:,} candidates, each as its single-node "
            "consolidation does, with lists of pods and Nodes from an index, by the clock or the processor, whichever is "
            f"less; tenon all {mine['candidates']:,}. Its mean "
            "has the share of the preparation that all of them need once.\n\n"
            + table(["per candidate", "Karpenter", "tenon", "faster"],
                    [["median", seconds_text(median), us_text(mine["whatif_us"]), times_text(median, my_median)],
                     ["mean", seconds_text(mean), us_text(my_mean * 1e6), times_text(mean, my_mean)]]))


def ms_text(ms):
    return seconds_text(ms / 1e3)


def us_text(us):
    return f"{us:.1f} µs"


def prices_text(prices, generator, command):
    """`prices`: counts by policy as prices.py records them, or None."""
    if not prices:
        return f"Not measured: `{command}`.\n"
    ignored, respected = prices["Ignore"], prices["Respect"]
    rows = [[outcome, count, respected["outcomes"][outcome]] for outcome, count in ignored["outcomes"].items()]
    sums = [["$/h together where both place the same pods, tenon", *(f"{side['tenonPerHour']:,.2f}" for side in
                                                                  (ignored, respected))],
            ["Karpenter", *(f"{side['karpenterPerHour']:,.2f}" for side in (ignored, respected))]]
    if "floorPerHour" in ignored:
        sums += [["$/h of all plans that have a floor, tenon", *(f"{side['withFloorPerHour']:,.2f}" for side in
                                                                 (ignored, respected))],
                 ["tenon / floor", *(ratio_text(side["withFloorPerHour"], side["floorPerHour"]) for side in
                                     (ignored, respected))]]
    version = f"tenon {prices['tenon']}, " if "tenon" in prices else ""
    return (f"{ignored['clusters']} clusters of {generator}, seeds from {ignored['seed']}; {version}"
            f"Karpenter's cheapest of {ignored['peerRuns']} runs. With preferences respected tenon finds ways to honour "
            "what Karpenter gives up, which may cost something.\n\n"
            + table(["clusters", "preferences ignored", "respected"], rows + sums)
            + dearer_text("ignored", ignored) + dearer_text("respected", respected)
            + fewer_text("ignored", ignored) + fewer_text("respected", respected))


def dearer_text(policy, side):
    listed = "".join(f"- {case['case']}: {case['tenon']:.5f} against {case['karpenter']:.5f} $/h\n"
                     for case in side["dearer"])
    return f"\ntenon is dearer with preferences {policy} in:\n\n{listed}" if listed else ""


def fewer_text(policy, side):
    listed = "".join(f"- {case['case']}: {case['note']}\n" for case in side.get("fewer", []))
    return f"\ntenon places fewer pods with preferences {policy} in:\n\n{listed}" if listed else ""


def method_text(results):
    machine, versions = results["machine"], results["versions"]
    built_with = f"; built with {versions['builtWith']}" if versions["builtWith"] else ""
    return (
        f"{results['date']}, on {machine['cpus']} CPUs ({machine['cpu']}) with {machine['memoryGib']} GiB, Linux "
        f"{machine['kernel']}, load {machine['loadAtStart']} at the start. tenon {versions['tenon']}, Karpenter's "
        f"scheduler {versions['karpenter']}{built_with}.\n\n"
        "Both planned each case in turn, in one run, on the same input; a case is repeated up to three times while "
        "Karpenter is quick. Karpenter's time is that of its `Solve` alone, the fastest run; building its topology, "
        "its scheduler and its view of the cluster is not in it, nor is reading. It has "
        f"{results['peerWorkers']} workers, as in its own benchmark. tenon's time is the whole of `plan_solve`, "
        "classes, topology and the written plan included, the median of 10 solves (fast; 3 with normal, 1 with best) "
        "after one that does not count. *fast* is one strategy without improvement and without floor; *normal* tries "
        "all strategies, improves the plan and proves the floor. Prices are sums of each node's expected offering; "
        "Karpenter breaks ties at random, its cheapest run counts. Memory is what the process ever had; Karpenter's "
        "holds the objects of an API server, which for all cases but `diverse` came from a file, tenon's only its "
        "own objects. Karpenter is given up after "
        f"{results['limitSeconds']} s, reading included. The cases are described in docs/design/bench.md. "
        "`make bench-peers` repeats all of this.\n")


def render_page(results, picture):
    return "\n".join([
        "# Results of the bench", "",
        "Made by `make bench-peers`; do not edit. Raw figures: [results.json](results.json).", "",
        f"![time and cost against the number of pods]({picture})", "",
        "## How it was measured", "", method_text(results),
        "## Time", "", time_table(results),
        "## Cost", "", "The floor is proven: no plan that places these pods costs less (docs/design/floor.md).", "",
        cost_table(results),
        "## Cost by effort", "", effort_table(results),
        "## Memory, MiB", "", memory_table(results),
        "## tenon alone, larger", "", alone_table(results),
        "## Fleet", "", fleet_text(results.get("fleet")),
        "## Price on random clusters", "", prices_text(results.get("prices"), "the property tests' generator",
                                                       "make bench-prices"),
        "## Price on heavy random clusters", "",
        prices_text(results.get("heavyPrices"), "the same generator's heavier kind (every second workload with a spread or "
                    "an affinity, OR terms, minValues, limits that bind)", "make bench-prices HEAVY=yes"),
    ])


# --- the picture ------------------------------------------------------------------------------------------------------


def render_picture(results):
    rows = [row for row in results["rows"] + results["alone"] if row["case"] == "diverse"]
    series_of_time = [
        plot.Series("Karpenter", points(rows, karpenter_seconds), 0),
        plot.Series("tenon, normal", points(rows, lambda row: tenon_seconds(row, "normal")), 2),
        plot.Series("tenon, fast", points(rows, lambda row: tenon_seconds(row, "fast")), 1),
    ]
    series_of_cost = [
        plot.Series("Karpenter", points(rows, lambda row: per_pod(row, karpenter_run(row), "pricePerHour")), 0),
        plot.Series("tenon, fast", points(rows, lambda row: per_pod(row, tenon_run(row, "fast"), "price")), 1),
        plot.Series("tenon, normal", points(rows, lambda row: per_pod(row, tenon_run(row, "normal"), "price")), 2),
        plot.Series("floor: no plan is cheaper",
                    points(rows, lambda row: per_pod(row, tenon_run(row, "normal"), "floor")), 3, dashed=True),
    ]
    panels = [
        plot.Panel("Time to plan", "pods (Karpenter's benchmark)", "seconds of solving",
                   [series for series in series_of_time if series.points], plot.time_text),
        plot.Panel("Cost of the plan", "pods (Karpenter's benchmark)", "$ per hour and 1,000 pods",
                   [series for series in series_of_cost if series.points]),
    ]
    return plot.render([panel for panel in panels if panel.series])


def points(rows, value):
    found = [(row["pods"], value(row)) for row in rows]
    return [(pods, number) for pods, number in found if number]


def per_pod(row, run, key):
    """Per 1,000 pods; of very few pods the price of the smallest node is most of it, so they are left out."""
    if run is None or run.get(key) is None or row["pods"] < 50:
        return None
    return run[key] / row["pods"] * 1000


if __name__ == "__main__":
    sys.exit(main())
