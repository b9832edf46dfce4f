"""Nodes that are not worth their price go: pods move to other nodes or to cheaper new ones. Acted together: fleet.py."""

import things
from fleet import STARTED, WAITS, scene
from world import DISRUPTED, DO_NOT_DISRUPT, HOSTNAME, LABEL, TYPE, condition, ending

SMALL, MIDDLE, LARGE = "c-1x-amd64-linux", "c-2x-amd64-linux", "c-8x-amd64-linux"


# --- what goes

@scene
def test_two_half_empty_nodes_become_one(fleet):
    fleet.pool()
    claims = yield from fleet.nodes_in_use("ab")
    yield
    gone = yield from fleet.one_of_two_goes(claims)
    assert fleet.went_after(gone, []) == "Underutilized"
    kept, = fleet.claims()
    assert {pod["spec"]["nodeName"] for pod in fleet.pods()} == {kept["status"]["nodeName"]}
    metrics = fleet.stage.metrics
    assert metrics("karpenter_nodeclaims_disrupted_total", reason="underutilized", nodepool=fleet.name()) == 1
    assert metrics("karpenter_voluntary_disruption_decisions_by_nodepool_total", nodepool=fleet.name(), decision="delete",
                   reason="underutilized", consolidation_type="single") == 1


@scene
def test_a_large_node_becomes_a_small_one(fleet):
    fleet.pool(types=(SMALL, LARGE))
    claim = fleet.new_node("a", type=LARGE)
    yield
    fleet.put("web", on="a")
    yield
    yield fleet.told("a", "ConsolidationCandidate", "Consolidation candidate: Underutilized/")
    yield fleet.gone(claim)
    new, = fleet.claims()
    assert new["metadata"]["labels"][TYPE] == SMALL
    types, = (each["values"] for each in new["spec"]["requirements"] if each["key"] == TYPE)
    assert types == [SMALL], "the old type is none of those that it may become"
    assert fleet.went_after(claim, [new]) == "Underutilized"
    assert fleet.stage.metrics("karpenter_voluntary_disruption_decisions_by_nodepool_total", nodepool=fleet.name(),
                               decision="replace", reason="underutilized", consolidation_type="single") == 1
    assert fleet.events(fleet.versions(claim)[-1], "DisruptionTerminating") == ["Disrupting NodeClaim: Underutilized"]
    yield fleet.running(1)


@scene
def test_two_large_nodes_become_a_small_one(fleet):
    fleet.pool(types=(MIDDLE, LARGE))
    claims = yield from fleet.nodes_in_use("ab", type=LARGE)
    yield
    for claim in claims:
        yield fleet.gone(claim)
    yield fleet.running(2)
    assert fleet.labels(TYPE) == {MIDDLE: 1}


@scene
def test_many_large_nodes_become_fewer_small_ones(fleet):
    """Two of the pods must not share a node."""
    fleet.pool(types=(MIDDLE, LARGE))
    claims = [fleet.new_node(name, type=LARGE) for name in "abcd"]
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": HOSTNAME, "labelSelector": {"matchExpressions": [
            {"key": "app", "operator": "In", "values": ["db-a", "db-b"]}]}}]}}
    yield
    fleet.put("db-a", on="a", affinity=apart)
    fleet.put("db-b", on="b", affinity=apart)
    fleet.put("web-c", on="c")
    fleet.put("web-d", on="d")
    yield
    for claim in claims:
        yield fleet.gone(claim)
    yield fleet.running(4)
    assert fleet.labels(TYPE) == {MIDDLE: 2}
    first, second = (fleet.pods(label_selector=f"app={app}")[0]["spec"]["nodeName"] for app in ("db-a", "db-b"))
    assert first != second


@scene
def test_a_node_that_is_worth_its_price_stays(fleet):
    fleet.pool(types=(SMALL, LARGE))
    fleet.new_node("a", type=SMALL)
    yield
    fleet.put("web", on="a")
    yield
    yield fleet.told("a", "Unconsolidatable", "")
    yield
    fleet.stays("a")


