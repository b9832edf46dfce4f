"""The cluster: starts its programs in order, is ready when `start` returns, and ends with the process that started it.

    with Cluster(folder) as cluster:
        subprocess.run(["kubectl", "get", "nodes"], env=cluster.environment())

tenon is one of the programs if requested (`with_tenon`); tests that start, stop and kill tenon processes make them
themselves (tenon.py).

All files are in `folder`: kubeconfig, keys, etcd's data, and a log for each program. `stop` leaves only the logs.
One process at a time has a folder: the next one finds it locked, or, if that process crashed, cleans up after it.
"""

import fcntl
import json
import os
import shutil
import ssl
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from . import kubeconfig, programs
from .certificates import Authority, make_signing_key
from .layout import CONTROLLERS, Layout
from .process import Process, ProcessError
from .tenon import Tenon, install, program

START_ATTEMPTS = 3
ALL = tuple(programs.PARTS)
# The parts are Go programs, and processor is scarcer than memory: garbage is collected when three times as much has come.
THRIFT = {"GOGC": "300"}


class ClusterError(Exception):
    """The cluster cannot be started; the text says why."""


class Cluster:
    """`parts`: which programs run. `disabled_admission`: plugins of the API server that a test does without.
    `controllers`: of the controller manager, in the words of its flag. `scheduler_configuration`: members of a
    KubeSchedulerConfiguration. `with_tenon`: tenon runs too, as `tenon`, with the flags `tenon_flags`. `flags`: further
    words for some programs, by their names."""

    def __init__(self, folder, parts=ALL, disabled_admission=(), controllers=CONTROLLERS, scheduler_configuration=None,
                 with_tenon=False, tenon_flags=(), flags=None):
        self.folder = Path(folder).resolve()
        self.parts = parts
        self.disabled_admission = disabled_admission
        self.controllers = controllers
        self.scheduler_configuration = scheduler_configuration
        self.with_tenon = with_tenon
        self.tenon_flags = tenon_flags
        self.flags = flags or {}
        self.tenon = None
        self.layout = None
        self.authority = None
        self.processes = {}
        self.lock = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    # --- start and stop

    def start(self):
        """Starts an empty cluster and waits until all programs are ready."""
        where = programs.folder()
        if self.with_tenon:
            program()       # fails before anything is started if a program is missing
        self.take_folder()
        try:
            for attempt in range(START_ATTEMPTS):
                try:
                    return self.start_parts(where)
                except ProcessError as error:
                    self.stop_processes()
                    # Another process took one of our ports before the program bound it.
                    if "address already in use" not in str(error).lower() or attempt == START_ATTEMPTS - 1:
                        raise
        except BaseException:
            self.stop()
            raise

    def start_parts(self, where):
        clean(self.folder)
        self.layout = Layout(self.folder, where, self.parts, self.disabled_admission, self.controllers,
                             self.scheduler_configuration)
        self.make_keys()
        for name in self.parts:
            command, _, _ = programs.PARTS[name]
            words = command(self.layout) + [str(word) for word in self.flags.get(name, ())]
            self.processes[name] = Process(name, [where / words[0], *words[1:]], self.folder / f"{name}.log", {**THRIFT, **os.environ})
            self.processes[name].start()
            # The API server is of no use without etcd, nor the others without it; these come up side by side.
            if name in ("etcd", "kube-apiserver"):
                self.wait_ready(name)
        for name in self.parts:
            self.wait_ready(name)
        if self.with_tenon:
            install(self)
            self.tenon = Tenon(self, flags=self.tenon_flags)
            self.tenon.start()
        self.write_state()

    def stop(self):
        """Ends all programs and removes everything but the logs; does nothing when that is done."""
        self.stop_processes()
        if self.lock:
            clean(self.folder, keep=".log")
            os.close(self.lock)
            self.lock = None

    def stop_processes(self):
        for process in reversed(self.processes.values()):
            process.stop()
        self.processes = {}

    # --- parts

    def restart(self, name, crash=False):
        """Stops one program (`crash`: kills it), starts it again on the same port, and waits until it is ready."""
        process = self.processes[name]
        process.kill() if crash else process.stop()
        process.start()
        self.wait_ready(name)

    def wait_ready(self, name):
        self.processes[name].wait_until(lambda: self.is_ready(name))

    def is_ready(self, name):
        _, scheme, path = programs.PARTS[name]
        try:
            with urllib.request.urlopen(self.layout.url(name, scheme) + path, timeout=2, context=self.trust()) as reply:
                return reply.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def forget_history(self):
        """Only the present state can be read or watched from then on: etcd drops its history, and a new API server has
        no memory of it."""
        status = self.ask_etcd("maintenance/status", {})
        self.ask_etcd("kv/compaction", {"revision": status["header"]["revision"], "physical": True})
        self.restart("kube-apiserver")

    def ask_etcd(self, method, question):
        """A call of etcd's JSON gateway."""
        url = f"{self.layout.url('etcd', 'http')}/v3/{method}"
        with urllib.request.urlopen(url, data=json.dumps(question).encode(), timeout=10) as answer:
            return json.load(answer)

    # --- clients

    def trust(self):
        return ssl.create_default_context(cafile=self.authority.certificate("ca"))

    def environment(self):
        """The environment for programs that use the cluster: KUBECONFIG, and kubectl on the PATH."""
        return {**os.environ, "KUBECONFIG": str(self.layout.kubeconfig),
                "PATH": f"{self.layout.programs}:{os.environ['PATH']}"}

    def write_kubeconfig(self, path, user, group=None):
        """A kubeconfig for another user, who has a certificate and no rights but those that RBAC gives."""
        self.authority.issue_client(user, user, group)
        self.write_client(path, user)

    def write_account(self, path, account, namespace):
        """A kubeconfig for a ServiceAccount that is there, with a token for a day."""
        done = subprocess.run(["kubectl", "create", "token", account, "--namespace", namespace, "--duration", "24h"],
                              env=self.environment(), capture_output=True, check=False, text=True)
        if done.returncode != 0:
            raise ClusterError(f"a token for {account}: {done.stderr}")
        user = kubeconfig.with_token(done.stdout.strip())
        kubeconfig.write(path, self.layout.url("kube-apiserver"), self.authority.certificate("ca"), user)

    def write_client(self, path, name):
        user = kubeconfig.with_certificate(self.authority.certificate(name), self.authority.key(name))
        kubeconfig.write(path, self.layout.url("kube-apiserver"), self.authority.certificate("ca"), user)

    # --- files

    def take_folder(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self.lock)
            self.lock = None
            raise ClusterError(f"a cluster is up in {self.folder}; take it down first, or use another folder") from None

    def make_keys(self):
        self.authority = Authority(self.layout.pki)
        self.authority.issue_server("server")
        self.authority.issue_client("admin", "admin", "system:masters")
        make_signing_key(self.layout.pki / "accounts.key", self.layout.pki / "accounts.pub")
        (self.layout.pki / "tokens.csv").write_text("admin-token,admin,admin,system:masters\n", encoding="ascii")
        self.write_client(self.layout.kubeconfig, "admin")

    def write_state(self):
        """What `status` shows; its being there says that the cluster is ready."""
        state = {"holder": os.getpid(), "kubeconfig": str(self.layout.kubeconfig), "programs": str(self.layout.programs),
                 "pids": {name: process.pid for name, process in self.processes.items()}}
        (self.folder / "state.json").write_text(json.dumps(state), encoding="utf-8")


def clean(folder, keep=""):
    """Removes what lies in the folder, but not the lock, and not files that end with `keep`."""
    for entry in folder.iterdir():
        if entry.name == "lock" or (keep and entry.name.endswith(keep)):
            continue
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
