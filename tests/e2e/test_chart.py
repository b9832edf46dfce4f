"""The Helm charts in a cluster: taken over from a release of Karpenter's charts, used, given back, uninstalled.

tenon is a process with a token of the chart's ServiceAccount and the variables of its Deployment, whose pods kwok plays. So
tests of provisioning and termination, which other files have, run here with exactly the chart's rights.
"""

import os
import sys
from pathlib import Path

import pytest
import yaml

sys.path.append(str(Path(__file__).resolve().parents[1] / "deploy"))

import things
from bed.api import Api, wait_for
from bed.cluster import Cluster
from bed.tenon import Tenon, program
from conftest import WORK, usual_flags
from helm import CHART, CRD_CHART, OUR_IMAGE, helm, peer_charts
# Collected here as well (REUSED), with the fixtures below.
from test_provision import test_a_deployment_gets_a_node_that_tenon_made, test_room_for_daemons_is_counted
from test_reasons import test_a_pod_is_told_where_it_will_go
from test_termination import test_a_budget_is_respected

NAMESPACE, RELEASE = "karpenter", "karpenter"
SETTINGS = ["--set", "settings.clusterName=e2e", "--set", "controller.resources.requests.cpu=1"]
REUSED = (test_a_deployment_gets_a_node_that_tenon_made, test_room_for_daemons_is_counted,
          test_a_pod_is_told_where_it_will_go, test_a_budget_is_respected)
WHOLE = ["--wait", "--timeout", "300s"]


class Releases:
    """The cluster with both releases, and what was there before tenon's charts took over."""

    def __init__(self, cluster, api):
        self.cluster = cluster
        self.api = api

    def helm(self, *words, **more):
        return helm("--namespace", NAMESPACE, *words, env=self.cluster.environment(), **more)

    def objects(self, release):
        """The objects of a release's manifest, as they are in the cluster: their uids."""
        manifest = [thing for thing in yaml.safe_load_all(self.helm("get", "manifest", release)) if thing]
        return {(thing["kind"], thing["metadata"]["name"]): self.uid(thing) for thing in manifest}

    def uid(self, thing):
        found = self.api.get(thing["apiVersion"], thing["kind"], thing["metadata"]["name"], thing["metadata"].get("namespace"))
        return found and found["metadata"]["uid"]

    def install_karpenters(self):
        charts = peer_charts()
        self.helm("install", f"{RELEASE}-crd", charts / "karpenter-crd", "--create-namespace", *WHOLE)
        self.helm("install", RELEASE, charts / "karpenter", *SETTINGS, *WHOLE)

    def upgrade(self):
        self.helm("upgrade", f"{RELEASE}-crd", CRD_CHART, *WHOLE)
        self.helm("upgrade", RELEASE, CHART, "--reset-then-reuse-values", "--set", "settings.provider=kwok", *WHOLE)

    def deployment(self):
        return self.api.get("apps/v1", "Deployment", RELEASE, NAMESPACE)

    def container(self):
        return self.deployment()["spec"]["template"]["spec"]["containers"][0]


@pytest.fixture(scope="module")
def cluster():
    with Cluster(WORK / "chart") as running:
        yield running


@pytest.fixture(scope="module")
def api(cluster):
    client = Api(cluster.layout.kubeconfig)
    wait_for(lambda: client.get("v1", "ServiceAccount", "default", "default"), what="the controller manager's first work")
    return client


@pytest.fixture(scope="module")
def before(cluster, api):
    """A release of Karpenter's charts, with its pods on two nodes; then the same releases with tenon's charts."""
    for zone in "ab":
        room = {"cpu": "8", "memory": "16Gi", "pods": "110"}
        api.create({"apiVersion": "v1", "kind": "Node", "status": {"capacity": room, "allocatable": room},
                    "metadata": {"name": f"own-{zone}", "labels": {
                        "kubernetes.io/hostname": f"own-{zone}", "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
                        "topology.kubernetes.io/zone": zone}}})
    releases = Releases(cluster, api)
    releases.install_karpenters()
    releases.then = {**releases.objects(RELEASE), **releases.objects(f"{RELEASE}-crd")}
    releases.image_then = releases.container()["image"]
    releases.upgrade()
    return releases