@scene
def test_nodes_of_others_are_room(fleet):
    """A Node without a NodeClaim takes pods, and nobody touches it."""
    fleet.pool()
    claim = fleet.new_node("a")
    yield
    room = {"cpu": "2", "memory": "4Gi", "pods": "10"}
    other = fleet.create({"apiVersion": "v1", "kind": "Node", "metadata": {
        "name": fleet.name("foreign"), "labels": {LABEL: fleet.namespace, HOSTNAME: fleet.name("foreign")}},
        "status": {"capacity": room, "allocatable": room}})
    yield fleet.wait(lambda: is_free(fleet.node(other["metadata"]["name"])), "the node is ready")
    fleet.put("web", on="a")
    yield
    yield fleet.gone(claim)
    pod, = yield fleet.running(1)
    assert pod["spec"]["nodeName"] == other["metadata"]["name"]
    assert not fleet.claims()
    assert DISRUPTED not in fleet.node(other["metadata"]["name"])["spec"].get("taints", [])


def is_free(node):
    return condition(node, "Ready") == "True" and not node["spec"].get("taints")


@scene
def test_a_pod_without_an_owner_is_evicted(fleet):
    fleet.pool()
    claim = fleet.new_node("a")
    fleet.new_node("b")
    yield
    bare = fleet.put("bare", on="a", owned=False)
    keep(fleet, "b")
    yield
    yield fleet.event(bare, "Evicted", "Evicted pod: Underutilized")
    yield fleet.gone(claim)
    assert [pod["metadata"]["labels"]["app"] for pod in fleet.pods()] == ["kept-b"]


def keep(fleet, name, cpu="100m"):
    """A pod that keeps its node."""
    return fleet.put(f"kept-{name}", on=name, cpu=cpu, annotations={DO_NOT_DISRUPT: "true"})


# --- what keeps nodes

@scene
def test_a_budget_of_pods_keeps_a_node_until_it_is_gone(fleet):
    fleet.pool()
    claim = fleet.new_node("a")
    fleet.new_node("b")
    yield
    fleet.put("web", on="a")
    budget = fleet.guard("web")
    keep(fleet, "b")
    yield
    yield fleet.told("a", "DisruptionBlocked", f"Pdb prevents pod evictions (PodDisruptionBudget=[{fleet.namespace}/web])")
    yield
    fleet.stays("a", "b")
    fleet.api.delete(budget)
    yield fleet.gone(claim)
    yield fleet.running(2)


@scene
def test_so_does_one_of_a_daemon(fleet):
    fleet.pool()
    claim = fleet.new_node("a")
    fleet.new_node("b")
    yield
    fleet.put("web", on="a")
    keep(fleet, "b")
    pod = things.pod_spec("50m", **fleet.placed({}))
    fleet.api.create({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent", "namespace": fleet.namespace},
                      "spec": {"selector": {"matchLabels": {"app": "agent"}},
                               "template": {"metadata": {"labels": {"app": "agent"}}, "spec": pod}}})
    yield fleet.wait(lambda: len(fleet.pods(label_selector="app=agent")) == 2, "the daemon's pods")
    budget = fleet.guard("agent", 2)
    yield
    yield fleet.told("a", "DisruptionBlocked", f"Pdb prevents pod evictions (PodDisruptionBudget=[{fleet.namespace}/agent])")
    yield
    fleet.stays("a", "b")
    fleet.api.delete(budget)
    yield fleet.gone(claim)


def unready(fleet, **budget):
    """A node with a pod that is not ready, and its budget; and a node that has room."""
    fleet.pool()
    claim = fleet.new_node("a")
    fleet.new_node("b")
    yield
    pod = fleet.put("web", on="a")
    keep(fleet, "b")
    yield fleet.running(2)
    fleet.api.patch(pod, {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}, status=True)
    fleet.guard("web", 1, **budget)
    yield fleet.wait(lambda: healthy(fleet) == (1, 0), "the pod is expected, and counts as not healthy")
    yield
    return claim


def healthy(fleet):
    """How many pods the budget expects, and how many of them are healthy."""
    status = fleet.api.get("policy/v1", "PodDisruptionBudget", "web", fleet.namespace).get("status", {})
    return status.get("expectedPods"), status.get("currentHealthy")


