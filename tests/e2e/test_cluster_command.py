"""cluster.py: all its programs are stopped, however it ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bed.api import wait_for

COMMAND = Path(__file__).resolve().parent / "cluster.py"
# A small cluster is up within three seconds, and the rules are the same.
SMALL = ["--without", "kwok", "--without", "kube-scheduler", "--without", "kube-controller-manager"]


def command(folder, *words, tenon=False):
    return [sys.executable, COMMAND, "--folder", folder, *SMALL, *([] if tenon else ["--without-tenon"]), *words]


def programs_of(folder):
    """Programs that name the folder on their command line, cluster.py itself among them."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if any(str(folder) in word for word in words) and int(entry.name) != os.getpid():
            found.append(words)
    return found


def test_run_ends_as_its_command_does(tmp_path):
    done = subprocess.run(command(tmp_path / "bed", "run", "sh", "-c", "kubectl get --raw /readyz; exit 7"),
                          capture_output=True, text=True, timeout=120, check=False, env={**os.environ, "E2E_AUDIT": ""})
    assert (done.stdout, done.returncode) == ("ok", 7)
    assert not programs_of(tmp_path)
    assert sorted(file.name for file in (tmp_path / "bed").iterdir()) == ["etcd.log", "kube-apiserver.log", "lock"]


def test_tenon_comes_with_it(tmp_path):
    folder = tmp_path / "bed"
    done = subprocess.run(command(folder, "run", "kubectl", "get", "nodepools,kwoknodeclasses", tenon=True),
                          capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "No resources found\n")
    assert "successfully acquired leader lease" in (folder / "tenon.log").read_text(encoding="utf-8")
    assert not programs_of(tmp_path)


@pytest.mark.parametrize("words", [["up"], ["run", "true"]], ids=["up", "run"])
def test_without_a_tenon_to_run_it_says_what_to_do(tmp_path, words):
    done = subprocess.run(command(tmp_path / "bed", *words, tenon=True), capture_output=True, text=True, timeout=120,
                          check=False, env={**os.environ, "TENON": str(tmp_path / "nothing")})
    assert done.returncode == 1
    assert done.stderr == f"cluster.py: {tmp_path}/nothing is not there: `make build` makes it; TENON=FILE names another one\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL],
                         ids=lambda number: number.name)
def test_nothing_outlives_run(tmp_path, number):
    child = subprocess.Popen(command(tmp_path / "bed", "run", "sh", "-c", f"touch {tmp_path}/up; exec sleep 1000"))
    wait_for((tmp_path / "up").exists, 60, "the cluster is up")
    assert len(programs_of(tmp_path)) >= 3      # cluster.py, etcd and the API server
    child.send_signal(number)
    status = child.wait(60)
    assert status == (-number if number == signal.SIGKILL else 128 + number)
    wait_for(lambda: not programs_of(tmp_path), what="all programs have ended")


def test_up_stays_until_down(tmp_path):
    folder = tmp_path / "bed"
    first = subprocess.run(command(folder, "up"), capture_output=True, text=True, timeout=120, check=True)
    assert f"export KUBECONFIG={folder}/kubeconfig" in first.stdout
    try:
        status = subprocess.run(command(folder, "status"), capture_output=True, text=True, check=True)
        assert "kube-apiserver" in status.stdout
        again = subprocess.run(command(folder, "up"), capture_output=True, text=True, check=False)
        assert again.returncode == 1 and "it is up already" in again.stderr
    finally:
        subprocess.run(command(folder, "down"), check=True, timeout=60)
    assert not programs_of(tmp_path)
    assert subprocess.run(command(folder, "status"), capture_output=True, check=False).returncode == 1


def test_a_crashed_cluster_is_cleaned_up_by_the_next(tmp_path):
    folder = tmp_path / "bed"
    subprocess.run(command(folder, "up"), stdout=subprocess.DEVNULL, timeout=120, check=True)
    holder = next(int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and is_holder(entry, folder))
    os.kill(holder, signal.SIGKILL)
    wait_for(lambda: not programs_of(tmp_path), what="all programs have ended with their holder")
    subprocess.run(command(folder, "up"), stdout=subprocess.DEVNULL, timeout=120, check=True)
    subprocess.run(command(folder, "down"), stdout=subprocess.DEVNULL, timeout=60, check=True)
    assert not programs_of(tmp_path)


def is_holder(entry, folder):
    try:
        words = (entry / "cmdline").read_bytes().decode().split("\0")
    except OSError:
        return False
    return str(folder) in words and "hold" in words


def test_a_program_that_fails_to_start_is_shown_with_its_log(tmp_path):
    broken = tmp_path / "programs"
    broken.mkdir()
    (broken / "etcd").write_text("#!/bin/sh\necho no disk here >&2; exit 3\n", encoding="ascii")
    (broken / "etcd").chmod(0o755)
    done = subprocess.run(command(tmp_path / "bed", "run", "true"), capture_output=True, text=True, check=False,
                          env={**os.environ, "CLUSTER_PROGRAMS": str(broken)})
    assert done.returncode == 1
    assert "etcd ended with status 3 before it was ready" in done.stderr and "no disk here" in done.stderr
