#!/usr/bin/env python3
"""Broken input for `tenon plan`: every case is one mistake in an otherwise valid input.

    generate.py             the names of the cases
    generate.py FOLDER      writes them there, one folder each, with the command line in `arguments`

The cases are the same on every machine. Contents are kept as (bytes, times) so that large ones cost no memory here.
"""

import base64
import copy
import json
import sys
from pathlib import Path

MIB = 1 << 20


class Case:
    """A command line that must be refused.

    files: name -> list of (bytes, times), or None for an empty folder, or ("link", target).
    arguments: of `tenon plan`; {name} stands for a file.
    words: text that the message must contain.
    """

    def __init__(self, name, files, words, arguments):
        self.name, self.files, self.words, self.arguments = name, files, words, arguments


class Cases(list):
    """The list of cases, with a method for adding each sort of case."""

    def case(self, name, files, words, arguments):
        if any(case.name == name for case in self):
            raise ValueError(f"two cases are called {name}")
        if isinstance(words, str):
            words = [words]
        self.append(Case(name, {file: parts(content) for file, content in files.items()}, words, arguments))

    def text(self, name, content, *words, file="input.yaml", arguments=()):
        """A manifest as it stands."""
        self.case(name, {file: content}, list(words), ["-f", "{" + file + "}", *arguments])

    def change(self, name, path, value, *words):
        """The valid manifest with one member changed, written as JSON."""
        self.case(name, {"input.json": dump(changed(sound_manifest(), path, value))}, list(words),
                  ["-f", "{input.json}"])

    def catalogue(self, name, content, *words):
        self.case(name, {"input.yaml": dump(sound_manifest()), "catalogue.json": content}, list(words),
                  ["-f", "{input.yaml}", "--catalog", "{catalogue.json}"])

    def scheduler(self, name, content, *words):
        self.case(name, {"input.yaml": dump(sound_manifest()), "scheduler.yaml": content}, list(words),
                  ["-f", "{input.yaml}", "--scheduler-config", "{scheduler.yaml}"])


def parts(content):
    if content is None or isinstance(content, tuple):
        return content
    if isinstance(content, str):
        content = content.encode()
    return [(content, 1)] if isinstance(content, bytes) else content


def dump(value):
    return json.dumps(value, indent=1)


REMOVED = object()


def changed(document, path, value):
    """A copy of the document with `value` at the path ("items/0/spec"); REMOVED removes the member."""
    result = copy.deepcopy(document)
    steps = [int(step) if step.isdigit() else step.replace("~", "/") for step in path.split("/")]
    target = result
    for step in steps[:-1]:
        target = target[step]
    if value is REMOVED:
        del target[steps[-1]]
    elif isinstance(target, list) and steps[-1] == len(target):
        target.append(value)
    else:
        target[steps[-1]] = value
    return result


# --- what the cases start from ----------------------------------------------------------------------------------------

ITEMS = ["pool", "class", "deployment", "pod", "node", "claim", "volume", "storage", "budget", "daemons", "stateful",
         "runtime", "priority", "service", "csi", "job", "nodeclaim"]


def sound_manifest():
    """A List with an object of each kind, in the order of ITEMS."""
    manifest = {"apiVersion": "v1", "kind": "List", "items": [OBJECTS[name] for name in ITEMS]}
    return json.loads(json.dumps(manifest))  # a deep copy: a change affects one place only


def at(item, path):
    return f"items/{ITEMS.index(item)}/{path}"


def meta(name, **more):
    return {"name": name, **more}


CONTAINER = {
    "name": "main",
    "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}, "limits": {"memory": "1Gi"}},
    "ports": [{"containerPort": 80, "hostPort": 8080, "protocol": "TCP"}],
}

SELECTOR = {"matchLabels": {"app": "web"},
            "matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["test"]}]}

POD_SPEC = {
    "containers": [CONTAINER],
    "initContainers": [{"name": "init", "restartPolicy": "Always", "resources": {"requests": {"cpu": "100m"}}}],
    "nodeSelector": {"kubernetes.io/arch": "amd64"},
    "tolerations": [{"key": "team", "operator": "Equal", "value": "web", "effect": "NoSchedule"}],
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                {"matchExpressions": [{"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}]}]},
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 10, "preference": {
                "matchExpressions": [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]}}],
        },
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 5, "podAffinityTerm": {
                "topologyKey": "kubernetes.io/hostname", "labelSelector": SELECTOR, "namespaces": ["default"]}}],
        },
    },
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                                   "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": SELECTOR,
                                   "matchLabelKeys": ["pod-template-hash"]}],
    "volumes": [{"name": "scratch", "emptyDir": {}}],
    "hostNetwork": False,
}


def workload(api, kind, **spec):
    return {"apiVersion": api, "kind": kind, "metadata": meta(kind.lower(), namespace="default"),
            "spec": {"selector": {"matchLabels": {"app": "web"}},
                     "template": {"metadata": {"labels": {"app": "web"}}, "spec": POD_SPEC}, **spec}}


CLAIM_SPEC = {
    "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
    "taints": [{"key": "team", "value": "web", "effect": "NoSchedule"}],
    "requirements": [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot", "on-demand"]},
                     {"key": "karpenter.k8s.aws/instance-family", "operator": "In", "values": ["m5", "c5"],
                      "minValues": 1}],
    "expireAfter": "720h",
    "terminationGracePeriod": "24h",
}

