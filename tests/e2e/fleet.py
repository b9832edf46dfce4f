"""Tests of voluntary disruption side by side. Each look of tenon takes 10 s and each proof 15 s, so the tests of a file
are acted out together, with a fleet of nodes for each, and then report one by one:

    @scene
    def test_an_empty_node_goes(fleet):
        fleet.pool()
        node = fleet.new_node("a")
        yield                       # the nodes are there, and there is no disruption yet
        fleet.put("web", on="a")
        yield                       # the pods run, the budgets are counted; from here on tenon disrupts
        yield fleet.gone(node)      # a wait, in which the others go on
        yield                       # a look has found an empty node that nothing protects, and all that it could find

Nodes are NodeClaims that the test writes, and pods are put on them by name; ReplicaSets adopt the pods afterwards. So
what is where at the beginning does not depend on any scheduler. `tests/e2e/run.sh FILE::TEST` acts that test alone.
"""

import functools
import itertools
import json
import threading
import time
import urllib.request
from datetime import datetime

import pytest

import things
from bed.api import wait_for
from bed.tenon import Tenon
from catalogue import ZONES
from world import (CAPACITY_TYPE, CLAIM, DISRUPTED, KARPENTER, LABEL, NODE_POOL, TYPE, ZONE, World, condition, condition_of,
                   requirement)

BUILDS = ("--disruption=false",)        # the tenon that makes the nodes; by default one disrupts
ROUND_S = 90            # timeout of what takes some looks and proofs
POLL_S = 0.4            # between looks at what tests wait for: a file may have twenty of them
NUMBERS = itertools.count(1)
RECORD = "tenon.sh/command"
HASHES = ("karpenter.sh/nodepool-hash", "karpenter.sh/nodepool-hash-version")
HOLD = "e2e.example/hold"       # a finalizer
WAITS = {"key": "e2e.example/starts", "effect": "NoSchedule"}      # a startup taint
ALL_AT_ONCE = [{"nodes": "100%"}]
FOUND, STARTED = "found disruption command, proving it", "disrupting node(s)"


