"""Empty nodes go, as far as policies, budgets and annotations allow. Acted together: fleet.py."""

from datetime import datetime, timedelta, timezone

import things
from fleet import ALL_AT_ONCE, HOLD, RECORD, scene, when
from world import DISRUPTED, DO_NOT_DISRUPT, HOSTNAME, condition, condition_of


@scene
def test_an_empty_node_goes(fleet):
    fleet.pool(policy="WhenEmpty")
    claim = fleet.new_node("a")
    yield
    yield
    yield fleet.gone(claim)
    assert fleet.went_after(claim, []) == "Empty"
    going = fleet.versions(claim)[-1]
    assert fleet.events(fleet.versions(fleet.node_of(claim))[-1], "DisruptionTerminating") == ["Disrupting Node: Empty"]
    assert fleet.events(going, "DisruptionTerminating") == ["Disrupting NodeClaim: Empty"]
    first = next(each for each in fleet.versions(claim) if condition(each, "Consolidatable") == "True")
    waited = when(going["metadata"]["deletionTimestamp"]) - when(condition_of(first, "Consolidatable")["lastTransitionTime"])
    assert waited >= timedelta(seconds=14)      # proved for 15 s; both times are whole seconds
    command, = set(fleet.commands("a"))
    assert command in [line["command"] for line in fleet.stage.disruptor.lines("command succeeded")]


@scene
def test_its_metrics(fleet):
    pool = fleet.pool()
    claim = fleet.new_node("a")
    yield
    yield
    yield fleet.gone(claim)
    name, metrics = pool["metadata"]["name"], fleet.stage.metrics
    assert metrics("karpenter_nodeclaims_disrupted_total", reason="empty", nodepool=name) == 1
    assert metrics("karpenter_voluntary_disruption_decisions_by_nodepool_total", nodepool=name, decision="delete",
                   reason="empty", consolidation_type="empty") == 1
    assert metrics("karpenter_voluntary_disruption_decisions_total", decision="delete", reason="empty") >= 2
    assert metrics("karpenter_voluntary_disruption_decision_evaluation_duration_seconds_count") >= 2
    assert metrics("karpenter_nodepools_allowed_disruptions", nodepool=name) >= 0


