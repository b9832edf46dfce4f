"""A cluster goes from Karpenter's KWOK build to tenon and back, and no node is replaced."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bed.tenon import ROOT
from faults import small_nodes

sys.path.insert(0, str(ROOT / "bench" / "cluster"))

from autoscalers import KarpenterSide    # noqa: E402


@pytest.fixture
def karpenter(yard):
    """Karpenter with tenon's Lease and instance types; started on first use, then kept."""
    folder = os.environ.get("KARPENTER") or subprocess.run(
        [ROOT / "bench" / "cluster" / "karpenter" / "build.sh"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[-1]
    side = KarpenterSide(yard.cluster, Path(folder) / "instance_types.json", Path(folder), elects=True)
    yield side
    if side.process.is_running():
        yard.cluster.processes.pop(side.name, None)
        side.process.stop()


def picture(yard):
    """The state that must not change: the nodes, their claims, and which pod runs where."""
    return ({node["metadata"]["name"]: node["metadata"]["uid"] for node in yard.nodes()},
            {claim["metadata"]["name"]: claim["metadata"]["uid"] for claim in yard.claims()},
            {pod["metadata"]["name"]: pod["spec"]["nodeName"] for pod in yard.pods()})


def test_from_karpenter_to_tenon_and_back(yard, karpenter):
    karpenter.start(with_definitions=False)
    yard.pool(requirements=[small_nodes()], disruption={"consolidateAfter": "0s"})
    web = yard.deploy("web", 3, cpu="600m")
    yard.running(3)
    yard.ready_nodes(3)
    first = picture(yard)
    stop(yard, karpenter)

    tenon = yard.tenon()
    yard.scale(web, 5)
    yard.running(5)
    yard.ready_nodes(5)
    second = picture(yard)
    assert all(before.items() <= after.items() for before, after in zip(first, second))
    assert not drifted(yard)
    tenon.stop()

    karpenter.start(with_definitions=False)
    yard.scale(web, 6)
    yard.running(6)
    yard.ready_nodes(6)
    third = picture(yard)
    assert all(before.items() <= after.items() for before, after in zip(second, third))
    assert not drifted(yard)
    stop(yard, karpenter)


def drifted(yard):
    return [claim["metadata"]["name"] for claim in yard.claims()
            if any(each["type"] == "Drifted" for each in claim["status"]["conditions"])]


def stop(yard, karpenter):
    yard.cluster.processes.pop(karpenter.name)
    karpenter.process.stop()