class Fleet(World):
    """One test's part of the cluster: NodePools, nodes that the test lays out, and pods put on them."""

    def __init__(self, stage, namespace):
        super().__init__(stage.api, namespace)
        self.stage = stage
        self.planned = []       # nodes to be made once the NodePools are ready
        self.owners = []        # ReplicaSets to be made once their pods run

    # --- what a test lays out

    def pool(self, name="", types=("c-2x-amd64-linux",), policy=None, after="0s", budgets=None, more=(), **rest):
        """A NodePool of on-demand nodes of these types, all of which may be disrupted at once."""
        disruption = {"consolidateAfter": after, "budgets": ALL_AT_ONCE if budgets is None else budgets}
        disruption |= {"consolidationPolicy": policy} if policy else {}
        rest = rest if "replicas" in rest else {"disruption": disruption, **rest}
        return super().pool(name, [requirement(TYPE, "In", *types), requirement(CAPACITY_TYPE, "In", "on-demand"), *more],
                            ready=False, **rest)

    def new_node(self, name, type="c-2x-amd64-linux", pool="", zone=ZONES[0], annotations=None):
        """A NodeClaim of a NodePool; returns a name for it until it is there."""
        self.planned.append((name, type, self.name(pool), zone, annotations or {}))
        return self.claim_called(name)

    def claim_called(self, name):
        return {"apiVersion": KARPENTER, "kind": CLAIM, "metadata": {"name": self.name(name)}}

    def make_nodes(self):
        pools = {pool["metadata"]["name"]: pool for pool in self.api.list(KARPENTER, "NodePool")}
        for name, type, pool, zone, annotations in self.planned:
            self.create(self.claim_thing(name, type, pools[pool], zone, annotations))

    def claim_thing(self, name, type, pool, zone, annotations):
        template, meta = pool["spec"]["template"], pool["metadata"]
        labels = {**template["metadata"]["labels"], NODE_POOL: meta["name"], "karpenter.kwok.sh/kwoknodeclass": "default"}
        more = {key: template["spec"][key] for key in ("taints", "startupTaints", "terminationGracePeriod")
                if key in template["spec"]}
        owner = {"apiVersion": KARPENTER, "kind": "NodePool", "name": meta["name"], "uid": meta["uid"], "blockOwnerDeletion": True}
        wanted = {NODE_POOL: meta["name"], TYPE: type, ZONE: zone, CAPACITY_TYPE: "on-demand"}
        return {"apiVersion": KARPENTER, "kind": CLAIM,
                "metadata": {"name": self.name(name), "labels": labels, "ownerReferences": [owner],
                             "annotations": {**{key: meta["annotations"][key] for key in HASHES}, **annotations}},
                "spec": {"nodeClassRef": template["spec"]["nodeClassRef"], "expireAfter": "Never", **more,
                         "resources": {"requests": {"cpu": "100m"}},
                         "requirements": [requirement(key, "In", value) for key, value in wanted.items()]}}

    def nodes_in_use(self, names, **node):
        """Nodes as of new_node with a pod each, acted with `yield from`; returns their claims."""
        claims = [self.new_node(name, **node) for name in names]
        yield
        for name in names:
            self.put(f"web-{name}", on=name)
        return claims

    def one_of_two_goes(self, claims):
        """The pods of two nodes come to one of them, acted with `yield from`; returns the claim of the other one."""
        yield self.wait(lambda: len(self.claims()) == 1, "one is left")
        yield self.running(2)
        kept, = self.claims()
        gone, = (claim for claim in claims if claim["metadata"]["name"] != kept["metadata"]["name"])
        yield self.gone(gone)
        return gone

    def put(self, name, on, cpu="500m", owned=True, annotations=None, finalizers=None, **spec):
        """A pod on that node. `owned`: by a ReplicaSet, which makes it anew when it is evicted."""
        thing = things.pod(name, self.namespace, cpu, {"app": name}, **self.placed(spec))
        template = {"metadata": {"labels": {"app": name}, "annotations": annotations or {}}, "spec": dict(thing["spec"])}
        thing["spec"]["nodeName"] = self.node_name(on)
        thing["metadata"] |= {"annotations": annotations or {}, "finalizers": finalizers or []}
        if owned:
            self.owners.append({"apiVersion": "apps/v1", "kind": "ReplicaSet",
                                "metadata": {"name": name, "namespace": self.namespace},
                                "spec": {"replicas": 1, "selector": {"matchLabels": {"app": name}}, "template": template}})
        return self.api.create(thing)

    def guard(self, app, least=1, **more):
        """A PodDisruptionBudget."""
        thing = things.budget(app, self.namespace, app, least)
        thing["spec"] |= more
        return self.api.create(thing)

    def is_laid_out(self):
        pods, budgets = self.pods(), self.api.list("policy/v1", "PodDisruptionBudget", self.namespace)
        owned = {pod["metadata"]["name"] for pod in pods if pod["metadata"].get("ownerReferences")}
        return all(pod["status"].get("phase") == "Running" for pod in pods) and \
            all("observedGeneration" in budget.get("status", {}) and budget["status"]["expectedPods"] for budget in budgets) and \
            all(owner["metadata"]["name"] in owned for owner in self.owners)

    # --- what is there

    def wait(self, question, what, seconds=ROUND_S):
        """A wait, to be yielded; so are those of World that are made of it."""
        return Wait(question, what, seconds)

    def gone(self, thing):
        """The wait until a NodeClaim and its Node are gone."""
        name = thing["metadata"]["name"]
        both = {(CLAIM, name), ("Node", self.stage.node_names[name])}
        return self.wait(lambda: both <= self.stage.history.ended, f"{name} is gone, and its node")

    def looks(self, count):
        """The wait until tenon has looked at the whole fleet that many times more."""
        def made():
            return self.stage.metrics("karpenter_voluntary_disruption_decision_evaluation_duration_seconds_count", reason="all")
        before = made()
        return self.wait(lambda: made() >= before + count, f"{count} more looks")

    def node_name(self, name):
        """The Node of a claim that the test wrote."""
        return self.claim(self.name(name))["status"]["nodeName"]

    def others(self, *names):
        """The claims that the test did not write, or not under these names."""
        mine = {self.name(name) for name in names}
        return [claim for claim in self.claims() if claim["metadata"]["name"] not in mine]

    def stays(self, *names):
        """Asserts that these nodes are there, that nothing is on its way to end them, and that no command had them."""
        for name in names:
            node, claim = self.node(self.node_name(name)), self.claim(self.name(name))
            assert "deletionTimestamp" not in claim["metadata"], self.picture()
            assert DISRUPTED not in node["spec"].get("taints", []), self.picture()
            assert not self.commands(name), self.commands(name)

    def commands(self, name):
        """Commands that had this node, in the words of tenon's log."""
        node = self.stage.node_names[self.name(name)]
        return [line["command"] for line in self.stage.disruptor.lines()
                if line.get("message") in (FOUND, STARTED) and node in line["command"]]

    def told(self, name, reason, text):
        """The wait until such an event about a node, and one about its claim, contains the text."""
        claim = self.claim(self.name(name))
        node = self.node(claim["status"]["nodeName"])
        return self.wait(lambda: all(any(text in message for message in self.events(thing, reason)) for thing in (node, claim)),
                         f"events {reason} about {node['metadata']['name']} and its claim: {text}")

    def versions(self, thing):
        """All that the API server said of a NodeClaim or a Node, oldest first."""
        return self.stage.history.versions(thing["kind"], thing["metadata"]["name"])

    def all_claims(self):
        """The names of all claims that the test's NodePools ever had, since the nodes were made."""
        return {name for kind, name, each in list(self.stage.history.seen)
                if kind == CLAIM and each["metadata"]["labels"].get(LABEL) == self.namespace}

    def node_of(self, claim):
        return {"kind": "Node", "metadata": {"name": self.stage.node_names[claim["metadata"]["name"]]}}

    def went_after(self, claim, replacements):
        """Asserts that the claim was deleted when its node was tainted and these claims were initialized, not before."""
        going = next((each for each in self.versions(claim) if "deletionTimestamp" in each["metadata"]), None)
        assert going, self.picture()
        reason = condition_of(going, "DisruptionReason")
        assert reason and reason["status"] == "True", going["status"]
        seen = self.stage.history.at(going, self.node_of(claim))
        assert DISRUPTED in seen["spec"].get("taints", []), seen["spec"]
        for each in replacements:
            ready = condition_of(each, "Initialized")
            assert ready["status"] == "True" and when(ready["lastTransitionTime"]) <= when(going["metadata"]["deletionTimestamp"])
        return reason["reason"]

    def way(self, claim):
        """The versions of a claim's Node in which it is tainted."""
        return [node for node in self.versions(self.node_of(claim)) if DISRUPTED in node["spec"].get("taints", [])]

    def began(self, claim):
        """When its node was tainted, as a revision of etcd, which counts the writes of all kinds."""
        return revision(self.way(claim)[0])

    def ended(self, claim):
        """The last revision of a claim that is gone."""
        return revision(self.versions(claim)[-1])

    def replacement_of(self, claim):
        """The claim that the command that had this claim made: both carry its uuid."""
        record = next(node["metadata"]["annotations"][RECORD] for node in self.versions(self.node_of(claim))
                      if RECORD in node["metadata"].get("annotations", {}))
        found = {each["metadata"]["name"] for kind, _, each in list(self.stage.history.seen) if kind == CLAIM and
                 each["metadata"].get("annotations", {}).get(RECORD, "").split("/")[0] == record.split("/")[0]}
        name, = found
        return self.claim(name)

    # --- what a test does meanwhile

    @staticmethod
    def pod_of(pod):
        """A pod by its name, for patches."""
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {key: pod["metadata"][key] for key in ("name", "namespace")}}

    def untaint(self, claim, taint):
        """Takes a startup taint off the claim's node."""
        node = self.node(self.claim(claim["metadata"]["name"])["status"]["nodeName"])
        self.api.patch(node, {"spec": {"taints": [each for each in node["spec"]["taints"] if each["key"] != taint["key"]]}})

    # --- the end

    def is_as_before(self, claim):
        """Whether neither the claim nor its Node bears a trace of the command that had them last."""
        node, now = self.versions(self.node_of(claim))[-1], self.versions(claim)[-1]
        return self.way(claim) and DISRUPTED not in node["spec"].get("taints", []) and \
            RECORD not in node["metadata"]["annotations"] and not condition_of(now, "DisruptionReason") and \
            "deletionTimestamp" not in now["metadata"]

    def release(self, pod):
        """Takes the finalizer off a pod."""
        self.api.patch(self.pod_of(pod), {"metadata": {"finalizers": None}})

    def clear(self):
        for api_version, kind in [("apps/v1", "DaemonSet"), ("apps/v1", "StatefulSet"), ("apps/v1", "ReplicaSet")]:
            self.api.delete_all(api_version, kind, self.namespace)
        for pod in self.pods():
            if HOLD in pod["metadata"].get("finalizers", []):
                self.release(pod)
        super().clear()


