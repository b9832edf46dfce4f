"""Plays one scene of tests/scenes on a real API server and scheduler, as that folder's README.md says.

Both verdicts of the README come from one attempt: where the pod is placed, and, from the extender (extender.py), which
nodes passed the scheduler's filters.

The scheduler learns of nodes, pods and volumes by separate watches, so after a change it is given a moment before a pod is
tried. That moment may be too short on a busy machine; therefore a verdict other than the expected one is asked for
again, from a fresh set-up and with more patience, and only the second counts.
"""

import time
from dataclasses import dataclass
from pathlib import Path

import yaml

from bed.api import ConflictError, wait_for

FOLDER = Path(__file__).resolve().parents[2] / "scenes"
MOMENT_SECONDS = 0.1
PATIENCE_SECONDS = 1.5
SELECTED_NODE = "volume.kubernetes.io/selected-node"
# Kinds that a scene may create besides nodes, in the order of their deletion.
KINDS = [("v1", "Pod"), ("policy/v1", "PodDisruptionBudget"), ("v1", "PersistentVolumeClaim"), ("v1", "PersistentVolume"),
         ("storage.k8s.io/v1", "StorageClass"), ("storage.k8s.io/v1", "CSINode"), ("node.k8s.io/v1", "RuntimeClass"),
         ("scheduling.k8s.io/v1", "PriorityClass"), ("v1", "Node")]


@dataclass
class Outcome:
    """The result for a pod. `node`: where it was placed, or where its volumes are to be made; None: nowhere."""

    node: str | None
    waits_for_volumes: bool     # not bound yet, since its volumes are made first
    message: str | None         # of the condition PodScheduled while that is False
    nominated: str | None
    victims: list
    passed: list | None         # nodes that passed all filters; None: the scheduler found none


def load_scenes():
    """All scenes in the order of the files: pairs of the file's name and the document."""
    return [(file.name, document) for file in sorted(FOLDER.glob("*.yaml"))
            for document in yaml.safe_load_all(file.read_text(encoding="utf-8")) if document]


