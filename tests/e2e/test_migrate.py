"""docs/migrate.md: its commands are run as they stand there, section by section, ways back included.

Pods of controllers are played by kwok: what is shown is that each command is
taken and that objects stay what they were; that tenon looks after them then is shown by test_chart.py and test_take_over.py.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "deploy"))

import helm as helm_program
from bed.api import Api, wait_for
from bed.cluster import Cluster
from bed.tenon import ROOT, program
from conftest import WORK
from helm import CRD_CHART, helm, peer_charts

NAMESPACE = "karpenter"
FIRST = "# Moving to tenon, and back"       # what stands before the first section
OLD = """
apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: default}
spec: {subnetSelector: {karpenter.sh/discovery: prod}, securityGroupSelector: {karpenter.sh/discovery: prod}, instanceProfile: nodes}
---
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: default}
spec: {providerRef: {name: default}, ttlSecondsAfterEmpty: 30}
"""
GROUP = "eks.amazonaws.com/nodegroup"
WEB = 5         # pods, of which two fit on a node
POOL = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "stays"}, "spec": {"template": {"spec": {
    "requirements": [], "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "stays"}}}}}


def sections():
    """The page's blocks of commands by title."""
    found = []
    for part in re.split(r"^##+ ", (ROOT / "docs/migrate.md").read_text(encoding="utf-8"), flags=re.M):
        title, _, body = part.partition("\n")
        blocks = re.findall(r"\n\n((?:    [^\n]*\n)+)", f"\n{body}")
        found.append((title, [re.sub(r"^    ", "", text, flags=re.M) for text in blocks]))
    return dict(found)


class Reader:
    """Someone at a shell, in a folder with `deploy/`, who follows the page."""

    def __init__(self, cluster, folder):
        self.cluster, self.folder = cluster, folder
        words = folder / "bin"
        words.mkdir()
        (words / "tenon").symlink_to(program())
        (words / "helm").symlink_to(helm_program.program())
        (folder / "deploy").symlink_to(ROOT / "deploy")
        self.environment = {**cluster.environment(), "AWS_EC2_METADATA_DISABLED": "true"}
        self.environment["PATH"] = f"{words}:{self.environment.get('PATH', os.environ['PATH'])}"

    def shell(self, text, stdin=None):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=self.folder, env=self.environment, input=stdin,
                              capture_output=True, text=True, timeout=400, check=False)
        assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
        return done.stdout

    def follow(self, title):
        """Returns what the commands said."""
        said = []
        for text in sections()[title]:
            said.append(self.shell(text.replace("REGISTRY", "registry.example")))
        return said


def begin(running, group=None):
    """The API of a cluster that has just started, with a node in each of two zones, of a node group if one is named."""
    api = Api(running.layout.kubeconfig)
    wait_for(lambda: api.get("v1", "ServiceAccount", "default", "default"), what="the controller manager's first work")
    for zone in "ab":
        add_node(api, f"own-{zone}", zone, {GROUP: group} if group else {})
    return api


def add_node(api, name, zone, labels):
    room = {"cpu": "8", "memory": "16Gi", "pods": "110"}
    api.create({"apiVersion": "v1", "kind": "Node", "status": {"capacity": room, "allocatable": room}, "metadata": {
        "name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
                                 "node.kubernetes.io/instance-type": "m5.2xlarge", "karpenter.sh/capacity-type": "on-demand",
                                 "topology.kubernetes.io/zone": zone, **labels}}})


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """A cluster with a release of Karpenter 1.x."""
    with Cluster(WORK / "migrate") as running:
        api = begin(running)
        charts, wait = peer_charts(), ["--wait", "--timeout", "300s", "--namespace", NAMESPACE]
        helm("install", "karpenter-crd", charts / "karpenter-crd", "--create-namespace", *wait, env=running.environment())
        helm("install", "karpenter", charts / "karpenter", "--set", "settings.clusterName=prod", *wait, env=running.environment())
        mine = Reader(running, tmp_path_factory.mktemp("reader"))
        mine.api = api
        yield mine


def image(reader):
    return reader.api.get("apps/v1", "Deployment", "karpenter", NAMESPACE)["spec"]["template"]["spec"]["containers"][0]["image"]


def uid(reader, version, kind, name):
    found = reader.api.get(version, kind, name)
    return found and found["metadata"]["uid"]


