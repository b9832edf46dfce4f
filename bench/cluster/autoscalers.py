"""The two that are compared, each as a part of a cluster of the bed: what it installs, how it starts, when it works."""

import contextlib
import json
import os
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from bed.layout import free_ports
from bed.process import Process
from bed.tenon import Tenon, install as install_tenon

# Whom the API server does not hold back, as it holds back no account of kube-system.
GROUP = "system:masters"


class TenonSide:
    name = "tenon"

    def __init__(self, cluster, types, elects=False, flags=()):
        """`types`: the file with the instance types. `elects`: it asks for the Lease, as a replica of several does."""
        words = ["--instance-types-file-path", types, "--log-level", "info",
                 f"--disable-leader-election={'false' if elects else 'true'}", *flags]
        self.cluster = cluster
        self.tenon = Tenon(cluster, flags=words, group=GROUP)
        self.process = self.tenon.process

    def start(self):
        install_tenon(self.cluster)
        self.tenon.start()


class KarpenterSide:
    name = "karpenter"

    def __init__(self, cluster, types, folder, elects=False):
        """`folder`: what karpenter/build.sh made."""
        self.cluster, self.folder = cluster, folder
        metrics, self.health = free_ports(2)
        kubeconfig = cluster.folder / "karpenter.kubeconfig"
        cluster.write_kubeconfig(kubeconfig, self.name, GROUP)
        environment = {"PATH": os.environ["PATH"], "KUBECONFIG": kubeconfig, "SYSTEM_NAMESPACE": "kube-system",
                       "METRICS_PORT": metrics, "HEALTH_PROBE_PORT": self.health, "DISABLE_LEADER_ELECTION": str(not elects).lower(),
                       "LEADER_ELECTION_NAMESPACE": "kube-system",
                       "CPU_REQUESTS": "2000", "MEMORY_LIMIT": "-1", "CLUSTER_NAME": "bench",
                       "INSTANCE_TYPES_FILE_PATH": types, "FEATURE_GATES": "StaticCapacity=true"}
        self.process = Process(self.name, [folder / "karpenter"], cluster.folder / "karpenter.log",
                               {name: str(value) for name, value in environment.items()})

    def start(self, with_definitions=True):
        """`with_definitions`: its own ones; else those that the cluster has."""
        if with_definitions:
            self.install()
        self.process.start()
        self.cluster.processes[self.name] = self.process
        self.process.wait_until(self.is_ready)

    def install(self):
        for words in (["apply", "--server-side", "-f", self.folder / "crds"],
                      ["wait", "--for=condition=Established", "--all", "customresourcedefinitions", "--timeout=60s"]):
            subprocess.run(["kubectl", *words], env=self.cluster.environment(), stdout=subprocess.DEVNULL, check=True)

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.health}/readyz", timeout=2) as reply:
                return reply.status == 200
        except (urllib.error.URLError, OSError):
            return False


def prices(types):
    """$ an hour of each offering in the file of instance types: (type, zone, capacity type) to the price."""
    found = {}
    for entry in json.loads(types.read_text(encoding="utf-8")):
        for offering in entry["offerings"]:
            where = {requirement["key"]: requirement["values"][0] for requirement in offering["Requirements"]}
            key = (entry["name"], where["topology.kubernetes.io/zone"], where["karpenter.sh/capacity-type"])
            found[key] = offering["Price"]
    return found


def price(nodes, types):
    """$ an hour of all nodes. `types`: the file with the instance types."""
    known = prices(types)
    return sum(known[labels["node.kubernetes.io/instance-type"], labels["topology.kubernetes.io/zone"],
                     labels["karpenter.sh/capacity-type"]]
               for labels in (node["metadata"]["labels"] for node in nodes))


@contextlib.contextmanager
def profile(side, file):
    """`perf record` of the autoscaler while the block runs; without a file: nothing."""
    if not file:
        yield
        return
    perf = Process("perf", ["perf", "record", "-F", "99", "-g", "-p", side.process.pid, "-o", file], Path(f"{file}.log"))
    perf.start()
    yield
    perf.signal(2)
    perf.wait()
