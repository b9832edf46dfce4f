"""Paths and ports of one cluster, from which the command lines of its programs are made."""

import random
import socket
from pathlib import Path

# Below the kernel's range of ports for outgoing connections, so that none of these takes them.
PORTS = range(20000, 30000)
# The node lifecycle controller must be among them: it takes the not-ready taint off.
CONTROLLERS = ("*", "-node-ipam-controller")


class Layout:
    """`folder`: all files of the cluster. `programs`: the folder of the executables."""

    def __init__(self, folder, programs, parts, disabled_admission=(), controllers=CONTROLLERS,
                 scheduler_configuration=None):
        self.folder = Path(folder)
        self.programs = Path(programs)
        self.pki = self.folder / "pki"
        self.kubeconfig = self.folder / "kubeconfig"
        self.disabled_admission = ["ServiceAccount", *disabled_admission]
        self.controllers = controllers
        self.scheduler_configuration = scheduler_configuration
        names = [*parts, "etcd-peer"]
        self.ports = dict(zip(names, free_ports(len(names))))

    def port(self, name):
        return self.ports[name]

    def url(self, name, scheme="https"):
        return f"{scheme}://127.0.0.1:{self.ports[name]}"

    def serving(self, name):
        """The flags of a Kubernetes program that serves TLS."""
        return ["--bind-address=127.0.0.1", f"--secure-port={self.ports[name]}",
                f"--tls-cert-file={self.pki}/server.crt", f"--tls-private-key-file={self.pki}/server.key"]

    def clients(self):
        """The flags of a Kubernetes program that is a client of the API server and delegates authentication to it."""
        return [f"--{what}kubeconfig={self.kubeconfig}" for what in ("", "authentication-", "authorization-")]


def free_ports(count):
    """Ports on loopback that are free now. Another process may take one first; a program that then fails to bind must be
    started again with other ports."""
    found = []
    for port in random.SystemRandom().sample(PORTS, len(PORTS)):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise RuntimeError(f"no {count} ports are free between {PORTS.start} and {PORTS.stop} on loopback")