def test_the_page_is_taken_apart():
    found = sections()
    assert [title for title in found if title.startswith(("From", "Back"))] == [
        "From Karpenter 1", "Back to Karpenter 1", "From Karpenter of 2023", "Back to Karpenter of 2023",
        "From Cluster Autoscaler", "Back to Cluster Autoscaler"]
    lines = sum(text.count("\n") for blocks in found.values() for text in blocks)
    assert lines == len(re.findall(r"^    ", (ROOT / "docs/migrate.md").read_text(encoding="utf-8"), re.M))


def test_from_karpenter_1_and_back(reader):
    before, pool = image(reader), reader.api.create(POOL)["metadata"]["uid"]
    reader.follow(FIRST)
    reader.follow("From Karpenter 1")
    assert image(reader).startswith("registry.example/tenon:")
    assert uid(reader, "karpenter.sh/v1", "NodePool", "stays") == pool
    reader.follow("Back to Karpenter 1")
    assert image(reader) == before
    assert uid(reader, "karpenter.sh/v1", "NodePool", "stays") == pool


def test_from_karpenter_of_2023_and_back(reader):
    before = image(reader)
    helm("upgrade", "karpenter-crd", CRD_CHART, "--namespace", NAMESPACE, "--set", "legacy.enabled=true", "--wait",
         env=reader.cluster.environment())
    reader.shell("kubectl apply -f -", OLD)
    old = uid(reader, "karpenter.sh/v1alpha5", "Provisioner", "default")
    reader.follow("From Karpenter of 2023")
    assert image(reader).startswith("registry.example/tenon:")
    assert uid(reader, "karpenter.sh/v1alpha5", "Provisioner", "default") == old
    assert uid(reader, "karpenter.sh/v1", "NodePool", "default")
    reader.follow("Back to Karpenter of 2023")
    assert image(reader) == before
    assert uid(reader, "karpenter.sh/v1", "NodePool", "default") is None
    assert uid(reader, "karpenter.sh/v1alpha5", "Provisioner", "default") == old


# --- from Cluster Autoscaler


def deployment(name, namespace, replicas, requests, annotations):
    pod = {"metadata": {"labels": {"app": name}, "annotations": annotations},
           "spec": {"containers": [{"name": "main", "image": "main", "resources": {"requests": requests}}]}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": namespace},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": pod}}


@pytest.fixture(scope="module")
def autoscaled(tmp_path_factory):
    """A cluster of two node groups, one of them with pods, and Cluster Autoscaler."""
    with Cluster(WORK / "migrate-groups") as running:
        mine = Reader(running, tmp_path_factory.mktemp("autoscaled"))
        mine.api = begin(running, "stays")
        add_node(mine.api, "worker", "a", {GROUP: "workers"})
        mine.api.create(deployment("cluster-autoscaler", "kube-system", 1, {}, {}))
        mine.api.create(deployment("web", "default", WEB, {"cpu": "3"}, {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}))
        wait_for(lambda: len(running_on(mine.api)) == WEB, what="pods run on all nodes")
        yield mine


def running_on(api):
    return [pod["spec"]["nodeName"] for pod in api.list("v1", "Pod", "default") if pod.get("status", {}).get("phase") == "Running"]


def replicas(reader, name):
    return reader.api.get("apps/v1", "Deployment", name, "kube-system")["spec"]["replicas"]


def test_from_cluster_autoscaler_and_back(autoscaled):
    assert "worker" in running_on(autoscaled.api)
    said = autoscaled.follow("From Cluster Autoscaler")
    assert any(text.count("default/web-") == WEB and "kube-system" not in text for text in said)     # that may not be evicted
    assert image(autoscaled).startswith("registry.example/tenon:")
    assert replicas(autoscaled, "cluster-autoscaler") == 0
    assert "worker" not in running_on(autoscaled.api)
    assert uid(autoscaled, "karpenter.sh/v1", "NodePool", "default")
    autoscaled.follow("Back to Cluster Autoscaler")
    assert replicas(autoscaled, "cluster-autoscaler") == 1
    assert not autoscaled.api.get("v1", "Node", "worker")["spec"].get("unschedulable")
    assert uid(autoscaled, "karpenter.sh/v1", "NodePool", "default") is None


def test_every_section_is_followed():
    """Here, which does not ask whether the tests that do so ran before this one."""
    followed = set(re.findall(r'\.follow\("(.*)"\)', Path(__file__).read_text(encoding="utf-8"))) | {FIRST}
    assert followed == {title for title, blocks in sections().items() if blocks}
