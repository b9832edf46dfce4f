"""The table of what bench.py measured."""

from collections import Counter

PARTS = ["kube-apiserver", "etcd", "kube-scheduler", "kube-controller-manager", "kwok"]


def table(results):
    """Markdown; one column for each run."""
    rows = [("", [result["side"] for result in results]), ("---", ["---:"] * len(results))]
    rows += [("pods", [f"{result['pods']:,}" for result in results]),
             ("until all ran, s", [f"{result['seconds']:.0f}" for result in results]),
             ("nodes", [f"{result['nodes']:,}" for result in results]),
             ("price, $/h", [f"{result['price']:.2f}" for result in results]),
             ("autoscaler: processor, s", [f"{result['cpu_seconds'][result['side']]:.1f}" for result in results]),
             ("autoscaler: resident at most, MB", [f"{result['peak_mb']:.0f}" for result in results]),
             ("first pod to first NodeClaim, s", [f"{result['first_claim_seconds']:.2f}" for result in results])]
    rows += second_half(results) if "shrunk" in results[0] else []
    rows += [(f"{part}: processor, s", [f"{result['cpu_seconds'][part]:.0f}" for result in results]) for part in PARTS]
    rows += call_rows(results)
    return "\n".join(f"| {' | '.join([name, *cells])} |" for name, cells in rows)


def second_half(results):
    def row(name, part, field, shape):
        return name, [f"{result[part][field]:{shape}}" for result in results]
    return [row("5 minutes after the burst: nodes", "after_burst", "nodes", ","),
            row("5 minutes after the burst: price, $/h", "after_burst", "price", ".2f"),
            row("60 % of the pods gone: until no node comes or goes, s", "shrunk", "seconds", ".0f"),
            row("60 % gone: autoscaler: processor, s", "shrunk", "cpu_seconds", ".1f"),
            row("60 % gone: nodes", "shrunk", "nodes", ","),
            row("60 % gone: price, $/h", "shrunk", "price", ".2f"),
            row("60 % gone: the floor, $/h", "shrunk", "floor", ".2f"),
            row("60 % gone: evictions", "shrunk", "evictions", ","),
            row("12 minutes of rest: evictions", "rest", "evictions", ","),
            row("12 minutes of rest: nodes that came or went", "rest", "nodes_changed", ","),
            row("12 minutes of rest: cores", "rest", "cores", ".4f")]


def idle_table(results):
    """Markdown: what one minute takes."""
    rows = [("", [result["side"] for result in results]), ("---", ["---:"] * len(results))]
    rows += [("nodes, pods", [f"{result['nodes']:,}, {result['pods']:,}" for result in results]),
             ("cores", [f"{result['cores']:.4f}" for result in results]),
             ("resident, MB (at most)", [f"{result['resident_mb']:.0f} ({result['peak_mb']:.0f})" for result in results])]
    rows += call_rows([{**result, "calls": [[verb, what, count * 60 / result["seconds"]] for verb, what, count in result["calls"]]}
                       for result in results], "API calls a minute", ".1f")
    return "\n".join(f"| {' | '.join([name, *cells])} |" for name, cells in rows)


def call_rows(results, title="API calls", shape=","):
    counts = [Counter({(what, verb): count for verb, what, count in result["calls"]}) for result in results]
    names = sorted(set().union(*counts), key=lambda name: (name[0], name[1]))
    rows = [(title, [f"{sum(count.values()):{shape}}" for count in counts])]
    return rows + [(f"{verb} {what}", [f"{count[what, verb]:{shape}}" for count in counts]) for what, verb in names]