OBJECTS = {
    "pool": {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": meta("default"),
             "spec": {"weight": 10, "limits": {"cpu": "100", "memory": "400Gi"},
                      "disruption": {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "1m",
                                     "budgets": [{"nodes": "10%"}]},
                      "template": {"metadata": {"labels": {"team": "web"}, "annotations": {"note": "text"}},
                                   "spec": CLAIM_SPEC}}},
    "class": {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": meta("default"),
              "spec": {"amiFamily": "AL2023", "amiSelectorTerms": [{"alias": "al2023@latest"}], "role": "nodes",
                       "subnetSelectorTerms": [{"tags": {"discovery": "main"}}],
                       "securityGroupSelectorTerms": [{"tags": {"discovery": "main"}}],
                       "kubelet": {"maxPods": 50, "podsPerCore": 10, "kubeReserved": {"cpu": "100m"},
                                   "evictionHard": {"memory.available": "5%"}},
                       "blockDeviceMappings": [{"deviceName": "/dev/xvda", "rootVolume": True,
                                                "ebs": {"volumeSize": "50Gi"}}]}},
    "deployment": workload("apps/v1", "Deployment", replicas=2),
    "pod": {"apiVersion": "v1", "kind": "Pod",
            "metadata": meta("alone", namespace="default", labels={"app": "web"}, annotations={"note": "text"},
                             creationTimestamp="2026-01-01T00:00:00Z",
                             ownerReferences=[{"apiVersion": "v1", "kind": "Owner", "name": "owner", "uid": "1",
                                               "controller": True}]),
            "spec": POD_SPEC, "status": {"phase": "Pending", "conditions": [{"type": "PodScheduled",
                                                                              "status": "False",
                                                                              "reason": "Unschedulable"}]}},
    "node": {"apiVersion": "v1", "kind": "Node",
             "metadata": meta("node-1", labels={"kubernetes.io/hostname": "node-1", "kubernetes.io/os": "linux"}),
             "spec": {"providerID": "aws:///zone/i-1", "taints": [{"key": "busy", "effect": "NoSchedule"}],
                      "unschedulable": False},
             "status": {"capacity": {"cpu": "2", "memory": "8Gi", "pods": "29"},
                        "allocatable": {"cpu": "1930m", "memory": "7Gi", "pods": "29"},
                        "conditions": [{"type": "Ready", "status": "True", "message": "ready"}]}},
    "claim": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta("data", namespace="default"),
              "spec": {"storageClassName": "fast", "volumeName": "volume-1",
                       "resources": {"requests": {"storage": "10Gi"}}},
              "status": {"phase": "Bound"}},
    "volume": {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": meta("volume-1"),
               "spec": {"capacity": {"storage": "10Gi"}, "csi": {"driver": "ebs.csi.aws.com", "volumeHandle": "v"},
                        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                            {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]}]}]}}}},
    "storage": {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": meta("fast"),
                "provisioner": "ebs.csi.aws.com", "volumeBindingMode": "WaitForFirstConsumer",
                "allowedTopologies": [{"matchLabelExpressions": [
                    {"key": "topology.kubernetes.io/zone", "values": ["us-east-1a"]}]}]},
    "budget": {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta("web", namespace="default"),
               "spec": {"selector": SELECTOR, "minAvailable": 1}, "status": {"disruptionsAllowed": 1}},
    "daemons": workload("apps/v1", "DaemonSet"),
    "stateful": workload("apps/v1", "StatefulSet", replicas=1, ordinals={"start": 3}, volumeClaimTemplates=[
        {"metadata": meta("disk"), "spec": {"storageClassName": "fast",
                                            "resources": {"requests": {"storage": "1Gi"}}}}]),
    "runtime": {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": meta("sandbox"), "handler": "s",
                "overhead": {"podFixed": {"cpu": "250m"}},
                "scheduling": {"nodeSelector": {"sandbox": "yes"}, "tolerations": [{"operator": "Exists"}]}},
    "priority": {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": meta("high"),
                 "value": 1000},
    "service": {"apiVersion": "v1", "kind": "Service", "metadata": meta("web", namespace="default"),
                "spec": {"selector": {"app": "web"}}},
    "csi": {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": meta("node-1"),
            "spec": {"drivers": [{"name": "ebs.csi.aws.com", "nodeID": "i-1", "allocatable": {"count": 25}}]}},
    "job": workload("batch/v1", "Job", parallelism=1, completions=1, suspend=False),
    "nodeclaim": {"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
                  "metadata": meta("default-1", labels={"karpenter.sh/nodepool": "default"}),
                  "spec": {**CLAIM_SPEC, "resources": {"requests": {"cpu": "1"}}},
                  "status": {"nodeName": "node-9", "providerID": "aws:///zone/i-9", "capacity": {"cpu": "2"},
                             "allocatable": {"cpu": "2"},
                             "conditions": [{"type": "Launched", "status": "True"}]}},
}

CATALOGUE = [{
    "name": "m5.large", "architecture": "amd64", "operatingSystems": ["linux"],
    "resources": {"cpu": "2", "memory": "8Gi", "pods": "29"},
    "offerings": [{"Price": 0.096, "Available": True, "Requirements": [
        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]}]}],
    "overhead": {"cpu": "100m"}, "requirements": [{"key": "example.com/gpu", "operator": "In", "values": ["t4"]}],
    "volumeLimits": {"ebs.csi.aws.com": 25},
}]

