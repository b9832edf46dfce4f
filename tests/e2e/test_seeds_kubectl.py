"""The seeds' manifests through kubectl to a real API server, and out of it again with `tenon convert --from-cluster`."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from bed.api import wait_for
from bed.cluster import Cluster
from bed.tenon import program
from conftest import WORK
from crds.server import Server

SEEDS = Path(__file__).resolve().parents[1] / "seeds"
TWICE = SEEDS / "002-provisioner.yaml"
PROVISIONERS = "/apis/karpenter.sh/v1alpha5/provisioners"
LAST = ["kubernetes.io/os", "kubernetes.io/arch", "karpenter.sh/capacity-type", "topology.kubernetes.io/zone"]
# The question is what kubectl sends, so any field is taken.
KINDS = (("karpenter.sh", "v1alpha5", "Provisioner"), ("karpenter.k8s.aws", "v1alpha1", "AWSNodeTemplate"))


def definition(group, version, kind):
    plural = kind.lower() + "s"
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": "Cluster", "names": {"kind": kind, "plural": plural},
                     "versions": [{"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                         "type": "object", "properties": {"spec": {
                             "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}}}]}}


@pytest.fixture(scope="module", name="bare")
def bare_cluster():
    with Cluster(WORK / "seeds", ("etcd", "kube-apiserver")) as running:
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [definition(*kind) for kind in KINDS]})
        kubectl(running, "apply", "-f", "-", text=text)
        for group, _, kind in KINDS:
            wait_for(lambda: kubectl(running, "get", f"{kind.lower()}s.{group}").returncode == 0, what=f"{kind} to be served")
        yield running


@pytest.fixture(name="cluster")
def empty_cluster(bare):
    yield bare
    for group, _, kind in KINDS:
        kubectl(bare, "delete", f"{kind.lower()}s.{group}", "--all")


def kubectl(cluster, *words, text=None):
    return run("kubectl", *words, env=cluster.environment(), input=text)


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize("how", ((), ("--validate=strict",), ("--validate=false",), ("--server-side",)), ids=str)
def test_kubectl_drops_the_first_of_two_keys_in_silence(cluster, how):
    """R043: kubectl 1.36 makes JSON of the manifest before anything judges it. No flag is needed, and none helps."""
    done = kubectl(cluster, "apply", *how, "-f", TWICE)
    assert (done.returncode, done.stderr) == (0, "")
    shown = json.loads(kubectl(cluster, "get", "provisioner", "karpenter-default", "-o", "json").stdout)
    assert [requirement["key"] for requirement in shown["spec"]["requirements"]] == LAST


@pytest.mark.parametrize("mode, status", (("Strict", 400), ("Warn", 201), ("Ignore", 201)))
def test_the_api_server_sees_both_keys_of_a_yaml_body(cluster, mode, status):
    client = Server(cluster.layout.kubeconfig).client
    _, url, headers, *_ = client.param_serialize(
        "POST", PROVISIONERS, query_params=[("fieldValidation", mode)], auth_settings=["BearerToken"],
        header_params={"Content-Type": "application/yaml"})
    reply = client.call_api("POST", url, headers, TWICE.read_text(encoding="utf-8"))
    text = reply.read().decode()
    assert reply.status == status
    assert ('key \\"requirements\\" already set' in text) == (mode == "Strict")


@pytest.mark.parametrize("seed, files", (("001", ["001-provisioner.yaml"]),
                                         ("002", ["002-provisioner.yaml", "002-awsnodetemplate.yaml"])))
def test_what_a_cluster_has_is_converted_and_stays_as_it_is(cluster, seed, files):
    for file in files:
        assert kubectl(cluster, "apply", "-f", SEEDS / file).returncode == 0
    before = kubectl(cluster, "get", "provisioners,awsnodetemplates", "-o", "json").stdout
    done = run(program(), "convert", "--from-cluster", "--to", "v1", "--kubeconfig", cluster.layout.kubeconfig)
    assert done.returncode == 0, done.stderr
    # The API server has sorted the keys.
    assert objects(done.stdout) == objects((SEEDS / "golden" / f"{seed}.v1.yaml").read_text(encoding="utf-8"))
    golden = (SEEDS / "golden" / f"{seed}.v1.txt").read_text(encoding="utf-8")
    # kubectl has left the first of the two keys behind.
    assert codes(done.stderr) == [code for code in codes(golden) if code != "W01"]
    assert kubectl(cluster, "get", "provisioners,awsnodetemplates", "-o", "json").stdout == before


def objects(text):
    return list(yaml.safe_load_all(text))


def codes(text):
    return re.findall(r"(?m)^warning: [^:]+:\d+: (W\d\d)", text)
