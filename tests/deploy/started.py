#!/usr/bin/env python3
"""Starts the image as a cluster would: another user, a read-only root, no capabilities, no way to get rights.

    tests/deploy/started.py FOLDER        FOLDER is what scripts/image.py wrote; of this machine's architecture

crun where it works, bubblewrap where it is; what ran is said. The last line is "N passed, N failed". Exit: 1 something failed, or
nothing is there to start it with.
"""

import contextlib
import gzip
import io
import json
import os
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
from pathlib import Path

USER = 65532
PATIENCE_S = 60
POD = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: web, image: x, resources: {requests: {cpu: "1"}}}]}
"""
STRANGER = """\
{"apiVersion": "v1", "kind": "Config", "current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
 "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}], "users": [{"name": "u", "user": {"token": "t"}}]}
"""


class Image:
    """An image of a layout, unpacked as a runtime does it."""

    def __init__(self, layout, root):
        self.blobs = layout / "blobs" / "sha256"
        self.root = root
        index = self.json(json.loads((layout / "index.json").read_bytes())["manifests"][0])
        machine = subprocess.run(["dpkg", "--print-architecture"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        manifest = self.json(next(each for each in index["manifests"] if each["platform"]["architecture"] == machine))
        self.config = self.json(manifest["config"])["config"]
        for layer in manifest["layers"]:
            with tarfile.open(fileobj=io.BytesIO(gzip.decompress(self.blob(layer)))) as tar:
                # Debian 12's Python has no filters, and newer ones ask for one.
                tar.extraction_filter = lambda member, _: member
                tar.extractall(root)

    def blob(self, descriptor):
        return (self.blobs / descriptor["digest"].removeprefix("sha256:")).read_bytes()

    def json(self, descriptor):
        return json.loads(self.blob(descriptor))

    def command(self, words):
        return self.config["Entrypoint"] + (words or self.config["Cmd"])


def with_bubblewrap(image, words, folder):
    """A command line; `folder` is /work there, read-only."""
    return ["bwrap", "--ro-bind", image.root, "/", "--ro-bind", folder, "/mnt", "--proc", "/proc", "--dev", "/dev", "--unshare-all",
            "--share-net", "--uid", str(USER), "--gid", str(USER), "--cap-drop", "ALL", "--new-session", "--die-with-parent",
            "--clearenv", "--chdir", "/", *image.command(words)]


def with_crun(image, words, folder):
    """The same as a bundle of the OCI runtime."""
    bundle = Path(tempfile.mkdtemp(dir=folder.parent))
    spaces = [{"type": kind} for kind in ("pid", "ipc", "uts", "mount")]
    (bundle / "config.json").write_text(json.dumps({
        "ociVersion": "1.0.2", "root": {"path": str(image.root), "readonly": True},
        "process": {"terminal": False, "user": {"uid": USER, "gid": USER}, "args": image.command(words), "cwd": "/",
                    "env": image.config["Env"], "noNewPrivileges": True,
                    "capabilities": {kind: [] for kind in ("bounding", "effective", "inheritable", "permitted", "ambient")}},
        "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"},
                   {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
                   {"destination": "/mnt", "type": "bind", "source": str(folder), "options": ["rbind", "ro"]}],
        "linux": {"namespaces": spaces}}), encoding="utf-8")
    return ["crun", "--cgroup-manager=disabled", f"--root={bundle}/state", "run", f"--bundle={bundle}", f"tenon-{bundle.name}"]


RUNTIMES = {"crun": with_crun, "bubblewrap": with_bubblewrap}


def works(start, image, folder):
    try:
        return subprocess.run(start(image, ["version"], folder), capture_output=True, timeout=PATIENCE_S, check=False).returncode == 0
    except FileNotFoundError:
        return False


# --- tests: each takes what makes a command line of words

def test_says_its_version(start):
    assert subprocess.run(start(["version"]), stdout=subprocess.PIPE, text=True, check=True).stdout.startswith("tenon ")


def test_plans(start):
    done = subprocess.run(start(["plan", "-f", "/mnt/pod.yaml"]), stdout=subprocess.PIPE, text=True, check=True)
    assert "1 new node for 1 pod" in done.stdout, done.stdout


def test_may_nothing(start):
    """What the kernel says of the process: asked of the program's own status, while it runs."""
    with running(start) as (process, port):
        status = Path(f"/proc/{innermost(process.pid)}/status").read_text(encoding="ascii")
    fields = dict(line.split(":\t", 1) for line in status.splitlines())
    assert set(fields["CapEff"].strip() + fields["CapPrm"].strip()) == {"0"}, fields
    assert fields["NoNewPrivs"].strip() == "1"
    assert port


def test_runs_and_stops_as_asked(start):
    with running(start) as (process, port):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            assert answer.status == 200
        begun = time.monotonic()
        os.kill(innermost(process.pid), signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    print(f"      stopped after {time.monotonic() - begun:.1f} s")


def innermost(pid):
    """The process at the end of a line of only children: tenon behind its starter."""
    while True:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        if not children:
            return pid
        pid = int(children[0])


@contextlib.contextmanager
def running(start):
    """tenon without an API server that would answer, once it serves its health."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["run", "--provider", "kwok", "--kubeconfig", "/mnt/stranger.json", "--disable-leader-election", "--metrics-port", "0",
             "--health-probe-port", str(port), "--log-output-paths", "stderr"]
    process = subprocess.Popen(start(words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not answers(port):
            assert process.poll() is None and time.monotonic() < deadline, process.stdout.read() if process.poll() else "not up"
            time.sleep(0.05)
        yield process, port
    finally:
        if process.poll() is None:
            os.kill(innermost(process.pid), signal.SIGKILL)
        process.wait()


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


TESTS = [test_says_its_version, test_plans, test_may_nothing, test_runs_and_stops_as_asked]


def run(test, start):
    try:
        test(start)
    except (AssertionError, OSError, subprocess.SubprocessError) as error:
        print(f"FAILED  {test.__name__}: {error}")
        return False
    print(f"ok      {test.__name__}")
    return True


def main():
    output = Path(sys.argv[1])
    # Other users have to be able to read it, as those of a runtime do.
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)
        root, folder = Path(work) / "root", Path(work) / "mnt"
        folder.mkdir()
        (folder / "pod.yaml").write_text(POD, encoding="ascii")
        (folder / "stranger.json").write_text(STRANGER, encoding="ascii")
        image = Image(output / "layout", root)
        for place in ("proc", "dev", "mnt"):
            (root / place).mkdir(exist_ok=True)
        results = []
        for name, start in RUNTIMES.items():
            if not works(start, image, folder):
                print(f"{name}: cannot be used here")
                continue
            print(f"{name}: runs")
            results += [run(test, lambda words, start=start: start(image, words, folder)) for test in TESTS]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
