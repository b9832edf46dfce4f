"""The conformance suite (tests/conformance) against a real API server, through tenon's REST client.

The embedded cluster is held to the same cases (conformance_embedded), so the two agree wherever both pass. Builds
nothing: it takes conformance_rest from the build folder where it is newest, or the one that CONFORMANCE_PROGRAM names.
"""

import os
import re
import subprocess

import pytest

from bed import kubeconfig
from bed.api import Api, wait_for
from bed.cluster import Cluster
from bed.relay import Relay
from conftest import WORK

ROOT = WORK.parents[1]
# As suite.h wants it: the cases do the work of everybody else themselves.
PARTS = ("etcd", "kube-apiserver", "kube-controller-manager")
CONTROLLERS = ("garbage-collector-controller", "namespace-controller")
PATIENCE_S = 1500
VERDICT = re.compile(r"\[ +(OK|FAILED|SKIPPED|ERROR) +\] (\w+)$", re.MULTILINE)


def program():
    chosen = os.environ.get("CONFORMANCE_PROGRAM")
    if chosen:
        return chosen
    built = sorted(ROOT.glob("build/*/tests/conformance/conformance_rest"), key=lambda path: path.stat().st_mtime)
    if not built:
        pytest.fail("conformance_rest is not built: scripts/build.sh release conformance_programs")
    return built[-1]


@pytest.fixture(scope="module")
def conformance():
    with Cluster(WORK / "conformance", PARTS, controllers=CONTROLLERS) as cluster:
        run_kubectl(cluster, "create", "-f", ROOT / "src/kube/crds")
        run_kubectl(cluster, "wait", "--for=condition=Established", "crds", "--all", "--timeout=60s")
        start_collector_anew(cluster)
        with Relay(cluster.layout.port("kube-apiserver")) as relay:
            yield Keeper(cluster, relay)


def run_kubectl(cluster, *words):
    subprocess.run(["kubectl", *words], env=cluster.environment(), check=True, stdout=subprocess.PIPE)


def start_collector_anew(cluster):
    """The garbage collector knows all kinds from its start, but new ones, or those of a new API server, half a minute
    later. What has collected one object watches them all."""
    cluster.restart("kube-controller-manager", crash=True)
    api = Api(cluster.layout.kubeconfig)
    owner = api.create(config_map("owner", []))
    below = api.create(config_map("below", [{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner",
                                             "uid": owner["metadata"]["uid"]}]))
    api.delete(owner)
    wait_for(lambda: not api.get("v1", "ConfigMap", below["metadata"]["name"], "default"), what="the garbage collector")


def config_map(name, owners):
    return {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": "default", "ownerReferences": owners}}


class Keeper:
    """Does to the server what the program cannot: the cluster, and what stands between the two."""

    def __init__(self, cluster, relay):
        self.cluster, self.relay = cluster, relay
        self.kubeconfig = cluster.folder / "relayed"
        keys = cluster.authority
        user = kubeconfig.with_certificate(keys.certificate("admin"), keys.key("admin"))
        kubeconfig.write(self.kubeconfig, f"https://127.0.0.1:{relay.port}", keys.certificate("ca"), user)

    def grant(self, wish):
        if wish == "forget history":
            self.cluster.forget_history()
            start_collector_anew(self.cluster)
        elif wish == "drop watches":
            self.relay.cut()
        else:
            return False
        return True


def test_every_case_holds_against_a_real_api_server(conformance):
    """No case is left out: what the program cannot do to its server, the bed does for it."""
    log = WORK / "conformance" / "cases.log"
    status = run_cases(conformance, log)
    verdicts = VERDICT.findall(log.read_text(errors="replace"))
    bad = sorted({case for verdict, case in verdicts if verdict != "OK"})
    assert not bad, f"{log}: {', '.join(bad)}"
    assert status == 0, f"{log}: exit status {status}"
    assert len(verdicts) > 200


def run_cases(keeper, log):
    """Runs the program and grants its wishes until it ends; its exit status."""
    wishes, wishes_end = os.pipe()
    answers, answers_end = os.pipe()
    words = [program(), keeper.kubeconfig, str(wishes_end), str(answers)]
    with open(log, "wb") as out, subprocess.Popen(words, stdout=out, stderr=out, pass_fds=(wishes_end, answers)) as child:
        os.close(wishes_end)
        os.close(answers)
        try:
            with open(wishes, encoding="ascii") as lines:
                for line in lines:
                    os.write(answers_end, b"done\n" if keeper.grant(line.strip()) else b"no\n")
            return child.wait(PATIENCE_S)
        finally:
            os.close(answers_end)
            child.kill()
