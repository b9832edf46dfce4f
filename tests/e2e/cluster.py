#!/usr/bin/env python3
"""A real Kubernetes control plane with tenon on loopback, to try things by hand or around one command.

    cluster.py up                starts it, leaves it running, and prints how to use it
    cluster.py status            running programs and their memory
    cluster.py down              stops it
    cluster.py run COMMAND...    starts one, runs the command with KUBECONFIG set, stops it; exits with the command's status

etcd, kube-apiserver, kube-scheduler, kube-controller-manager, kwok, which simulates the kubelets of all nodes, and
tenon (build/release/tenon, or the program that TENON names), which creates nodes.
A cluster of `run` ends with this program, whatever happens to it. Only Python's standard library is needed, and openssl.
Exit: 0, or the command's status; 1 it did not work; 2 wrong use.
"""

import argparse
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from bed import programs
from bed.cluster import ALL, Cluster, ClusterError
from bed.process import ProcessError
from bed.tenon import TenonError, program

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MEGABYTE = 1 << 20


def main():
    options = parse_arguments()
    try:
        return options.act(options)
    except (ClusterError, ProcessError, TenonError, subprocess.CalledProcessError, OSError) as error:
        print(f"cluster.py: {error}", file=sys.stderr)
        return 1


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where its files lie (build/cluster; of run: a new one)")
    parser.add_argument("--without", action="append", default=[], choices=ALL, metavar="PROGRAM",
                        help="leave one out, as kwok, or kube-scheduler")
    parser.add_argument("--without-tenon", action="store_true", help="Kubernetes alone: neither tenon nor its definitions")
    commands = parser.add_subparsers(required=True, metavar="up|status|down|run")
    for name, act, text in [("up", up, "bring it up and leave it running"), ("down", down, "take it down"),
                            ("status", status, "what runs")]:
        commands.add_parser(name, help=text).set_defaults(act=act)
    commands.add_parser("hold").set_defaults(act=hold)     # internal, used by `up`: not in the help
    one = commands.add_parser("run", help="bring one up around a command")
    one.add_argument("command", nargs=argparse.REMAINDER)
    one.set_defaults(act=run)
    options = parser.parse_args()
    options.folder = options.folder or default_folder(options)
    return options


def default_folder(options):
    return ROOT / "build" / (f"cluster-{os.getpid()}" if options.act is run else "cluster")


def new_cluster(options):
    return Cluster(options.folder, tuple(name for name in ALL if name not in options.without),
                   with_tenon=not options.without_tenon)


# --- commands

def up(options):
    """Starts a background process (`hold`) that runs the cluster."""
    if holder(options.folder):
        raise ClusterError(f"it is up already: {options.folder}; `cluster.py status` shows it, `down` ends it")
    programs.folder()       # builds missing programs here, where the user sees it, not in the background process
    if not options.without_tenon:
        program()
    options.folder.mkdir(parents=True, exist_ok=True)
    words = [word for name in options.without for word in ("--without", name)]
    words += ["--without-tenon"] if options.without_tenon else []
    with open(options.folder / "holder.log", "wb") as log:
        child = subprocess.Popen([sys.executable, __file__, "--folder", options.folder, *words, "hold"],
                                 stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    while not read_state(options.folder).get("holder") == child.pid:
        if child.poll() is not None:
            raise ClusterError((options.folder / "holder.log").read_text(encoding="utf-8", errors="replace"))
        time.sleep(0.05)
    state = read_state(options.folder)
    print(f"A Kubernetes cluster is up. To use it:\n\n  export KUBECONFIG={state['kubeconfig']}\n"
          f"  export PATH={state['programs']}:$PATH    # kubectl\n")
    if not options.without_tenon:
        print(f"tenon runs in it. To see it work:\n\n  kubectl apply -f {HERE / 'try.yaml'}\n"
              f"  kubectl get nodepools,nodeclaims,nodes,pods -o wide\n  tail -f {options.folder / 'tenon.log'}\n")
    print(f"Its files and logs: {options.folder}")
    return 0


def hold(options):
    """Runs the cluster until it receives a signal."""
    stop_on_signals()
    try:
        with new_cluster(options):
            while True:
                signal.pause()
    except Stopped:
        return 0


def down(options):
    pid = holder(options.folder)
    if not pid:
        print(f"nothing is up in {options.folder}")
        return 0
    os.kill(pid, signal.SIGTERM)
    while holder(options.folder):
        time.sleep(0.05)
    print("the cluster is down")
    return 0


def status(options):
    if not holder(options.folder):
        print(f"nothing is up in {options.folder}")
        return 1
    state = read_state(options.folder)
    for name, pid in state.get("pids", {}).items():
        try:
            line = next(line for line in open(f"/proc/{pid}/status", encoding="ascii") if line.startswith("VmRSS:"))
            print(f"{name:26} {pid:8} {int(line.split()[1]) * 1024 / MEGABYTE:8.0f} MB")
        except (OSError, StopIteration):
            print(f"{name:26} {pid:8} has ended; its log: {options.folder}/{name}.log")
    print(f"export KUBECONFIG={state.get('kubeconfig')}")
    return 0


def run(options):
    if not options.command:
        raise ClusterError("run what? cluster.py run COMMAND...")
    stop_on_signals()
    try:
        with new_cluster(options) as cluster:
            return run_command(options.command, cluster.environment())
    except Stopped as stopped:
        return 128 + stopped.number


def run_command(command, environment):
    """Runs the command to its end. If this program is terminated, the command ends before its cluster does."""
    child = subprocess.Popen(command, env=environment)
    try:
        return exit_status(child.wait())
    except Stopped as stopped:
        child.send_signal(stopped.number)
        child.wait()
        raise


# --- helpers

class Stopped(Exception):
    """This program received a signal to end."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


def stop_on_signals():
    """Makes the first signal unwind the stack, so that everything is stopped; later signals are ignored."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def stop(number, _):
        for other in numbers:
            signal.signal(other, signal.SIG_IGN)
        raise Stopped(number)

    for number in numbers:
        signal.signal(number, stop)


def exit_status(code):
    return 128 - code if code < 0 else code


def read_state(folder):
    try:
        return json.loads((folder / "state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def holder(folder):
    """The process that runs the cluster of this folder; 0: there is none."""
    try:
        with open(folder / "lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return 0
    except FileNotFoundError:
        return 0
    except BlockingIOError:
        return read_state(folder).get("holder", 0)


if __name__ == "__main__":
    sys.exit(main())
