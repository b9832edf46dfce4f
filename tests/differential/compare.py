"""Compares tenon's plan with Karpenter's plans for one case, workload by workload.

A workload is the pods of one namespace with the same label `app`; a pod without it is a workload of its own.

Karpenter breaks ties at random, so it solves each case several times and its best run counts: the one that places the
most pods after those that the checker refuses are taken out. Where several runs are equally good, tenon has to keep up
with one of them. A violation that names a NodeClaim or node takes out all pods planned there. A plan that the checker
refuses without naming anything in it counts for nothing.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

VIOLATION = re.compile(r"^violation: (?P<kind>[^:]+):(?: (?:\w+ )?(?P<subject>[^\s:]+):)?")

# Violations in the plan's totals and lists, not in the placement of pods: they do not invalidate a placement.
BOOKKEEPING = {"missed", "requests", "price", "choice", "type-order", "coverage"}

# The outcomes of a case, in the order of the final table.
EQUAL = "equal"
MORE = "tenon places more"
REFUSED = "Karpenter places more, but is refused"
MORE_IN_ALL = "tenon places more in all, less of one workload"
TRADE = "trade: less of one workload, more of another"
FEWER = "tenon places fewer"
TENON_REFUSED = "tenon's plan is refused"
PANICKED = "Karpenter panics"
ERROR = "a program failed"
PASSING = {EQUAL, MORE, MORE_IN_ALL, REFUSED, PANICKED}
OUTCOMES = [EQUAL, MORE, MORE_IN_ALL, REFUSED, PANICKED, TRADE, FEWER, TENON_REFUSED, ERROR]


@dataclass
class Plan:
    """One plan and the checker's violations."""

    placed: set                   # "namespace/name" of every placed pod
    messages: dict                # pod that is not placed -> reason
    price: float                  # per hour, sum of the choices
    homes: dict                   # name of a NodeClaim or node -> pods planned there
    refused: dict = field(default_factory=dict)      # pod -> kind of its first violation
    whole: list = field(default_factory=list)        # kinds of violations that name nothing in the plan
    complaints: list = field(default_factory=list)   # the checker's lines

    @property
    def legal(self):
        """The placements without violations; None: the whole plan is refused."""
        return None if self.whole else self.placed - self.refused.keys()

    @property
    def accepted(self):
        return not self.complaints


@dataclass
class Verdict:
    outcome: str
    causes: list                  # one line per difference
    kinds: Counter = field(default_factory=Counter)  # why Karpenter's additional pods do not count
    prices: tuple = None          # (tenon, Karpenter) where both place everything
    karpenter_violations: Counter = field(default_factory=Counter)  # runs with a violation of this kind

    @property
    def passed(self):
        return self.outcome in PASSING


def read_plan(document):
    """Builds a Plan from the plan JSON."""
    homes = document["nodeClaims"] + document["existingNodes"]
    return Plan(
        placed={pod for home in homes for pod in home["pods"]},
        messages={entry["pod"]: entry["message"] for entry in document["unschedulable"]},
        price=document["price"]["perHour"],
        homes={home["name"]: home["pods"] for home in homes},
    )


def add_complaints(plan, checker_output):
    """Adds the checker's violations to the plan: lines `violation: <kind>: <name>: <text>`."""
    for line in checker_output.splitlines():
        if not line.startswith("violation:"):
            continue
        plan.complaints.append(line)
        match = VIOLATION.match(line)
        kind = match["kind"].strip() if match else "unreadable"
        subject = match["subject"] if match else None
        if kind in BOOKKEEPING:
            continue
        if subject in plan.placed or subject in plan.messages:
            for pod in beside(plan, subject) if kind == "affinity" else [subject]:
                plan.refused.setdefault(pod, kind)
        elif subject in plan.homes:
            for pod in plan.homes[subject]:
                plan.refused.setdefault(pod, kind)
        else:
            plan.whole.append(kind)


def beside(plan, pod):
    """The pod and the pods of its workload on the same node, whose placement may depend on it."""
    stem = pod.rpartition("-")[0]
    for pods in plan.homes.values():
        if pod in pods:
            return [other for other in pods if other.rpartition("-")[0] == stem]
    return [pod]


