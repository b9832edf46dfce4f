"""AWS beside a cluster of the test bed: the fake of its services, and the machines that it starts.

    aws = Aws(cluster, api)
    aws.start()                             # AWS_ENDPOINT_URL and keys: aws.environment()
    aws.control("capacity", offering="spot:*", left=0)
    aws.instances()                         # of the fake, as dicts

A machine that runs joins as its user data tells it: Machines reads that as nodeadm, Bottlerocket or AL2 does and creates the Node that the
kubelet would register; kwok plays the kubelet from then on. The Node of a machine that has ended is deleted, as the
cloud controller manager does.
"""

import email
import json
import re
import shlex
import threading
import tomllib
import urllib.error
import urllib.request
from pathlib import Path

import yaml

from .api import Api, ConflictError
from .process import Process

ROOT = Path(__file__).resolve().parents[3]
REGION, NAME = "us-east-1", "e2e"
KEYS = {"AWS_ACCESS_KEY_ID": "AKIAFAKE000000000001", "AWS_SECRET_ACCESS_KEY": "fake-secret"}
ROLE = f"KarpenterNodeRole-{NAME}"


class Aws:
    """The fake, a program of its own that ends with the cluster, and the machines. `flags`: further words for it."""

    def __init__(self, cluster, flags=(), region=REGION):
        self.cluster, self.region = cluster, region
        self.process = Process("aws", [ROOT / "tests/aws/fake/python.sh", "-m", "tests.aws.fake", "--port", 0, "--cluster", NAME,
                                       "--cluster-endpoint", cluster.layout.url("kube-apiserver"), "--region", region,
                                       "--kubernetes", kubernetes_version(cluster), *flags], cluster.folder / "aws.log")
        self.machines = Machines(self, cluster)

    def start(self):
        self.process.start()
        self.cluster.processes["aws"] = self.process
        self.process.wait_until(lambda: self.url, 180)
        self.control("timing", pending=0.2, shutting_down=0.5)
        self.machines.start()

    def stop(self):
        self.machines.stop()
        self.cluster.processes.pop("aws", None)
        self.process.stop()

    @property
    def url(self):
        log = self.process.log
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
        return next((line for line in reversed(lines) if line.startswith("http://")), None)

    def environment(self):
        """Variables for a program that uses it."""
        return {"AWS_ENDPOINT_URL": self.url, "AWS_REGION": self.region, "AWS_EC2_METADATA_DISABLED": "true", **KEYS}

    def control(self, method, **arguments):
        """What POST /_fake/METHOD answers."""
        request = urllib.request.Request(f"{self.url}/_fake/{method}", json.dumps(arguments).encode(), method="POST")
        try:
            with urllib.request.urlopen(request, timeout=20) as reply:
                return json.loads(reply.read())
        except urllib.error.HTTPError as error:
            raise AssertionError(f"the fake's {method}: {error.read().decode(errors='replace')}") from None

    def instances(self, alive=True, **tags):
        """Its instances with these tags (`__` is a slash); without those that end, unless `alive` is False."""
        wanted = {key.replace("__", "/"): value for key, value in tags.items()}
        return [one for one in self.control("instances")
                if not (alive and one["state"] in ("shutting-down", "terminated"))
                and all(one["tags"].get(key) == value for key, value in wanted.items())]

    def calls(self, action, since=0):
        return self.control("calls", action=action, since=since)


class Machines(threading.Thread):
    """Nodes of the machines that run. `held` holds the ids of machines that never join."""

    def __init__(self, aws, cluster):
        super().__init__(daemon=True)
        self.aws, self.kubeconfig = aws, cluster.layout.kubeconfig
        self.over = threading.Event()
        self.joined, self.held = {}, set()      # names of Nodes by instance id
        self.joins = True
        self.failures = []                      # texts, for the end of the run

    def run(self):
        api = Api(self.kubeconfig)
        while not self.over.wait(0.2):
            try:
                self.look(api)
            except Exception as error:      # the fake or the API server may be away for a moment
                self.failures.append(repr(error))

    def stop(self):
        self.over.set()
        self.join(10)

    def look(self, api):
        for one in self.aws.control("instances"):
            ident = one["id"]
            if one["state"] == "running" and self.joins and ident not in self.joined and ident not in self.held:
                self.joined[ident] = self.boot(api, one)
            elif one["state"] == "terminated" and self.joined.get(ident):
                name, self.joined[ident] = self.joined[ident], None
                node = api.get("v1", "Node", name)
                if node and node["spec"].get("providerID", "").endswith(ident):
                    api.delete(node)

    def boot(self, api, one):
        """Creates the Node of a machine; its name."""
        machine = self.aws.control("machine", instance=one["id"])
        node = node_of(one, machine)
        try:
            api.create(node)
        except ConflictError:
            pass
        return machine["name"]


