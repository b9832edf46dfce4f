"""Definitions of 2023 that come and go while tenon runs, and the ConfigMap karpenter-global-settings. What Provisioners do then
is in test_aws_old.py: nodes without machines are not theirs. Reference legacy.md 5.5; R010, R117, R154."""

import pytest

import things
from bed.api import Api, wait_for
from bed.cluster import Cluster
from bed.tenon import NAMESPACE, Tenon, apply_definitions, install, kubectl, tenon_definitions
from conftest import WORK

SETTINGS = {"batchMaxDuration": "20s", "batchIdleDuration": "soon", "aws.enablePodENI": "true", "featureGates.driftEnabled": "yes"}
KNOWN, PARTLY = "the API server knows the kinds of 2023", "the API server knows not all kinds of 2023: tenon crds --legacy prints them"


@pytest.fixture(scope="module")
def bed():
    """A control plane with today's kinds only, and a tenon that runs."""
    with Cluster(WORK / "old-kinds") as cluster:
        api = Api(cluster.layout.kubeconfig)
        wait_for(lambda: api.get("v1", "ServiceAccount", "default", "default"), what="the controller manager's first work")
        install(cluster)
        api.create(things.kwok_class())
        api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "karpenter-global-settings", "namespace": NAMESPACE},
                    "data": SETTINGS})
        tenon = Tenon(cluster)
        tenon.start()
        yield cluster, tenon
        assert tenon.stop() == 0


def apply(cluster, machines):
    """Those of 2023, with that of Machine or without."""
    every = tenon_definitions("--legacy").decode().split("\n---\n")
    apply_definitions(cluster, "\n---\n".join(one for one in every if machines or "name: machines.karpenter.sh" not in one).encode())


def test_R010_R117_definitions_are_seen_without_a_restart(bed):
    cluster, tenon = bed
    assert not tenon.lines(KNOWN) and not tenon.lines(PARTLY)
    apply(cluster, machines=False)
    wait_for(lambda: tenon.lines(PARTLY), what="the line about what is missing", seconds=60)
    assert [line["missing"] for line in tenon.lines(PARTLY)] == ["Machine"]
    apply(cluster, machines=True)
    wait_for(lambda: tenon.lines(KNOWN), what="the line that all are known", seconds=60)
    assert len(tenon.lines(KNOWN)) == 1


def test_R154_settings_are_read_at_the_start_and_what_cannot_be_read_is_named(bed):
    """After the first test, which has brought the definitions: until then the ConfigMap is nobody's."""
    cluster, tenon = bed
    said = [(line["settings"], line["error"]) for line in tenon.lines("ignoring setting")]
    name = f"configmap {NAMESPACE}/karpenter-global-settings"
    assert said == [(name, 'featureGates.driftEnabled: expected true or false, got "yes"')]
    tenon.restart()
    at = tenon.started_at
    said = {line["error"] for line in tenon.lines("ignoring setting", at)}
    assert said == {'featureGates.driftEnabled: expected true or false, got "yes"',
                    'batchIdleDuration: expected a duration of at least 1s, got "soon"'}
    assert [line["error"] for line in tenon.lines("setting without effect", at)] == [
        "aws.enablePodENI: types with branch interfaces offer vpc.amazonaws.com/pod-eni always"]


def test_R010_definitions_that_go_are_seen(bed):
    cluster, tenon = bed
    kubectl(cluster, "delete", "crd", "provisioners.karpenter.sh", "--timeout=60s")
    wait_for(lambda: tenon.lines("the API server does not know the kinds of 2023 any more"), what="the line that they are gone", seconds=90)
    assert not tenon.lines("the API server does not know this kind any more: was its definition removed?")
