"""The printed policy under moto's IAM: tenon's client may make its calls with it, and none whose action is taken out.

moto knows neither resources of calls nor conditions: it asks for rights on "*" and refuses every condition. So these two are
taken off here; what they say is not tested by this. Nor does it look at rights that one call needs beyond its own name (PassRole,
RunInstances of a fleet, CreateTags at creation): UNSEEN.
"""

import json
import sys
import urllib.request
from contextlib import contextmanager

import pytest

from tests.aws.client.client import Client
from tests.aws.fake.strangers import free_port, serve
from tests.aws.infrastructure.printed import actions, policy

# What moto does not play, rights that it does not ask for, and a call of EKS that it refuses whatever a policy says.
UNSEEN = {"iam:PassRole", "iam:TagInstanceProfile", "pricing:GetProducts", "arc-zonal-shift:GetManagedResource", "eks:DescribeCluster"}


class Moto:
    """A server of moto that asks for rights from `enforce` on."""

    def __init__(self, stranger):
        self.url, self.stranger = stranger.url, stranger
        self.keys = {}

    def enforce(self, is_on):
        body = b"0" if is_on else b"Infinity"
        request = urllib.request.Request(f"{self.url}/moto-api/reset-auth", data=body, headers={"Content-Type": "text/plain"})
        urllib.request.urlopen(request, timeout=10).close()

    @contextmanager
    def client(self):
        with Caller(self, AWS_REGION="us-east-1", **self.keys) as client:
            yield client


class Caller(Client):
    """tenon's client, with no fake of ours whose secrets it could say."""

    def __exit__(self, *_):
        _, err = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, err


def widened(document, without=None):
    """Without resources, conditions, and one action."""
    left = [{"Effect": "Allow", "Resource": "*", "Action": [one for one in statement["Action"] if one != without]}
            for statement in document["Statement"]]
    return json.dumps({"Version": "2012-10-17", "Statement": [statement for statement in left if statement["Action"]]})


@pytest.fixture(scope="module")
def moto():
    port = free_port()
    with serve([sys.executable, "-m", "moto.server", "-p", str(port)], port, "/moto-api/") as stranger:
        one = Moto(stranger)
        one.iam = stranger.iam
        one.iam.create_user(UserName="tenon")
        made = one.iam.create_access_key(UserName="tenon")["AccessKey"]
        one.keys = {"AWS_ACCESS_KEY_ID": made["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": made["SecretAccessKey"]}
        one.calls = calls(stranger)
        yield one


def calls(aws):
    """Of each action a call that would be answered; what they name is there."""
    subnet = aws.ec2.describe_subnets()["Subnets"][0]
    image = aws.ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
    instance = aws.ec2.run_instances(ImageId=image, MinCount=1, MaxCount=1, InstanceType="m5.large",
                                     SubnetId=subnet["SubnetId"])["Instances"][0]["InstanceId"]
    aws.ec2.create_launch_template(LaunchTemplateName="there", LaunchTemplateData={"ImageId": image})
    aws.iam.create_role(RoleName="nodes", AssumeRolePolicyDocument="{}")
    for profile in ("full", "bare", "old"):
        aws.iam.create_instance_profile(InstanceProfileName=profile)
    aws.iam.add_role_to_instance_profile(InstanceProfileName="full", RoleName="nodes")
    queue = aws.sqs.create_queue(QueueName="events")["QueueUrl"]
    tags = [{"Key": "Name", "Value": "a"}]
    return {
        "ec2:RunInstances": ("RunInstances", {"MinCount": 1, "MaxCount": 1, "ImageId": image, "InstanceType": "m5.large"}),
        "ec2:CreateFleet": ("CreateFleet", {
            "Type": "instant",
            "LaunchTemplateConfigs": [{
                "LaunchTemplateSpecification": {"LaunchTemplateName": "there", "Version": "$Latest"},
                "Overrides": [{"InstanceType": "m5.large", "SubnetId": subnet["SubnetId"]}]}],
            "TargetCapacitySpecification": {"TotalTargetCapacity": 1, "DefaultTargetCapacityType": "on-demand"}}),
        "ec2:CreateLaunchTemplate": ("CreateLaunchTemplate", {"LaunchTemplateName": "made", "LaunchTemplateData": {"ImageId": image}}),
        "ec2:CreateTags": ("CreateTags", {"Resources": [instance], "Tags": tags}),
        "ec2:TerminateInstances": ("TerminateInstances", {"InstanceIds": [instance]}),
        "ec2:DeleteLaunchTemplate": ("DeleteLaunchTemplate", {"LaunchTemplateName": "there"}),
        "ec2:RebootInstances": ("RebootInstances", {"InstanceIds": [instance]}),
        "iam:CreateInstanceProfile": ("CreateInstanceProfile", {"InstanceProfileName": "new"}),
        "iam:AddRoleToInstanceProfile": ("AddRoleToInstanceProfile", {"InstanceProfileName": "bare", "RoleName": "nodes"}),
        "iam:RemoveRoleFromInstanceProfile": ("RemoveRoleFromInstanceProfile", {"InstanceProfileName": "full", "RoleName": "nodes"}),
        "iam:DeleteInstanceProfile": ("DeleteInstanceProfile", {"InstanceProfileName": "old"}),
        "iam:ListInstanceProfiles": ("ListInstanceProfiles", {}),
        "iam:GetInstanceProfile": ("GetInstanceProfile", {"InstanceProfileName": "bare"}),
        "sqs:GetQueueUrl": ("GetQueueUrl", {"QueueName": "events"}),
        "sqs:ReceiveMessage": ("ReceiveMessage", {"QueueUrl": queue}),
        "sqs:DeleteMessage": ("DeleteMessage", {"QueueUrl": queue, "ReceiptHandle": "none"}),
        "ssm:GetParameter": ("GetParameter", {"Name": "/aws/service/eks/none"}),
        **{f"ec2:Describe{what}": (f"Describe{what}", {}) for what in (
            "CapacityReservations", "Images", "Instances", "InstanceStatus", "InstanceTypeOfferings", "InstanceTypes",
            "LaunchTemplates", "PlacementGroups", "SecurityGroups", "SpotPriceHistory", "Subnets")},
    }


def ask(moto, action, document):
    """What tenon's client is told when it makes the call of an action with the rights of a document."""
    operation, given = moto.calls[action]
    moto.enforce(False)
    moto.iam.put_user_policy(UserName="tenon", PolicyName="rights", PolicyDocument=document)
    moto.enforce(True)
    try:
        with moto.client() as client:
            client.open()
            return client.call(operation, given, attempts=1)
    finally:
        moto.enforce(False)


def is_denied(reply):
    """moto refuses calls of JSON's protocols in XML, of which tenon's client takes the status alone."""
    return reply["fault"] in ("AccessDenied", "UnauthorizedOperation") or "(status 403," in reply.get("error", "")


def test_there_is_a_call_of_every_action(moto):
    assert set(actions(policy("--enable-zonal-shift"))) == set(moto.calls) | UNSEEN


ACTIONS = sorted(set(actions(policy("--enable-zonal-shift"))) - UNSEEN)


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_that_is_missing_is_missed(moto, action):
    document = policy("--enable-zonal-shift")
    refused = ask(moto, action, widened(document, without=action))
    assert is_denied(refused), json.dumps(refused)
    answered = ask(moto, action, widened(document))
    assert not is_denied(answered), json.dumps(answered)
