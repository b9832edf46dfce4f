"""What `kubectl apply` says about objects that tenon's definitions refuse: the rule's own words, and the field's path."""

import copy
import json
import subprocess

import pytest

POOL = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "refused"}, "spec": {
    "template": {"spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
                          "requirements": []}}}}
SPEC = "template.spec"

# A wrong value, its path, and the API server's message.
REFUSED = {
    "weight": ({"weight": 101}, "spec.weight", "less than or equal to 100"),
    "budget": ({"disruption": {"budgets": [{"nodes": "10%", "schedule": "@daily"}]}}, "spec.disruption",
               "'schedule' must be set with 'duration'"),
    "budget-nodes": ({"disruption": {"budgets": [{"nodes": "110%"}]}}, "spec.disruption.budgets[0].nodes", "should match"),
    "consolidate": ({"disruption": {"consolidateAfter": "soon"}}, "spec.disruption.consolidateAfter", "should match"),
    "operator": ({SPEC: {"requirements": [{"key": "example.com/kind", "operator": "Gt", "values": ["1", "2"]}]}},
                 "spec.template.spec.requirements", "must have a single positive integer value"),
    "in": ({SPEC: {"requirements": [{"key": "example.com/kind", "operator": "In", "values": []}]}},
           "spec.template.spec.requirements", "must have a value"),
    "restricted": ({SPEC: {"requirements": [{"key": "karpenter.sh/nodepool", "operator": "In", "values": ["a"]}]}},
                   "spec.template.spec.requirements", "restricted"),
    "min-values": ({SPEC: {"requirements": [{"key": "example.com/kind", "operator": "In", "values": ["a"], "minValues": 2}]}},
                   "spec.template.spec.requirements", "minValues"),
    "class-kind": ({SPEC: {"nodeClassRef": {"group": "", "kind": "KWOKNodeClass", "name": "default"}}},
                   "spec.template.spec.nodeClassRef", "group may not be empty"),
}


def kubectl(cluster, *words, text=None):
    return subprocess.run(["kubectl", *words], env=cluster.environment(), input=text, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_nodepool_is_refused_with_reasons(cluster, tenon, name):
    change, path, words = REFUSED[name]
    pool = copy.deepcopy(POOL)
    target = pool["spec"]["template"]["spec"] if SPEC in change else pool["spec"]
    target.update(change.get(SPEC, change))
    done = kubectl(cluster, "apply", "-f", "-", text=json.dumps(pool))
    assert done.returncode == 1
    assert f'The NodePool "refused" is invalid' in done.stderr
    assert path in done.stderr and words in done.stderr


def test_a_changed_nodeclaim_is_refused(cluster, world):
    world.pool()
    world.deploy("web", 1)
    world.running(1)
    claim, = world.claims()
    done = kubectl(cluster, "patch", "nodeclaim", claim["metadata"]["name"], "--type=merge",
                   "-p", json.dumps({"spec": {"expireAfter": "1h"}}))
    assert done.returncode == 1 and "immutable" in done.stderr


def test_an_unknown_field_is_named(cluster, tenon):
    pool = copy.deepcopy(POOL)
    pool["spec"]["wieght"] = 3
    done = kubectl(cluster, "apply", "-f", "-", text=json.dumps(pool))
    assert done.returncode == 1 and 'unknown field "spec.wieght"' in done.stderr


def test_what_is_right_is_taken_by_kubectl_too(cluster, world):
    pool = copy.deepcopy(POOL)
    pool["metadata"]["name"] = world.name("applied")
    done = kubectl(cluster, "apply", "-f", "-", text=json.dumps(pool))
    assert done.stdout == f"nodepool.karpenter.sh/{world.name('applied')} created\n"
    assert kubectl(cluster, "apply", "-f", "-", text=json.dumps(pool)).stdout.endswith("unchanged\n")
    kubectl(cluster, "delete", "nodepool", world.name("applied"))
