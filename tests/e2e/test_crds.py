"""The definitions that `tenon crds` prints, on a real API server: what they accept, refuse, fill in and show.

The cases are in crds/cases. crds/yardstick.py compares Karpenter's own definitions by the same cases, crds/mutations.py
removes the rules one by one and checks that a case fails; both are run by hand.
"""

import copy
import json
import os
import subprocess

import pytest

from bed.api import wait_for
from bed.cluster import Cluster
from conftest import WORK
from crds import cases, definitions, verdicts
from crds.server import Server, objects_path
from test_conformance import newest

CASES = cases.load()
DEFINITIONS = definitions.read()
SHAPES = cases.load_shapes()
ROWS = cases.load_rows()
OLD_CASES = int(os.environ.get("OLD_CASES", "60"))      # of random objects of 2023


@pytest.fixture(scope="module")
def cluster():
    with Cluster(WORK / "crds", ("etcd", "kube-apiserver")) as running:
        yield running


@pytest.fixture(scope="module")
def server(cluster):
    server = Server(cluster.layout.kubeconfig)
    server.install(DEFINITIONS)
    return server


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_verdict(server, case):
    complaint = verdicts.complaint(case, verdicts.try_case(server, DEFINITIONS[case.definition], case))
    assert not complaint


@pytest.mark.parametrize("name", SHAPES)
def test_shape(server, name):
    assert server.shape(DEFINITIONS[name]) == SHAPES[name]


@pytest.mark.parametrize("name", ROWS)
def test_columns(server, name):
    thing, status, cells = ROWS[name]
    row = server.row(DEFINITIONS[name], thing, status)
    row.pop("Age", None)
    assert row == cells


@pytest.mark.parametrize("name", DEFINITIONS)
def test_explained(cluster, server, name):
    """`kubectl explain` knows each field."""
    names = {part.replace("[]", "") for path, _ in definitions.walk(DEFINITIONS[name]) for part in path.split(".") if part}
    told = wait_for(lambda: explain(cluster, name), what=f"the API server's description of {name}")
    assert not [field for field in names - {"metadata"} if f"{field}\t<" not in told]


def explain(cluster, name):
    done = subprocess.run(["kubectl", "explain", "--recursive", name], capture_output=True, text=True, check=False,
                          env=cluster.environment())
    return done.stdout if done.returncode == 0 else ""


def test_static_pools_are_scaled_as_workloads_are(cluster, server):
    pool = copy.deepcopy(server.bases["nodepools.karpenter.sh"])
    pool["spec"]["replicas"] = 1
    server.create(DEFINITIONS["nodepools.karpenter.sh"], pool)
    subprocess.run(["kubectl", "scale", "nodepool/pool", "--replicas=5"], check=True, env=cluster.environment())
    assert server.take(DEFINITIONS["nodepools.karpenter.sh"], pool)["spec"]["replicas"] == 5


def test_converted_objects_are_accepted(server):
    """`make old-objects` has 5,000 cases. Random Provisioners and AWSNodeTemplates that the webhook took: as v1 they are valid to the API server, too."""
    program = newest("property/property_legacy")
    lists = json.loads(subprocess.run([program, "--seed", "20001", "--print", str(OLD_CASES)], stdout=subprocess.PIPE, check=True).stdout)
    definition = {"NodePool": DEFINITIONS["nodepools.karpenter.sh"], "EC2NodeClass": DEFINITIONS["ec2nodeclasses.karpenter.k8s.aws"]}
    things = [thing for converted in lists for thing in converted["items"]]
    assert len(things) > 2 * OLD_CASES
    for thing in things:
        code, reply = server.write("POST", objects_path(definition[thing["kind"]]), thing, dryRun="All")
        assert code == 201, (thing, reply.get("message"))


def test_every_definition_has_cases():
    assert {case.definition for case in CASES} == DEFINITIONS.keys() == SHAPES.keys()


def test_hand_over(cluster, server):
    """The command that `tenon crds --help` names replaces definitions that helm installed, and helm replaces them again.
    Objects do not change, even if they are written in between."""
    theirs = {name: by_another_hand(definition) for name, definition in DEFINITIONS.items()}
    server.install(theirs, manager="helm")
    objects = {name: server.create(DEFINITIONS[name], base) for name, base in server.bases.items()}
    for now, words in ((DEFINITIONS, ()), (theirs, ("--field-manager=helm",))):
        apply(cluster, now, *words)
        for name, definition in now.items():
            found = server.definition(name)
            assert definitions.schema(found) == definitions.schema(definition)
            assert found["status"]["storedVersions"] == [definition["spec"]["versions"][0]["name"]]
        for name, before in objects.items():
            after = server.rewrite(DEFINITIONS[name], before)
            assert after.get("spec") == before.get("spec")
            assert after["metadata"]["uid"] == before["metadata"]["uid"]


def by_another_hand(definition):
    """The definition as another project may have it: with other texts, and a rule, a field and a column that ours lacks."""
    other = copy.deepcopy(definition)
    version, schema = other["spec"]["versions"][0], definitions.schema(other)
    for _, node in definitions.walk(other):
        if "description" in node:
            node["description"] = "Something else."
    schema["properties"]["theirs"] = {"type": "string"}
    schema["x-kubernetes-validations"] = [{"rule": "true", "message": "not ours"}]
    version.setdefault("additionalPrinterColumns", []).append({"name": "Theirs", "type": "string", "jsonPath": ".theirs"})
    return other


def apply(cluster, definitions_of, *words):
    subprocess.run(["kubectl", "apply", "--server-side", "--force-conflicts", *words, "-f", "-"], check=True,
                   input=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(definitions_of.values())}),
                   text=True, env=cluster.environment())
