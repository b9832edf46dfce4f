"""tenon in a cluster of the test bed: `tenon run --provider kwok`, as its chart's ServiceAccount and with its rights.

    install(cluster)                    # its CRDs and RBAC rules; once per cluster
    tenon = Tenon(cluster)
    tenon.start()                       # returns when it leads
    tenon.lines("created nodeclaim")    # lines of its log, as dicts

`build/release/tenon`, or the program that the environment variable TENON names. It ends with its cluster.
"""

import json
import os
import subprocess
import urllib.request
from pathlib import Path

from . import rights
from .api import Api, wait_for
from .layout import free_ports
from .process import Process

ROOT = Path(__file__).resolve().parents[3]
GROUP = rights.GROUP         # of users with a certificate that have the rights
NAMESPACE = rights.NAMESPACE # of its Lease
ACCOUNT = object()          # the chart's account, with a token of the TokenRequest API
LEADS = ("successfully acquired leader lease", "leader election is disabled")


class TenonError(Exception):
    """tenon is not built, or cannot be installed; the text says what to do."""


def program():
    path = Path(os.environ.get("TENON") or ROOT / "build" / "release" / "tenon")
    if not path.is_file():
        raise TenonError(f"{path} is not there: `make build` makes it; TENON=FILE names another one")
    return path.resolve()


def install(cluster):
    """Applies the definitions of tenon's kinds, waits until they are served, and makes its account with its rights."""
    kubectl(cluster, "apply", "--server-side", "-f", "-", text=json.dumps(rights.objects()).encode())
    apply_definitions(cluster, tenon_definitions())


def tenon_definitions(*flags):
    """What `tenon crds` prints."""
    return subprocess.run([program(), "crds", *flags], stdout=subprocess.PIPE, check=True).stdout


def apply_definitions(cluster, text):
    """Applies definitions of kinds, and returns when all of the cluster's are served."""
    kubectl(cluster, "apply", "--server-side", "--force-conflicts", "-f", "-", text=text)
    wait_until_served(cluster)


def wait_until_served(cluster):
    """`kubectl wait` does not do: it fails when it meets a definition that has no conditions yet."""
    api = Api(cluster.layout.kubeconfig)
    wait_for(lambda: all(map(is_served, api.list("apiextensions.k8s.io/v1", "CustomResourceDefinition"))), 60,
             "all definitions are served")


def is_served(definition):
    conditions = (definition.get("status") or {}).get("conditions") or ()
    return any(condition["type"] == "Established" and condition["status"] == "True" for condition in conditions)


def kubectl(cluster, *words, text=None):
    done = subprocess.run(["kubectl", *map(str, words)], env=cluster.environment(), input=text, capture_output=True, check=False)
    if done.returncode != 0:
        raise TenonError(f"kubectl {' '.join(map(str, words))}: {done.stderr.decode(errors='replace')}")


class Tenon:
    """One process of tenon; several of a cluster have several names. `flags`: words for `tenon run` that win over those
    from here; `environment`: variables that it has besides PATH; `group`: of a user with a certificate that it is instead of the
    chart's account; None: a user without any rights."""

    def __init__(self, cluster, name="tenon", flags=(), environment=None, group=ACCOUNT):
        self.cluster = cluster
        self.name = name
        self.kubeconfig = cluster.folder / f"{name}.kubeconfig"
        self.metrics_port, self.health_port = free_ports(2)
        if group is ACCOUNT:
            cluster.write_account(self.kubeconfig, rights.ACCOUNT, rights.NAMESPACE)
        else:
            cluster.write_kubeconfig(self.kubeconfig, name, group)
        words = [program(), "run", "--provider", "kwok", "--kubeconfig", self.kubeconfig,
                 "--leader-election-namespace", NAMESPACE, "--log-level", "debug",
                 "--metrics-port", self.metrics_port, "--health-probe-port", self.health_port, *flags]
        self.process = Process(name, words, cluster.folder / f"{name}.log",
                               {"PATH": os.environ["PATH"], **(environment or {})})
        self.started_at = 0     # position in the log at which the running process began

    @property
    def metrics_url(self):
        return f"http://127.0.0.1:{self.metrics_port}/metrics"

    @property
    def health_url(self):
        """The address of the health server, without /healthz or /readyz."""
        return f"http://127.0.0.1:{self.health_port}"

    # --- start and stop

    def start(self, until_it_leads=True):
        """Starts it as a part of the cluster, which stops it. May take 20 s if another tenon's Lease must expire first."""
        log = self.process.log
        self.started_at = log.stat().st_size if log.exists() else 0
        self.process.start()
        self.cluster.processes[self.name] = self.process
        if until_it_leads:
            self.process.wait_until(self.leads)

    def stop(self):
        """Terminates it and returns the exit status. It is not a part of the cluster any more."""
        self.cluster.processes.pop(self.name, None)
        return self.process.stop()

    def kill(self):
        self.cluster.processes.pop(self.name, None)
        self.process.kill()

    def restart(self, crash=False):
        """Stops it (`crash`: kills it), starts it again, and returns when it leads. After a crash its old Lease must expire
        first."""
        self.kill() if crash else self.stop()
        self.start()

    def leads(self):
        """Whether the log of the running process says that it leads."""
        return any(line.get("message") in LEADS for line in self.lines(since=self.started_at))

    # --- its metrics

    def metric(self, name):
        """The value of a metric without labels."""
        with urllib.request.urlopen(self.metrics_url, timeout=10) as reply:
            lines = reply.read().decode().splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith(f"{name} "))

    # --- its log

    def lines(self, message=None, since=0):
        """The lines of its log from the byte `since` on, as dicts; `message`: only those with this message."""
        found = [line for line in self.all_lines(since) if isinstance(line, dict)]
        return [line for line in found if message in (None, line.get("message"))]

    def stray_lines(self):
        """Output that is not a log line, for example of a failed assertion."""
        return [line for line in self.all_lines(0) if isinstance(line, str)]

    def all_lines(self, since):
        if not self.process.log.exists():
            return []
        with open(self.process.log, "rb") as log:
            log.seek(since)
            # The last line may be incomplete: without a newline it does not count yet.
            return [parse(line) for line in log.read().decode(errors="replace").split("\n")[:-1]]


def parse(line):
    try:
        return json.loads(line)
    except ValueError:
        return line
