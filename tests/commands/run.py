#!/usr/bin/env python3
"""Tests of tenon's command line: output, messages and exit status.

    run.py [--tenon] PROGRAM [unittest's arguments, such as -k WORD]

Each test is a command line, its standard input, and text that the output must contain; tests of the live view use a
pseudo-terminal. The last line is "N passed, N failed". Exit: 0 all passed, 1 something failed.
"""

import argparse
import fcntl
import json
import os
import pty
import re
import select
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = None
PATIENCE_S = 20
S4 = "tests/unit/cli/support/launch-s4.yaml"

SCENARIO = """\
apiVersion: tenon.sh/v1alpha1
kind: Scenario
name: long
duration: 10000h
timeline:
- {at: 0s, apply: pool.yaml}
- {at: 1h, note: a note that is longer than sixty columns so that it has to be cut off in a small window}
- {at: 2h, fault: {type: ice, for: 15m}}
- {at: 9999h, expect: {kind: NodePool, count: 1}}
"""

CLASS = """\
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  role: nodes
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {team: web}}]
  securityGroupSelectorTerms: [{tags: {team: web}}]
"""

POOL = """\
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
"""

POD = """\
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - {name: web, image: web, resources: {requests: {cpu: "1", memory: 1Gi}}}
"""

CLUSTER = CLASS + POOL + POD


class Answer:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    @property
    def lines(self):
        return self.err.splitlines()


def tenon(*arguments, stdin="", stdout=subprocess.PIPE, cwd=ROOT):
    done = subprocess.run([PROGRAM, *arguments], input=stdin, text=True, check=False, stdout=stdout,
                          stderr=subprocess.PIPE, cwd=cwd, timeout=PATIENCE_S)
    return Answer(done.returncode, done.stdout, done.stderr)


def plan(manifests, *arguments):
    return tenon("plan", "-f", "-", *arguments, stdin=manifests)


class Commands(unittest.TestCase):
    def test_version_as_a_word_says_what_the_flag_says(self):
        self.assertRegex(tenon("version").out, r"^tenon \d+\.\d+")
        self.assertEqual(tenon("version").out, tenon("--version").out)

    def test_help_of_a_command(self):
        for command in ("run", "plan", "explain", "sim", "catalog", "convert", "doctor", "crds", "iam-policy", "trace", "metrics"):
            with self.subTest(command=command):
                answer = tenon("help", command)
                self.assertEqual((answer.status, answer.err), (0, ""))
                self.assertEqual(answer.out, tenon(command, "--help").out)
                self.assertIn(f"Usage: tenon {command}", answer.out)

    def test_help_of_nothing_is_the_list_and_of_a_stranger_an_error(self):
        self.assertEqual(tenon("help").out, tenon("--help").out)
        self.assertEqual(tenon("help", "plam").status, 2)
        self.assertIn("unknown command plam", tenon("help", "plam").err)

    def test_a_full_disk_is_status_2_everywhere(self):
        lines = ["--help", "--version", "version", "help", "help plan", "run --help", "plan --help", "sim --help",
                 "catalog --help", "convert --help", "convert -f tests/seeds/001-provisioner.yaml --to v1", "doctor --help",
                 "doctor -f tests/seeds", "doctor -f tests/seeds -o json", "crds --help", "metrics --help", "iam-policy --help", "trace --help",
                 "iam-policy --cluster-name c --region eu-west-1 --account 123456789012", f"trace launch -f {S4}", "crds", "crds --legacy", "crds NodePool", "metrics",
                 "metrics --markdown", "sim --campaign 1 --print", "sim --campaign 1",
                 *(f"plan -f examples/ -o {form}" for form in ("table", "wide", "json", "yaml")),
                 "plan -f examples/ --explain shop/web-0", *(f"catalog -f examples/nodes -o {form}"
                                                             for form in ("table", "json"))]
        for line in lines:
            with self.subTest(line=line), open("/dev/full", "w", encoding="utf-8") as full:
                answer = tenon(*line.split(), stdout=full)
                self.assertEqual(answer.status, 2)
                self.assertIn("error: standard output cannot be written to", answer.lines)


