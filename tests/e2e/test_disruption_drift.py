"""Drifted nodes are replaced, one in a look, and no pod is left without a place. Acted together: fleet.py."""

from catalogue import ZONES
from fleet import WAITS, scene, when
from world import CLAIM, DISRUPTED, DO_NOT_DISRUPT, NODE_POOL, ZONE, condition, condition_of, ending, requirement

SPREAD = {"key": "team", "value": "blue", "effect": "NoSchedule"}


def change(fleet, pool, **template):
    """Changes the template of a NodePool: its `labels`, or fields of its spec."""
    labels = template.pop("labels", None)
    fleet.api.patch(pool, {"spec": {"template": {**({"metadata": {"labels": labels}} if labels else {}), "spec": template}}})


def in_use(fleet, names="a", **pool):
    """A pool whose nodes run a pod each. Returns the pool and the claims."""
    made = fleet.pool(after="Never", types=("c-1x-amd64-linux",), **pool)
    return made, (yield from fleet.nodes_in_use(names, type="c-1x-amd64-linux"))


@scene
def test_a_new_label_replaces_the_nodes_one_at_a_time(fleet):
    pool, claims = yield from in_use(fleet, "ab", budgets=[{"nodes": "1"}])
    change(fleet, pool, labels={"team": "blue"})
    yield
    for claim in claims:
        yield fleet.gone(claim)
    yield fleet.running(2)
    new = fleet.others("a", "b")
    assert len(new) == 2 and fleet.labels("team") == {"blue": 2}
    assert {condition_of(fleet.versions(claim)[-1], "Drifted")["reason"] for claim in claims} == {"NodePoolDrifted"}
    first, second = sorted(claims, key=lambda claim: when(fleet.versions(claim)[-1]["metadata"]["deletionTimestamp"]))
    for claim in (first, second):
        assert fleet.went_after(claim, [fleet.replacement_of(claim)]) == "Drifted"
    assert fleet.began(second) > fleet.ended(first), "the budget allows one"


@scene
def test_what_is_told_of_a_replacement(fleet):
    """It is in the making until its startup taint is off, and nothing goes before."""
    pool, (claim,) = yield from in_use(fleet)
    change(fleet, pool, startupTaints=[WAITS])
    yield
    new, = yield fleet.wait(lambda: fleet.others("a"), "a replacement")
    yield fleet.event(new, "DisruptionLaunching", "Launching NodeClaim: Drifted")
    yield fleet.event(new, "DisruptionWaitingReadiness", "Waiting on readiness to continue disruption")
    now = fleet.claim(claim["metadata"]["name"])
    assert (condition_of(now, "DisruptionReason")["reason"], ending(now)) == ("Drifted", "")
    yield fleet.wait(lambda: condition(fleet.claim(new["metadata"]["name"]), "Registered") == "True", "it is registered")
    yield fleet.looks(2)
    assert not ending(fleet.claim(claim["metadata"]["name"])), "its replacement is not initialized"
    assert len(fleet.others("a")) == 1
    assert DISRUPTED in fleet.node(fleet.node_name("a"))["spec"]["taints"]
    fleet.untaint(new, WAITS)
    yield fleet.gone(claim)
    assert fleet.events(fleet.versions(claim)[-1], "DisruptionTerminating") == ["Disrupting NodeClaim: Drifted"]
    metrics = fleet.stage.metrics
    assert metrics("karpenter_nodeclaims_disrupted_total", reason="drifted", nodepool=fleet.name()) == 1
    assert metrics("karpenter_voluntary_disruption_decisions_by_nodepool_total", nodepool=fleet.name(), decision="replace",
                   reason="drifted") == 1
    assert metrics("karpenter_pods_disruption_initiated_total", nodepool=fleet.name(), reason="drifted") == 1


@scene
def test_a_new_taint_replaces_the_node(fleet):
    pool, (claim,) = yield from in_use(fleet)
    change(fleet, pool, taints=[SPREAD])
    yield
    # The pod does not tolerate it, so there is no node for it: it stays where it is.
    yield fleet.wait(lambda: condition(fleet.claim(claim["metadata"]["name"]), "Drifted") == "True", "the claim is drifted")
    yield fleet.told("a", "DisruptionBlocked", f"{fleet.namespace}/web-a =>")
    fleet.stays("a")
    change(fleet, pool, taints=[{**SPREAD, "effect": "PreferNoSchedule"}])
    yield fleet.gone(claim)
    yield fleet.running(1)
    node, = fleet.nodes()
    assert {**SPREAD, "effect": "PreferNoSchedule"} in node["spec"]["taints"]


