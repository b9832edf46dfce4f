"""The programs of the cluster: built once, looked up in a folder, and their flags."""

import json
import os
import subprocess
from pathlib import Path

from . import rights

BUILD = Path(__file__).resolve().parent.parent / "programs" / "build.sh"
# High enough for the calls of busy tests: the test bed must not limit them.
CALLS = ["--kube-api-qps=500", "--kube-api-burst=1000"]


def folder():
    """The folder of the programs; builds them if they are missing. CLUSTER_PROGRAMS names another folder."""
    chosen = os.environ.get("CLUSTER_PROGRAMS")
    if chosen:
        return Path(chosen)
    return Path(subprocess.run([BUILD], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-1])


def etcd(layout):
    client, peer = layout.url("etcd", "http"), layout.url("etcd-peer", "http")
    return ["etcd", f"--data-dir={layout.folder}/etcd", "--unsafe-no-fsync", "--log-level=warn",
            # Alone it elects itself; asked to end, it waits for open watches 5 s and two of these timeouts, and a leader
            # among the API server's clients gives up after 10.
            "--heartbeat-interval=20", "--election-timeout=200",
            f"--listen-client-urls={client}", f"--advertise-client-urls={client}", f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}", f"--initial-cluster=default={peer}"]


def kube_apiserver(layout):
    pki = layout.pki
    return ["kube-apiserver", f"--etcd-servers={layout.url('etcd', 'http')}", *layout.serving("kube-apiserver"),
            # On loopback there is nothing to advertise; without this it looks for a network card and may find none.
            "--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
            f"--client-ca-file={pki}/ca.crt", f"--token-auth-file={pki}/tokens.csv", "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-signing-key-file={pki}/accounts.key", f"--service-account-key-file={pki}/accounts.pub",
            # Pods need no account: nothing runs in them. Scenes play without the controllers that release volumes.
            f"--disable-admission-plugins={','.join(layout.disabled_admission)}",
            # Asked to end, it ends the watches of its clients instead of waiting a minute for them.
            "--shutdown-watch-termination-grace-period=1s",
            "--service-cluster-ip-range=10.0.0.0/16", "--allow-privileged=true", *audit(layout)]


def audit(layout):
    """With E2E_AUDIT the server writes down what the chart's account calls (rights_used.py)."""
    if not os.environ.get("E2E_AUDIT"):
        return []
    policy = layout.folder / "audit-policy.json"
    policy.write_text(json.dumps(rights.AUDIT), encoding="utf-8")
    return [f"--audit-policy-file={policy}", f"--audit-log-path={layout.folder / 'audit.log'}", "--audit-log-maxsize=10000"]


def kube_scheduler(layout):
    """The scheduler's command line. If a test configures the scheduler, by a file; the flags for the same are ignored
    then."""
    if not layout.scheduler_configuration:
        return ["kube-scheduler", *layout.clients(), *layout.serving("kube-scheduler"), "--leader-elect=false", *CALLS]
    file = layout.folder / "kube-scheduler.json"
    file.write_text(json.dumps({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": str(layout.kubeconfig), "qps": 500, "burst": 1000},
        "leaderElection": {"leaderElect": False}, **layout.scheduler_configuration}), encoding="utf-8")
    return ["kube-scheduler", f"--config={file}", *layout.clients()[1:], *layout.serving("kube-scheduler")]


def kube_controller_manager(layout):
    return ["kube-controller-manager", *layout.clients(), *layout.serving("kube-controller-manager"),
            f"--controllers={','.join(layout.controllers)}", "--leader-elect=false", *CALLS,
            f"--service-account-private-key-file={layout.pki}/accounts.key", f"--root-ca-file={layout.pki}/ca.crt"]


def kwok(layout):
    stages = sorted((layout.programs / "stages").glob("*.yaml"))
    return ["kwok", f"--kubeconfig={layout.kubeconfig}", "--manage-all-nodes=true", "--node-lease-duration-seconds=40",
            f"--server-address=127.0.0.1:{layout.port('kwok')}", *(f"--config={stage}" for stage in stages)]


# In the order of their start, with their readiness check. They are stopped in the opposite order.
PARTS = {
    "etcd": (etcd, "http", "/readyz"),
    "kube-apiserver": (kube_apiserver, "https", "/readyz"),
    "kube-scheduler": (kube_scheduler, "https", "/readyz"),
    "kube-controller-manager": (kube_controller_manager, "https", "/healthz"),
    "kwok": (kwok, "http", "/healthz"),
}
