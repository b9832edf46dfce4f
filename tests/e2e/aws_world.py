"""Fixture of the tests on AWS: a cluster with the fake of AWS behind it, one tenon, and a test's own part of both.

    def test_a_pod_gets_an_instance(ec2):
        ec2.pool()
        ec2.deploy("web", 1)
        ec2.running(1)
        assert len(ec2.instances()) == 1

Each test has an EC2NodeClass of its own name, so that what AWS is told for it can be told apart.
"""

from types import SimpleNamespace

import things
from bed.api import Api, wait_for
from bed.aws import KEYS, NAME, REGION, ROLE, Aws
from bed.cluster import Cluster
from bed.tenon import Tenon, install
from world import World, condition, condition_of, requirement

EC2, EC2_CLASS = "karpenter.k8s.aws/v1", "EC2NodeClass"
CLUSTER_TAG = f"kubernetes.io/cluster/{NAME}"
SECONDS = 45


class Cloud:
    """The cluster, AWS, and the tenon that all tests share. `flags`: further words for programs of the cluster;
    `aws_flags`: for the fake."""

    def __init__(self, folder, gates, flags=None, aws_flags=(), region=REGION):
        self.cluster = Cluster(folder, flags=flags)
        self.gates, self.aws_flags, self.region = gates, aws_flags, region
        self.api = self.aws = self.tenon = None

    def start(self):
        self.cluster.start()
        self.api = Api(self.cluster.layout.kubeconfig)
        wait_for(lambda: self.api.get("v1", "ServiceAccount", "default", "default"), what="the controller manager's first work")
        install(self.cluster)
        self.api.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "kube-dns", "namespace": "kube-system"},
                         "spec": {"clusterIP": "10.0.0.10", "ports": [{"port": 53, "protocol": "UDP"}]}})
        self.aws = Aws(self.cluster, self.aws_flags, self.region)
        self.aws.start()
        self.prepare()
        self.tenon = Tenon(self.cluster, flags=self.flags(), environment=self.environment())
        self.tenon.start()

    def prepare(self):
        """What there is besides before tenon starts."""

    def environment(self):
        """Variables that tenon has."""
        return self.aws.environment()

    def flags(self):
        return ["--provider", "aws", "--cluster-name", NAME, "--interruption-queue", NAME, "--feature-gates", self.gates]

    def stop(self):
        wait_for(lambda: not self.aws.instances(), 120, "all instances of all tests have ended")
        self.aws.stop()
        status = self.tenon.stop()
        stray = self.tenon.stray_lines()
        told = [secret for secret in self.secrets() if secret in self.tenon.process.log.read_text(errors="replace")]
        self.cluster.stop()
        return SimpleNamespace(status=status, stray=stray, told=told, failures=self.aws.machines.failures)

    def secrets(self):
        """Texts, or their beginnings, that no log may have."""
        return [KEYS["AWS_SECRET_ACCESS_KEY"]]


class Ec2World(World):
    """One test's part: an EC2NodeClass, NodePools, pods, and the instances of that class."""

    def __init__(self, cloud, namespace):
        super().__init__(cloud.api, namespace)
        self.cloud, self.aws, self.tenon = cloud, cloud.aws, cloud.tenon

    def wait(self, question, what, seconds=SECONDS):
        return super().wait(question, what, seconds)

    # --- objects

    def class_thing(self, **spec):
        found = {"tags": {"karpenter.sh/discovery": NAME}}
        return {"apiVersion": EC2, "kind": EC2_CLASS, "metadata": {"name": self.namespace},
                "spec": {"amiSelectorTerms": [{"alias": "al2023@latest"}], "role": ROLE, "subnetSelectorTerms": [found],
                         "securityGroupSelectorTerms": [found], **spec}}

    def node_class(self, ready=True, **spec):
        """Creates the test's EC2NodeClass; `ready`: and waits until it is."""
        made = self.create(self.class_thing(**spec))
        if ready:
            self.wait(lambda: condition(self.class_now(), "Ready") == "True", "the EC2NodeClass is ready")
        return made

    def class_now(self):
        return self.api.get(EC2, EC2_CLASS, self.namespace)

    def refused(self, kind, reason):
        """Waits until a condition of the class is not True for that reason; returns its message."""
        def look():
            found = condition_of(self.class_now(), kind)
            return found if found and found["status"] != "True" and found["reason"] == reason else None
        return self.wait(look, f"the condition {kind} has the reason {reason}")["message"]

    def pool(self, name="", requirements=(), template=None, labels=None, annotations=None, ready=True, **spec):
        if not self.class_now():
            self.node_class()
        return super().pool(name, requirements, template, labels, annotations, ready, **spec)

    def pool_thing(self, name="", requirements=(), template=None, labels=None, annotations=None, **spec):
        thing = super().pool_thing(name, requirements, template, labels, annotations, **spec)
        thing["spec"]["template"]["spec"]["nodeClassRef"] = {"group": "karpenter.k8s.aws", "kind": EC2_CLASS,
                                                             "name": self.namespace}
        return thing

    # --- queries

    def instances(self, alive=True):
        """The fake's instances of the test's class."""
        return [one for one in self.aws.instances(alive) if one["tags"].get("karpenter.k8s.aws/ec2nodeclass") == self.namespace]

    def instance_of(self, claim):
        ident = claim["status"]["providerID"].rsplit("/", 1)[1]
        return next(one for one in self.aws.instances(alive=False) if one["id"] == ident)

    def launched(self, count):
        """The test's claims, once that many are registered."""
        def look():
            found = self.claims()
            is_so = len(found) == count and all(condition(claim, "Registered") == "True" for claim in found)
            return found if is_so else None
        return self.wait(look, f"{count} claims are registered")

    def ended(self, count=0):
        """Waits until only so many instances of the test are alive."""
        return self.wait(lambda: len(self.instances()) == count, f"{count} instances are alive")

    def templates(self):
        return [one for one in self.aws.control("templates")
                if one["tags"].get("karpenter.k8s.aws/ec2nodeclass") == self.namespace]

    def fleets(self, since=0):
        """Calls of CreateFleet for the test's class that were no dry runs."""
        return [call for call in self.aws.calls("CreateFleet", since) if self.namespace in str(call)
                and "DryRun" not in str(call.get("code"))]

    def picture(self):
        lines = [super().picture()]
        lines += [f"instance {one['id']}: {one['state']} {one['type']} {one['zone']}" for one in self.instances(alive=False)]
        now = self.class_now()
        lines += [f"class: {each['type']}={each['status']}({each['reason']}) {each['message']}"
                  for each in (now or {}).get("status", {}).get("conditions", [])]
        return "\n".join(lines)

    # --- cleaning up

    def clear(self):
        """Deletes the test's pods, pools, claims and class; that their instances end is waited for at the end of all tests."""
        self.aws.control("heal")
        self.aws.control("deny", patterns=[])
        for api_version, kind in things.WORKLOADS:
            self.api.delete_all(api_version, kind, self.namespace)
        for thing in reversed(self.cluster_wide):
            self.api.delete(thing)
        for claim in self.claims():
            self.api.delete(claim)


__all__ = ["CLUSTER_TAG", "Cloud", "EC2", "EC2_CLASS", "Ec2World", "NAME", "condition", "condition_of", "requirement"]
