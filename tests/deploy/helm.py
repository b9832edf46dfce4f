"""Helm, tenon's charts and Karpenter's, for tests."""

import subprocess
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
CHART, CRD_CHART = ROOT / "deploy" / "chart", ROOT / "deploy" / "chart-crds"
CLUSTER = ["--set", "settings.clusterName=prod"]
# With values that name Karpenter's.
OUR_IMAGE = ["--set", "controller.image.repository=tenon,controller.image.tag=,controller.image.digest="]


@cache
def program():
    """Built by the first call ever."""
    made = subprocess.run([ROOT / "tests" / "deploy" / "programs" / "build.sh"], stdout=subprocess.PIPE, text=True, check=True)
    return Path(made.stdout.splitlines()[-1]) / "helm"


@cache
def peer_charts():
    """The folder of Karpenter's own charts, which its Go module has (tests/aws/peer/karpenter/go.mod says which)."""
    peer = ROOT / "tests" / "aws" / "peer" / "karpenter"
    module = "github.com/aws/karpenter-provider-aws"
    for words in (["mod", "download", module], ["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", module]):
        done = subprocess.run([ROOT / "scripts" / "go.sh", *words], cwd=peer, stdout=subprocess.PIPE, text=True, check=True)
    return Path(done.stdout.strip()) / "charts"


def helm(*words, fails=False, **more):
    """Runs Helm; its output, or its errors where it has to fail."""
    done = subprocess.run([program(), *map(str, words)], capture_output=True, text=True, check=False, **more)
    assert (done.returncode != 0) == fails, f"helm {' '.join(map(str, words))}\n{done.stdout}{done.stderr}"
    return done.stderr if fails else done.stdout


def template(*words, chart=CHART, release="karpenter", namespace="kube-system"):
    """The objects of a chart as rendered, in Helm's order."""
    text = helm("template", release, chart, "--namespace", namespace, *words)
    return [thing for thing in yaml.safe_load_all(text) if thing]


def identity(thing):
    return thing["kind"], thing["metadata"].get("namespace"), thing["metadata"]["name"]


def only(things, kind, name=None):
    """The one object of that kind."""
    found = [thing for thing in things if thing["kind"] == kind and name in (None, thing["metadata"]["name"])]
    assert len(found) == 1, f"{len(found)} of {kind} {name}"
    return found[0]


def controller(things):
    """The container of the Deployment."""
    return only(things, "Deployment")["spec"]["template"]["spec"]["containers"][0]


def variables(things):
    """The values of the container's variables; of one that is taken from elsewhere, where from."""
    return {entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in controller(things)["env"]}
