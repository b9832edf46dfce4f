"""deploy/aws/cloudformation.yaml as moto makes a stack of it.

moto knows roles, policies, queues and rules; it passes over what is EKS's own, policies of queues, and which policies a role has. A
policy as a text, in which names are filled in, it does not take, so it gets the same as a document (`for_moto`). What it passes over
is looked at in test_form.py.
"""

import itertools
import json

import boto3
import pytest
from moto import mock_aws

from tests.aws.infrastructure.printed import actions, policy, template

REGION, CLUSTER = "eu-west-1", "shop"
numbers = itertools.count(1)


@pytest.fixture(autouse=True)
def cloud():
    with mock_aws():
        yield


def client(service):
    return boto3.client(service, region_name=REGION, aws_access_key_id="test", aws_secret_access_key="test")


def for_moto(node, keys):
    """The template in long form. `keys`: what is filled into keys of documents."""
    if isinstance(node, str):
        return {"Fn::Sub": node} if "${" in node else node
    if isinstance(node, list):
        return [for_moto(one, keys) for one in node]
    if not isinstance(node, dict):
        return node
    if list(node) == ["Sub"]:
        text = node["Sub"]
        return for_moto(json.loads(text), keys) if text.startswith("{\n") else {"Fn::Sub": text}
    if list(node) == ["Ref"]:
        return node
    if list(node) == ["GetAtt"]:
        return {"Fn::GetAtt": node["GetAtt"].split(".")}
    if len(node) == 1 and list(node)[0] in ("If", "Not", "Equals", "Split"):
        name, = node
        return {f"Fn::{name}": for_moto(node[name], keys)}
    return {fill(key, keys): for_moto(value, keys) for key, value in node.items()}


def fill(key, keys):
    for name, value in keys.items():
        key = key.replace(f"${{{name}}}", value)
    return key


def stack(**parameters):
    """The outputs of a stack, and under "name" its own."""
    name = f"tenon-{next(numbers)}"
    given = [{"ParameterKey": key, "ParameterValue": value} for key, value in {"ClusterName": CLUSTER, **parameters}.items()]
    body = for_moto(template(), {"ClusterName": CLUSTER, "OidcProvider": parameters.get("OidcProvider", "")})
    body.pop("Rules")
    client("cloudformation").create_stack(StackName=name, TemplateBody=json.dumps(body), Parameters=given,
                                          Capabilities=["CAPABILITY_NAMED_IAM"])
    made = client("cloudformation").describe_stacks(StackName=name)["Stacks"][0]
    assert made["StackStatus"] == "CREATE_COMPLETE"
    return {"name": name, **{output["OutputKey"]: output["OutputValue"] for output in made["Outputs"]}}


def controller(outputs):
    """The trust of the controller's role, and the statements of all policies."""
    iam, name = client("iam"), outputs["ControllerRoleArn"].rsplit("/", 1)[1]
    statements = []
    for thing in client("cloudformation").describe_stack_resources(StackName=outputs["name"])["StackResources"]:
        if thing.get("ResourceType") != "AWS::IAM::ManagedPolicy":
            continue
        arn = thing["PhysicalResourceId"]
        version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
        statements += iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"]["Statement"]
    return iam.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"], statements


def test_a_cluster_with_defaults():
    outputs = stack()
    assert outputs["NodeRoleName"] == f"KarpenterNodeRole-{CLUSTER}" and outputs["Queue"] == CLUSTER
    trust, statements = controller(outputs)
    assert trust["Statement"][0]["Principal"] == {"Service": "pods.eks.amazonaws.com"}
    assert sorted(actions({"Statement": statements})) == sorted(actions(policy()))
    assert client("iam").get_role(RoleName=outputs["NodeRoleName"])["Role"]["AssumeRolePolicyDocument"]["Statement"][0]["Principal"] == {
        "Service": "ec2.amazonaws.com"}


def test_the_rights_of_a_stack_name_its_own_role_queue_and_cluster():
    outputs = stack(NodeRoleName="mine", QueueName="news")
    _, statements = controller(outputs)
    by_sid = {statement["Sid"]: statement for statement in statements}
    account = outputs["ControllerRoleArn"].split(":")[4]
    assert by_sid["AllowPassingInstanceRole"]["Resource"] == [f"arn:aws:iam::{account}:role/mine"]
    assert by_sid["AllowInterruptionQueueActions"]["Resource"] == [f"arn:aws:sqs:{REGION}:{account}:news"]
    assert by_sid["AllowScopedDeletion"]["Condition"]["StringEquals"] == {f"aws:ResourceTag/kubernetes.io/cluster/{CLUSTER}": "owned"}


def test_irsa_trusts_one_account_of_one_cluster():
    provider = "oidc.eks.eu-west-1.amazonaws.com/id/0123"
    trust, _ = controller(stack(Identity="IRSA", OidcProvider=provider, Namespace="karpenter", ServiceAccount="tenon"))
    statement, = trust["Statement"]
    assert statement["Action"] == "sts:AssumeRoleWithWebIdentity"
    assert statement["Principal"]["Federated"].endswith(f":oidc-provider/{provider}")
    assert statement["Condition"]["StringEquals"] == {f"{provider}:aud": "sts.amazonaws.com",
                                                      f"{provider}:sub": "system:serviceaccount:karpenter:tenon"}


@pytest.mark.parametrize("parameter, flag", [("ZonalShift", "--enable-zonal-shift"), ("OldNodes", "--legacy")])
def test_rights_that_are_asked_for(parameter, flag):
    _, statements = controller(stack(**{parameter: "true"}))
    assert sorted(actions({"Statement": statements})) == sorted(actions(policy(flag)))


def test_events_go_to_the_queue():
    outputs = stack()
    sqs, events = client("sqs"), client("events")
    url = sqs.get_queue_url(QueueName=outputs["Queue"])["QueueUrl"]
    about = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert about["MessageRetentionPeriod"] == "300"
    rules = events.list_rules()["Rules"]
    assert len(rules) == 5
    for rule in rules:
        target, = events.list_targets_by_rule(Rule=rule["Name"])["Targets"]
        assert target["Arn"] == about["QueueArn"]


def test_a_warning_of_a_spot_interruption_arrives():
    outputs = stack()
    url = client("sqs").get_queue_url(QueueName=outputs["Queue"])["QueueUrl"]
    client("events").put_events(Entries=[
        {"Source": "aws.ec2", "DetailType": "EC2 Spot Instance Interruption Warning", "Detail": '{"instance-id": "i-1"}'},
        {"Source": "aws.ec2", "DetailType": "EBS Volume Notification", "Detail": "{}"}])
    messages = client("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
    assert [json.loads(message["Body"])["detail"] for message in messages] == [{"instance-id": "i-1"}]
