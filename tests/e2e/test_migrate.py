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
        self.ran = []

    def shell(self, text, stdin=None):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=self.folder, env=self.environment, input=stdin,
                              capture_output=True, text=True, timeout=400, check=False)
        assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
        return done.stdout

    def follow(self, title):
        for text in sections()[title]:
            self.shell(text.replace("REGISTRY", "registry.example"))
            self.ran.append(text)


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """A cluster with a release of Karpenter 1.x."""
    with Cluster(WORK / "migrate") as running:
        api = Api(running.layout.kubeconfig)
        wait_for(lambda: api.get("v1", "ServiceAccount", "default", "default"), what="the controller manager's first work")
        for zone in "ab":
            room = {"cpu": "8", "memory": "16Gi", "pods": "110"}
            api.create({"apiVersion": "v1", "kind": "Node", "status": {"capacity": room, "allocatable": room}, "metadata": {
                "name": f"own-{zone}", "labels": {"kubernetes.io/hostname": f"own-{zone}", "kubernetes.io/os": "linux",
                                                  "kubernetes.io/arch": "amd64", "topology.kubernetes.io/zone": zone}}})
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
        "From Karpenter 1", "Back to Karpenter 1", "From Karpenter of 2023", "Back to Karpenter of 2023"]
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


def test_every_command_was_run(reader):
    wanted = [text for blocks in sections().values() for text in blocks]
    assert sorted(reader.ran) == sorted(wanted)