class History:
    """What a watch said of all NodeClaims and Nodes, from the moment at which it was made."""

    def __init__(self, api):
        self.seen = []          # (kind, name, object), in the order of the watch of each kind
        self.ended = set()      # (kind, name) of those that are gone
        self.over = False
        for api_version, kind in [(KARPENTER, CLAIM), ("v1", "Node")]:
            thread = threading.Thread(target=self.watch, args=(api.resource(api_version, kind), kind), daemon=True)
            thread.start()

    def watch(self, resource, kind):
        for event in resource.watch(timeout=600):
            if self.over:
                return
            name = event["raw_object"]["metadata"]["name"]
            self.seen.append((kind, name, event["raw_object"]))
            if event["type"] == "DELETED":
                self.ended.add((kind, name))

    def versions(self, kind, name):
        return [thing for kind_of, name_of, thing in list(self.seen) if (kind_of, name_of) == (kind, name)]

    def at(self, moment, thing):
        """The version of an object when another one was written."""
        versions = self.versions(thing["kind"], thing["metadata"]["name"])
        return max((each for each in versions if revision(each) <= revision(moment)), key=revision)


class Wait:
    """What a test waits for."""

    def __init__(self, question, what, seconds):
        self.question, self.what = question, what
        self.deadline = time.monotonic() + seconds


