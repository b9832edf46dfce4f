"""Mutation tests of the definitions: rules (x-kubernetes-validations), patterns, bounds, enums, defaults and required
fields are removed one by one, and for each some case must fail.

    tests/e2e/run.sh tests/e2e/crds/mutations.py [-k x-kubernetes-validations]

A piece whose removal no case detects lacks a case, or has no effect. Run by hand; it takes some minutes.
"""

import json

import pytest

from bed.cluster import Cluster
from conftest import WORK

from . import cases, definitions, verdicts
from .server import NotAccepted, Server

OWN = definitions.read()
CASES = cases.load()
LISTS = ("x-kubernetes-validations", "required")
FACTS = ("default", "pattern", "enum", "format", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems",
         "maxProperties")


def pieces():
    """(definition, path, fact, place in its list)."""
    for name, definition in OWN.items():
        for path, node in definitions.walk(definition):
            # tests/unit/kube/test_crds.c compares the conditions of these with NodePool's.
            if path.startswith("status.conditions") and name not in ("nodepools.karpenter.sh", "nodeclaims.karpenter.sh"):
                continue
            for fact in LISTS:
                yield from ((name, path, fact, place) for place, piece in enumerate(node.get(fact, []))
                            if fact != "required" or "default" not in node["properties"][piece])
            yield from ((name, path, fact, None) for fact in FACTS if fact in node and not says_nothing(node, fact))


def says_nothing(node, fact):
    """Whether the piece has no effect: JSON integers have 64 bits anyway, and those with a maximum fit into 32."""
    return fact == "format" and (node[fact] == "int64" or "maximum" in node)


@pytest.fixture(scope="module")
def server():
    with Cluster(WORK / "mutations", ("etcd", "kube-apiserver")) as cluster:
        server = Server(cluster.layout.kubeconfig)
        server.install(OWN)
        yield server


@pytest.mark.parametrize("name, path, fact, place", list(pieces()), ids=lambda value: str(value))
def test_missed(server, name, path, fact, place):
    definition = json.loads(json.dumps(OWN[name]))     # a deep copy: YAML anchors share objects
    node = dict(definitions.walk(definition))[path]
    gone = node[fact].pop(place) if fact in LISTS else node.pop(fact)
    try:
        server.install({name: definition})
    except NotAccepted:
        return      # without a bound the estimated cost of rules may exceed the API server's limit
    assert any(notices(server, definition, case) for case in likely_first(name, path, gone)), f"nobody misses {gone}"


def likely_first(name, path, gone):
    """The cases of the definition; first those that expect the rule's message, then those that name the field."""
    message = gone.get("message", "") if isinstance(gone, dict) else ""
    field = path.replace("[]", "").split(".")[-1]

    def distance(case):
        texts = " ".join(case.refused or [])
        return 0 if message and message in texts else 1 if field in texts else 2 if field in str(case.create) else 3

    return sorted((case for case in CASES if case.definition == name), key=distance)


def notices(server, definition, case):
    return bool(verdicts.complaint(case, verdicts.try_case(server, definition, case)))