def node_of(one, machine):
    """The Node that the kubelet of a machine registers."""
    labels, taints, most_pods = told(machine["user_data"])
    arch = {"x86_64": "amd64", "arm64": "arm64"}[machine["architecture"]]
    zone, kind = one["zone"], one["type"]
    pods, memory = most_pods or 110, int(machine["memory_mib"] * 0.95)
    room = {"cpu": str(machine["cpus"]), "memory": f"{memory}Mi", "ephemeral-storage": "20Gi", "pods": str(pods)}
    free = {**room, "cpu": f"{machine['cpus'] * 1000 - 80}m", "memory": f"{max(memory - 11 * pods - 355, 100)}Mi"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": machine["name"],
                         "labels": {**labels, "kubernetes.io/hostname": machine["name"], "kubernetes.io/arch": arch,
                                    "kubernetes.io/os": "linux", "node.kubernetes.io/instance-type": kind,
                                    "topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": zone[:-1]}},
            "spec": {"providerID": f"aws:///{zone}/{one['id']}", "taints": taints},
            "status": {"capacity": room, "allocatable": free}}


def told(user_data):
    """Labels, taints and the number of pods in a machine's user data: Bottlerocket's TOML, of nodeadm, or a call of AL2's
    bootstrap script."""
    if user_data.lstrip().startswith("["):
        settings = tomllib.loads(user_data)["settings"]["kubernetes"]
        taints = [{"key": key, "value": value.partition(":")[0], "effect": value.partition(":")[2]}
                  for key, values in settings.get("node-taints", {}).items() for value in values]
        return settings.get("node-labels", {}), taints, settings.get("max-pods")
    config, flags = nodeadm(user_data)
    if "/etc/eks/bootstrap.sh" in user_data:
        config, flags = bootstrap(user_data)
    labels = dict(pair.split("=", 1) for flag in flags if flag.startswith("--node-labels=")
                  for pair in flag.removeprefix("--node-labels=").strip('"').split(",") if pair)
    return labels, config.get("registerWithTaints", []), config.get("maxPods")


def nodeadm(user_data):
    """The kubelet's settings and flags in the last NodeConfig of a MIME message, as nodeadm merges them."""
    config, flags = {}, []
    message = email.message_from_string(user_data)
    for part in message.walk():
        if part.get_content_type() == "application/node.eks.aws":
            kubelet = yaml.safe_load(part.get_payload(decode=True))["spec"].get("kubelet", {})
            config = {**config, **kubelet.get("config", {})}
            flags += kubelet.get("flags", [])
    return config, flags


def bootstrap(user_data):
    """The same of the last call of AL2's bootstrap script in a MIME message."""
    scripts = [part.get_payload(decode=True).decode() for part in email.message_from_string(user_data).walk()
               if part.get_content_type() == "text/x-shellscript"]
    words = shlex.split(scripts[-1].partition("/etc/eks/bootstrap.sh")[2].replace("\\\n", " "))
    flags = shlex.split(words[words.index("--kubelet-extra-args") + 1])
    values = dict(flag.removeprefix("--").split("=", 1) for flag in flags)
    taints = [taint for taint in values.get("register-with-taints", "").split(",") if taint]
    config = {"registerWithTaints": [{"key": key, "value": value, "effect": effect} for key, value, effect
                                     in (re.fullmatch(r"([^=:]+)=?(.*?):(\w+)", taint).groups() for taint in taints)]}
    if "max-pods" in values:
        config["maxPods"] = int(values["max-pods"])
    return config, flags


def kubernetes_version(cluster):
    """Of the API server, as "1.36"."""
    with urllib.request.urlopen(cluster.layout.url("kube-apiserver") + "/version", timeout=10,
                                context=cluster.trust()) as reply:
        about = json.load(reply)
    return f"{about['major']}.{about['minor'].rstrip('+')}"
