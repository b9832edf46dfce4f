"""Faults of AWS, and deaths in the middle of a launch: one instance for each claim, and none without one."""

import time

import pytest

from world import condition_of

APART = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
    {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}}]}}


def one_for_each(ec2, count):
    """Waits until so many claims are registered; each must have an instance of its own, and there must be no others."""
    claims = ec2.launched(count)
    owned = {claim["status"]["providerID"].rsplit("/", 1)[1] for claim in claims}
    assert len(owned) == count
    ec2.wait(lambda: {one["id"] for one in ec2.instances()} == owned, "no instance is without a claim", 120)


@pytest.mark.parametrize("effect", ["lose", "cut", "drop"])
def test_an_answer_to_a_launch_that_is_lost(ec2, effect):
    ec2.pool()
    ec2.aws.control("fault", effect=effect, action="ec2:CreateFleet", times=1)
    ec2.deploy("web", 3, affinity=APART)
    one_for_each(ec2, 3)


def test_a_launch_that_is_throttled(ec2):
    ec2.pool()
    ec2.aws.control("fault", effect="error", action="ec2:CreateFleet", share=0.5, code="RequestLimitExceeded", status=503)
    ec2.deploy("web", 3, affinity=APART)
    one_for_each(ec2, 3)


def test_an_instance_that_may_not_be_ended_yet(ec2):
    ec2.pool()
    ec2.deploy("web", 1)
    claim, = ec2.launched(1)
    ec2.aws.control("deny", patterns=["ec2:TerminateInstances"])
    ec2.scale({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": ec2.namespace}}, 0)
    ec2.api.delete(claim)
    ec2.wait(lambda: any(call.get("code") == "UnauthorizedOperation" for call in ec2.aws.calls("TerminateInstances")),
             "the end of the instance is refused")
    assert ec2.claim(claim["metadata"]["name"])
    ec2.aws.control("deny", patterns=[])
    ec2.gone(claim)
    ec2.ended()


KEY = "arn:aws:kms:us-east-1:111122223333:key/no-grant"


def test_R083_an_instance_that_ends_because_of_its_key_says_which(ec2):
    """EC2 ends at the start what it may not encrypt: the claim and an event name key and rights, and no loop spins."""
    disk = {"deviceName": "/dev/xvda", "ebs": {"volumeSize": "20Gi", "volumeType": "gp3", "encrypted": True, "kmsKeyID": KEY}}
    ec2.node_class(blockDeviceMappings=[disk])
    ec2.pool()
    ec2.aws.control("doom", kms_key=KEY, after=0.05)
    try:
        ec2.deploy("web", 1)

        def explained():
            found = [condition_of(claim, "Registered") for claim in ec2.claims()]
            return next((one for one in found if one and one["reason"] == "KMSKeyInaccessible"), None)
        said = ec2.wait(explained, "the claim says why its instance has ended", 90)
        assert said["status"] == "False"
        for words in ("Client.InternalError: Client error on launch", f"KMS key {KEY} of /dev/xvda", "kms:CreateGrant"):
            assert words in said["message"]
        ec2.wait(lambda: [event for event in ec2.api.list("v1", "Event", "default") if event["reason"] == "KMSKeyInaccessible"
                          and ec2.namespace in event["involvedObject"]["name"] and KEY in event["message"]], "an event says it, too")
        launches = len(ec2.fleets())
        time.sleep(10)
        assert len(ec2.fleets()) == launches == 1
    finally:
        ec2.aws.control("undoom")
    ec2.wait(lambda: [pod["status"].get("phase") for pod in ec2.pods()] == ["Running"], "the key is granted, and the pod runs", 120)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_death_in_a_launch(ec2, when):
    """tenon is killed while EC2 has its request: before the instances are made, and after."""
    ec2.pool()
    effect = {"before": "delay", "after": "lose"}[when]
    ec2.aws.control("fault", effect="delay", action="ec2:CreateFleet", seconds=3, times=1)
    if effect == "lose":
        ec2.aws.control("fault", effect="lose", action="ec2:CreateFleet", times=1)
    ec2.deploy("web", 3, affinity=APART)
    ec2.wait(lambda: all("tenon.sh/launch" in claim["metadata"].get("annotations", {}) for claim in ec2.claims())
             and len(ec2.claims()) == 3, "all claims name their launch")
    ec2.tenon.restart(crash=True)
    one_for_each(ec2, 3)


def test_a_death_while_instances_are_ended(ec2):
    ec2.pool()
    ec2.deploy("web", 2, affinity=APART)
    claims = ec2.launched(2)
    ec2.aws.control("fault", effect="lose", action="ec2:TerminateInstances", times=1)
    ec2.scale({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": ec2.namespace}}, 0)
    ec2.running(0) # a pod of the former number would be given another instance
    for claim in claims:
        ec2.api.delete(claim)
    ec2.tenon.restart(crash=True)
    for claim in claims:
        ec2.gone(claim)
    ec2.ended()
