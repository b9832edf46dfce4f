"""Compares other definitions of the same kinds with tenon's, by the same cases.

    CRDS_YARDSTICK=DIR tests/e2e/run.sh tests/e2e/crds/yardstick.py

DIR holds definitions as *.yaml, such as `pkg/apis/crds` of Karpenter's AWS provider; a kind that is not among them is
passed over. Compared are verdicts, messages, what is stored, what kubectl shows, and the schemas field by field. A
difference on purpose stands in the case (`karpenter`, `because`) or in ON_PURPOSE. Run by hand.
"""

import os

import pytest

from bed.cluster import Cluster
from conftest import WORK

from . import cases, definitions, verdicts
from .server import Server

OWN = definitions.read()
THEIRS = {name: theirs for name, theirs in definitions.read(os.environ["CRDS_YARDSTICK"]).items() if name in OWN}
CASES = [case for case in cases.load() if case.definition in THEIRS]

# Not compared: texts, rules (compared by their verdicts), and what is below, which is compared at its own path.
NOT_COMPARED = {"description", "x-kubernetes-validations", "properties", "items", "additionalProperties"}
# The last part of the path of a field whose facts differ: deploy/chart-crds/definitions/ec2nodeclasses.yaml says why.
ON_PURPOSE = {"volumeSize"}


@pytest.fixture(scope="module")
def judged():
    """Both verdicts of each case, and how kubectl shows both kinds."""
    with Cluster(WORK / "yardstick", ("etcd", "kube-apiserver")) as cluster:
        server = Server(cluster.layout.kubeconfig)
        yield judge_all(server, {**OWN}), judge_all(server, THEIRS)


def judge_all(server, judges):
    server.install(judges)
    return ({case: verdicts.try_case(server, judges[case.definition], case) for case in CASES},
            {name: server.shape(judges[name]) for name in THEIRS})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_verdict(judged, case):
    (own, _), (theirs, _) = judged
    assert not difference(case, own[case], theirs[case])


@pytest.mark.parametrize("name", THEIRS)
def test_shape(judged, name):
    (_, own), (_, theirs) = judged
    assert own[name] == theirs[name]


@pytest.mark.parametrize("name", THEIRS)
def test_fields(name):
    own, theirs = ({path: facts(node) for path, node in definitions.walk(all_[name])} for all_ in (OWN, THEIRS))
    found = [f"{path}: {own.get(path, 'not there')}, by the yardstick {theirs.get(path, 'not there')}"
             for path in sorted(own.keys() | theirs.keys())
             if own.get(path) != theirs.get(path) and path.split(".")[-1] not in ON_PURPOSE]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", THEIRS)
def test_explained(name):
    """Each field that they describe has a description in ours; elements of lists and maps count with their list or map."""
    own = dict(definitions.walk(OWN[name]))
    assert not [path for path, node in definitions.walk(THEIRS[name])
                if node.get("description") and not path.endswith("[]") and not own.get(path, {}).get("description")]


@pytest.mark.parametrize("name", THEIRS)
def test_names_and_columns(name):
    own, theirs = OWN[name]["spec"], THEIRS[name]["spec"]
    assert own["names"] == theirs["names"]
    assert len(own["versions"]) == len(theirs["versions"]) == 1
    for field in ("name", "served", "storage", "subresources"):
        assert own["versions"][0].get(field) == theirs["versions"][0].get(field)
    assert columns(own) == columns(theirs)


def columns(spec):
    return [{key: value for key, value in column.items() if key != "description"}
            for column in spec["versions"][0].get("additionalPrinterColumns", [])]


def facts(node):
    """The constraints of a schema on the value itself, without the order of names."""
    kept = {key: value for key, value in node.items() if key not in NOT_COMPARED}
    if node.get("type") == "array":     # Karpenter's build scripts put these beside lists, where they mean nothing
        kept = {key: value for key, value in kept.items() if key not in ("maxLength", "pattern")}
    for key in ("required", "enum"):
        if key in kept:
            kept[key] = sorted(kept[key])
    return kept


def difference(case, verdict, other):
    """How the yardstick's verdict differs from what the case leads to expect, in one line; "" when it does not."""
    if other.word() != (case.karpenter or verdict.word()):
        return f"{verdict.word()} {verdict.message}, but {other.word()} by the yardstick {other.message}"
    if case.karpenter:
        return ""
    if other.stored != verdict.stored:
        return f"stored as {verdict.stored}, by the yardstick as {other.stored}"
    if any(part not in other.message for part in case.refused or []):
        return f"the yardstick says {other.message}"
    return ""
