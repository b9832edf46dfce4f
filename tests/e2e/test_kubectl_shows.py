"""Output of kubectl for users: columns, explanations, events."""

import subprocess

from faults import small_nodes
from world import CAPACITY_TYPE, DO_NOT_DISRUPT, TYPE, ZONE


def kubectl(cluster, *words):
    return subprocess.run(["kubectl", *words], env=cluster.environment(), stdout=subprocess.PIPE, text=True, check=True).stdout


def table(cluster, *words):
    """The first row of the output of `kubectl get`, by column. Each column begins below its header."""
    header, row = kubectl(cluster, "get", *words).splitlines()
    names = header.split()
    starts = [header.index(name) for name in names] + [None]
    return {name: row[starts[number]:starts[number + 1]].strip() for number, name in enumerate(names)}


def settle(world):
    world.pool(requirements=[small_nodes()], weight=7)
    world.deploy("web", 1, cpu="600m")
    world.running(1)
    world.ready_nodes(1)
    claim, = world.claims()
    return claim


def test_columns_of_nodepools(cluster, world):
    settle(world)
    world.wait(lambda: (world.pool_now()["status"].get("nodes") == 1), "the NodePool counts its node")
    name = world.pool_now()["metadata"]["name"]
    short = table(cluster, "nodepools", name)
    assert list(short) == ["NAME", "NODECLASS", "NODES", "READY", "AGE"]
    wide = table(cluster, "nodepools", name, "-o", "wide")
    assert list(wide) == ["NAME", "NODECLASS", "NODES", "READY", "AGE", "WEIGHT", "CPU", "MEMORY"]
    status = world.pool_now()["status"]["resources"]
    assert {key: wide[key] for key in wide if key != "AGE"} == {
        "NAME": name, "NODECLASS": "default", "NODES": "1", "READY": "True", "WEIGHT": "7", "CPU": status["cpu"],
        "MEMORY": status["memory"]}


def test_columns_of_nodeclaims(cluster, world):
    claim = settle(world)
    name = claim["metadata"]["name"]
    labels = claim["metadata"]["labels"]
    seen = table(cluster, "nodeclaims", name, "-o", "wide")
    assert list(seen) == ["NAME", "TYPE", "CAPACITY", "ZONE", "NODE", "READY", "AGE", "IMAGEID", "ID", "NODEPOOL", "NODECLASS",
                          "DRIFTED"]
    claim = world.claim(name)
    assert {key: seen[key] for key in seen if key != "AGE"} == {
        "NAME": name, "TYPE": labels[TYPE], "CAPACITY": labels[CAPACITY_TYPE], "ZONE": labels[ZONE],
        "NODE": claim["status"]["nodeName"], "READY": "True", "IMAGEID": "", "ID": claim["status"]["providerID"],
        "NODEPOOL": world.name(), "NODECLASS": "default", "DRIFTED": ""}


def test_explain_knows_requirements(cluster, tenon):
    text = kubectl(cluster, "explain", "nodepool.spec.template.spec.requirements")
    for word in ("KIND:       NodePool", "VERSION:    v1", "FIELD: requirements", "key\t<string> -required-", "minValues\t<integer>",
                 "operator\t<string> -required-", "values\t<[]string>"):
        assert word in text
    assert len(text.partition("DESCRIPTION:")[2].split("FIELDS:")[0].split()) > 5      # in words


def test_short_names_and_categories(cluster, world):
    claim = settle(world)
    assert claim["metadata"]["name"] in kubectl(cluster, "get", "karpenter")
    resources = kubectl(cluster, "api-resources", "--api-group=karpenter.sh")
    assert {line.split()[0] for line in resources.splitlines()[1:]} == {"nodepools", "nodeclaims", "nodeoverlays"}


def test_describe_shows_what_happens_to_a_claim(cluster, world):
    world.pool(requirements=[small_nodes()], template={"terminationGracePeriod": "1h"})
    pod = world.pod("staying", cpu="600m")
    world.running(1)
    world.api.patch(pod, {"metadata": {"annotations": {DO_NOT_DISRUPT: "true"}}})
    claim, = world.claims()
    world.api.delete(claim)

    def described():
        return "TerminationGracePeriodExpiring" in kubectl(cluster, "describe", "nodeclaim", claim["metadata"]["name"])

    world.wait(described, "describe shows the claim's events")
    row = next(line for line in kubectl(cluster, "describe", "nodeclaim", claim["metadata"]["name"]).splitlines()
               if "TerminationGracePeriodExpiring" in line)
    assert row.split()[0] == "Warning" and "karpenter" in row and "All pods will be deleted by" in row


def test_describe_shows_how_a_claim_became_ready(cluster, world):
    world.pool(requirements=[small_nodes()])
    world.pod("any", cpu="600m")
    world.running(1)
    world.ready_nodes(1)
    claim, = world.claims()

    def described():
        return "Type: Ready, Status: Unknown -> True" in kubectl(cluster, "describe", "nodeclaim", claim["metadata"]["name"])

    world.wait(described, "describe shows that the claim became ready")
    text = kubectl(cluster, "describe", "nodeclaim", claim["metadata"]["name"])
    for condition in ("Launched", "Registered", "Initialized", "Ready"):
        assert f"Status condition transitioned, Type: {condition}, Status: Unknown -> True, Reason: {condition}" in text


def test_describe_shows_where_a_pod_is_to_go(cluster, world):
    claim = settle(world)
    pod, = world.pods()
    text = kubectl(cluster, "describe", "pod", pod["metadata"]["name"], "-n", world.namespace)
    assert f"Pod should schedule on: nodeclaim/{claim['metadata']['name']}" in text


def test_describe_shows_why_a_pod_stays(cluster, world):
    world.pool(requirements=[small_nodes()])
    pod = world.pod("huge", cpu="900")
    world.event(pod, "FailedScheduling", "")
    text = kubectl(cluster, "describe", "pod", "huge", "-n", world.namespace)
    assert "Failed to schedule pod" in text and "karpenter" in text