@pytest.fixture(scope="module")
def tenon(cluster, api, before):
    """tenon as the Deployment says and as its ServiceAccount."""
    running = Accounted(cluster, before)
    running.start()
    api.create(things.kwok_class())
    yield running
    assert running.stop() == 0
    assert not running.stray_lines()


class Accounted(Tenon):
    """tenon with the account and the variables of the release's Deployment; ports and instance types are the test's."""

    def __init__(self, cluster, releases):
        super().__init__(cluster, "accounted", group=None)
        account = releases.deployment()["spec"]["template"]["spec"]["serviceAccountName"]
        cluster.write_account(self.kubeconfig, account, NAMESPACE)
        elsewhere = {"SYSTEM_NAMESPACE": NAMESPACE, "CPU_REQUESTS": "1000"}     # which the kubelet would look up
        self.process.environment = {"PATH": os.environ["PATH"]} | {
            entry["name"]: entry.get("value") or elsewhere[entry["name"]] for entry in releases.container()["env"]}
        self.process.command = [str(word) for word in (
            program(), "run", "--kubeconfig", self.kubeconfig, "--metrics-port", self.metrics_port,
            "--health-probe-port", self.health_port, *usual_flags(cluster))]


def test_the_upgrade_kept_every_object(before):
    now = {**before.objects(RELEASE), **before.objects(f"{RELEASE}-crd")}
    assert {name: now.get(name) for name in before.then} == before.then
    assert "karpenter/controller" in before.image_then
    assert before.container()["image"].startswith("tenon:")
    assert before.deployment()["status"]["readyReplicas"] == 2


def test_nothing_was_denied(tenon, before):
    """After the tests above: a Lease of the release's namespace, watches, claims, nodes, evictions."""
    assert not [line for line in tenon.lines() if "forbidden" in line.get("error", "")]
    assert before.api.get("coordination.k8s.io/v1", "Lease", "karpenter-leader-election", NAMESPACE)["spec"]["holderIdentity"]


def test_rolled_back_and_forth(before):
    before.helm("rollback", RELEASE, "1", *WHOLE)
    assert before.container()["image"] == before.image_then
    before.helm("rollback", RELEASE, "2", *WHOLE)
    assert before.container()["image"].startswith("tenon:")
    assert {name: uid for name, uid in before.objects(RELEASE).items() if name in before.then}.items() <= before.then.items()


def test_a_whole_file_of_karpenters_values_is_taken(before):
    """By the API server, too: it has maps that are empty."""
    values = peer_charts() / "karpenter" / "values.yaml"
    before.helm("upgrade", RELEASE, CHART, "--values", values, *SETTINGS, *OUR_IMAGE, "--set", "settings.provider=kwok", *WHOLE)
    assert before.container()["image"].startswith("tenon:")


def test_uninstalled_it_leaves_nodes_and_definitions(world, before):
    """Both releases; the objects of the kinds stay, too."""
    world.pool()
    world.pod("stays", "100m")
    node, = world.ready_nodes(1)
    before.helm("uninstall", RELEASE, *WHOLE)
    before.helm("uninstall", f"{RELEASE}-crd")
    assert before.deployment() is None
    assert world.node(node["metadata"]["name"])["metadata"]["uid"] == node["metadata"]["uid"]
    assert len(world.claims()) == 1 and world.pool_now()
    kept = {thing["metadata"]["name"] for thing in before.api.list("apiextensions.k8s.io/v1", "CustomResourceDefinition")}
    assert kept >= {name for kind, name in before.then if kind == "CustomResourceDefinition"}
    assert not any(thing["metadata"].get("deletionTimestamp")
                   for thing in before.api.list("apiextensions.k8s.io/v1", "CustomResourceDefinition"))
