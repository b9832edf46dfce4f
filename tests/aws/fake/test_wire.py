"""What does not fit a service's model is refused with the real codes; what boto3 cannot send is sent by hand."""

import json

import pytest

from tests.aws.fake.support import ec2_form, form, refused, send

JSON = {"Content-Type": "application/x-amz-json-1.1"}


@pytest.mark.parametrize("code, parameters", [
    ("UnknownParameter", {"Nonsense": "1"}),
    ("UnknownParameter", {"Filter__1__Values__1": "1"}),
    ("UnknownParameter", {"SubnetIds__1": "subnet-1"}),
    ("UnknownParameter", {"MaxResults__1": "5"}),
    ("InvalidParameterValue", {"MaxResults": "five"}),
    ("InvalidParameterValue", {"DryRun": "yes"}),
    ("InvalidParameterValue", {"Filter": "x"}),
    ("InvalidParameter", {"SubnetId__2": "subnet-1"}),
    ("InvalidSubnetID.NotFound", {"SubnetId__1": "subnet-1"}),
    ("InvalidNextToken", {"NextToken": "x"}),
    ("InvalidParameterValue", {"Filter__1__Name": "nonsense", "Filter__1__Value__1": "x"}),
    ("NotPlayedByFake", {"Filter__1__Name": "ipv6-native", "Filter__1__Value__1": "x"}),
])
def test_ec2_refuses(fake, code, parameters):
    status, body = ec2_form(fake, "DescribeSubnets", **parameters)
    assert status >= 400 and f"<Code>{code}</Code>" in body, body


def test_ec2_names_what_is_missing(aws):
    with refused("MissingParameter", "InstanceId", 400):
        aws.ec2.terminate_instances()


def test_a_parameter_sent_twice_is_refused(fake):
    status, body = send(fake, "ec2", "Action=DescribeSubnets&Version=2016-11-15&MaxResults=5&MaxResults=6",
                        {"Content-Type": "application/x-www-form-urlencoded"})
    assert status == 400 and "MaxResults" in body


@pytest.mark.parametrize("size, words", [(4, "Expecting a value greater than 5."), (101, "less than 100")])
def test_pages_have_bounds(aws, size, words):
    with refused("InvalidParameterValue", words):
        aws.ec2.describe_instance_types(MaxResults=size)


def test_an_enumeration_is_checked(aws):
    with refused("InvalidParameterValue", "Type"):
        aws.ec2.create_fleet(Type="sometimes", LaunchTemplateConfigs=[{"Overrides": [{"InstanceType": "m5.large"}]}],
                             TargetCapacitySpecification={"TotalTargetCapacity": 1})


def test_iam_words_constraints_as_its_framework_does(fake, aws):
    with refused("ValidationError", "1 validation error detected: Value null at 'instanceProfileName' failed to satisfy "
                                    "constraint: Member must not be null"):
        aws.iam.get_instance_profile()
    with refused("ValidationError", "regular expression pattern"):
        aws.iam.get_instance_profile(InstanceProfileName="a b")
    assert "UnknownParameter" in form(fake, "iam", "2010-05-08", "GetInstanceProfile", Nonsense="1")[1]


@pytest.mark.parametrize("body, code", [
    ({"Name": "x", "Nonsense": 1}, "SerializationException"), ({"Name": 1}, "SerializationException"),
    ({}, "ValidationException"), ({"Name": ""}, "ValidationException"), ({"Name": "x"}, "ParameterNotFound")])
def test_json_is_checked_against_the_model(fake, body, code):
    headers = {**JSON, "X-Amz-Target": "AmazonSSM.GetParameter"}
    status, text = send(fake, "ssm", json.dumps(body), headers)
    assert status == 400 and json.loads(text)["__type"] == code


def test_broken_json_is_refused(fake):
    headers = {**JSON, "X-Amz-Target": "AmazonSSM.GetParameter"}
    assert json.loads(send(fake, "ssm", "{", headers)[1])["__type"] == "SerializationException"
    headers["X-Amz-Target"] = "AmazonSSM.Nonsense"
    assert json.loads(send(fake, "ssm", "{}", headers)[1])["__type"] == "UnknownOperationException"


def test_errors_of_the_former_query_protocol_are_named_in_a_header(aws):
    with refused("AWS.SimpleQueueService.NonExistentQueue", "does not exist") as caught:
        aws.sqs.get_queue_url(QueueName="nobody")
    assert caught.value.response["Error"]["QueryErrorCode"] == "QueueDoesNotExist"


def test_rest_errors_are_named_in_a_header(fake, aws):
    with refused("ResourceNotFoundException", "No cluster found for name: nobody.", 404):
        aws.eks.describe_cluster(name="nobody")
    assert send(fake, "eks", None, method="GET", path="/nonsense")[0] == 404


def test_what_nobody_knows_is_refused(fake):
    assert send(fake, "s3", "x", {"Content-Type": "text/plain"})[0] == 404


def test_every_reply_has_a_request_id(fake, aws):
    reply = aws.ec2.describe_subnets()
    assert reply["ResponseMetadata"]["RequestId"] == fake.control.calls()[-1]["request_id"]