SCHEDULER = {"podTopologySpread": {"defaultConstraints": [
    {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"}]}}

POD = """apiVersion: v1
kind: Pod
metadata:
  name: alone
spec:
  containers:
  - name: main
    resources:
      requests:
        cpu: %s
"""


def sound_inputs():
    """Valid command lines; if they were refused, the cases below would prove nothing."""
    sound = Cases()
    sound.case("manifest as JSON", {"input.json": dump(sound_manifest())}, [], ["-f", "{input.json}"])
    sound.case("manifest as YAML", {"input.yaml": dump(sound_manifest())}, [], ["-f", "{input.yaml}"])
    sound.text("pod", POD % "1")
    sound.catalogue("catalogue", dump(CATALOGUE))
    sound.scheduler("scheduler config", dump(SCHEDULER))
    return sound


# --- the cases --------------------------------------------------------------------------------------------------------

def broken_yaml(cases):
    """Texts that are no YAML."""
    for name, content, word in [
            ("open flow sequence", "a: [1, 2\n", "not YAML"),
            ("open flow mapping", "a: {b: 1\n", "not YAML"),
            ("open double quote", 'a: "text\n', "not YAML"),
            ("open single quote", "a: 'text\n", "not YAML"),
            ("tab as indentation", "a:\n\tb: 1\n", "not YAML"),
            ("tab at the start", "\ta: 1\n", "not YAML"),
            ("wrong indentation", "a:\n    b: 1\n  c: 2\n", "not YAML"),
            ("mapping in a scalar", "a: b: c\n", "not YAML"),
            ("reserved at sign", "a: @b\n", "not YAML"),
            ("reserved backtick", "a: `b`\n", "not YAML"),
            ("percent", "a: %b\n", "not YAML"),
            ("list after a map", "a: 1\n- b\n", "not YAML"),
            ("unknown escape", 'a: "\\q"\n', "not YAML"),
            ("half an escape", 'a: "\\u12"\n', "not YAML"),
            ("surrogate escape", 'a: "\\ud800"\n', "not YAML"),
            ("closing bracket alone", "]\n", "not YAML"),
            ("closing brace alone", "}\n", "not YAML"),
            ("two commas", "a: [1,, 2]\n", "not YAML"),
            ("directive of another version", "%YAML 3.0\n---\na: 1\n", "not YAML"),
            ("undeclared tag handle", "a: !x!y 1\n", "not YAML"),
            ("anchor without a name", "a: &\n", "not YAML"),
            ("alias without a name", "a: *\n", "not YAML"),
            ("second document is broken", POD % "1" + "---\na: [\n", "not YAML"),
            ("number tag on a word", "a: !!int many\n", "!!int"),
            ("bool tag on a word", "a: !!bool perhaps\n", "!!bool"),
            ("infinity", POD % ".inf", "input.yaml:10"),
            ("not a number", POD % ".nan", "input.yaml:10"),
            ("null as a key", "~: 1\n", "input.yaml:1"),
            ("list as a key", "? [a]\n: 1\n", "input.yaml:1"),
            ("map as a key", "? {a: 1}\n: 1\n", "input.yaml:1"),
    ]:
        cases.text("yaml: " + name, content, word, "input.yaml:")


def broken_json(cases):
    """Texts that are no JSON, in files that say they are."""
    for name, content in [
            ("open object", '{"a": 1'), ("open list", '{"a": [1, 2'), ("open string", '{"a": "text'),
            ("comma at the end", '{"a": 1,}'), ("comma at the end of a list", '{"a": [1,]}'),
            ("no colon", '{"a" 1}'), ("no value", '{"a":}'), ("bare word", "{a: 1}"), ("single quotes", "{'a': 1}"),
            ("comment", '{"a": 1} // why'), ("wrong bracket", '{"a": [1}'), ("one bracket too many", '{"a": 1}}'),
            ("leading zero", '{"a": 01}'), ("plus", '{"a": +1}'), ("point without digits", '{"a": 1.}'),
            ("hexadecimal", '{"a": 0x10}'), ("NaN", '{"a": NaN}'), ("True", '{"a": True}'), ("nul", '{"a": nul}'),
            ("line break in a string", '{"a": "x\ny"}'), ("unknown escape", '{"a": "\\q"}'),
            ("half an escape", '{"a": "\\u12"}'), ("lone surrogate", '{"a": "\\ud800"}'), ("word", "pods"),
            ("second document is broken", '{"apiVersion": "v1", "kind": "List"}\n{"a"'),
    ]:
        cases.text("json: " + name, content, "input.json:", "JSON", file="input.json")


def truncated(cases):
    """The valid manifest, cut off."""
    whole = dump(sound_manifest())
    for percent in range(5, 100, 5):
        cases.text(f"truncated: JSON at {percent} %", whole[:len(whole) * percent // 100], "input.json:",
                   file="input.json")
    for percent in (20, 40, 60, 80, 99):
        cases.text(f"truncated: flow YAML at {percent} %", whole[:len(whole) * percent // 100], "input.yaml:")


# Places of values by type, and the text of the message if the value has another type.
WRONG_TYPES = [
    # string
    ("pool", "metadata/name", 5, "metadata.name: expected string, got number"),
    ("pool", "metadata/name", ["a"], "metadata.name: expected string, got list"),
    ("pod", "metadata/name", {"a": 1}, "metadata.name: expected string, got map"),
    ("pod", "metadata/namespace", 7, "metadata.namespace: expected string, got number"),
    ("pod", "metadata/uid", True, "metadata.uid: expected string, got bool"),
    ("pod", "metadata/ownerReferences/0/kind", 1, "metadata.ownerReferences[0].kind: expected string"),
    ("pod", "spec/runtimeClassName", 1, "spec.runtimeClassName: expected string, got number"),
    ("pod", "spec/containers/0/name", 1, "spec.containers[0].name: expected string, got number"),
    ("class", "spec/amiFamily", 5, "spec.amiFamily: expected string, got number"),
    ("node", "spec/providerID", [], "spec.providerID: expected string, got list"),
    ("node", "status/conditions/0/message", 5, "status.conditions[0].message: expected string"),
    ("claim", "spec/storageClassName", 5, "spec.storageClassName: expected string, got number"),
    ("volume", "spec/csi/driver", 5, "spec.csi.driver: expected string, got number"),
    ("storage", "provisioner", 5, "provisioner: expected string, got number"),
    ("csi", "spec/drivers/0/name", 5, "spec.drivers[0].name: expected string, got number"),
    ("nodeclaim", "status/nodeName", 5, "status.nodeName: expected string, got number"),
    # labels: maps of strings
    ("pod", "metadata/labels", ["app"], "metadata.labels: expected map, got list"),
    ("pod", "metadata/labels/app", 5, "metadata.labels.app: expected string, got number"),
    ("pod", "metadata/labels/app", True, "metadata.labels.app: expected string, got bool", "quote it"),
    ("pool", "spec/template/metadata/annotations/note", {}, "spec.template.metadata.annotations.note: expected string"),
    ("node", "metadata/labels/kubernetes.io~os", 1, 'metadata.labels["kubernetes.io/os"]: expected string'),
    ("pod", "spec/nodeSelector", "linux", "spec.nodeSelector: expected map, got string"),
    ("pod", "spec/nodeSelector/kubernetes.io~arch", 64, 'spec.nodeSelector["kubernetes.io/arch"]: expected string'),
    ("pool", "spec/template/metadata/labels", "x", "spec.template.metadata.labels: expected map, got string"),
    ("service", "spec/selector/app", 1, "spec.selector.app: expected string, got number"),
    ("runtime", "scheduling/nodeSelector", [], "scheduling.nodeSelector: expected map, got list"),
    # bool
    ("pod", "spec/hostNetwork", "true", "spec.hostNetwork: expected bool, got string"),
    ("pod", "metadata/ownerReferences/0/controller", 1, "metadata.ownerReferences[0].controller: expected bool"),
    ("node", "spec/unschedulable", "no", "spec.unschedulable: expected bool, got string"),
    ("job", "spec/suspend", 0, "spec.suspend: expected bool, got number"),
    ("class", "spec/blockDeviceMappings/0/rootVolume", "yes", "spec.blockDeviceMappings[0].rootVolume: expected bool"),
    # integers
    ("pool", "spec/weight", "10", "spec.weight: expected number, got string"),
    ("pool", "spec/weight", 1.5, "spec.weight: expected an integer"),
    ("deployment", "spec/replicas", "3", "spec.replicas: expected number, got string"),
    ("deployment", "spec/replicas", 1.5, "spec.replicas: expected an integer"),
    ("deployment", "spec/replicas", -1, "spec.replicas: expected 0 to"),
    ("deployment", "spec/replicas", 10**10, "spec.replicas: expected 0 to"),
    ("deployment", "spec/replicas", 10**30, "spec.replicas: expected an integer"),
    ("job", "spec/parallelism", [], "spec.parallelism: expected number, got list"),
    ("job", "spec/completions", "x", "spec.completions: expected number, got string"),
    ("stateful", "spec/ordinals/start", -1, "ordinals.start: expected 0 to"),
    ("stateful", "spec/ordinals/start", "0", "spec.ordinals.start: expected number, got string"),
    ("priority", "value", 3 * 10**9, "value: expected an integer of 32 bits"),
    ("csi", "spec/drivers/0/allocatable/count", "25", "spec.drivers[0].allocatable.count: expected number"),
    ("budget", "status/disruptionsAllowed", "1", "status.disruptionsAllowed: expected number, got string"),
    ("pod", "spec/topologySpreadConstraints/0/maxSkew", "1", "maxSkew: expected number, got string"),
    ("class", "spec/kubelet/podsPerCore", "10", "spec.kubelet.podsPerCore: expected number, got string"),
    ("pod", "spec/containers/0/ports/0/hostPort", "8080", "hostPort: expected number, got string"),
    # times
    ("pod", "metadata/creationTimestamp", "yesterday", "metadata.creationTimestamp: expected a time such as"),
    ("pod", "metadata/creationTimestamp", "2026-02-30T00:00:00Z", "metadata.creationTimestamp: expected a time"),
    ("pod", "metadata/creationTimestamp", 5, "metadata.creationTimestamp: expected string, got number"),
    # objects
    ("pool", "metadata", "default", "metadata: expected map, got string"),
    ("pool", "spec", [], "spec: expected map, got list"),
    ("pool", "spec/template", 1, "spec.template: expected map, got number"),
    ("pool", "spec/template/spec", "x", "spec.template.spec: expected map, got string"),
    ("pool", "spec/template/spec/nodeClassRef", "default", "spec.template.spec.nodeClassRef: expected map"),
    ("class", "spec/kubelet", [], "spec.kubelet: expected map, got list"),
    ("class", "spec", "x", "spec: expected map, got string"),
    ("pod", "spec", [], "spec: expected map, got list"),
    ("pod", "spec/affinity", [], "spec.affinity: expected map, got list"),
    ("pod", "spec/affinity/nodeAffinity", "x", "spec.affinity.nodeAffinity: expected map, got string"),
    ("pod", "spec/containers/0", "nginx", "spec.containers[0]: expected map, got string"),
    ("pod", "spec/containers/0/resources", "1Gi", "spec.containers[0].resources: expected map, got string"),
    ("deployment", "spec/template", [], "spec.template: expected map, got list"),
    ("deployment", "spec/template/spec", "x", "spec.template.spec: expected map, got string"),
    ("deployment", "spec/selector", "app=web", "spec.selector: expected map, got string"),
    ("node", "status", 1, "status: expected map, got number"),
    ("volume", "spec/nodeAffinity/required", [], "spec.nodeAffinity.required: expected map, got list"),
    ("budget", "spec/selector", "app=web", "spec.selector: expected map, got string"),
    # lists
    ("pool", "spec/template/spec/requirements", {}, "spec.template.spec.requirements: expected list, got map"),
    ("pool", "spec/template/spec/taints", {}, "spec.template.spec.taints: expected list, got map"),
    ("pool", "spec/template/spec/requirements/0/values", "spot", "requirements[0].values: expected list, got string"),
    ("pool", "spec/template/spec/requirements/0/values", [5], "requirements[0].values[0]: expected string, got number"),
    ("pool", "spec/template/spec/requirements/0", "x", "spec.template.spec.requirements[0]: expected map, got string"),
    ("pod", "spec/containers", {}, "spec.containers: expected list, got map"),
    ("pod", "spec/initContainers", "x", "spec.initContainers: expected list, got string"),
    ("pod", "spec/tolerations", {"key": "a"}, "spec.tolerations: expected list, got map"),
    ("pod", "spec/volumes", {}, "spec.volumes: expected list, got map"),
    ("pod", "spec/topologySpreadConstraints", {}, "spec.topologySpreadConstraints: expected list, got map"),
    ("pod", "spec/containers/0/ports", 80, "spec.containers[0].ports: expected list, got number"),
    ("pod", "metadata/ownerReferences", {}, "metadata.ownerReferences: expected list, got map"),
    ("node", "spec/taints", "x", "spec.taints: expected list, got string"),
    ("class", "spec/blockDeviceMappings", {}, "spec.blockDeviceMappings: expected list, got map"),
    ("storage", "allowedTopologies", {}, "allowedTopologies: expected list, got map"),
    ("stateful", "spec/volumeClaimTemplates", {}, "spec.volumeClaimTemplates: expected list, got map"),
]


def wrong_types(cases):
    for item, path, value, *words in WRONG_TYPES:
        cases.change(f"type: {item} {path} is {json.dumps(value)[:20]}", at(item, path), value, "input.json:", *words)


MISSING = [
    ("pool", "metadata", "metadata: required"),
    ("pool", "metadata/name", "metadata.name: required"),
    ("pool", "spec", "spec: required"),
    ("pool", "spec/template", "spec.template: required"),
    ("pool", "spec/template/spec", "spec.template.spec: required"),
    ("pool", "spec/template/spec/requirements", "spec.template.spec.requirements: required"),
    ("pool", "spec/template/spec/nodeClassRef", "spec.template.spec.nodeClassRef: required"),
    ("pool", "spec/template/spec/nodeClassRef/name", "spec.template.spec.nodeClassRef.name: required"),
    ("pool", "spec/template/spec/requirements/0/key", "spec.template.spec.requirements[0].key: required"),
    ("pool", "spec/template/spec/requirements/0/operator", "spec.template.spec.requirements[0].operator: required"),
    ("pool", "spec/template/spec/taints/0/effect", "spec.template.spec.taints[0].effect: required"),
    ("pool", "apiVersion", "apiVersion: required"),
    ("pool", "kind", "kind: required"),
    ("pod", "metadata/name", "metadata.name: required"),
    ("pod", "spec", "spec: required"),
    ("pod", "spec/containers", "spec.containers: required"),
    ("pod", "spec/topologySpreadConstraints/0/topologyKey", "topologyKey: required"),
    ("pod", "spec/topologySpreadConstraints/0/maxSkew", "maxSkew: required"),
    ("deployment", "metadata/name", "metadata.name: required"),
    ("deployment", "spec", "spec: required"),
    ("deployment", "spec/template", "spec.template: required"),
    ("deployment", "spec/template/spec", "spec.template.spec: required"),
    ("node", "metadata", "metadata: required"),
    ("node", "spec/taints/0/key", "spec.taints[0].key: required"),
    ("volume", "spec/csi/driver", "spec.csi.driver: required"),
    ("storage", "provisioner", "provisioner: required"),
    ("csi", "spec/drivers/0/name", "spec.drivers[0].name: required"),
    ("stateful", "spec/volumeClaimTemplates/0/metadata", "spec.volumeClaimTemplates[0].metadata: required"),
]


def missing_fields(cases):
    for item, path, word in MISSING:
        cases.change(f"missing: {item} {path}", at(item, path), REMOVED, word, "input.json:")
    for item, path in (("pool", "metadata/name"), ("pod", "metadata/name"), ("node", "metadata/name")):
        cases.change(f"missing: {item} {path} is empty", at(item, path), "", "metadata.name: required")
        cases.change(f"missing: {item} {path} is null", at(item, path), None, "metadata.name: required")


REQUIREMENT = "spec/template/spec/requirements/0"
TERM = "spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0"

WRONG_VALUES = [
    ("operator unknown", "pool", REQUIREMENT + "/operator", "Is", "operator: expected one of In, NotIn"),
    ("operator in lower case", "pool", REQUIREMENT + "/operator", "in", "operator: expected one of In, NotIn"),
    ("operator empty", "pool", REQUIREMENT + "/operator", "", "operator"),
    ("operator with Gte in a pod", "pod", TERM + "/matchExpressions/0/operator", "Gte", "operator: expected one of"),
    ("operator of a selector", "budget", "spec/selector/matchExpressions/0/operator", "Gt",
     "spec.selector.matchExpressions[0].operator: expected one of"),
    ("In without values", "pool", REQUIREMENT + "/values", [], "must have a value defined"),
    ("In without values in a pod", "pod", TERM + "/matchExpressions/0/values", [], "values"),
    ("Exists with values in a pod", "pod", TERM + "/matchExpressions/0/operator", "Exists", "values must not be given"),
    ("Gt with two values", "pool", REQUIREMENT,
     {"key": "karpenter.k8s.aws/instance-cpu", "operator": "Gt", "values": ["1", "2"]}, "single positive integer"),
    ("Gt with a word", "pool", REQUIREMENT,
     {"key": "karpenter.k8s.aws/instance-cpu", "operator": "Gt", "values": ["many"]}, "single positive integer"),
    ("Lt with a negative number", "pool", REQUIREMENT,
     {"key": "karpenter.k8s.aws/instance-cpu", "operator": "Lt", "values": ["-1"]}, "single positive integer"),
    ("key that is no name", "pool", REQUIREMENT + "/key", "not a key!", "requirements[0]: key \"not a key!\""),
    ("restricted key", "pool", REQUIREMENT + "/key", "kubernetes.io/hostname", "restricted"),
    ("restricted domain", "pool", REQUIREMENT + "/key", "karpenter.sh/own", "restricted"),
    ("minValues of zero", "pool", REQUIREMENT + "/minValues", 0, "minValues"),
    ("minValues of 51", "pool", REQUIREMENT + "/minValues", 51, "minValues"),
    ("minValues above the values", "pool", REQUIREMENT + "/minValues", 3, "minValues"),
    ("minValues as text", "pool", REQUIREMENT + "/minValues", "2", "minValues: expected number, got string"),
    ("weight of zero", "pool", "spec/weight", 0, "spec.weight"),
    ("weight negative", "pool", "spec/weight", -5, "spec.weight"),
    ("weight of 101", "pool", "spec/weight", 101, "spec.weight"),
    ("preference of negative weight", "pod",
     "spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution/0/weight", -1, "1-100"),
    ("preference of weight 101", "pod",
     "spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/0/weight", 101, "1-100"),
    ("duration without unit", "pool", "spec/template/spec/expireAfter", "720", "expireAfter: expected a duration"),
    ("duration as a word", "pool", "spec/template/spec/expireAfter", "soon", "expireAfter: expected a duration"),
    ("duration negative", "pool", "spec/template/spec/expireAfter", "-1h", "expireAfter: expected a duration"),
    ("duration in days", "pool", "spec/template/spec/expireAfter", "30d", "expireAfter: expected a duration"),
    ("duration as a number", "pool", "spec/template/spec/expireAfter", 720, "expireAfter: expected string"),
    ("duration of the grace period", "pool", "spec/template/spec/terminationGracePeriod", "1 hour",
     "terminationGracePeriod: expected a duration"),
    ("duration too long", "pool", "spec/template/spec/expireAfter", "9" * 30 + "h", "expireAfter"),
    ("consolidateAfter as a word", "pool", "spec/disruption/consolidateAfter", "later", "consolidateAfter"),
    ("taint effect unknown", "pool", "spec/template/spec/taints/0/effect", "NoWay",
     "effect: expected one of NoSchedule"),
    ("taint key that is no name", "pool", "spec/template/spec/taints/0/key", "a b", "taints[0]: taint key"),
    ("taint value that is no label", "pool", "spec/template/spec/taints/0/value", "a b", "taints[0]: taint value"),
    ("toleration operator unknown", "pod", "spec/tolerations/0/operator", "Like", "operator: expected one of Equal"),
    ("toleration effect unknown", "pod", "spec/tolerations/0/effect", "Later", "effect: expected one of NoSchedule"),
    ("toleration without key", "pod", "spec/tolerations/0/key", "", "operator must be Exists when key is empty"),
    ("node class group with a version", "pool", "spec/template/spec/nodeClassRef/group", "karpenter.k8s.aws/v1",
     "spec.template.spec.nodeClassRef"),
    ("node class kind empty", "pool", "spec/template/spec/nodeClassRef/kind", "", "nodeClassRef"),
    ("host port of zero and more", "pod", "spec/containers/0/ports/0/hostPort", 65536, "between 1 and 65535"),
    ("host port negative", "pod", "spec/containers/0/ports/0/hostPort", -1, "between 1 and 65535"),
    ("protocol unknown", "pod", "spec/containers/0/ports/0/protocol", "HTTP", "protocol: expected one of"),
    ("max skew of zero", "pod", "spec/topologySpreadConstraints/0/maxSkew", 0, "maxSkew must be greater than zero"),
    ("min domains of zero", "pod", "spec/topologySpreadConstraints/0/minDomains", 0, "minDomains"),
    ("whenUnsatisfiable unknown", "pod", "spec/topologySpreadConstraints/0/whenUnsatisfiable", "Never",
     "whenUnsatisfiable: expected one of"),
    ("volume binding mode unknown", "storage", "volumeBindingMode", "Later", "volumeBindingMode: expected one of"),
    ("AMI family unknown", "class", "spec/amiFamily", "Debian", "amiFamily"),
    ("AMI alias without version", "class", "spec/amiSelectorTerms/0/alias", "al2023", "alias"),
    ("max pods negative", "class", "spec/kubelet/maxPods", -1, "maxPods"),
    ("item that is a list", "pool", "", ["a"], "expected map, got list"),
    ("item that is a word", "pool", "", "NodePool", "expected map, got string"),
]


def wrong_values(cases):
    for name, item, path, value, word in WRONG_VALUES:
        cases.change("value: " + name, at(item, path).rstrip("/"), value, word, "input.json:")
    cases.change("value: items is a map", "items", {"a": 1}, "items: expected list, got map")
    cases.text("value: document is a list", "- a\n", "expected map, got list", "input.yaml:1")
    cases.text("value: document is a word", "pods\n", "expected map, got string", "input.yaml:1")
    cases.text("value: document is a number", "5\n", "expected map, got number", "input.yaml:1")
    cases.text("value: apiVersion is a number", "apiVersion: 1\nkind: Pod\nmetadata: {name: a}\n",
               "apiVersion: expected string, got number")
    cases.text("value: kind is a list", "apiVersion: v1\nkind: [Pod]\nmetadata: {name: a}\n",
               "kind: expected string, got list")


def quantities(cases):
    for text in ["many", "1.1.1", "1,5", "1 Gi", "1K", "1kib", "1GB", "0x10", "1e", "--1", "1e3Mi", "", "½", "1e3k",
                 "1_000m", "9223372036854775808", "1e1000", "1e999999999", "99999999999999999999Ei"]:
        cases.text(f"quantity: {text or 'empty'}", POD % json.dumps(text, ensure_ascii=False), "requests.cpu",
                   "quantity", "input.yaml:10")
    for value in ("-1", "-1n", "-100m"):
        cases.text(f"quantity: {value} is requested", POD % value, "greater than or equal to 0", "input.yaml:10")
    for name, value in (("list", "[1]"), ("map", "{a: 1}"), ("bool", "true")):
        cases.text(f"quantity: a {name}", POD % value, "requests.cpu", "quantity", "got " + name, "input.yaml:10")
    cases.text("quantity: line break in it", POD % '"1\\nGi"', "requests.cpu", "quantity")
    head, tail = (POD % "@").encode().split(b"@")
    for name, middle, word in [
            ("16 MiB of nines", [(b'"', 1), (b"9" * MIB, 16), (b'"', 1)], "too large"),
            ("16 MiB of nines, unquoted", [(b"9" * MIB, 16)], "quantity"),
            ("16 MiB of digits behind the point", [(b'"0.', 1), (b"1" * MIB, 16), (b'x"', 1)], "quantity"),
            ("16 MiB of digits in the exponent", [(b'"1e', 1), (b"9" * MIB, 16), (b'"', 1)], "too large"),
    ]:
        cases.text(f"quantity: {name}", [(head, 1), *middle, (tail, 1)], "requests.cpu", word)
    cases.text("quantity: 16 MiB of nines in JSON",
               [(b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "a",'
                 b' "resources": {"requests": {"cpu": "', 1), (b"9" * MIB, 16), (b'"}}}]}}', 1)],
               "requests.cpu", "too large", file="input.json")
    for item, path, value in [("pool", "spec/limits/cpu", "lots"), ("node", "status/allocatable/memory", "8 GB"),
                              ("runtime", "overhead/podFixed/cpu", "1/4"), ("node", "status/capacity", [])]:
        cases.change(f"quantity: {item} {path}", at(item, path), value, path.replace("/", "."))


def anchors(cases):
    def bomb(levels, width):
        lines = ["a0: &a0 [" + ", ".join(["x"] * width) + "]"]
        lines += [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * width) + "]" for i in range(1, levels)]
        return "\n".join(lines) + "\n"

    cases.text("alias: inside its own list", "a: &a [*a]\n", "input.yaml:1", "cycle")
    cases.text("alias: inside its own map", "a: &a\n  b: *a\n", "input.yaml:2")
    cases.text("alias: far inside itself", "a: &a\n  b:\n  - c:\n    - d: [1, {e: *a}]\n", "input.yaml:4")
    cases.text("alias: two that hold each other", "a: &a [&b [*a]]\nc: *b\n", "input.yaml:1")
    cases.text("alias: without an anchor", "a: *b\n", "input.yaml:1", "anchor")
    cases.text("alias: to an anchor of another document", "a: &b 1\n---\na: *b\n", "input.yaml:3", "anchor")
    cases.text("alias: to a later anchor", "a: *b\nb: &b 1\n", "input.yaml:1", "anchor")
    cases.text("alias: billion laughs", bomb(10, 10), "input.yaml:", "alias")
    cases.text("alias: quadratic", "a: &a [" + "x, " * 20000 + "x]\nb:\n" + "- *a\n" * 20000, "input.yaml:", "alias")
    cases.text("alias: bomb of maps", "a: &a0 {x: 1, y: 2}\n" + "".join(
        f"b{i}: &a{i} {{l: *a{i - 1}, r: *a{i - 1}}}\n" for i in range(1, 40)), "input.yaml:", "alias")
    cases.text("alias: bomb of merges", "a: &a0 {k0: 1}\n" + "".join(
        f"b{i}: &a{i} {{m{i}: [*a{i - 1}, *a{i - 1}], <<: *a{i - 1}}}\n" for i in range(1, 60)), "input.yaml:")
    cases.text("alias: deep by sharing", "a0: &a0 " + "[" * 200 + "]" * 200 + "\n" + "".join(
        f"a{i}: &a{i} " + "[" * 200 + f"*a{i - 1}" + "]" * 200 + "\n" for i in range(1, 50)), "input.yaml:", "deep")
    cases.text("merge: of a number", "a: {<<: 1}\n", "input.yaml:1", "merge")
    cases.text("merge: of a list of lists", "a: {<<: [[{b: 1}]]}\n", "input.yaml:1", "merge")
    cases.text("merge: of a word", "a:\n  <<: word\n", "input.yaml:2", "merge")


def duplicates(cases):
    twice = POD % "1" + "        cpu: 2\n"
    strict = ["--strict"]
    cases.text("duplicate: in YAML", twice, "input.yaml:11", "cpu", "line 10", arguments=strict)
    cases.text("duplicate: quoted and not", "a: 1\n'a': 2\n", "input.yaml:2", arguments=strict)
    cases.text("duplicate: number and text", "1: a\n'1': b\n", "input.yaml:2", arguments=strict)
    cases.text("duplicate: in a flow mapping", "x: {a: 1, a: 2}\n", "input.yaml:1", arguments=strict)
    cases.text("duplicate: among many keys", "".join(f"k{i}: 1\n" for i in range(1000)) + "k500: 2\n",
               "input.yaml:1001", "line 501", arguments=strict)
    cases.text("duplicate: in JSON", '{"apiVersion": "v1",\n "kind": "Pod",\n "kind": "Node"}', "input.json:3", "kind",
               "line 2", file="input.json", arguments=strict)
    cases.text("duplicate: escaped in JSON", '{"a": 1,\n "\\u0061": 2}', "input.json:2", file="input.json",
               arguments=strict)


def encodings(cases):
    pod = (POD % "1").encode()
    for name, bad in [("lone continuation", b"\x80"), ("overlong", b"\xc0\xaf"), ("surrogate", b"\xed\xa0\x80"),
                      ("above U+10FFFF", b"\xf4\x90\x80\x80"), ("cut off", b"\xe2\x82"), ("Latin-1", b"caf\xe9"),
                      ("0xff", b"\xff")]:
        cases.text(f"encoding: {name} in YAML", pod.replace(b"alone", bad), "input.yaml:4", "UTF-8")
        cases.text(f"encoding: {name} in JSON", b'{"a":\n "' + bad + b'"}', "input.json:2", "UTF-8", file="input.json")
    cases.text("encoding: UTF-16", (POD % "1").encode("utf-16"), "UTF-8")
    cases.text("encoding: NUL in YAML", pod.replace(b"alone", b"al\0one"), "input.yaml:4")
    cases.text("encoding: NUL at the end of YAML", pod + b"\0", "input.yaml:11")
    cases.text("encoding: NUL in JSON", b'{"a": "b\0c"}', "input.json:1", file="input.json")
    cases.text("encoding: NUL behind JSON", b'{"apiVersion": "v1", "kind": "List"}\0', "input.json:1",
               file="input.json")
    cases.text("encoding: only NULs", b"\0" * 100, "input.yaml:1")
    cases.text("encoding: control characters in YAML", pod.replace(b"alone", b"al\x01one"), "input.yaml:4")
    cases.text("encoding: random bytes", base64.b85encode(bytes(range(256)) * 4)[:997] + b"\xfe\xfa", "input.yaml:")


def nesting(cases):
    deep = 10000
    cases.text("nesting: flow YAML lists", "a: " + "[" * deep + "]" * deep, "input.yaml:1")
    cases.text("nesting: flow YAML maps", "a: " + "{b: " * deep + "}" * deep, "input.yaml:1")
    cases.text("nesting: block lists in one line", "- " * deep + "a\n", "input.yaml:1")
    cases.text("nesting: block maps", "".join(" " * i + "a:\n" for i in range(deep // 4)), "input.yaml:")
    cases.text("nesting: explicit keys", "? " * deep + "a\n", "input.yaml:1")
    cases.text("nesting: JSON lists", "[" * deep + "]" * deep, "input.json:1", file="input.json")
    cases.text("nesting: JSON maps", '{"a":' * deep + "1" + "}" * deep, "input.json:1", file="input.json")
    cases.text("nesting: JSON lists never closed", "[" * (1000 * deep), "input.json:", file="input.json")
    cases.text("nesting: YAML lists never closed", "[" * (1000 * deep), "input.yaml:")
    cases.text("nesting: JSON maps in YAML", '{"a":' * deep + "1" + "}" * deep, "input.yaml:1")
    lists = '{"apiVersion": "v1", "kind": "List", "items": ['
    cases.text("nesting: Lists of Lists", lists * 1000 + "]}" * 1000, "input.json:", file="input.json")


def catalogues(cases):
    def change(name, path, value, *words):
        cases.catalogue("catalogue: " + name, dump(changed(CATALOGUE, path, value)), "catalogue.json", *words)

    for name, content, word in [
            ("empty file", "", "empty"), ("a map", "{}", "expected list, got map"), ("a word", '"m5"', "list"),
            ("not JSON", "- name: m5\n", "JSON"), ("two documents", "[]\n[]\n", "2 documents"),
            ("only white space", " \n\n", "0 documents"), ("truncated", dump(CATALOGUE)[:200], "JSON"),
            ("list of words", '["m5.large"]', "expected map, got string"), ("invalid UTF-8", b'["\xff"]', "UTF-8"),
    ]:
        cases.catalogue("catalogue: " + name, content, "catalogue.json", word)
    change("name missing", "0/name", REMOVED, "name: required")
    change("name empty", "0/name", "", "name")
    change("name is a number", "0/name", 5, "name: expected string, got number")
    change("architecture missing", "0/architecture", REMOVED, "architecture: required")
    change("operating systems are a word", "0/operatingSystems", "linux", "operatingSystems: expected list")
    change("resources missing", "0/resources", REMOVED, "resources: required")
    change("resources are a list", "0/resources", [], "resources: expected map, got list")
    change("memory is no quantity", "0/resources/memory", "8 GB", "memory")
    change("memory is negative", "0/resources/memory", "-8Gi", "memory")
    change("cpu is too large", "0/resources/cpu", "1e999999999", "cpu")
    change("offerings missing", "0/offerings", REMOVED, "offerings: required")
    change("offerings are a map", "0/offerings", {}, "offerings: expected list, got map")
    change("offering is null", "0/offerings/0", None, "offerings")
    change("price missing", "0/offerings/0/Price", REMOVED, "Price: required")
    change("price is a text", "0/offerings/0/Price", "0.1", "Price: expected number, got string")
    change("price is negative", "0/offerings/0/Price", -1, "Price")
    change("price is huge", "0/offerings/0/Price", 10**400, "Price")
    change("available is a text", "0/offerings/0/Available", "true", "Available: expected bool, got string")
    change("offering without zone", "0/offerings/0/Requirements/1", REMOVED, "topology.kubernetes.io/zone")
    change("offering without capacity type", "0/offerings/0/Requirements/0", REMOVED, "karpenter.sh/capacity-type")
    change("operator of an offering", "0/offerings/0/Requirements/0/operator", "Like", "operator")
    change("requirements are a map", "0/requirements", {}, "requirements: expected list, got map")
    change("volume limit is negative", "0/volumeLimits/ebs.csi.aws.com", -1, "volumeLimits")
    change("overhead is a word", "0/overhead", "100m", "overhead: expected map, got string")
    cases.case("catalogue: a folder", {"input.yaml": POD % "1", "catalogue.json/x": "[]"}, "catalogue.json",
               ["-f", "{input.yaml}", "--catalog", "{catalogue.json}"])
    cases.case("catalogue: not there", {"input.yaml": POD % "1"}, ["nowhere.json", "No such file"],
               ["-f", "{input.yaml}", "--catalog", "{nowhere.json}"])


def scheduler_configs(cases):
    def change(name, path, value, *words):
        content = dump(changed(SCHEDULER, "podTopologySpread/defaultConstraints" + path, value))
        cases.scheduler("scheduler config: " + name, content, "scheduler.yaml:", *words)

    for name, content, word in [
            ("not YAML", "a: [\n", "not YAML"), ("a list", "- a\n", "expected map, got list"),
            ("unknown field", "profiles: []\n", "profiles"),
            ("two documents", "podTopologySpread: {}\n---\npodTopologySpread: {}\n", "one document"),
            ("unknown field inside", "podTopologySpread: {constraints: []}\n", "constraints"),
            ("duplicate key", "podTopologySpread: {}\npodTopologySpread: {}\n", "podTopologySpread"),
            ("invalid UTF-8", b"a: \xff\n", "UTF-8"),
    ]:
        cases.scheduler("scheduler config: " + name, content, "scheduler.yaml:", word)
    change("constraints are a map", "", {}, "defaultConstraints: expected list, got map")
    change("constraint is a word", "/0", "zone", "defaultConstraints[0]: expected map, got string")
    change("skew of zero", "/0/maxSkew", 0, "maxSkew")
    change("skew as a text", "/0/maxSkew", "1", "maxSkew: expected number, got string")
    change("no topology key", "/0/topologyKey", REMOVED, "topologyKey: required")
    change("topology key that is no name", "/0/topologyKey", "a b", "topologyKey")
    change("unknown whenUnsatisfiable", "/0/whenUnsatisfiable", "Maybe", "whenUnsatisfiable")
    change("selector", "/0/labelSelector", {"matchLabels": {"a": "b"}}, "labelSelector")
    change("unknown member", "/0/skew", 1, "skew")
    change("same constraint twice", "/1", SCHEDULER["podTopologySpread"]["defaultConstraints"][0], "duplicate")
    cases.case("scheduler config: not there", {"input.yaml": POD % "1"}, ["nowhere.yaml", "No such file"],
               ["-f", "{input.yaml}", "--scheduler-config", "{nowhere.yaml}"])


def command_lines(cases):
    pod = {"input.yaml": POD % "1"}
    for name, words, arguments in [
            ("nothing", "no manifests", []),
            ("unknown flag", "--what", ["-f", "{input.yaml}", "--what"]),
            ("argument without flag", "input.yaml", ["{input.yaml}"]),
            ("flag without value", "--filename", ["-f"]),
            ("unknown output", ["--output", "table, wide, json or yaml"], ["-f", "{input.yaml}", "-o", "xml"]),
            ("unknown preference policy", ["--preference-policy", "Respect, Ignore or Weigh"],
             ["-f", "{input.yaml}", "--preference-policy", "Maybe"]),
            ("unknown min-values policy", ["--min-values-policy", "Strict or BestEffort"],
             ["-f", "{input.yaml}", "--min-values-policy=Maybe"]),
            ("value for a flag that takes none", "--strict", ["-f", "{input.yaml}", "--strict=yes"]),
            ("pod to explain that is not there", "nobody", ["-f", "{input.yaml}", "--explain", "nobody"]),
            ("file that is not there", ["nowhere.yaml", "No such file"], ["-f", "{nowhere.yaml}"]),
            ("file inside a file", ["input.yaml", "Not a directory"], ["-f", "{input.yaml}/pools.yaml"]),
            ("empty name", "", ["-f", ""]),
    ]:
        cases.case("command line: " + name, pod, words, arguments)
    region = {"input.yaml": dump(sound_manifest())}
    cases.case("command line: unknown region", region, "mars-north-1",
               ["-f", "{input.yaml}", "--region", "mars-north-1"])
    cases.case("files: empty folder", {"folder": None}, "manifest", ["-f", "{folder}"])
    cases.case("files: folder without manifests", {"folder/notes.txt": "a: ["}, "manifest", ["-f", "{folder}"])
    cases.case("files: folder with a broken manifest", {"folder/a.yaml": POD % "1", "folder/b.yaml": "a: ["}, "b.yaml:",
               ["-f", "{folder}"])
    cases.case("files: link to itself", {"loop.yaml": ("link", "loop.yaml")}, "loop.yaml", ["-f", "{loop.yaml}"])
    cases.case("files: link to nowhere in a folder", {"folder/a.yaml": ("link", "nowhere.yaml")}, "a.yaml",
               ["-f", "{folder}"])


def all_cases():
    cases = Cases()
    for add in (broken_yaml, broken_json, truncated, wrong_types, missing_fields, wrong_values, quantities, anchors,
                duplicates, encodings, nesting, catalogues, scheduler_configs, command_lines):
        add(cases)
    return cases


# --- writing ----------------------------------------------------------------------------------------------------------

def write(case, folder):
    """Writes the files of a case and returns its arguments."""
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir()
        elif isinstance(content, tuple):
            path.symlink_to(content[1])
        else:
            with path.open("wb") as file:
                for data, times in content:
                    for _ in range(times):
                        file.write(data)
    return [replace_names(argument, folder) for argument in case.arguments]


def replace_names(argument, folder):
    return argument.replace("{", f"{folder}/").replace("}", "")


def main():
    cases = all_cases()
    if len(sys.argv) < 2:
        print("\n".join(case.name for case in cases))
        return
    for number, case in enumerate(cases):
        folder = Path(sys.argv[1]) / f"{number:03}"
        folder.mkdir(parents=True)
        arguments = write(case, folder)
        (folder / "arguments").write_text("\n".join(arguments) + "\n")


if __name__ == "__main__":
    main()
