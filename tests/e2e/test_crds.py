"""The definitions that `tenon crds` prints, on a real API server: what they accept, refuse, fill in and show.

The cases are in crds/cases. crds/yardstick.py holds Karpenter's own definitions against them, crds/mutations.py takes
the rules away one by one to see whether a case notices; both are run by hand.
"""

import pytest

from bed.cluster import Cluster
from conftest import WORK
from crds import cases, definitions, verdicts
from crds.server import Server

CASES = cases.load()
DEFINITIONS = definitions.read()
SHAPES = cases.load_shapes()


@pytest.fixture(scope="module")
def server():
    with Cluster(WORK / "crds", ("etcd", "kube-apiserver")) as cluster:
        server = Server(cluster.layout.kubeconfig)
        server.install(DEFINITIONS)
        yield server


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_verdict(server, case):
    complaint = verdicts.complaint(case, verdicts.try_case(server, DEFINITIONS[case.definition], case))
    assert not complaint


@pytest.mark.parametrize("name", SHAPES)
def test_shape(server, name):
    assert server.shape(DEFINITIONS[name]) == SHAPES[name]


def test_every_definition_has_cases():
    assert {case.definition for case in CASES} == DEFINITIONS.keys() == SHAPES.keys()
