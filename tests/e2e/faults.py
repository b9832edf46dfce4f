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
from bed.rights import cluster_role
from bed.tenon import GROUP, NAMESPACE, Tenon
from world import World, condition

LEASE = ("coordination.k8s.io/v1", "Lease", "karpenter-leader-election", NAMESPACE)
PATIENCE_S = 90         # timeout of waits for restarted parts of the cluster, on a busy machine
TAKES_OVER_S = 20       # longest time from a crash of the leader until the next one leads


class Yard(World):
    """One test's part of the cluster for fault tests, and its tenon processes."""

    def __init__(self, cluster, api, namespace):
        super().__init__(api, namespace)
        self.cluster = cluster
        self.tenons = []
        self.numbers = itertools.count(1)

    def wait(self, question, what, seconds=PATIENCE_S):
        return super().wait(question, what, seconds)

    # --- tenons

    def tenon(self, name="tenon", alone=False, **more):
        """Starts a tenon and waits until it leads. `alone`: it uses no Lease, so that losing it cannot end the process."""
        return self.made(name, alone, True, more)

    def follower(self, name, **more):
        """Starts a tenon that does not lead yet: it waits for the Lease, or lacks something else."""
        return self.made(name, False, False, more)

    def unled(self, name, **more):
        """Starts a tenon without a Lease and does not wait for its success."""
        return self.made(name, True, False, more)

    def made(self, name, alone, until_it_leads, more):
        flags = ["--disable-leader-election"] if alone else []
        one = Tenon(self.cluster, f"{self.namespace}-{name}", flags=[*flags, *more.pop("flags", ())], **more)
        self.tenons.append(one)
        one.start(until_it_leads)
        return one

    def holder(self):
        """The holder of the Lease, an opaque name for comparison only."""
        lease = self.api.get(*LEASE)
        return lease["spec"].get("holderIdentity") if lease else None

    def wait_log(self, tenon, message, text, count=1):
        """Waits for `count` log lines with that message (None: any) whose error contains the text; returns them."""
        def look():
            found = [line for line in tenon.lines(message) if text in line.get("error", "")]
            return found if len(found) >= count else None
        try:
            return wait_for(look, PATIENCE_S, f"the log says {message}: {text}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{tenon.process.tail()}") from None

    # --- pending pods

    def pending(self, name, cpu="600m", **spec):
        """Creates an unschedulable pod. The test writes the condition itself: after a restart of the API server the scheduler
        may need half a minute, and these tests are about tenon's recovery."""
        pod = self.pod(name, cpu, **spec)
        self.api.patch(pod, {"status": {"conditions": [{"type": "PodScheduled", "status": "False",
                                                        "reason": "Unschedulable"}]}}, status=True)
        return pod

    def wanting(self, count, cpu="600m"):
        """Creates that many unschedulable pods."""
        return [self.pending(f"pod-{next(self.numbers)}", cpu) for _ in range(count)]

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
        """Runs kubectl. Returns its output, or its errors if it must fail."""
        done = subprocess.run(["kubectl", *map(str, words)], env=self.cluster.environment(), capture_output=True, text=True,
                              input=text, check=False)
        assert (done.returncode != 0) == fails, f"kubectl {' '.join(map(str, words))}\n{done.stdout}{done.stderr}"
        return done.stderr if fails else done.stdout

    # --- the API server

    def is_up(self):
        """Whether the API server answers this test's client."""
        try:
            return self.api.core.list_namespace(limit=1)
        except (urllib3.exceptions.HTTPError, kubernetes.client.ApiException):
            return None

    def restart(self, part, crash=False):
        self.cluster.restart(part, crash)
        self.wait(self.is_up, "the API server answers again")

    @contextlib.contextmanager
    def api_server_with(self, *flags):
        """Runs the API server with additional flags while the context is open."""
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
        """Compacts etcd's history up to now."""
        status = self.etcd("/v3/maintenance/status", {})
        self.etcd("/v3/kv/compaction", {"revision": status["header"]["revision"], "physical": True})

    def etcd(self, path, question):
        request = urllib.request.Request(self.cluster.layout.url("etcd", "http") + path, json.dumps(question).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as reply:
            return json.load(reply)

    # --- invariants

    def is_whole(self):
        """Asserts that each claim has one Node and each Node one claim. Returns the number of Nodes."""
        claims = {claim["status"].get("nodeName"): claim for claim in self.claims()}
        nodes = [node["metadata"]["name"] for node in self.nodes()]
        assert sorted(map(str, claims)) == sorted(nodes), self.picture()
        return len(nodes)

    # --- cleaning up

    def close(self):
        """Removes everything that could affect the next test. Objects with finalizers are left to a later test's tenon."""
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


def role(user, *taken):
    """tenon's ClusterRole under another name, without some (resource, verb) in the rules that name both."""
    found = cluster_role()
    found["metadata"]["name"] = user
    for rule in found["rules"]:
        gone = {verb for resource, verb in taken if resource in rule["resources"]}
        rule["verbs"] = [verb for verb in rule["verbs"] if verb not in gone] or ["get"]
    return found


def small_nodes(*cpus):
    """The requirement that nodes have so many CPUs; default: one."""
    return {"key": "karpenter.kwok.sh/instance-cpu", "operator": "In", "values": list(cpus) or ["1"]}


__all__ = ["GROUP", "LEASE", "NAMESPACE", "TAKES_OVER_S", "Yard", "bind", "role", "small_nodes"]
