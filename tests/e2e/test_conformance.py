"""tenon's REST client against a real API server: the conformance suite, and that it drops nothing which tenon reads.

The embedded cluster must pass the same cases (tests/conformance, conformance_embedded), so the two agree where both pass.
Builds nothing: takes the newest programs of all build folders; CONFORMANCE_PROGRAM names another conformance_rest.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from bed import kubeconfig
from bed.api import Api, wait_for
from bed.cluster import Cluster
from bed.relay import Relay
from bed.tenon import wait_until_served
from conftest import WORK

ROOT = Path(__file__).resolve().parents[2]
# As suite.h requires: no other components run, the cases do their work themselves.
PARTS = ("etcd", "kube-apiserver", "kube-controller-manager")
CONTROLLERS = ("garbage-collector-controller", "namespace-controller")
PATIENCE_S = 1500
SHARES = 6      # in which the cases run; one of them waits over a minute for a bookmark
VERDICT = re.compile(r"\[ +(OK|FAILED|SKIPPED|ERROR) +\] (\w+)$", re.MULTILINE)


def newest(name):
    """The newest build of a program of the custom target conformance_programs."""
    built = sorted(ROOT.glob(f"build/*/tests/{name}"), key=lambda path: path.stat().st_mtime)
    if not built:
        pytest.fail(f"{name} is not built: scripts/build.sh release conformance_programs")
    return built[-1]


@pytest.fixture(scope="module")
def conformance():
    with Cluster(WORK / "conformance", PARTS, controllers=CONTROLLERS) as cluster:
        run_kubectl(cluster, "create", "-f", ROOT / "deploy/chart-crds/definitions")
        wait_until_served(cluster)
        start_collector_anew(cluster)
        with Relay(cluster.layout.port("kube-apiserver")) as relay:
            yield Keeper(cluster, relay)


def run_kubectl(cluster, *words, text=None):
    return subprocess.run(["kubectl", *words], env=cluster.environment(), check=True, stdout=subprocess.PIPE, input=text,
                          text=True).stdout


def start_collector_anew(cluster):
    """Restarts the garbage collector, which learns of new kinds, or of a new API server, only after half a minute, but
    knows all kinds at its start. Once it has collected an object, it watches all kinds."""
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
    """Controls the cluster and the relay for the program: faults that a client cannot cause."""

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
    ends = {**run_shares(conformance), **run_alone(conformance)}
    verdicts = [verdict for log in ends for verdict in VERDICT.findall(log.read_text(errors="replace"))]
    bad = sorted({case for verdict, case in verdicts if verdict != "OK"})
    assert not bad, f"{WORK / 'conformance'}: {', '.join(bad)}"
    assert not any(ends.values()), f"exit statuses: {ends}"
    assert len({case for _, case in verdicts}) > 190


def run_shares(keeper):
    """Runs, side by side, the cases that others do not disturb: they mostly wait. The exit statuses, by log."""
    started = {}
    try:
        for share in range(1, SHARES + 1):
            log, words = command(keeper, f"{share}/{SHARES}")
            with open(log, "wb") as out:
                started[log] = subprocess.Popen(words, stdout=out, stderr=out)
        return {log: child.wait(PATIENCE_S) for log, child in started.items()}
    finally:
        for child in started.values():
            child.kill()


def run_alone(keeper):
    """Runs the other cases and grants their wishes until they end; the exit status, by log."""
    wishes, wishes_end = os.pipe()
    answers, answers_end = os.pipe()
    log, words = command(keeper, "alone", wishes_end, answers)
    with open(log, "wb") as out, subprocess.Popen(words, stdout=out, stderr=out, pass_fds=(wishes_end, answers)) as child:
        os.close(wishes_end)
        os.close(answers)
        try:
            with open(wishes, encoding="ascii") as lines:
                for line in lines:
                    os.write(answers_end, b"done\n" if keeper.grant(line.strip()) else b"no\n")
            return {log: child.wait(PATIENCE_S)}
        finally:
            os.close(answers_end)
            child.kill()


def command(keeper, part, *files):
    """The log and the words of the program that runs a part of the cases."""
    program = os.environ.get("CONFORMANCE_PROGRAM") or newest("conformance/conformance_rest")
    return (WORK / "conformance" / f"cases-{part.replace('/', '-of-')}.log",
            [str(word) for word in (program, keeper.kubeconfig, part, *files)])


# --- what is dropped

PROBE = {"exec": {"command": ["true"]}, "periodSeconds": 5}
CONTAINER = {
    "name": "main", "image": "busybox", "command": ["sleep"], "args": ["1000"], "workingDir": "/tmp",
    "env": [{"name": "A", "value": "b"}], "envFrom": [{"configMapRef": {"name": "none", "optional": True}}],
    "ports": [{"containerPort": 80, "hostPort": 8080}], "livenessProbe": PROBE, "readinessProbe": PROBE,
    "startupProbe": PROBE, "lifecycle": {"preStop": {"exec": {"command": ["true"]}}},
    "securityContext": {"allowPrivilegeEscalation": False}, "volumeMounts": [{"name": "empty", "mountPath": "/e"}],
    "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
}
POD_SPEC = {
    "containers": [CONTAINER], "initContainers": [{**CONTAINER, "name": "side", "ports": [], "restartPolicy": "Always"}],
    "volumes": [{"name": "empty", "emptyDir": {}}, {"name": "all", "projected": {"sources": [
        {"downwardAPI": {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}}]}}],
    "securityContext": {"runAsUser": 1000}, "imagePullSecrets": [{"name": "none"}],
    "hostAliases": [{"ip": "10.1.2.3", "hostnames": ["other"]}], "terminationGracePeriodSeconds": 1,
    "tolerations": [{"key": "a", "operator": "Exists"}], "nodeSelector": {"kubernetes.io/hostname": "real"},
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                                   "whenUnsatisfiable": "ScheduleAnyway",
                                   "labelSelector": {"matchLabels": {"app": "real"}}}],
}
KINDS = ("pods,nodes,replicasets,statefulsets,daemonsets,namespaces,services,persistentvolumeclaims,storageclasses,"
         "poddisruptionbudgets,priorityclasses,csinodes")


def workload(kind, **spec):
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": kind.lower()}, "spec": {
        "selector": {"matchLabels": {"app": "real"}},
        "template": {"metadata": {"labels": {"app": "real"}}, "spec": POD_SPEC}, **spec}}


def test_real_objects_are_the_same_to_tenon_without_what_is_dropped(cluster, api, namespace, make_node):
    """The suite rest/test_unread decodes each object with and without the dropped members. Objects are made by `kubectl
    apply`, with its annotation."""
    make_node("real", cpu="16")
    claims = [{"metadata": {"name": "empty"}, "spec": {"accessModes": ["ReadWriteOnce"],
                                                       "resources": {"requests": {"storage": "1Gi"}}}}]
    things = [workload("Deployment", replicas=1), workload("DaemonSet"),
              workload("StatefulSet", serviceName="none", volumeClaimTemplates=claims),
              {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "budget"},
               "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "real"}}}},
              {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "service"},
               "spec": {"selector": {"app": "real"}, "ports": [{"port": 80}]}}]
    run_kubectl(cluster, "apply", "-n", namespace, "-f", "-", text=json.dumps({"apiVersion": "v1", "kind": "List",
                                                                              "items": things}))
    wait_for(lambda: any(pod["status"]["phase"] == "Running" for pod in api.list("v1", "Pod", namespace)),
             what="a pod runs")
    path = WORK / "real-objects.json"
    path.write_text(run_kubectl(cluster, "get", KINDS, "-A", "-o", "json", "--show-managed-fields"), encoding="utf-8")
    assert '"managedFields"' in path.read_text(encoding="utf-8")
    result = subprocess.run([newest("kube_tests"), "--suite", "rest/test_unread", "--", path], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False)
    assert result.returncode == 0, result.stdout
    assert ", 0 unreadable" in result.stdout, result.stdout
    for kind in ("Pod", "Node", "ReplicaSet", "StatefulSet", "DaemonSet", "PodDisruptionBudget", "Service"):
        assert re.search(rf"^ +\d+ {kind}$", result.stdout, re.MULTILINE), f"no {kind} in\n{result.stdout}"