@scene
def test_requirements_that_exclude_a_node_replace_it_and_no_other(fleet):
    """A node that cannot go does not keep the next one."""
    pool = fleet.pool(after="Never", types=("c-1x-amd64-linux",))
    stuck, goes, fits = (fleet.new_node(name, type="c-1x-amd64-linux", zone=zone)
                         for name, zone in [("stuck", ZONES[0]), ("goes", ZONES[1]), ("fits", ZONES[2])])
    yield
    fleet.put("stuck", on="stuck", nodeSelector={ZONE: ZONES[0]})
    fleet.put("goes", on="goes")
    fleet.put("fits", on="fits")
    wanted = [*pool["spec"]["template"]["spec"]["requirements"], requirement(ZONE, "In", ZONES[2])]
    change(fleet, pool, requirements=wanted)
    yield
    yield fleet.told("stuck", "DisruptionBlocked", f"{fleet.namespace}/stuck =>")
    yield fleet.gone(goes)
    fleet.stays("stuck", "fits")
    assert condition_of(fleet.claim(stuck["metadata"]["name"]), "Drifted")["reason"] == "RequirementsDrifted"
    assert not condition(fleet.claim(fits["metadata"]["name"]), "Drifted")


@scene
def test_a_static_pool_keeps_its_number(fleet):
    pool = fleet.pool(types=("c-1x-amd64-linux",), replicas=1)
    yield
    yield fleet.ready_nodes(1)
    old, = fleet.claims()
    change(fleet, pool, labels={"team": "blue"})
    yield
    yield fleet.wait(lambda: (CLAIM, old["metadata"]["name"]) in fleet.stage.history.ended, "the drifted claim is gone")
    new, = fleet.claims()
    assert new["metadata"]["labels"]["team"] == "blue"
    assert fleet.all_claims() == {each["metadata"]["name"] for each in (old, new)}
    going = next(each for each in fleet.versions(old) if "deletionTimestamp" in each["metadata"])
    assert condition_of(going, "DisruptionReason")["reason"] == "Drifted"
    assert when(condition_of(new, "Initialized")["lastTransitionTime"]) <= when(going["metadata"]["deletionTimestamp"])


@scene
def test_empty_nodes_that_drifted_go_under_never(fleet):
    pool = fleet.pool(after="Never")
    claim = fleet.new_node("a")
    yield
    change(fleet, pool, labels={"team": "blue"})
    yield
    yield fleet.gone(claim)
    assert fleet.went_after(claim, []) == "Drifted"
    assert not fleet.claims()


@scene
def test_a_pod_that_must_not_be_disrupted_keeps_a_drifted_node(fleet):
    pool, (claim,) = yield from in_use(fleet)
    pod = fleet.put("vital", on="a", cpu="100m", annotations={DO_NOT_DISRUPT: "true"})
    change(fleet, pool, labels={"team": "blue"})
    yield
    text = f'Pod has "karpenter.sh/do-not-disrupt" annotation (Pod={fleet.namespace}/vital)'
    yield fleet.told("a", "DisruptionBlocked", text)
    yield
    fleet.stays("a")
    assert condition(fleet.claim(claim["metadata"]["name"]), "Drifted") == "True"
    fleet.api.patch(fleet.pod_of(pod), {"metadata": {"annotations": {DO_NOT_DISRUPT: None}}})
    yield fleet.gone(claim)


@scene
def test_a_termination_grace_period_lets_it_go_in_the_end(fleet):
    """Drift may then start a drain that such pods keep waiting until the period ends."""
    pool, (claim,) = yield from in_use(fleet, template={"terminationGracePeriod": "5s"})
    pod = fleet.put("vital", on="a", cpu="100m", annotations={DO_NOT_DISRUPT: "true"})
    change(fleet, pool, labels={"team": "blue"})
    yield
    yield fleet.wait(lambda: ending(fleet.claim(claim["metadata"]["name"])), "the claim is deleted")
    yield fleet.event(pod, "Disrupted", "This bypasses the PDB of the pod and the do-not-disrupt annotation.")
    yield fleet.gone(claim)
    assert fleet.went_after(claim, []) == "Drifted"


@scene
def test_a_budget_of_none_for_drift_keeps_it(fleet):
    pool, (claim,) = yield from in_use(fleet, budgets=[{"nodes": "0", "reasons": ["Drifted"]}, {"nodes": "100%"}])
    change(fleet, pool, labels={"team": "blue"})
    yield
    yield fleet.event(pool, "DisruptionBlocked", "No allowed disruptions for disruption reason Drifted due to blocking budget")
    yield fleet.looks(2)
    fleet.stays("a")
    assert condition(fleet.claim(claim["metadata"]["name"]), "Drifted") == "True"
    assert fleet.claim(claim["metadata"]["name"])["metadata"]["labels"][NODE_POOL] == fleet.name()
