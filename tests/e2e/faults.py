"""Fixture of the fault tests: a cluster that they may break, and tenon processes of their own in it.

    def test_a_dead_leader_is_followed(yard):
        first, second = yard.tenon("a"), yard.follower("b")
        first.kill()
        yard.wait(second.leads, "the second leads")

All fault tests share the cluster, and no other tests use it. A test may stop and restart its parts; everything else that
it changes it restores.
"""

import contextlib
import itertools
import json
import subprocess
import urllib.request

import kubernetes
import urllib3

from bed import kubeconfig
from bed.api import wait_for
from bed.tenon import GROUP, NAMESPACE, Tenon
from world import World, condition

LEASE = ("coordination.k8s.io/v1", "Lease", "karpenter-leader-election", NAMESPACE)
PATIENCE_S = 90         # parts of the cluster begin anew, on a machine that may be busy
TAKES_OVER_S = 20       # after a crash of the leader, at the latest


class Yard(World):
    """One test's part of the cluster that may break, and its tenons."""

    def __init__(self, cluster, api, namespace):
        super().__init__(api, namespace)
        self.cluster = cluster
        self.tenons = []
        self.numbers = itertools.count(1)

    def wait(self, question, what, seconds=PATIENCE_S):
        return super().wait(question, what, seconds)

    # --- tenons

    def tenon(self, name="tenon", alone=False, **more):
        """A tenon that leads. `alone`: without the Lease, so that nothing ends it but the test."""
        return self.made(name, alone, True, more)

    def follower(self, name, **more):
        """A tenon that waits for the Lease, or for whatever else it lacks."""
        return self.made(name, False, False, more)

    def unled(self, name, **more):
        """A tenon that needs no Lease, and may not get far all the same."""
        return self.made(name, True, False, more)

    def made(self, name, alone, until_it_leads, more):
        flags = ["--disable-leader-election"] if alone else []
        one = Tenon(self.cluster, f"{self.namespace}-{name}", flags=[*flags, *more.pop("flags", ())], **more)
        self.tenons.append(one)
        one.start(until_it_leads)
        return one

    def holder(self):
        """Who has the Lease now; the name says nothing to people, so it is only good for comparing."""
        lease = self.api.get(*LEASE)
        return lease["spec"].get("holderIdentity") if lease else None

    def wait_log(self, tenon, message, text, count=1):
        """The lines of a tenon's log with that message (None: any) whose error has the text, once there are so many."""
        def look():
            found = [line for line in tenon.lines(message) if text in line.get("error", "")]
            return found if len(found) >= count else None
        try:
            return wait_for(look, PATIENCE_S, f"the log says {message}: {text}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{tenon.process.tail()}") from None

    # --- pods that wait

    def wanting(self, count, cpu="600m"):
        """Pods for which kube-scheduler finds no node. The test says so itself: after a restart of the API server the
        scheduler waits up to half a minute before it looks again, and these tests are about how tenon finds back."""
        made = [self.pod(f"pod-{next(self.numbers)}", cpu) for _ in range(count)]
        for pod in made:
            self.api.patch(pod, {"status": {"conditions": [{"type": "PodScheduled", "status": "False",
                                                            "reason": "Unschedulable"}]}}, status=True)
        return made

    def registered(self, count):
        """Waits until that many claims have their Node, and no Node is without claim."""
        def look():
            claims = [claim["status"].get("nodeName") for claim in self.claims() if condition(claim, "Registered") == "True"]
            return len(claims) == count == len(self.nodes()) == len(self.claims())
        self.wait(look, f"{count} claims are registered, and nothing else is there")

    # --- clients

    def write_user(self, name, user, authority=None, server=None):
        """A kubeconfig for `user` (bed/kubeconfig.py); its path."""
        path = self.cluster.folder / f"{self.namespace}-{name}.user.kubeconfig"
        kubeconfig.write(path, server or self.cluster.layout.url("kube-apiserver"),
                         authority or self.cluster.authority.certificate("ca"), user)
        return path

    def kubectl(self, *words, text=None, fails=False):
        """What kubectl says: its output, or, when it must fail, what it complains about."""
        done = subprocess.run(["kubectl", *map(str, words)], env=self.cluster.environment(), capture_output=True, text=True,
                              input=text, check=False)
        assert (done.returncode != 0) == fails, f"kubectl {' '.join(map(str, words))}\n{done.stdout}{done.stderr}"
        return done.stderr if fails else done.stdout

    # --- the API server

    def is_up(self):
        """Whether the API server answers this test's client, too."""
        try:
            return self.api.core.list_namespace(limit=1)
        except (urllib3.exceptions.HTTPError, kubernetes.client.ApiException):
            return None

    def restart(self, part, crash=False):
        self.cluster.restart(part, crash)
        self.wait(self.is_up, "the API server answers again")

    @contextlib.contextmanager
    def api_server_with(self, *flags):
        """The API server with further flags for a while."""
        process = self.cluster.processes["kube-apiserver"]
        usual = process.command
        process.command = [*usual, *flags]
        self.restart("kube-apiserver")
        try:
            yield
        finally:
            process.command = usual
            self.restart("kube-apiserver")

    def compact(self):
        """Makes etcd forget all that was before now."""
        status = self.etcd("/v3/maintenance/status", {})
        self.etcd("/v3/kv/compaction", {"revision": status["header"]["revision"], "physical": True})

    def etcd(self, path, question):
        request = urllib.request.Request(self.cluster.layout.url("etcd", "http") + path, json.dumps(question).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as reply:
            return json.load(reply)

    # --- what must be so at every end

    def is_whole(self):
        """How many Nodes there are: one for each claim, and one claim for each; else the test fails."""
        claims = {claim["status"].get("nodeName"): claim for claim in self.claims()}
        nodes = [node["metadata"]["name"] for node in self.nodes()]
        assert sorted(map(str, claims)) == sorted(nodes), self.picture()
        return len(nodes)

    # --- the end

    def close(self):
        """Leaves nothing that the next test could meet. What is being deleted goes with the tenon of some later test."""
        if not self.cluster.is_ready("kube-apiserver"):
            self.restart("kube-apiserver")
        self.wait(self.is_up, "the API server answers")
        self.clear()
        for one in self.tenons:
            if one.process.is_running():
                one.process.resume()
                one.stop()
        for one in self.tenons:
            assert not one.stray_lines()


def bind(user, role, kind="ClusterRole"):
    """A ClusterRoleBinding of its own for a user."""
    group = "rbac.authorization.k8s.io"
    return {"apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": f"{user}:{role}"},
            "roleRef": {"apiGroup": group, "kind": kind, "name": role}, "subjects": [{"apiGroup": group, "kind": "User", "name": user}]}


def small_nodes(*cpus):
    """The requirement that nodes have so many CPUs; without any: one."""
    return {"key": "karpenter.kwok.sh/instance-cpu", "operator": "In", "values": list(cpus) or ["1"]}


__all__ = ["GROUP", "LEASE", "NAMESPACE", "TAKES_OVER_S", "Yard", "bind", "small_nodes"]