@scene
def test_a_budget_that_always_lets_unhealthy_pods_go_lets_their_node_go(fleet):
    claim = yield from unready(fleet, unhealthyPodEvictionPolicy="AlwaysAllow")
    yield fleet.gone(claim)
    assert fleet.went_after(claim, []) == "Underutilized"


@scene
def test_another_one_does_not(fleet):
    yield from unready(fleet)
    yield fleet.told("a", "DisruptionBlocked", f"Pdb prevents pod evictions (PodDisruptionBudget=[{fleet.namespace}/web])")
    yield
    fleet.stays("a")


@scene
def test_a_pod_that_must_not_be_disrupted_keeps_its_node_until_it_may(fleet):
    """The longest of several durations counts; a termination grace period does not matter to consolidation."""
    fleet.pool(template={"terminationGracePeriod": "1h"})
    claim = fleet.new_node("a")
    fleet.new_node("b")
    yield
    fleet.put("short", on="a", cpu="100m", annotations={DO_NOT_DISRUPT: "1s"})
    long = fleet.put("long", on="a", cpu="100m", annotations={DO_NOT_DISRUPT: "1h"})
    keep(fleet, "b")
    yield
    yield fleet.told("a", "DisruptionBlocked", f'Pod has "karpenter.sh/do-not-disrupt" annotation (Pod={fleet.namespace}/long)')
    yield
    fleet.stays("a", "b")
    fleet.api.patch(fleet.pod_of(long), {"metadata": {"annotations": {DO_NOT_DISRUPT: "1s"}}})
    yield fleet.gone(claim)


@scene
def test_a_duration_that_cannot_be_read_keeps_nothing(fleet):
    fleet.pool()
    claim = fleet.new_node("a")
    fleet.new_node("b")
    yield
    pod = fleet.put("web", on="a", annotations={DO_NOT_DISRUPT: "for a while"})
    keep(fleet, "b")
    yield
    yield fleet.event(pod, "InvalidDoNotDisruptAnnotation", "Invalid karpenter.sh/do-not-disrupt annotation")
    yield fleet.gone(claim)


# --- while a replacement is on its way

def being_replaced(fleet):
    """A large node whose small replacement is registered and has its startup taint still. Returns both claims."""
    fleet.pool(types=(SMALL, LARGE), template={"startupTaints": [WAITS]})
    claim = fleet.new_node("a", type=LARGE)
    yield
    fleet.put("web", on="a")
    yield
    new, = yield fleet.wait(lambda: fleet.others("a"), "a replacement")
    yield fleet.wait(lambda: condition(fleet.claim(new["metadata"]["name"]), "Registered") == "True", "it is registered")
    return claim, new


@scene
def test_pods_that_come_meanwhile_start_no_further_node(fleet):
    claim, new = yield from being_replaced(fleet)
    fleet.pod("late", cpu="200m")
    yield fleet.looks(2)
    assert not ending(fleet.claim(claim["metadata"]["name"]))
    fleet.untaint(new, WAITS)
    yield fleet.gone(claim)
    yield fleet.running(2)
    assert fleet.all_claims() == {each["metadata"]["name"] for each in (claim, new)}


@scene
def test_a_command_whose_replacement_fails_is_taken_back(fleet):
    claim, new = yield from being_replaced(fleet)
    pod, = fleet.pods()
    failures = "karpenter_voluntary_disruption_queue_failures_total"
    before = fleet.stage.metrics(failures, decision="replace", reason="underutilized")
    fleet.api.delete(new)
    yield fleet.wait(lambda: fleet.is_as_before(claim), "taint, record and condition are off")
    assert fleet.stage.metrics(failures, decision="replace", reason="underutilized") > before
    assert fleet.pods()[0]["metadata"]["uid"] == pod["metadata"]["uid"]
    # A later look finds it again.
    again, = yield fleet.wait(lambda: [each for each in fleet.others("a") if each["metadata"]["name"] != new["metadata"]["name"]],
                              "another replacement")
    yield fleet.wait(lambda: condition(fleet.claim(again["metadata"]["name"]), "Registered") == "True", "it is registered")
    fleet.untaint(again, WAITS)
    yield fleet.gone(claim)
    assert len([line for line in fleet.stage.disruptor.lines(STARTED) if fleet.name() in line["command"]]) == 2