class Flags(unittest.TestCase):
    def test_errors_begin_with_the_flag(self):
        for line, expected in (
                ("plan -f nowhere.yaml", "--filename: nowhere.yaml: No such file"),
                ("plan --catalog nowhere.json", "--catalog: nowhere.json: No such file"),
                ("plan --scheduler-config nowhere.yaml", "--scheduler-config: nowhere.yaml: No such file"),
                ("plan --effort hard", "--effort: expected fast, normal, best"),
                ("plan --preference-policy Weight", "--preference-policy: expected Respect, Ignore or Weigh, got Weight"),
                ("run --preference-policy Weight", "--preference-policy: expected Respect, Ignore or Weigh"),
                ("plan --output xml", "--output: expected table"),
                ("plan -f examples/ --region mars-north-1", "--region: "),
                ("convert -f examples/ --to v2", "--to: expected v1beta1 or v1, got v2"),
                ("convert -f examples/ --to v1 -o table", "--output: expected yaml or json, got table"),
                ("convert --to v1", "must specify -f"),
                ("convert -f examples/", "must specify --to v1beta1 or --to v1"),
                ("doctor -f examples/ --context a", "--context is about a live cluster, which -f excludes"),
                ("doctor --kubeconfig tests/no-such-file", "tests/no-such-file"),
                ("doctor -f examples/ -o yaml", "--output: expected text or json, got yaml"),
                ("doctor -f tests/fuzz/corpus/quantity", "--filename: tests/fuzz/corpus/quantity has no .yaml, .yml, .json or .tf file"),
                ("sim --speed slow", "--speed: expected max"),
                ("sim --record", "--record: expected FILE"),
                ("run --effort hard", "--effort: expected normal"),
                ("run --log-level loud", "--log-level: expected debug"),
                ("run --log-output-paths no-such-folder/log", "--log-output-paths: no-such-folder/log: No such file"),
                ("run --log-error-output-paths no-such-folder/log",
                 "--log-error-output-paths: no-such-folder/log: No such file")):
            with self.subTest(line=line):
                answer = tenon(*line.split())
                self.assertNotEqual(answer.status, 0)
                self.assertIn("error: " + expected, answer.err)

    def test_gates_that_do_nothing_are_named(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write("not a kubeconfig")
            config.flush()
            answer = tenon("run", "--kubeconfig", config.name, "--disable-leader-election", "--feature-gates",
                           "StaticCapacty=true,NodeOverlay=true,NodeRepair=true,CapacityBuffer=false")
        said = [json.loads(line)["gate"] for line in answer.out.splitlines() if '"gate"' in line]
        self.assertEqual(said, ["StaticCapacty is unknown; did you mean StaticCapacity?",
                                "NodeOverlay is known, and tenon does not do yet what it is about"])


class Convert(unittest.TestCase):
    SEED = "tests/seeds/001-provisioner.yaml"

    def test_a_manifest_of_2023_is_planned_after_conversion(self):
        answer = tenon("convert", "-f", self.SEED, "--to", "v1")
        self.assertEqual(answer.status, 0)
        self.assertEqual(answer.lines[0], f"warning: {self.SEED}:13: W03 Provisioner provisioner: spec.requirements[2]: "
                                          "eks.amazonaws.com/capacityType is a mere label of nodes; did you mean "
                                          "karpenter.sh/capacity-type?")
        pod = POD.replace("spec:", "spec:\n  nodeSelector: {environment: donggyu-eks}", 1)
        planned = plan(answer.out + pod, "-o", "json")
        self.assertEqual(planned.status, 0, planned.err)
        claims = json.loads(planned.out)["nodeClaims"]
        self.assertEqual([claim["choice"]["instanceType"] for claim in claims], ["t4g.medium"])

    def test_standard_input_and_json(self):
        with open(ROOT / self.SEED, encoding="utf-8") as seed:
            answer = tenon("convert", "-f", "-", "--to", "v1", "-o", "json", stdin=seed.read())
        self.assertEqual([item["kind"] for item in json.loads(answer.out)["items"]], ["NodePool", "EC2NodeClass"])
        again = tenon("convert", "-f", "-", "--to", "v1", "-o", "json", stdin=answer.out)
        self.assertEqual((again.out, again.err), (answer.out, ""))

    def test_strict_prints_nothing_but_the_first_warning_as_an_error(self):
        answer = tenon("convert", "-f", self.SEED, "--to", "v1", "--strict")
        self.assertEqual((answer.status, answer.out), (2, ""))
        self.assertRegex(answer.err, r"^error: \S+:13: W03 [^\n]*\n$")

    def test_a_cluster_that_cannot_be_read_is_another_status(self):
        answer = tenon("convert", "--from-cluster", "--kubeconfig", "no-such-file", "--to", "v1")
        self.assertEqual((answer.status, answer.out), (1, ""))
        self.assertIn("no-such-file", answer.err)


class KeptAway(unittest.TestCase):
    """R013: a pod whose affinity keeps it off Karpenter's nodes is left alone, and not advised to give that up."""

    def test_both_spellings_get_the_old_answer_and_no_advice(self):
        for key, words in (("karpenter.sh/provisioner-name",
                            "via karpenter.sh/provisioner-name DoesNotExist requirement"),
                           ("karpenter.sh/nodepool", "(requirement=karpenter.sh/nodepool DoesNotExist)")):
            terms = (f"[{{matchExpressions: [{{key: {key}, operator: DoesNotExist}}]}}, "
                     "{matchExpressions: [{key: eks.amazonaws.com/nodegroup, operator: In, values: [ng-v1]}]}]")
            pod = POD.replace("spec:", "spec:\n  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                              f"{{nodeSelectorTerms: {terms}}}}}}}", 1)
            with self.subTest(key=key):
                answer = plan(CLASS + POOL + pod, "-o", "json")
                self.assertEqual(answer.status, 3, answer.err)
                left, = json.loads(answer.out)["unschedulable"]
                self.assertEqual(left["message"], f"ignoring pod, configured to not run on a Karpenter provisioned node {words}")
                self.assertEqual(left["nodePools"], [])


