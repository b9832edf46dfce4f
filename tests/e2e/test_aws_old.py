"""Objects of 2023 on EC2: a Provisioner's nodes are Machines, launched as its AWSNodeTemplate says."""

import pytest

from aws_world import NAME, condition_of, requirement
from bed.api import wait_for
from bed.aws import ROLE
from bed.tenon import apply_definitions, kubectl, tenon_definitions
from world import CAPACITY_TYPE, LABEL

OLD, TEMPLATES = "karpenter.sh/v1alpha5", "karpenter.k8s.aws/v1alpha1"
PROVISIONER = "karpenter.sh/provisioner-name"
KNOWN = "the API server knows the kinds of 2023"
PROFILE = f"KarpenterInstanceProfile-{NAME}"


def install_definitions(cloud):
    apply_definitions(cloud.cluster, tenon_definitions("--legacy"))


@pytest.fixture(scope="module", autouse=True)
def definitions(cloud):
    """tenon, which runs, sees them without a restart."""
    cloud.aws.control("add_profile", name=PROFILE, role=ROLE)
    install_definitions(cloud)
    wait_for(lambda: cloud.tenon.lines(KNOWN), what="the line that the kinds are known", seconds=60)


def template(ec2, **spec):
    found = {"karpenter.sh/discovery": NAME}
    return ec2.create({"apiVersion": TEMPLATES, "kind": "AWSNodeTemplate", "metadata": {"name": ec2.namespace},
                       "spec": {"subnetSelector": found, "securityGroupSelector": found, "amiFamily": "Bottlerocket",
                                "instanceProfile": PROFILE, **spec}})


def provisioner(ec2, **spec):
    return ec2.create({"apiVersion": OLD, "kind": "Provisioner", "metadata": {"name": ec2.namespace},
                       "spec": {"providerRef": {"name": ec2.namespace}, "labels": {LABEL: ec2.namespace},
                                "requirements": [requirement(CAPACITY_TYPE, "In", "spot", "on-demand")], **spec}})


def machines(ec2):
    return [one for one in ec2.api.list(OLD, "Machine") if one["metadata"]["labels"].get(PROVISIONER) == ec2.namespace]


def test_R054_R161_a_pod_gets_a_machine_of_its_provisioner(ec2):
    template(ec2, tags={"team": "a"})
    made = provisioner(ec2, taints=[{"key": "team", "value": "a", "effect": "NoSchedule"}])
    ec2.deploy("web", 1, nodeSelector={PROVISIONER: ec2.namespace}, tolerations=[{"operator": "Exists"}])
    pod, = ec2.running(1)
    machine, = machines(ec2)
    owner, = machine["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["uid"], owner["blockOwnerDeletion"]) == ("Provisioner", made["metadata"]["uid"], True)
    node = ec2.node(pod["spec"]["nodeName"])
    assert machine["status"]["providerID"] == node["spec"]["providerID"]
    assert node["metadata"]["labels"][PROVISIONER] == ec2.namespace
    instance = next(one for one in ec2.aws.instances() if node["spec"]["providerID"].endswith(one["id"]))
    assert instance["tags"]["team"] == "a"
    assert not ec2.claims()     # no NodeClaim
    ec2.wait(lambda: condition_of(machines(ec2)[0], "MachineInitialized")["status"] == "True", "the Machine is initialized")
    ec2.wait(lambda: ec2.api.get(OLD, "Provisioner", ec2.namespace)["status"]["resources"]["cpu"] != "0", "the Provisioner counts it")


def test_R050_an_empty_machine_goes_after_its_time(ec2):
    template(ec2)
    provisioner(ec2, ttlSecondsAfterEmpty=1)
    pods = ec2.deploy("web", 1)
    ec2.running(1)
    machine, = machines(ec2)
    ec2.scale(pods, 0)
    ec2.wait(lambda: not machines(ec2), "the Machine is gone", 90)
    ec2.wait(lambda: not [one for one in ec2.aws.instances() if machine["status"]["providerID"].endswith(one["id"])],
             "its instance has ended")


def test_R138_an_old_object_that_its_webhook_refused_makes_no_node(ec2):
    template(ec2)
    provisioner(ec2, ttlSecondsAfterEmpty=30, consolidation={"enabled": True})

    def is_said():      # beside what is said of its class until that is ready
        status = ec2.api.get(OLD, "Provisioner", ec2.namespace).get("status", {})
        return any("expected exactly one, got both: spec.consolidation.enabled, spec.ttlSecondsAfterEmpty" in each.get("message", "")
                   for each in status.get("conditions", []) if each["status"] == "False")
    ec2.deploy("web", 1)
    ec2.wait(is_said, "a condition says what is wrong")
    assert not machines(ec2)


def test_an_instance_of_karpenter_before_machines_gets_one(ec2):
    """Reference legacy.md 4: Karpenter up to v0.27 had none, and its instances had no tag karpenter.sh/managed-by."""
    template(ec2)
    provisioner(ec2)
    ec2.deploy("web", 1)
    pod, = ec2.running(1)
    machine, = machines(ec2)
    launched = machine["status"]["providerID"].rsplit("/", 1)[1]
    made, = ec2.aws.control("copies", instance=launched, count=1,
                            tags={PROVISIONER: ec2.namespace, f"kubernetes.io/cluster/{NAME}": "owned"})

    def linked():
        found = [one for one in machines(ec2) if one.get("status", {}).get("providerID", "").endswith(made["id"])]
        return found and condition_of(found[0], "MachineInitialized")["status"] == "True" and found[0]
    found = ec2.wait(linked, "the instance has a Machine, which is initialized", 150)
    assert found["metadata"]["name"] == f"{ec2.namespace}-{made['id'].removeprefix('i-')}"
    assert found["metadata"]["annotations"]["karpenter.sh/linked"] == found["status"]["providerID"]
    assert len(machines(ec2)) == 2
    node = ec2.node(found["status"]["nodeName"])
    assert "karpenter.sh/termination" in node["metadata"]["finalizers"]

    def tags():
        of = {one["id"]: one["tags"] for one in ec2.aws.instances()}[made["id"]]
        return of if "karpenter.sh/nodepool" in of else None
    ec2.wait(tags, "the instance is tagged")
    assert tags()["karpenter.sh/managed-by"] == NAME
    assert tags()["karpenter.sh/nodeclaim"].endswith(found["metadata"]["name"])
    kubectl(ec2.cloud.cluster, "delete", "machine", found["metadata"]["name"], "--wait=false")
    ec2.wait(lambda: made["id"] not in {one["id"] for one in ec2.aws.instances()}, "its instance has ended")
    assert pod["spec"]["nodeName"] == ec2.running(1)[0]["spec"]["nodeName"]