def workloads_of(manifests):
    """Maps each pod of a `kind: List` to its workload."""
    workloads = {}
    for item in manifests["items"]:
        if item.get("kind") != "Pod":
            continue
        meta = item["metadata"]
        namespace = meta.get("namespace") or "default"
        app = (meta.get("labels") or {}).get("app") or meta["name"]
        workloads[f"{namespace}/{meta['name']}"] = f"{namespace}/{app}"
    return workloads


def compare(tenon, runs, workloads):
    """Judges one case. `runs`: Karpenter's plans. All plans have been checked by the checker."""
    verdict = Verdict(EQUAL, [])
    for run in runs:
        verdict.karpenter_violations.update(set(run.refused.values()) | set(run.whole))
    if not tenon.accepted:
        verdict.outcome, verdict.causes = TENON_REFUSED, tenon.complaints
        return verdict

    def count(pods):
        return Counter(workloads.get(pod, pod) for pod in pods)

    mine = count(tenon.placed)
    shortfalls = best_shortfalls(mine, runs, count)
    if shortfalls is not None and not any(not short for short in shortfalls):
        best_total = max(len(run.legal) for run in runs if run.legal is not None)
        more = len(tenon.placed) - best_total
        verdict.outcome = FEWER if more < 0 else MORE_IN_ALL if more else TRADE
        verdict.causes = shortfall_causes(min(shortfalls, key=lambda short: sum(short.values())), tenon, workloads)
        return verdict
    excused = excused_kinds(mine, runs, count, workloads)
    if excused:
        verdict.outcome, verdict.kinds, verdict.causes = REFUSED, excused[0], excused[1]
    elif len(tenon.placed) > max(len(run.placed) for run in runs):
        verdict.outcome = MORE
        verdict.causes = advantage_causes(mine, runs, tenon, count, workloads)
    verdict.prices = comparable_prices(tenon, runs)
    return verdict


def best_shortfalls(mine, runs, count):
    """For each of Karpenter's best runs: workload -> number of pods that tenon places fewer. None: no run is comparable."""
    comparable = [run.legal for run in runs if run.legal is not None]
    if not comparable:
        return None
    best_total = max(map(len, comparable))
    return [count(legal) - mine for legal in comparable if len(legal) == best_total]


def shortfall_causes(shortfall, tenon, workloads):
    causes = []
    for workload, missing in sorted(shortfall.items()):
        reasons = Counter(short_message(text) for pod, text in tenon.messages.items() if workloads.get(pod) == workload)
        causes.append(f"{workload}: {missing} fewer; tenon says: {most_common(reasons)}")
    return causes


def excused_kinds(mine, runs, count, workloads):
    """The kinds of violations of pods that Karpenter alone places, if all of them are refused, and a line for each."""
    kinds, causes = Counter(), []
    for workload in sorted({w for run in runs for w in count(run.placed) - mine}):
        why = Counter()
        for run in runs:
            if count(run.placed)[workload] <= mine[workload]:
                continue
            named = {kind for pod, kind in run.refused.items() if workloads.get(pod) == workload and pod in run.placed}
            why.update(named or {f"{kind} (whole plan)" for kind in run.whole})
        if why:  # none: a tie that was broken differently in a run that is not Karpenter's best
            kinds.update(set(why))
            causes.append(f"{workload}: refused for {', '.join(sorted(why))}")
    return (kinds, causes) if causes else None


def advantage_causes(mine, runs, tenon, count, workloads):
    """The reasons for which Karpenter's fullest run leaves out pods that tenon places."""
    fullest = max(runs, key=lambda run: len(run.placed))
    causes = []
    for workload, extra in sorted((mine - count(fullest.placed)).items()):
        reasons = Counter(short_message(text) for pod, text in fullest.messages.items()
                          if workloads.get(pod) == workload and pod in tenon.placed)
        causes.append(f"{workload}: {extra} more; Karpenter says: {most_common(reasons)}")
    return causes


def comparable_prices(tenon, runs):
    """Both prices if tenon and an accepted run of Karpenter place all pods; of such runs the cheapest."""
    complete = [run.price for run in runs if run.accepted and not run.messages]
    if tenon.messages or not complete:
        return None
    return tenon.price, min(complete)


def short_message(text):
    """The part of a message that does not depend on the case: up to the first detail."""
    return re.split(r", key|, requirements=| \(|: ", text, maxsplit=1)[0][:110]


def most_common(reasons):
    return reasons.most_common(1)[0][0] if reasons else "nothing"
