"""pytest fixtures of the end-to-end tests: a cluster per test process, and a namespace with nodes per test."""

import itertools
import json
import os
from pathlib import Path

import pytest

import parts
import things
from aws_world import Cloud, Ec2World
from bed.api import Api, wait_for
from bed.cluster import Cluster
from bed.tenon import Tenon, install
from catalogue import instance_types
from faults import Yard
from fleet import Stage, acts_of
from world import World

# Each process of a run has a folder of its own.
WORK = Path(__file__).resolve().parents[2] / "build" / "e2e" / os.environ.get("PYTEST_XDIST_WORKER", "")
NUMBERS = itertools.count(1)
AGAIN_AT_MOST = 5       # files whose failed tests are run again; more failures are no accident
GATES = "ReservedCapacity=true,StaticCapacity=true"


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: parts.rank(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return parts.Parts(config, log)


@pytest.fixture(scope="session")
def cluster():
    """The control plane with all its parts; its logs stay in build/e2e/cluster."""
    with Cluster(WORK / "cluster") as running:
        yield running


@pytest.fixture(scope="session")
def api(cluster):
    """The API server as the administrator sees it."""
    client = Api(cluster.layout.kubeconfig)
    # The controller manager has created a service account: its informers work.
    wait_for(lambda: client.get("v1", "ServiceAccount", "default", "default"), what="the controller manager's first work")
    return client


@pytest.fixture(scope="session")
def tenon(cluster, api):
    """The tenon that all tests share, and the NodeClass `default`. At the end it must stop when terminated, and must have
    written only log lines."""
    install(cluster)
    running = Tenon(cluster, flags=usual_flags(cluster))
    running.start()
    api.create(things.kwok_class())
    yield running
    assert running.stop() == 0
    assert not running.stray_lines()


def usual_flags(cluster):
    types = cluster.folder / "types.json"
    types.write_text(json.dumps(instance_types()), encoding="ascii")
    return ["--feature-gates", GATES, "--instance-types-file-path", types]


@pytest.fixture(scope="module")
def stage(request, api, cluster, tenon):
    """The tests of a file that act together (fleet.py); the module may name its STAGE, and FLAGS of the tenon that
    disrupts. The tenon that all tests share rests meanwhile."""
    tenon.stop()
    here = getattr(request.module, "STAGE", Stage)(api, cluster, usual_flags(cluster), getattr(request.module, "FLAGS", ()))
    try:
        here.play(acts_of(request))
        yield here
    finally:
        here.clear()
        tenon.start()


@pytest.fixture
def world(api, tenon, namespace):
    """The test's part of the cluster with tenon."""
    mine = World(api, namespace)
    yield mine
    mine.clear()


@pytest.fixture
def namespace(api):
    """A namespace of the test. Its pods are gone before the next test, since they could occupy its nodes; the rest is
    deleted by the controller manager later."""
    name = f"test-{next(NUMBERS)}"
    thing = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    api.create(thing)
    yield name
    for api_version, kind in things.WORKLOADS:
        api.delete_all(api_version, kind, name)
    wait_for(lambda: not api.list("v1", "Pod", name), what="no pod is left of the test")
    api.delete(thing)


@pytest.fixture(scope="session")
def cloud():
    """A cluster with the fake of AWS behind it, and its tenon. At the end it must stop when terminated, and must have told no
    secret in a log of all levels."""
    running = Cloud(WORK / "aws", GATES)
    running.start()
    yield running
    end = running.stop()
    assert end.status == 0
    assert not end.stray
    assert not end.told


@pytest.fixture
def ec2(cloud):
    """The test's part of the cluster on AWS."""
    name = f"aws-{next(NUMBERS)}"
    cloud.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    mine = Ec2World(cloud, name)
    yield mine
    mine.clear()


@pytest.fixture(scope="session")
def fragile():
    """A cluster that tests may break, and its API."""
    with Cluster(WORK / "faults") as running:
        client = Api(running.layout.kubeconfig)
        wait_for(lambda: client.get("v1", "ServiceAccount", "default", "default"), what="the controller manager's first work")
        install(running)
        client.create(things.kwok_class())
        yield running, client


@pytest.fixture
def yard(fragile):
    """A test's part of the cluster that it may break."""
    running, client = fragile
    name = f"fault-{next(NUMBERS)}"
    client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    mine = Yard(running, client, name)
    yield mine
    mine.close()


@pytest.fixture
def make_node(api):
    """A function that adds a node and waits until kwok has made it ready; all of them are removed after the test."""
    made = []

    def make(name, zone="a", cpu="4", memory="8Gi", labels=None, taints=None):
        room = {"cpu": cpu, "memory": memory, "pods": "110"}
        node = {"apiVersion": "v1", "kind": "Node",
                "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone,
                                                      **(labels or {})}},
                "spec": {"taints": taints or []}, "status": {"capacity": room, "allocatable": room}}
        made.append(api.create(node))
        # The controllers may still be looking for an API server that another test has restarted.
        wait_for(lambda: is_ready(api.get("v1", "Node", name)), 90, f"node {name} is ready and without its first taint")
        return node

    yield make
    for node in made:
        api.delete(node)


def is_ready(node):
    ready = any(condition["type"] == "Ready" and condition["status"] == "True"
                for condition in node["status"].get("conditions", []))
    return ready and not any(taint["key"] == "node.kubernetes.io/not-ready" for taint in node["spec"].get("taints", []))


@pytest.fixture
def report(record_property):
    """A function that takes a line about a measurement; the lines are printed at the end of the run."""
    return lambda line: record_property("measured", line)


def pytest_terminal_summary(terminalreporter):
    """Prints the measurements and the summary line that scripts/test.sh reads. Writes the failed tests that run.sh runs
    again to the file E2E_AGAIN."""
    for test in terminalreporter.stats.get("passed", []):
        for name, line in test.user_properties:
            if name == "measured":
                terminalreporter.write_line(line)
    passed, failed = ({test.nodeid for kind in kinds for test in terminalreporter.stats.get(kind, [])}
                      for kinds in (["passed"], ["failed", "error"]))
    passed -= failed
    files = {parts.part(test) for test in failed}   # tests of a file that are acted side by side fail together
    if failed and len(files) <= AGAIN_AT_MOST and "E2E_AGAIN" in os.environ:
        Path(os.environ["E2E_AGAIN"]).write_text("".join(f"{test}\n" for test in sorted(failed)), encoding="utf-8")
        terminalreporter.write_line(f"{len(passed)} passed, 0 failed, {len(failed)} to be run once more")
    else:
        terminalreporter.write_line(f"{len(passed)} passed, {len(failed)} failed")