class Player:
    """Plays scenes on one cluster, one after the other."""

    def __init__(self, api, passed):
        """`passed`: Extender.passed of the scheduler."""
        self.api = api
        self.passed = passed
        self.untouched = None       # versions of the scene's objects as set up; None: not set up
        self.moment = MOMENT_SECONDS

    def play(self, scene):
        """Tries each pod of the scene. Returns the differences from the expectation, a line each, and the number of
        verdicts."""
        differences = []
        for number, probe in enumerate(scene["pods"], 1):
            differences += [f"pod {number}: {line}" for line in self.differences(scene, probe)]
        self.clear()
        return differences, len(scene["pods"])

    def differences(self, scene, probe):
        self.moment = MOMENT_SECONDS
        found = judge(probe, self.try_pod(scene, probe))
        if found:
            self.moment = PATIENCE_SECONDS
            self.clear()
            found = judge(probe, self.try_pod(scene, probe))
        return found

    def try_pod(self, scene, probe):
        if self.untouched is None:
            self.set_up(scene)
        pod = self.api.create(with_namespace(probe["pod"]))
        outcome = self.observe(pod, probe)
        self.api.delete(pod, grace_seconds=0)
        wait_for(lambda: not self.find(pod), what="the probe's end")
        if self.versions() != self.untouched:   # preemption, or a volume on its way: the next pod gets a fresh scene
            self.clear()
        else:
            time.sleep(self.moment)             # the scheduler forgets the pod
        return outcome

    # --- set-up

    def set_up(self, scene):
        for thing in scene["objects"]:
            thing = with_namespace(thing)
            self.create(thing)
            if thing["kind"] == "Node":
                self.api.patch(thing, {"spec": {"taints": thing.get("spec", {}).get("taints")}})
            elif thing.get("status"):
                self.api.patch(thing, {"status": thing["status"]}, status=True)
        self.untouched = self.versions()
        time.sleep(self.moment)

    def create(self, thing):
        try:
            self.api.create(thing)
        except ConflictError:
            if thing["kind"] != "Namespace":    # these stay: only a controller could empty and end them
                raise
            self.api.replace(thing)

    def versions(self):
        """Resource versions of the objects that the scheduler may change: pods, claims and volumes."""
        return {thing["metadata"]["uid"]: thing["metadata"]["resourceVersion"]
                for api_version, kind in KINDS if kind in ("Pod", "PersistentVolumeClaim", "PersistentVolume")
                for thing in self.api.list(api_version, kind)}

    def clear(self):
        """Deletes the scene's objects."""
        for api_version, kind in KINDS:
            things = [thing for thing in self.api.list(api_version, kind) if not is_builtin(thing)]
            for thing in things:
                self.api.delete({**thing, "apiVersion": api_version, "kind": kind}, grace_seconds=0)
        for api_version, kind in KINDS:
            wait_for(lambda a=api_version, k=kind: all(is_builtin(thing) for thing in self.api.list(a, k)),
                     what=f"no {kind} is left")
        self.untouched = None

    # --- observation

    def observe(self, pod, probe):
        """Waits for the scheduler's result; longer if it is not the expected one, since the scheduler may try again."""
        deadline = time.monotonic() + 30
        while True:
            outcome = self.outcome(pod)
            now = time.monotonic()
            if outcome.node or outcome.message is not None:
                if not judge(probe, outcome):
                    break
                deadline = min(deadline, now + 2)
            if now > deadline:
                break
            time.sleep(0.02)
        if not outcome.node:        # further victims would be evicted at once
            time.sleep(self.moment)
            outcome = self.outcome(pod)
        return outcome

    def outcome(self, pod):
        now = self.find(pod)
        scheduled = next((condition for condition in now["status"].get("conditions", [])
                          if condition["type"] == "PodScheduled" and condition["status"] == "False"), None)
        victims = sorted(other["metadata"]["name"] for other in self.api.list("v1", "Pod")
                         if other["metadata"].get("deletionTimestamp"))
        bound = now["spec"].get("nodeName")
        selected = None if bound else self.selected_node(now)
        return Outcome(bound or selected, bool(selected),
                       scheduled and scheduled.get("message", ""), now["status"].get("nominatedNodeName"), victims,
                       self.passed.get(pod["metadata"]["uid"]))

    def selected_node(self, pod):
        for volume in pod["spec"].get("volumes", []):
            name = volume.get("persistentVolumeClaim", {}).get("claimName")
            if not name and "ephemeral" in volume:
                name = f"{pod['metadata']['name']}-{volume['name']}"
            claim = name and self.api.get("v1", "PersistentVolumeClaim", name, pod["metadata"]["namespace"])
            if claim and SELECTED_NODE in claim["metadata"].get("annotations", {}):
                return claim["metadata"]["annotations"][SELECTED_NODE]
        return None

    def find(self, pod):
        return self.api.get("v1", "Pod", pod["metadata"]["name"], pod["metadata"]["namespace"])


def judge(probe, outcome):
    """The differences of the outcome from the scene."""
    feasible = probe["feasible"]
    found = []
    if outcome.node and outcome.node not in feasible:
        found.append(f"placed on {outcome.node}, expected one of {feasible}")
    if feasible and outcome.passed != sorted(feasible):
        found.append(f"the filters let pass {outcome.passed}, expected {sorted(feasible)}")
    if not outcome.node and feasible:
        found.append(f"placed nowhere, expected one of {feasible}: {outcome.message}")
    if not feasible and outcome.message is None:
        found.append("no condition PodScheduled that is False")
    if not feasible and outcome.message is not None and probe.get("message", outcome.message) != outcome.message:
        found.append(f"message\n    expected {probe['message']}\n    got      {outcome.message}")
    if outcome.victims != sorted(probe.get("victims", [])):
        found.append(f"victims {outcome.victims}, expected {sorted(probe.get('victims', []))}")
    nominated = outcome.node if outcome.waits_for_volumes else probe.get("nominated")
    if outcome.nominated != nominated:
        found.append(f"nominated for {outcome.nominated}, expected {nominated}")
    return found


def with_namespace(thing):
    """The object with its namespace, if its kind has one."""
    return {**thing, "metadata": {"namespace": "default", **thing["metadata"]}} \
        if thing["kind"] in ("Pod", "PersistentVolumeClaim", "PodDisruptionBudget") else thing


def is_builtin(thing):
    """Whether the API server makes the object by itself."""
    return thing["metadata"]["name"].startswith("system-")