class Scene:
    """One test under way: at a point of the stage (`waits` is None), waiting for something, or over."""

    def __init__(self, act, fleet):
        self.fleet, self.act = fleet, act(fleet)
        self.waits = self.failure = None
        self.is_over = False

    def go_on(self, answer=None):
        try:
            self.waits = self.act.send(answer)
        except StopIteration:
            self.is_over, self.waits = True, None
        except Exception as error:      # noqa: BLE001: the test that failed reports it
            self.fail(error)

    def look(self):
        """Goes on if what it waits for is true."""
        try:
            answer = self.waits.question()
        except Exception as error:      # noqa: BLE001
            return self.fail(error)
        if answer:
            self.go_on(answer)
        elif time.monotonic() > self.waits.deadline:
            self.fail(AssertionError(f"not in time: {self.waits.what}\n{self.fleet.picture()}"))

    def fail(self, error):
        self.failure, self.is_over, self.waits = error, True, None


class Stage:
    """The tests of one file, acted together. `flags`: further ones for the tenon that disrupts."""

    def __init__(self, api, cluster, usual_flags, flags=()):
        self.api = api
        number = next(NUMBERS)
        self.builder = Tenon(cluster, f"builder-{number}", flags=[*usual_flags, *BUILDS])
        self.disruptor = Tenon(cluster, f"disruptor-{number}", flags=[*usual_flags, *flags])
        self.scenes = {}
        self.node_names = {}    # of claims that tests wrote
        self.history = History(api)

    def play(self, acts):
        self.lay_out({"control": control, **acts})
        self.disruptor.start()
        while self.under_way():
            self.act_to_next_point(but_wait_for="control")
        self.report("control")

    def lay_out(self, acts):
        """All that is before disruption."""
        self.builder.start()
        self.scenes = {name: Scene(act, self.make_fleet()) for name, act in acts.items()}
        self.act_to_next_point()
        self.make_nodes()
        self.act_to_next_point()
        self.make_owners()
        self.builder.stop()

    def make_fleet(self):
        namespace = f"fleet-{next(NUMBERS):03}"     # none is the beginning of another
        self.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        return Fleet(self, namespace)

    def under_way(self):
        return [each for each in self.scenes.values() if not each.is_over]

    def act_to_next_point(self, but_wait_for=None):
        """All that are at a point go on, until they are at the next one, or that one of them is, whose name is given."""
        for each in self.under_way():
            if not each.waits:
                each.go_on()
        while any(each.waits for each in self.under_way()):
            for each in self.under_way():
                if each.waits:
                    each.look()
            time.sleep(POLL_S)
            if but_wait_for and not self.scenes[but_wait_for].waits:
                return

    def make_nodes(self):
        wait_for(lambda: all(condition(pool, "Ready") == "True" and set(HASHES) <= set(pool["metadata"].get("annotations", {}))
                             for pool in self.api.list(KARPENTER, "NodePool")), what="all NodePools are ready")
        for each in self.fleets():
            each.make_nodes()
        wanted = {each.name(name) for each in self.fleets() for name, *_ in each.planned}

        def look():
            self.take_startup_taints_off()
            found = {claim["metadata"]["name"]: claim["status"]["nodeName"] for claim in self.api.list(KARPENTER, CLAIM)
                     if claim["metadata"]["name"] in wanted and condition(claim, "Initialized") == "True"}
            return found if len(found) == len(wanted) else None
        self.node_names = wait_for(look, ROUND_S, "all nodes are initialized")

    def take_startup_taints_off(self):
        for node in self.api.list("v1", "Node", label_selector="karpenter.sh/registered=true"):
            taints = node["spec"].get("taints", [])
            if WAITS in taints:
                self.api.patch(node, {"spec": {"taints": [taint for taint in taints if taint != WAITS]}})

    def make_owners(self):
        """ReplicaSets adopt pods that are there when they come."""
        wait_for(lambda: all(pod["status"].get("phase") == "Running" for each in self.fleets() for pod in each.pods()),
                 ROUND_S, "all pods run")
        for each in self.fleets():
            for owner in each.owners:
                self.api.create(owner)
        wait_for(lambda: all(each.is_laid_out() for each in self.fleets()), ROUND_S, "all pods have their owners")

    def fleets(self):
        return [each.fleet for each in self.scenes.values()]

    def report(self, name):
        if self.scenes[name].failure:
            raise self.scenes[name].failure

    def clear(self):
        self.history.over = True
        for each in self.fleets():
            each.clear()
        wait_for(lambda: not any(each.pods() for each in self.fleets()), what="no pod is left")
        for each in self.fleets():
            self.api.delete({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": each.namespace}})
        for one in (self.builder, self.disruptor):
            if one.process.is_running():
                assert one.stop() == 0
            assert not one.stray_lines()

    # --- the disruptor's metrics

    def metrics(self, name, **labels):
        """The sum over all series of a metric with these labels."""
        with urllib.request.urlopen(self.disruptor.metrics_url, timeout=10) as reply:
            lines = reply.read().decode().splitlines()
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines
                   if line.split("{")[0].split(" ")[0] == name and all(each in line for each in wanted))


def control(fleet):
    """An empty node that nothing protects, and that gets empty a little later than all others."""
    fleet.pool(after="3s")
    fleet.new_node("a")
    yield
    pod = fleet.put("web", on="a", owned=False)
    yield
    fleet.api.delete(pod, grace_seconds=0)
    yield fleet.wait(lambda: fleet.commands("a"), "an empty node is found")
    yield


def scene(act):
    """Makes a test of a generator; see the head of this file."""
    def test(stage):
        stage.report(act.__name__)
    functools.update_wrapper(test, act)
    del test.__wrapped__        # pytest would look at its arguments
    test.act = act
    return test


def acts_of(request):
    """The generators of the tests of a file that are to be run."""
    return {item.name: item.function.act for item in request.session.items
            if item.module is request.module and hasattr(item.function, "act")}


def revision(thing):
    return int(thing["metadata"]["resourceVersion"])


def when(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