class Doctor(unittest.TestCase):
    """The manifests of two of the first users, and the Terraform that one of them published."""

    def test_the_seeds_have_warnings_and_no_errors(self):
        answer = tenon("doctor", "-f", "tests/seeds/001-provisioner.yaml", "-f", "tests/seeds/001-terraform.tf")
        self.assertEqual((answer.status, answer.err), (0, ""))
        lines = answer.out.splitlines()
        found = [line.split()[:2] for line in lines if line.startswith(("warning ", "error "))]
        self.assertEqual(found, [["warning", check] for check in ("label-keys", "terraform-tags", "interruption-queue",
                                                                  "versions")])
        self.assertEqual(lines[-1], "errors: 0, warnings: 4, checks ok: 9, skipped: 21")
        self.assertEqual(tenon("doctor", "-f", "tests/seeds/001-provisioner.yaml", "--strict").status, 1)

    def test_an_error_is_another_status_and_has_a_remedy(self):
        pool = "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {template: {spec: {expireAfter: 1m}}}}"
        answer = tenon("doctor", "-f", "-", "-o", "json", stdin=pool)
        self.assertEqual((answer.status, answer.err), (1, ""))
        checks = {check["id"]: check for check in json.loads(answer.out)["checks"]}
        self.assertEqual(checks["short-ttl"]["status"], "error")
        self.assertEqual(checks["short-ttl"]["findings"][0]["fix"],
                         "set spec.template.spec.expireAfter to hours, or leave it out")
        self.assertEqual(checks["subnets"]["status"], "skipped")
        self.assertIn("aws ec2 describe-subnets", checks["subnets"]["needs"])

    def test_what_is_neither_is_refused(self):
        answer = tenon("doctor", "-f", "-", stdin="a: [\n")
        self.assertEqual((answer.status, answer.out), (2, ""))

    def test_the_page_has_every_check(self):
        answer = tenon("doctor", "-f", "tests/seeds", "-o", "json")
        page = (ROOT / "docs" / "doctor.md").read_text(encoding="utf-8")
        table = re.findall(r"`([a-z-]+)`", " ".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `")))
        self.assertEqual([check["id"] for check in json.loads(answer.out)["checks"]], table)


class Manifests(unittest.TestCase):
    def test_a_misspelled_field_is_named_with_what_was_meant(self):
        wrong = CLUSTER.replace("spec:\n  template:", "spec:\n  limit: {cpu: 10}\n  template:", 1)
        answer = plan(wrong)
        self.assertEqual(answer.status, 0, answer.err)
        self.assertEqual(answer.err, "warning: stdin:14, NodePool general: spec.limit is no field of it and is ignored; "
                                     "did you mean limits?\n")
        strict = plan(wrong, "--strict")
        self.assertEqual((strict.status, strict.out), (2, ""))
        self.assertIn("error: stdin:14, NodePool general: spec.limit is no field", strict.err)

    def test_nested_fields_fields_of_lists_and_fields_that_moved(self):
        for before, after, expected in (
                ("      requirements:", "      taint: []\n      requirements:",
                 "stdin:17, NodePool general: spec.template.spec.taint is no field of it and is ignored; did you mean taints?"),
                ("      requirements:", "      kubelet: {maxPods: 8}\n      requirements:",
                 "spec.template.spec.kubelet is no field of it and is ignored; did you mean spec.kubelet of EC2NodeClass?"),
                ("spec:\n  template:", "spec:\n  disruption: {expireAfter: 720h}\n  template:",
                 "spec.disruption.expireAfter is no field of it and is ignored; did you mean spec.template.spec.expireAfter?"),
                ("metadata: {name: general}", "metadata: {name: general, anotations: {a: b}}",
                 "metadata.anotations is no field of it and is ignored; did you mean annotations?"),
                ("{tags: {team: web}}", "{tag: {team: web}}",
                 "stdin:7, EC2NodeClass default: spec.subnetSelectorTerms[0].tag is no field of it and is ignored; "
                 "did you mean tags?")):
            with self.subTest(expected=expected):
                self.assertIn(expected, plan(CLUSTER.replace(before, after, 1)).err)

    def test_kinds_that_are_not_read_are_not_looked_at(self):
        overlay = "---\napiVersion: karpenter.sh/v1alpha1\nkind: NodeOverlay\nspec: {nonsense: 1}\n"
        foreign = ("---\napiVersion: example.com/v1\nkind: Rack\nmetadata: {name: r}\n"
                   "items: [{apiVersion: karpenter.sh/v1, kind: NodePool, spec: {nonsense: 1}}]\n")
        answer = plan(CLUSTER + overlay + foreign)
        self.assertEqual(answer.status, 0)
        self.assertNotIn("nonsense", answer.err)

    def test_every_field_of_the_definitions_is_known(self):
        spec = {"amiSelectorTerms": [{"alias": "al2023@latest"}], "role": "r", "userData": "x",
                "associatePublicIPAddress": True, "context": "c", "detailedMonitoring": True, "tags": {"a": "b"},
                "subnetSelectorTerms": [{"id": "subnet-12345"}], "securityGroupSelectorTerms": [{"id": "sg-12345"}],
                "metadataOptions": {"httpEndpoint": "enabled", "httpPutResponseHopLimit": 1, "httpTokens": "required",
                                    "httpProtocolIPv6": "disabled"},
                "kubelet": {"maxPods": 10, "clusterDNS": ["10.0.0.10"], "imageGCHighThresholdPercent": 85,
                            "evictionSoft": {"memory.available": "5%"},
                            "evictionSoftGracePeriod": {"memory.available": "1m"}, "cpuCFSQuota": True},
                "blockDeviceMappings": [{"deviceName": "/dev/xvda", "rootVolume": True, "ebs": {
                    "volumeSize": "20Gi", "volumeType": "gp3", "encrypted": True, "iops": 3000, "throughput": 125,
                    "deleteOnTermination": True, "kmsKeyID": "k", "snapshotID": "s"}}]}
        node_class = {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "spec": spec,
                      "metadata": {"name": "default", "annotations": {"x.y/z": "1"}, "labels": {"a": "b"}},
                      "status": {"subnets": [{"id": "s", "zone": "us-east-1a", "zoneID": "use1-az1"}]}}
        answer = plan(CLUSTER + "---\n" + json.dumps(node_class))
        self.assertEqual([line for line in answer.lines if "no field" in line], [])

    def test_a_wrong_word_is_answered_with_the_list_and_its_new_name(self):
        answer = plan(CLUSTER.replace("spec:\n  template:",
                                      "spec:\n  disruption: {consolidationPolicy: WhenUnderutilized}\n  template:", 1))
        self.assertEqual(answer.status, 2)
        self.assertEqual(answer.err, 'error: spec.disruption.consolidationPolicy: expected one of WhenEmpty, '
                                     'WhenEmptyOrUnderutilized, Balanced, got "WhenUnderutilized"; Karpenter v1 calls it '
                                     'WhenEmptyOrUnderutilized (stdin:14, NodePool general)\n')
        answer = plan(CLUSTER.replace("role: nodes", "instanceStorePolicy: raid0", 1))
        self.assertEqual(answer.status, 2)
        self.assertIn('spec.instanceStorePolicy: expected one of RAID0, got "raid0"; did you mean RAID0? '
                      '(stdin:5, EC2NodeClass default)', answer.err)

    def test_errors_name_file_line_and_object(self):
        answer = plan(CLUSTER.replace("name: web}", "name: web, namespace: shop}").replace("- {name: web,", "- {name: 7,"))
        self.assertEqual(answer.status, 2)
        self.assertIn("(stdin:25, Pod shop/web)", answer.err)

    def test_nothing_is_an_error(self):
        for text in ("", "# nothing\n", "---\n", '{"apiVersion": "v1", "kind": "List", "items": []}'):
            with self.subTest(text=text):
                answer = plan(text)
                self.assertEqual((answer.status, answer.out), (2, ""))
                self.assertIn("error: the input is empty", answer.err)
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("has no .yaml, .yml or .json file", tenon("plan", "-f", folder).err)

    def test_nothing_that_is_understood_is_an_error(self):
        answer = plan("apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: default}\n---\n"
                      "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: default}\n")
        self.assertEqual((answer.status, answer.out), (2, ""))
        self.assertIn("error: no object of the input is of a kind that tenon reads", answer.err)
        self.assertIn("CronJob (batch/v1) is ignored: its Jobs are planned when they exist", answer.err)
        self.assertNotIn("command", answer.err)

    def test_one_pod_that_cannot_be_read_is_left_out(self):
        many = ", ".join(f"example.com/r{i}: 1" for i in range(1001))
        for resources in ('cpu: "99999999999Ei"', many):
            poisoned = CLUSTER + POD.replace("name: web}", "name: huge}", 1).replace('cpu: "1", memory: 1Gi', resources)
            with self.subTest(resources=resources[:30]):
                answer = plan(poisoned)
                self.assertEqual(answer.status, 3)
                self.assertIn("1 new node for 1 pod,", answer.out)
                self.assertRegex(answer.err, r"warning: left out, because it cannot be read: .*Pod default/huge")
                self.assertEqual(plan(poisoned, "--strict").status, 2)


class Advice(unittest.TestCase):
    def test_the_requirement_that_leaves_no_type_is_named(self):
        pool = CLUSTER.replace("      requirements:\n", "      requirements:\n"
                               "      - {key: karpenter.k8s.aws/instance-family, operator: In, values: [m99]}\n")
        answer = plan(pool)
        self.assertEqual(answer.status, 3)
        said = " ".join(answer.out.split())
        self.assertIn("no instance type meets the requirements of nodepool general: none is left by "
                      "karpenter.k8s.aws/instance-family In [m99]", said)
        pool = CLUSTER.replace("      requirements:\n", "      requirements:\n"
                               "      - {key: karpenter.k8s.aws/instance-family, operator: In, values: [m5]}\n"
                               "      - {key: kubernetes.io/arch, operator: In, values: [arm64]}\n")
        self.assertIn("none is left by kubernetes.io/arch In [arm64] beside the other requirements",
                      " ".join(plan(pool).out.split()))
        pod = CLUSTER.replace("spec:\n  containers", "spec:\n  nodeSelector: {node.kubernetes.io/instance-type: m5.huge}\n"
                                                     "  containers")
        self.assertIn("none is left by node.kubernetes.io/instance-type In [m5.huge]", " ".join(plan(pod).out.split()))

    def test_pods_of_another_scheduler_are_left_out_with_a_note(self):
        fargate = CLUSTER + POD.replace("name: web}", "name: far}").replace("spec:", "spec:\n  schedulerName: fargate-scheduler")
        answer = plan(fargate)
        self.assertEqual(answer.status, 0)
        self.assertIn("1 new node for 1 pod,", answer.out)
        self.assertEqual(answer.err, "warning: 1 pod of scheduler fargate-scheduler is left out (default/far): "
                                     "it places them itself\n")
        reported = fargate + ("status: {conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}\n")
        self.assertIn("for 2 pods,", plan(reported).out)
        ours = CLUSTER.replace("spec:\n  containers", "spec:\n  schedulerName: default-scheduler\n  containers")
        self.assertEqual((plan(ours).status, plan(ours).err), (0, ""))

    def test_pods_for_other_nodes_get_no_advice_to_change_the_pool(self):
        affinity = """  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
      {matchExpressions: [{key: karpenter.sh/nodepool, operator: DoesNotExist}]},
      {matchExpressions: [{key: eks.amazonaws.com/nodegroup, operator: In, values: [system]}]}]}}}
"""
        for extra, expected in (
                ("  nodeSelector: {eks.amazonaws.com/nodegroup: system}\n",
                 "the pod asks for nodes of EKS (eks.amazonaws.com/nodegroup In [system]): no NodePool makes such"),
                ("  nodeSelector: {alpha.eksctl.io/nodegroup-name: ng}\n", "the pod asks for nodes of eksctl"),
                (affinity, "ignoring pod, configured to not run on a Karpenter provisioned node "
                           "(requirement=karpenter.sh/nodepool DoesNotExist)")):
            with self.subTest(expected=expected):
                said = " ".join(plan(CLUSTER.replace("spec:\n  containers", "spec:\n" + extra + "  containers")).out.split())
                self.assertIn(expected, said)
                self.assertNotIn("add requirement", said)
        own = CLUSTER.replace("spec:\n  containers", "spec:\n  nodeSelector: {example.com/team: web}\n  containers")
        self.assertIn("add requirement example.com/team In [web] to nodepool general", " ".join(plan(own).out.split()))

    def test_a_requirement_on_a_label_that_nothing_provides_warns(self):
        def with_key(key):
            return plan(CLUSTER.replace("{key: karpenter.sh/capacity-type,", "{key: " + key + ",")).err
        self.assertEqual(with_key("eks.amazonaws.com/capacityType"),
                         "warning: stdin:18, NodePool general: no instance type has the label eks.amazonaws.com/capacityType, "
                         "which is of EKS: the requirement chooses nothing, nodes only carry it; did you mean "
                         "karpenter.sh/capacity-type?\n")
        self.assertIn("did you mean karpenter.k8s.aws/instance-category?", with_key("eks.amazonaws.com/instance-category"))
        self.assertIn("did you mean kubernetes.io/arch?", with_key("kubernetes.io/arhc"))
        self.assertEqual(with_key("example.com/team"), "")
        self.assertEqual(with_key("topology.kubernetes.io/rack"), "")

    def test_what_pods_name_and_the_input_lacks_is_said(self):
        pod = CLUSTER.replace("  containers:", "  priorityClassName: high\n  volumes:\n"
                              "  - {name: a, persistentVolumeClaim: {claimName: data}}\n"
                              "  - {name: b, persistentVolumeClaim: {claimName: logs}}\n  containers:")
        pod += ("---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: logs}\n"
                "spec: {storageClassName: gp3}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: agent, "
                "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: u, controller: true}]}\n"
                "spec: {nodeName: node-1, containers: [{name: c}]}\n")
        said = plan(pod).err
        for line in ("1 PersistentVolumeClaim is named and not in the input (default/data, by pod default/web)",
                     "1 StorageClass is named and not in the input (gp3, by default/logs)",
                     "1 PriorityClass is named and not in the input (high, by pod default/web)",
                     "1 DaemonSet is named and not in the input (default/agent, by pod default/agent)"):
            self.assertIn("warning: " + line, said)

    def test_prices(self):
        spot = CLUSTER.replace("[on-demand]", "[spot]")
        known, guessed = plan(CLUSTER), plan(spot)
        self.assertNotIn("~", known.out)
        self.assertRegex(guessed.out, r"spot +1 .* ~0\.\d{4}\n")
        self.assertRegex(guessed.out, r"Total: 1 new node for 1 pod, ~\$0\.\d{4}/hour")
        self.assertIn("~ is an estimate", guessed.out)
        self.assertIn("In Karpenter's manner (emptiest-first, tenon's imitation of it): ", known.out)
        price = json.loads(plan(spot, "-o", "json").out)["price"]
        self.assertTrue(price["estimated"])
        self.assertIn("built-in EC2 catalogue", price["source"])
        self.assertIn("~", tenon("catalog", "-f", "-", stdin=CLASS + POOL).out)

    def test_c8gn_is_no_cheaper_than_its_relatives(self):
        types = {entry["name"]: entry["offerings"] for entry in json.loads(
            tenon("catalog", "-f", "-", "-o", "json", stdin=CLASS + POOL).out)}

        def ratio(name):
            prices = {requirement["values"][0]: offering["Price"] for offering in types[name]
                      for requirement in offering["Requirements"] if requirement["key"] == "karpenter.sh/capacity-type"}
            return prices["spot"] / prices["on-demand"]
        self.assertGreater(ratio("c8gn.xlarge"), 2 / 3 * ratio("c7gn.xlarge"))

    def test_explain_as_json(self):
        explained = json.loads(plan(CLUSTER, "--explain", "web", "-o", "json").out)["pods"]
        self.assertEqual([pod["pod"] for pod in explained], ["default/web"])
        self.assertEqual(explained[0]["nodeClaim"]["nodePool"], "general")

    def test_pods_and_price_of_a_line_are_those_of_all_its_nodes(self):
        pods = "".join(POD.replace("name: web}", f"name: web-{i}}}").replace('cpu: "1"', 'cpu: "180"') for i in range(3))
        answer = plan(CLASS + POOL + pods)
        line = answer.out.splitlines()[1].split()
        total = re.search(r"\$([\d.]+)/hour", answer.out)[1]
        self.assertEqual((line[0], line[5]), ("3", "3"))
        self.assertAlmostEqual(float(line[8]), float(total), places=3)


class Preferences(unittest.TestCase):
    PICKY = CLUSTER + """\
  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 40
        preference: {matchExpressions: [{key: karpenter.k8s.aws/instance-category, operator: In, values: [r]}]}
      - weight: 30
        preference: {matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}
"""

    def price(self, *arguments):
        return json.loads(plan(self.PICKY, "-o", "json", *arguments).out)["price"]["perHour"]

    def test_each_is_kept_while_it_costs_at_most_its_weight(self):
        answer = json.loads(plan(self.PICKY, "--preference-policy", "Weigh", "-o", "json").out)
        memory, arch = answer["preferences"][0]["rules"]
        self.assertEqual((memory["kept"], memory["leftOut"]), (0, 1))
        self.assertGreater(memory["dearerPercent"], 40)
        self.assertEqual((arch["kept"], arch["leftOut"]), (1, 0))
        self.assertLessEqual(arch["dearerPercent"], 30)

    def test_the_percentage_can_be_recomputed(self):
        weighed = json.loads(plan(self.PICKY, "--preference-policy", "Weigh", "-o", "json").out)
        arch = weighed["preferences"][0]["rules"][1]
        more = weighed["price"]["perHour"] - self.price("--preference-policy", "Ignore")
        self.assertAlmostEqual(more / weighed["preferences"][0]["ratePerHour"] * 100, arch["dearerPercent"], 4)

    def test_the_price_lies_between_the_other_policies(self):
        prices = [self.price("--preference-policy", policy) for policy in ("Ignore", "Weigh", "Respect")]
        self.assertEqual(prices, sorted(prices))
        self.assertEqual(len(set(prices)), 3)

    def test_what_is_left_out_is_said(self):
        answer = plan(self.PICKY, "--preference-policy", "Weigh")
        self.assertEqual(answer.status, 0, answer.err)
        self.assertIn("Preferred rules left out:\n  default/web, $", answer.out)
        self.assertRegex(answer.out, r"instance-category In \[r\] \(weight 40\):\s+\d+%\s+dearer")
        self.assertNotIn("amd64", answer.out)
        explained = plan(self.PICKY, "--preference-policy", "Weigh", "--explain", "web").out
        self.assertRegex(explained, r"preferred node affinity: kubernetes.io/arch In \[amd64\] \(weight 30\) kept")
        for policy in ("Respect", "Ignore"):
            self.assertNotIn("Preferred rules", plan(self.PICKY, "--preference-policy", policy).out)


class Pages(unittest.TestCase):
    KINDS = ("nodes,nodepools,nodeclaims,ec2nodeclasses,pods,deployments,replicasets,statefulsets,daemonsets,jobs,"
             "replicationcontrollers,pvc,pv,storageclasses,csinodes,pdb,priorityclasses,runtimeclasses,namespaces,services")

    def test_one_command_gets_all_kinds_that_are_read(self):
        for page in ("README.md", "docs/plan.md"):
            text = re.sub(r"\\\n *", "", (ROOT / page).read_text())
            self.assertIn(f"kubectl get -A -o yaml {self.KINDS} | ", text, page)

    def test_what_is_not_there_yet_is_said_where_one_looks(self):
        for page in ("README.md", "docs/run.md"):
            text = (ROOT / page).read_text()
            self.assertIn("ot there yet", text, page)
            self.assertIn("**AWS**", text, page)


class Aws(unittest.TestCase):
    """`tenon run` on AWS that cannot start, and the commands about AWS."""

    KEYS = {"AWS_ACCESS_KEY_ID": "AKIAFAKE", "AWS_SECRET_ACCESS_KEY": "not-to-be-shown"}
    NOWHERE = {"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
               "AWS_MAX_ATTEMPTS": "1"}

    def begin(self, folder, *flags, **environment):
        """A process without an API server, with these variables alone."""
        config = Path(folder) / "config"
        config.write_text("apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                          "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\n"
                          "contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n")
        return subprocess.Popen(
            [PROGRAM, "run", "--disable-leader-election", "--kubeconfig", str(config), "--metrics-port=0",
             "--health-probe-port=0", *flags],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={"HOME": folder, **environment})

    def start(self, *flags, **environment):
        with tempfile.TemporaryDirectory() as folder:
            process = self.begin(folder, *flags, **environment)
            out, err = process.communicate(timeout=PATIENCE_S)
            return Answer(process.returncode, out, err)

    def test_wrong_settings_are_status_2(self):
        for flags, environment, expected in (
                (("--provider", "aws"), {}, "set --cluster-name (CLUSTER_NAME)"),
                (("--provider", "gcp"), {}, "--provider: expected aws or kwok, got"),
                ((), {"ISOLATED_VPC": "true"}, "--isolated-vpc is for AWS, and the cluster has no name"),
                (("--cluster-name=c", "--cluster-endpoint=10.0.0.1"), {}, "expected an absolute URL"),
                (("--cluster-name=c", "--reserved-enis=-1"), {}, "--reserved-enis"),
                (("--cluster-name=c",), {"AMI_REFRESH_INTERVAL": "1s"}, "(AMI_REFRESH_INTERVAL): expected a duration of"),
                (("--cluster-name=c",), {"AWS_REGION": "us-east-1", "AWS_MAX_ATTEMPTS": "many"}, "AWS_MAX_ATTEMPTS"),
                (("--cluster-name=c",), {"AWS_REGION": "us-east-1", "AWS_PROFILE": "none"}, "AWS_PROFILE")):
            with self.subTest(flags=flags, environment=environment):
                answer = self.start(*flags, **environment)
                self.assertEqual(answer.status, 2, answer.out + answer.err)
                self.assertIn(expected, answer.out.replace('\\"', '"') + answer.err)

    def test_aws_that_cannot_be_asked_is_status_1_and_a_line_that_helps(self):
        for environment, expected in (
                ({"AWS_EC2_METADATA_DISABLED": "true"}, "no region: set AWS_REGION"),
                ({"AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:1", "AWS_METADATA_SERVICE_NUM_ATTEMPTS": "1"},
                 "no region: set AWS_REGION"),
                (self.NOWHERE, "no credentials: "),
                ({**self.NOWHERE, **self.KEYS}, "EC2 cannot be asked: ")):
            with self.subTest(environment=environment):
                answer = self.start("--cluster-name=c", **environment)
                self.assertEqual(answer.status, 1, answer.out + answer.err)
                last = json.loads(answer.out.splitlines()[-1])
                self.assertEqual((last["level"], last["message"]), ("ERROR", "cannot start"))
                self.assertIn(expected, last["error"])
                self.assertNotIn("not-to-be-shown", answer.out + answer.err)

    def test_a_start_that_waits_for_aws_can_be_stopped(self):
        with socket.socket() as silent, tempfile.TemporaryDirectory() as folder:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            silent.settimeout(PATIENCE_S)
            process = self.begin(folder, "--cluster-name=c", **{
                **self.NOWHERE, **self.KEYS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{silent.getsockname()[1]}"})
            connection = silent.accept()[0]     # it asks, and is not answered
            begun = time.monotonic()
            process.terminate()
            out, err = process.communicate(timeout=PATIENCE_S)
            self.assertEqual(process.returncode, 0, out + err)
            self.assertLess(time.monotonic() - begun, 5)
            self.assertEqual(json.loads(out.splitlines()[-1])["message"], "stopping")
            connection.close()

    def test_a_policy_is_json(self):
        answer = tenon("iam-policy", "--cluster-name", "prod", "--region", "eu-west-1", "--account", "123456789012")
        self.assertEqual((answer.status, answer.err), (0, ""))
        self.assertEqual(json.loads(answer.out)["Version"], "2012-10-17")
        for line, expected in (("", "--cluster-name is needed"), ("--cluster-name c --region r", "--account: expected"),
                               ("--group Other", "--group: expected one of NodeLifecycle IAMIntegration")):
            with self.subTest(line=line):
                answer = tenon("iam-policy", *line.split())
                self.assertEqual((answer.status, answer.out), (2, ""))
                self.assertIn("error: " + expected, answer.err)

    def test_a_launch_is_traced(self):
        text = tenon("trace", "launch", "karpenter-default-x7k2p", "-f", S4)
        self.assertEqual((text.status, text.err), (0, ""))
        self.assertIn("  LaunchTemplateData.BlockDeviceMapping.1.Ebs.Encrypted = true\n", text.out)
        data = json.loads(tenon("trace", "launch", "-f", S4, "-o", "json").out)
        self.assertEqual([one["action"] for one in data["requests"]], ["CreateLaunchTemplate"] * 4 + ["CreateFleet"])
        for line, expected in (("launch", "no manifests: name a file"), ("", "what is to be traced?"),
                               ("node x", "Expected launch, got node"), (f"launch x -f {S4}", "no NodeClaim x"),
                               (f"launch a b -f {S4}", "expected one NodeClaim, got b as well")):
            with self.subTest(line=line):
                answer = tenon("trace", *line.split())
                self.assertEqual((answer.status, answer.out), (2, ""))
                self.assertIn(expected, answer.err)


class Terminal:
    """tenon on a terminal with so many columns; standard output is a file, as with `tenon sim … > report`."""

    def __init__(self, columns, *arguments, environment=None, cwd=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave, self.shown = slave, b""
        self.report = tempfile.TemporaryFile("w+")
        # A session of its own, so that the terminal is its controlling one.
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], stdin=slave, stdout=self.report, stderr=slave, cwd=cwd, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), env={**os.environ, **(environment or {})})

    def read(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until and select.select([self.master], [], [], 0.05)[0]:
            self.shown += os.read(self.master, 1 << 16)

    def wait_for(self, text):
        until = time.monotonic() + PATIENCE_S
        while text not in self.shown:
            if time.monotonic() > until:
                raise AssertionError(f"{text} was not shown: {self.shown[-300:]!r}")
            self.read(0.1)

    def type(self, text):
        os.write(self.master, text)

    def end(self):
        """Waits for the exit status. Reads the terminal meanwhile, since the program blocks when its buffer is full."""
        until = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            if time.monotonic() > until:
                self.process.kill()
                raise AssertionError("it did not end")
            self.read(0.1)
        self.read(0.1)
        self.restored = termios.tcgetattr(self.slave) == self.before
        self.report.seek(0)
        self.out = self.report.read()
        self.report.close()
        os.close(self.slave)
        os.close(self.master)
        return self.process.returncode

    def lines(self):
        """The lines of all screens, without colours and other control sequences."""
        text = re.sub(rb"\x1b\[[0-9;]*[A-Za-z]", b"", self.shown).decode(errors="strict")
        return [line.strip("\r") for line in text.split("\n")]


class LiveView(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        (self.path / "long.yaml").write_text(SCENARIO)
        (self.path / "pool.yaml").write_text(CLASS + POOL)

    def tearDown(self):
        self.folder.cleanup()

    def watch(self, columns, environment=None):
        terminal = Terminal(columns, "sim", str(self.path / "long.yaml"), "--speed", "7200x", "--no-floor",
                            environment=environment)
        terminal.wait_for(b": ice")
        return terminal

    def test_fits_into_60_and_200_columns(self):
        longest = {}
        for columns in (30, 60, 200):
            with self.subTest(columns=columns):
                terminal = self.watch(columns)
                terminal.type(b"q")
                terminal.end()
                longest[columns] = max(map(len, terminal.lines()))
                self.assertLess(longest[columns], columns)
        self.assertGreater(longest[60], 50)
        self.assertGreater(longest[200], 150)

    def test_q_ends_it_and_says_so(self):
        terminal = self.watch(100)
        terminal.type(b"q")
        self.assertEqual(terminal.end(), 3)
        self.assertTrue(terminal.restored)
        self.assertIn("ended by hand", terminal.out)

    def test_other_keys_do_nothing_and_ctrl_c_leaves_a_sane_terminal(self):
        terminal = self.watch(100)
        terminal.type(b"x")
        terminal.read(0.5)
        self.assertIsNone(terminal.process.poll())
        terminal.type(b"\x03")
        self.assertEqual(terminal.end(), -2)
        self.assertTrue(terminal.restored)

    def test_without_colours_a_fault_is_a_word(self):
        terminal = self.watch(100, {"NO_COLOR": "1"})
        terminal.type(b"q")
        terminal.end()
        self.assertNotRegex(terminal.shown, rb"\x1b\[[0-9;]*m")
        self.assertTrue(any("fault: " in line for line in terminal.lines()))


class Scenarios(unittest.TestCase):
    def test_files_lie_beside_the_scenario(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder)
            (path / "short.yaml").write_text(SCENARIO.replace("10000h", "3h").replace("9999h", "1h"))
            (path / "pool.yaml").write_text(CLASS + POOL)
            answer = tenon("sim", str(path / "short.yaml"), cwd="/")
            self.assertEqual(answer.status, 0, answer.err)
            self.assertIn("green: 1 of 1", answer.out)
            journal = path / "journal"
            self.assertEqual(tenon("sim", "short.yaml", "--record", str(journal), cwd=folder).status, 0)
            (path / "pool.yaml").unlink()
            self.assertEqual(tenon("sim", "--replay", str(journal), cwd="/").status, 0)
            missing = tenon("sim", str(path / "short.yaml"), cwd="/")
            self.assertEqual(missing.status, 2)
            self.assertIn(f"{path}/short.yaml:6: apply: {path}/pool.yaml: No such file", missing.err)

    def test_the_report_says_what_is_assumed(self):
        answer = tenon("sim", "examples/scenarios/spot-fleet.yaml")
        self.assertIn("spot prices as the built-in catalogue estimates them", answer.out)

    def test_the_log_tells_of_machines_in_the_words_of_2023(self):
        """R023, R027, R030, R053; reference legacy.md 5.6 and S3."""
        log = tenon("sim", "tests/scenario/legacy/a-provisioner-of-2023.yaml", "--log", "--no-floor").err
        told = ["found provisionable pod(s)", r"computed new machine(s) to fit pod(s) controller=\S+ machines=1 pods=1",
                r"created machine .*provisioner=provisioner machine=(provisioner-\S+)", r"INFO  launched machine .*machine=\1 .*provisioner=provisioner\n",
                r"DEBUG registered machine .*machine=\1 .*provisioner=provisioner\n", r"DEBUG initialized machine .*machine=\1 ",
                r"deprovisioning via emptiness delete, terminating 1 machines \S+/t4g\.medium/on-demand ",
                r"deleted machine .*machine=\1"]
        self.assertRegex(log, re.compile(".*".join(one.replace("(s)", r"\(s\)") for one in told), re.DOTALL))
        self.assertNotRegex(log, "nodeclaim/machine/|nodepool provisioner/|NodeClaim=machine/|NodePool=provisioner/")


class Consolidation(unittest.TestCase):
    DUMP = "examples/evening.dump"

    def test_what_the_fleet_costs_and_would_cost(self):
        answer = tenon("plan", "--consolidate", "-f", self.DUMP)
        price = {word: float(cost) for word, cost in re.findall(r"^(today|after|floor) .*?\$([0-9.]+)/hour", answer.out, re.M)}
        self.assertEqual(answer.status, 0)
        self.assertAlmostEqual(price["today"], 7.3280)
        self.assertLess(price["after"], price["today"] / 2)
        self.assertLessEqual(price["floor"], price["after"])
        self.assertIn("a PodDisruptionBudget allows no eviction", answer.out)
        self.assertIn("it is of a node group", answer.out)

    def test_budgets_hold_the_next_step_back(self):
        lifted = tenon("plan", "--consolidate", "-f", self.DUMP)
        held = tenon("plan", "--consolidate", "--budgets", "respect", "-f", self.DUMP)
        self.assertGreater(lifted.out.count("\nout "), 3)
        self.assertEqual(held.out.count("\nout "), 3)  # a tenth of 21 nodes

    def test_a_node_that_stays_says_why(self):
        for node, text in {"ip-10-0-1-17": "shop/web-7-0", "ip-10-0-1-12": "shop/cart", "ip-10-0-1-33": "node group",
                           "ip-10-0-1-14": "goes"}.items():
            with self.subTest(node=node):
                answer = tenon("explain", "node", node, "-f", self.DUMP)
                self.assertIn(text, answer.out)
                self.assertIn("$", answer.out)

    def test_the_same_as_json(self):
        table = tenon("plan", "--consolidate", "-f", self.DUMP)
        answer = tenon("plan", "--consolidate", "-f", self.DUMP, "-o", "json")
        self.assertEqual(answer.status, 0)
        future = json.loads(answer.out)
        self.assertEqual(future["today"]["pricePerHour"], 7.328)
        self.assertAlmostEqual(future["today"]["pricePerHour"] - future["after"]["pricePerHour"], future["savingPerHour"])
        for sign, name in (("out", "out"), ("in", "in")):
            self.assertEqual([node["name"] for node in future[name]], re.findall(rf"^{sign} +(\S+)", table.out, re.M))
        self.assertEqual(len(future["in"]) + len(future["stays"]), future["after"]["nodes"])
        kept = {node["name"]: node for node in future["stays"]}
        self.assertIn("shop/web-7-0", kept["ip-10-0-1-17"]["message"])
        self.assertEqual(kept["ip-10-0-1-33"]["reason"], "it is of a node group")

    def test_mistakes_are_named(self):
        self.assertIn("no node nope", tenon("explain", "node", "nope", "-f", self.DUMP).err)
        self.assertIn("expected node NAME", tenon("explain", "-f", self.DUMP).err)
        self.assertIn("expected lift or respect", tenon("plan", "--consolidate", "--budgets", "x").err)
        self.assertEqual(tenon("plan", "--consolidate", "-o", "yaml", "-f", self.DUMP).status, 2)


def main():
    global PROGRAM
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("--tenon")
    options, rest = parser.parse_known_args()
    PROGRAM = str(Path(options.tenon or options.program or parser.error("which program?")).resolve())
    tests = unittest.main(argv=[sys.argv[0], *rest], exit=False, verbosity=0).result
    bad = len(tests.failures) + len(tests.errors)
    print(f"{max(tests.testsRun - bad, 0)} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