@scene
def test_a_node_in_use_stays_under_when_empty_until_it_is_empty(fleet):
    fleet.pool(policy="WhenEmpty", types=("c-2x-amd64-linux", "c-1x-amd64-linux"))
    claim = fleet.new_node("a")
    yield
    fleet.put("web", on="a", cpu="100m")
    yield
    pool = fleet.name()
    yield fleet.told("a", "Unconsolidatable", f'NodePool "{pool}" has consolidation policy WhenEmpty, but node is not empty')
    yield
    fleet.stays("a")
    fleet.scale({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web", "namespace": fleet.namespace}}, 0)
    yield
    yield fleet.gone(claim)


@scene
def test_never_keeps_empty_nodes(fleet):
    pool = fleet.pool(after="Never")
    claim = fleet.new_node("a")
    yield
    yield
    yield fleet.told("a", "Unconsolidatable", f'NodePool "{fleet.name()}" has consolidation disabled')
    yield
    fleet.stays("a")
    assert not condition(fleet.claim(claim["metadata"]["name"]), "Consolidatable")
    fleet.api.patch(pool, {"spec": {"disruption": {"consolidateAfter": "0s"}}})
    yield
    yield fleet.gone(claim)


@scene
def test_consolidate_after_counts_from_the_last_pod(fleet):
    fleet.pool(after="20s")
    claim = fleet.new_node("a")
    yield
    pod = fleet.put("web", on="a", owned=False)
    yield
    fleet.api.delete(pod, grace_seconds=0)
    yield
    yield
    yield fleet.gone(claim)
    versions = fleet.versions(claim)
    quiet = when(condition_of(versions[-1], "Consolidatable")["lastTransitionTime"])
    assert quiet - when(versions[-1]["status"]["lastPodEventTime"]) >= timedelta(seconds=19)
    assert when(versions[-1]["metadata"]["deletionTimestamp"]) - quiet >= timedelta(seconds=14)


@scene
def test_a_terminating_pod_of_a_deployment_leaves_its_node_empty(fleet):
    fleet.pool(policy="WhenEmpty")
    claim = fleet.new_node("a")
    yield
    pod = fleet.put("web", on="a", finalizers=[HOLD])
    yield
    fleet.scale({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web", "namespace": fleet.namespace}}, 0)
    yield fleet.wait(lambda: "deletionTimestamp" in fleet.claim(claim["metadata"]["name"])["metadata"], "the claim is deleted")
    assert fleet.pods()     # still there
    fleet.release(pod)
    yield fleet.gone(claim)
    assert fleet.went_after(claim, []) == "Empty"


@scene
def test_a_terminating_pod_of_a_stateful_set_does_not(fleet):
    """It comes again, under its name."""
    fleet.pool(policy="WhenEmpty")
    claim = fleet.new_node("a")
    yield
    fleet.api.create(stateful_set(fleet, on=claim))
    yield fleet.running(1)
    yield
    pod, = fleet.pods()
    fleet.api.delete(pod)
    yield fleet.wait(lambda: "deletionTimestamp" in fleet.pods()[0]["metadata"], "the pod terminates")
    yield
    yield
    fleet.stays("a")


def stateful_set(fleet, on):
    """One pod, which can be on that node alone, and stays in sight when it is deleted."""
    pod = things.pod("db", fleet.namespace, "100m", {"app": "db"}, nodeSelector={HOSTNAME: on["metadata"]["name"]})
    meta = {"labels": {"app": "db"}, "finalizers": [HOLD]}
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db", "namespace": fleet.namespace},
            "spec": {"replicas": 1, "serviceName": "db", "selector": {"matchLabels": {"app": "db"}},
                     "template": {"metadata": meta, "spec": pod["spec"]}}}


# --- budgets

def blocked_by_budget(fleet, budgets):
    """An empty node of a pool with budgets that keep it, until they allow everything."""
    pool = fleet.pool(budgets=budgets)
    claim = fleet.new_node("a")
    yield
    yield
    yield fleet.event(pool, "DisruptionBlocked", "No allowed disruptions for disruption reason Empty due to blocking budget")
    yield
    fleet.stays("a")
    fleet.api.patch(pool, {"spec": {"disruption": {"budgets": ALL_AT_ONCE}}})
    yield
    yield fleet.gone(claim)


def goes_in_spite_of(fleet, budgets):
    """An empty node of a pool with budgets that do not concern it."""
    fleet.pool(budgets=budgets)
    claim = fleet.new_node("a")
    yield
    yield
    yield fleet.gone(claim)


@scene
def test_a_budget_of_no_nodes_keeps_them(fleet):
    yield from blocked_by_budget(fleet, [{"nodes": "0"}])


@scene
def test_a_budget_for_empty_nodes_keeps_them(fleet):
    yield from blocked_by_budget(fleet, [{"nodes": "100%"}, {"nodes": "0%", "reasons": ["Empty"]}])


@scene
def test_budgets_for_other_reasons_do_not(fleet):
    yield from goes_in_spite_of(fleet, [{"nodes": "0", "reasons": ["Drifted", "Underutilized"]}])


@scene
def test_a_budget_counts_while_its_schedule_is_active(fleet):
    yield from blocked_by_budget(fleet, [{"nodes": "0", "schedule": "* * * * *", "duration": "24h"}])


@scene
def test_a_budget_does_not_count_at_other_times(fleet):
    """Its minute was yesterday, or comes tomorrow."""
    other = (datetime.now(timezone.utc) + timedelta(hours=12)).strftime("%M %H * * *")
    yield from goes_in_spite_of(fleet, [{"nodes": "0", "schedule": other, "duration": "1h"}])


@scene
def test_a_share_of_the_nodes_at_a_time(fleet):
    """60 % of three are two; of the one that is left it is one."""
    fleet.pool(budgets=[{"nodes": "60%"}])
    claims = [fleet.new_node(name) for name in "abc"]
    yield
    yield
    for claim in claims:
        yield fleet.gone(claim)
    began, ended = (sorted(map(of, claims)) for of in (fleet.began, fleet.ended))
    assert began[1] < ended[0], "two go together"
    assert began[2] > ended[0], "the third one waits until one is gone"


# --- annotations

@scene
def test_do_not_disrupt_on_the_node_keeps_it(fleet):
    fleet.pool()
    claim = fleet.new_node("a")
    yield
    node = fleet.node(fleet.node_name("a"))
    fleet.api.patch(node, {"metadata": {"annotations": {DO_NOT_DISRUPT: "true"}}})
    yield
    yield fleet.told("a", "DisruptionBlocked", 'Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation')
    yield
    fleet.stays("a")
    fleet.api.patch(node, {"metadata": {"annotations": {DO_NOT_DISRUPT: None}}})
    yield
    yield fleet.gone(claim)


@scene
def test_do_not_disrupt_of_a_claim_counts_if_its_node_was_born_with_it(fleet):
    fleet.pool()
    born = fleet.new_node("born", annotations={DO_NOT_DISRUPT: "true"})
    late = fleet.new_node("late")
    yield
    fleet.api.patch(late, {"metadata": {"annotations": {DO_NOT_DISRUPT: "true"}}})
    assert fleet.node(fleet.node_name("born"))["metadata"]["annotations"][DO_NOT_DISRUPT] == "true"
    yield
    yield fleet.gone(late)
    yield
    fleet.stays("born")
    assert fleet.claim(born["metadata"]["name"])


# --- what others left

@scene
def test_a_taint_without_a_command_is_taken_off_even_under_never(fleet):
    """And its condition. As Karpenter leaves both when a cluster is taken over in the middle of a command."""
    fleet.pool(after="Never")
    claim = fleet.new_node("a")
    yield
    fleet.put("web", on="a")
    conditions = fleet.claim(claim["metadata"]["name"])["status"]["conditions"]
    left = {"type": "DisruptionReason", "status": "True", "reason": "Drifted", "message": "Drifted",
            "lastTransitionTime": conditions[0]["lastTransitionTime"]}
    fleet.api.patch(claim, {"status": {"conditions": [*conditions, left]}}, status=True)
    node = fleet.node(fleet.node_name("a"))
    fleet.api.patch(node, {"spec": {"taints": [*node["spec"].get("taints", []), DISRUPTED]}})
    yield
    yield fleet.wait(lambda: DISRUPTED not in fleet.node(fleet.node_name("a"))["spec"].get("taints", []), "the taint is off")
    yield fleet.wait(lambda: not condition(fleet.claim(claim["metadata"]["name"]), "DisruptionReason"), "the condition is off")
    yield
    fleet.stays("a")
    yield fleet.running(1)


@scene
def test_a_record_without_a_command_is_taken_off(fleet):
    fleet.pool(after="Never")
    fleet.new_node("a")
    yield
    name = fleet.node_name("a")
    record = "6a1f9c52-0000-4000-8000-000000000000/candidate/awaits-1"
    fleet.api.patch(fleet.node(name), {"metadata": {"annotations": {RECORD: record}}, "spec": {"taints": [DISRUPTED]}})
    yield
    yield fleet.wait(lambda: RECORD not in fleet.node(name)["metadata"]["annotations"], "the record is off")
    yield fleet.wait(lambda: DISRUPTED not in fleet.node(name)["spec"].get("taints", []), "the taint is off")
    yield
    fleet.stays("a")


# --- nodes that are empty for a moment only

@scene
def test_a_node_for_the_pods_of_a_node_that_goes_stays(fleet):
    """A node drains for long: its critical pod goes last, and the node that was made for it is empty until then."""
    fleet.pool()
    claim = fleet.new_node("a")
    yield
    # A minute after its grace period a pod counts as stuck, and is waited for no longer: not within this test.
    slow = fleet.put("slow", on="a", owned=False, finalizers=[HOLD], terminationGracePeriodSeconds=300)
    fleet.put("vital", on="a", cpu="1", priorityClassName="system-cluster-critical")
    yield
    fleet.api.delete(claim)
    new, = yield fleet.wait(lambda: fleet.others("a"), "a node for the pod")
    yield fleet.wait(lambda: condition(fleet.claim(new["metadata"]["name"]), "Initialized") == "True", "it is ready")
    yield fleet.looks(4)    # pods are expected on it for the first 20 s
    assert "deletionTimestamp" not in fleet.claim(new["metadata"]["name"])["metadata"], fleet.picture()
    vital, = fleet.pods(label_selector="app=vital")
    assert vital["spec"]["nodeName"] == fleet.node_name("a")
    fleet.release(slow)
    yield fleet.gone(claim)
    vital, = yield fleet.running(1)
    assert vital["spec"]["nodeName"] == fleet.claim(new["metadata"]["name"])["status"]["nodeName"]
