"""A `tenon run` under attack: starting it against a fake API server, probing it, stopping it."""

import http.client
import json
import os
import random
import resource
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import api

NOBODY = 54321
LOADED = 4  # factor of all timeouts, for machines that are slower than an idle one
LEASE = ("kube-system", "karpenter-leader-election")


def free_port():
    """A port below those that connections get by themselves: crowds leave thousands of these busy behind them."""
    for port in random.SystemRandom().sample(range(10000, 20000), 10000):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise RuntimeError("no port is free between 10000 and 20000 on loopback")


def wait_for(condition, seconds, what):
    """The first true value of `condition`, within so many seconds times LOADED."""
    until = time.monotonic() + seconds * LOADED
    while not (value := condition()):
        assert time.monotonic() < until, f"waited {seconds * LOADED} s in vain for {what}"
        time.sleep(0.05)
    return value


class World:
    """An API server and the processes that use it; a context manager that ends them all."""

    def __init__(self, program):
        self.program = program
        self.api = api.Api()
        self.processes = []
        self.folder = tempfile.TemporaryDirectory()
        config = {"apiVersion": "v1", "kind": "Config", "current-context": "x",
                  "clusters": [{"name": "x", "cluster": {"server": self.api.url}}],
                  "users": [{"name": "x", "user": {}}],
                  "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}]}
        self.kubeconfig = Path(self.folder.name) / "kubeconfig"
        self.kubeconfig.write_text(json.dumps(config))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
        self.api.close()
        self.folder.cleanup()

    def run(self, *flags, **wishes):
        process = Tenon(self, flags, **wishes)
        self.processes.append(process)
        return process

    def await_pool(self):
        """Waits until the NodePool is ready."""
        wait_for(lambda: any(condition["type"] == "Ready" and condition["status"] == "True"
                             for pool in self.api.all("nodepools")
                             for condition in pool.get("status", {}).get("conditions", [])), 10, "a ready pool")

    def holder(self):
        """The holder of the Lease; None or "": there is none."""
        with self.api.lock:
            lease = self.api.objects.get("leases", {}).get(LEASE)
            return lease and lease["spec"].get("holderIdentity")


class Tenon:
    """One process. `limits`: {resource.RLIMIT_…: (soft, hard)}; `closed`: descriptors that are closed at its start;
    `nobody`: runs as the user nobody, if this one is root."""

    def __init__(self, world, flags, limits=None, closed=(), nobody=False):
        self.metrics_port, self.health_port = free_port(), free_port()
        self.log_path = Path(world.folder.name) / f"log{len(world.processes)}"
        self.error_path = self.log_path.with_suffix(".stderr")
        command = [world.program, "run", f"--kubeconfig={world.kubeconfig}", "--leader-election-namespace=kube-system",
                   f"--metrics-port={self.metrics_port}", f"--health-probe-port={self.health_port}",
                   f"--log-output-paths={self.log_path}", *flags]

        program = os.open(world.program, os.O_RDONLY)  # opened here, since the user nobody may lack access to its path
        if nobody and os.geteuid() == 0:
            for path in (Path(world.folder.name), world.kubeconfig):
                path.chmod(0o777)

        def prepare():
            if nobody and os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
            for name, value in (limits or {}).items():
                resource.setrlimit(name, value)
            for fd in closed:
                os.close(fd)

        with open(self.error_path, "wb") as error:
            self.child = subprocess.Popen(command, executable=f"/proc/self/fd/{program}", pass_fds=(program,),
                                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=error,
                                          preexec_fn=prepare, start_new_session=True)
        os.close(program)

    @property
    def pid(self):
        return self.child.pid

    def kill(self):
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()

    def wait(self, seconds):
        try:
            return self.child.wait(seconds * LOADED)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still there after {seconds * LOADED} s") from None

    def stop(self, seconds):
        """Sends SIGTERM. Returns (exit status, seconds that it took); times out after LOADED times the allowed seconds."""
        begun = time.monotonic()
        self.child.send_signal(signal.SIGTERM)
        return self.wait(seconds), time.monotonic() - begun

    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def errors(self):
        return self.error_path.read_text(errors="replace")

    def ask(self, port, path, seconds=2, source=None):
        """Requests a page. Returns (status, text); status 0: no answer in time."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds,
                                                source_address=source and (source, 0))
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")
        except (OSError, http.client.HTTPException) as error:
            return 0, str(error)
        finally:
            connection.close()

    def health(self, path="/healthz", **wishes):
        return self.ask(self.health_port, path, **wishes)

    def metrics(self, **wishes):
        return self.ask(self.metrics_port, "/metrics", **wishes)

    def await_health(self):
        wait_for(lambda: self.health()[0] == 200, 10, "/healthz")

    def await_ready(self):
        wait_for(lambda: self.leads() and self.health("/readyz")[0] == 200, 15, "a leader that is ready")

    def leads(self):
        return "successfully acquired leader lease" in self.log()

    def descriptors(self):
        return {int(fd) for fd in os.listdir(f"/proc/{self.pid}/fd")}

    def memory_mb(self, field="VmRSS"):
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) // 1024
        return 0

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
