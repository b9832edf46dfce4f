#!/usr/bin/env python3
"""Runs the conformance suite against a real kube-apiserver, brought up for it on loopback and torn down after.

    tests/conformance/rest.py --binaries DIR --program PATH/conformance_rest [--crds DIR]... [--keep]

DIR holds kube-apiserver, kube-controller-manager and etcd's `server`. Beside the API server run only the garbage
collector and the namespace controller, as suite.h wants it. CRDs are all *.yaml of the folders given. Exit: that of
the program; 2 when the server does not come up.
"""

import argparse
import json
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TOKEN = "conformance"
READY_S = 60


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binaries", type=Path, required=True)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--crds", type=Path, action="append", default=[])
    parser.add_argument("--keep", action="store_true", help="leave the folder with the logs")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = Path(tempfile.mkdtemp(prefix="tenon-conformance-"))
    cluster = Cluster(folder, options.binaries.resolve())
    try:
        cluster.start()
        for crds in options.crds or [ROOT / "src/kube/crds"]:
            cluster.apply_crds(crds)
        return subprocess.run([options.program.resolve(), cluster.kubeconfig], check=False).returncode
    except NotReady as problem:
        print(f"rest.py: {problem}; logs in {folder}", file=sys.stderr)
        options.keep = True
        return 2
    finally:
        cluster.stop()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


class NotReady(Exception):
    pass


class Cluster:
    """etcd, kube-apiserver and two controllers, on free ports, with data and logs in `folder`."""

    def __init__(self, folder, binaries):
        self.folder, self.binaries, self.children = folder, binaries, []
        self.etcd, self.peer, self.port = free_ports(3)
        self.kubeconfig = folder / "kubeconfig"

    def start(self):
        self.write_files()
        client, peer = f"http://127.0.0.1:{self.etcd}", f"http://127.0.0.1:{self.peer}"
        self.run("server", "--unsafe-no-fsync", f"--data-dir={self.folder}/etcd", f"--listen-client-urls={client}",
                 f"--advertise-client-urls={client}", f"--listen-peer-urls={peer}",
                 f"--initial-advertise-peer-urls={peer}", f"--initial-cluster=default={peer}", "--log-level=warn")
        self.run("kube-apiserver", f"--etcd-servers={client}", f"--cert-dir={self.folder}/certs",
                 f"--secure-port={self.port}", "--bind-address=127.0.0.1", "--service-cluster-ip-range=10.0.0.0/16",
                 f"--token-auth-file={self.folder}/tokens.csv", "--authorization-mode=RBAC",
                 "--disable-admission-plugins=ServiceAccount", "--service-account-issuer=https://conformance",
                 f"--service-account-key-file={self.folder}/sa.pub",
                 f"--service-account-signing-key-file={self.folder}/sa.key")
        self.wait_ready()
        self.run("kube-controller-manager", f"--kubeconfig={self.kubeconfig}", "--leader-elect=false",
                 "--controllers=garbage-collector-controller,namespace-controller", "--secure-port=0",
                 "--kube-api-qps=500", "--kube-api-burst=1000")

    def write_files(self):
        key, pub = self.folder / "sa.key", self.folder / "sa.pub"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        subprocess.run(["openssl", "rsa", "-in", key, "-pubout", "-out", pub], check=True, capture_output=True)
        (self.folder / "tokens.csv").write_text(f'{TOKEN},admin,admin,"system:masters"\n')
        self.kubeconfig.write_text(f"""apiVersion: v1
kind: Config
clusters:
- name: c
  cluster: {{server: "https://127.0.0.1:{self.port}", certificate-authority: certs/apiserver.crt}}
users: [{{name: u, user: {{token: {TOKEN}}}}}]
contexts: [{{name: x, context: {{cluster: c, user: u}}}}]
current-context: x
""")

    def run(self, program, *arguments):
        with open(self.folder / f"{program}.log", "wb") as log:
            child = subprocess.Popen([self.binaries / program, *arguments], stdout=log, stderr=log)
        self.children.append((program, child))

    def request(self, path, body=None):
        context = ssl.create_default_context(cafile=self.folder / "certs/apiserver.crt")
        method = "POST" if body else "GET"
        request = urllib.request.Request(f"https://127.0.0.1:{self.port}{path}", data=body, method=method, headers={
            "Authorization": f"Bearer {TOKEN}", "Content-Type": "application/yaml"})
        with urllib.request.urlopen(request, context=context, timeout=10) as answer:
            return answer.read()

    def wait_ready(self):
        for _ in range(READY_S * 10):
            for program, child in self.children:
                if child.poll() is not None:
                    raise NotReady(f"{program} ended with {child.returncode}")
            try:
                if self.request("/readyz") == b"ok":
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise NotReady(f"the API server is not ready after {READY_S} s")

    def apply_crds(self, folder):
        for path in sorted(folder.glob("*.yaml")):
            created = self.request("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", path.read_bytes())
            self.wait_established(name_in(created))

    def wait_established(self, name):
        for _ in range(READY_S * 10):
            crd = json.loads(self.request(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}"))
            conditions = {c["type"]: c["status"] for c in crd.get("status", {}).get("conditions") or []}
            if conditions.get("Established") == "True":
                return
            time.sleep(0.1)
        raise NotReady(f"{name} is not established after {READY_S} s")

    def stop(self):
        for _, child in reversed(self.children):
            child.terminate()
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def name_in(created):
    return json.loads(created)["metadata"]["name"]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


if __name__ == "__main__":
    sys.exit(main())
