"""IAM, SQS, EventBridge, EKS, zonal shifts."""

import hashlib
import json
import threading
import time

import pytest

from tests.aws.fake.support import key_values, refused

ROLE = "KarpenterNodeRole-tenon"
PATH = "/karpenter/us-east-1/tenon/6f6b7d5a/"


def make_profile(aws, name="tenon_1", path=PATH):
    return aws.iam.create_instance_profile(InstanceProfileName=name, Path=path, Tags=key_values({"a": "b"}))[
        "InstanceProfile"]


def test_the_life_of_an_instance_profile(aws):
    made = make_profile(aws)
    assert made["Arn"] == f"arn:aws:iam::111122223333:instance-profile{PATH}tenon_1" and not made["Roles"]
    with refused("EntityAlreadyExists", "Instance Profile tenon_1 already exists.", 409):
        make_profile(aws)
    aws.iam.add_role_to_instance_profile(InstanceProfileName="tenon_1", RoleName=ROLE)
    with refused("LimitExceeded", "InstanceSessionsPerInstanceProfile: 1", 409):
        aws.iam.add_role_to_instance_profile(InstanceProfileName="tenon_1", RoleName=ROLE)
    found = aws.iam.get_instance_profile(InstanceProfileName="tenon_1")["InstanceProfile"]
    assert [role["RoleName"] for role in found["Roles"]] == [ROLE] and found["Tags"] == key_values({"a": "b"})
    with refused("DeleteConflict", status=409):
        aws.iam.delete_instance_profile(InstanceProfileName="tenon_1")
    aws.iam.remove_role_from_instance_profile(InstanceProfileName="tenon_1", RoleName=ROLE)
    aws.iam.delete_instance_profile(InstanceProfileName="tenon_1")
    with refused("NoSuchEntity", "Instance Profile tenon_1 cannot be found.", 404):
        aws.iam.get_instance_profile(InstanceProfileName="tenon_1")


def test_a_role_that_is_not_there_is_named_in_lower_case(fake, aws):
    make_profile(aws)
    with refused("NoSuchEntity", "The role with name nobody cannot be found.", 404):
        aws.iam.add_role_to_instance_profile(InstanceProfileName="tenon_1", RoleName="nobody")
    fake.control.deny(["iam:PassRole"])
    with refused("AccessDenied", "iam:PassRole"):
        aws.iam.add_role_to_instance_profile(InstanceProfileName="tenon_1", RoleName=ROLE)


def test_profiles_are_listed_by_path(aws):
    for number in range(5):
        make_profile(aws, f"mine_{number}")
    make_profile(aws, "theirs", "/karpenter/us-east-1/tenon-2/uid/")
    pages = list(aws.iam.get_paginator("list_instance_profiles").paginate(
        PathPrefix="/karpenter/us-east-1/tenon/", PaginationConfig={"PageSize": 2}))
    assert [len(page["InstanceProfiles"]) for page in pages] == [2, 2, 1]
    assert len(aws.iam.list_instance_profiles()["InstanceProfiles"]) == 6
    aws.iam.tag_instance_profile(InstanceProfileName="theirs", Tags=key_values({"c": "d"}))
    assert aws.iam.get_instance_profile(InstanceProfileName="theirs")["InstanceProfile"]["Tags"] == key_values(
        {"a": "b", "c": "d"})


def attached(aws, role=ROLE):
    return {one["PolicyName"] for one in aws.iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]}


def test_policies_of_roles(fake, aws):
    assert len(attached(aws)) == 4 and "AmazonEKSWorkerNodePolicy" in attached(aws)
    pages = aws.iam.get_paginator("list_attached_role_policies").paginate(RoleName=ROLE, PaginationConfig={"PageSize": 3})
    assert [len(page["AttachedPolicies"]) for page in pages] == [3, 1]
    fake.control.add_role("own", policies=["AdministratorAccess", "arn:aws:iam::111122223333:policy/mine"])
    assert attached(aws, "own") == {"AdministratorAccess", "mine"}
    arn = {"PolicyArn": "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"}
    for _ in range(2):
        aws.iam.attach_role_policy(RoleName="own", **arn)
    assert len(attached(aws, "own")) == 3
    with refused("NoSuchEntity", "The role with name nobody cannot be found.", 404):
        aws.iam.list_attached_role_policies(RoleName="nobody")
    with refused("NoSuchEntity", "does not exist or is not attachable", 404):
        aws.iam.attach_role_policy(RoleName="own", PolicyArn="arn:aws:iam::aws:policy/Nonsense")
    fake.control.add_role("full", policies=[f"arn:aws:iam::111122223333:policy/{number}" for number in range(10)])
    with refused("LimitExceeded", "PoliciesPerRole", 409):
        aws.iam.attach_role_policy(RoleName="full", **arn)


def receive(aws, **more):
    url = aws.sqs.get_queue_url(QueueName="tenon")["QueueUrl"]
    return aws.sqs.receive_message(**{"QueueUrl": url, "MaxNumberOfMessages": 10, "VisibilityTimeout": 20,
                                      "MessageSystemAttributeNames": ["SentTimestamp"], "MessageAttributeNames": ["All"],
                                      **more}).get("Messages", [])


def test_a_message_is_seen_again_until_it_is_deleted(fake, aws):
    fake.control.put("body")
    (message,) = receive(aws)
    assert message["Body"] == "body" and message["MD5OfBody"] == hashlib.md5(b"body").hexdigest()
    assert abs(int(message["Attributes"]["SentTimestamp"]) / 1000 - fake.clock.now()) < 10
    assert not receive(aws)
    assert fake.control.queue()["hidden"] == 1
    fake.control.clock(advance=21)
    (again,) = receive(aws)
    assert again["MessageId"] == message["MessageId"] and again["ReceiptHandle"] != message["ReceiptHandle"]
    url = aws.sqs.get_queue_url(QueueName="tenon")["QueueUrl"]
    aws.sqs.delete_message(QueueUrl=url, ReceiptHandle=again["ReceiptHandle"])
    fake.control.clock(advance=21)
    assert not receive(aws) and fake.control.queue()["deleted"] == 1


def test_ten_at_most_and_old_ones_are_gone(fake, aws):
    fake.control.put("x", count=12)
    assert (len(receive(aws)), len(receive(aws))) == (10, 2)
    fake.control.clock(advance=301)
    assert not receive(aws) and fake.control.queue()["messages"] == 0


def test_a_long_poll_ends_when_a_message_comes(fake, aws):
    threading.Timer(0.3, lambda: fake.control.put("late")).start()
    began = time.monotonic()
    (message,) = receive(aws, WaitTimeSeconds=15)
    assert message["Body"] == "late" and time.monotonic() - began < 10


def test_others_are_served_during_a_long_poll(fake, aws):
    polled = threading.Thread(target=lambda: receive(aws, WaitTimeSeconds=15))
    polled.start()
    while not fake.control.calls(action="ReceiveMessage"):
        time.sleep(0.01)
    aws.ec2.describe_subnets()
    fake.control.put("the end")
    polled.join(10)
    assert not polled.is_alive()


@pytest.mark.parametrize("more", [{"MaxNumberOfMessages": 11}, {"WaitTimeSeconds": 21}, {"VisibilityTimeout": 43201}])
def test_sqs_has_bounds(aws, more):
    with refused("InvalidParameterValue", "Must be between"):
        receive(aws, **more)


def test_queues_and_receipts_must_be_there(fake, aws):
    with refused("AWS.SimpleQueueService.NonExistentQueue"):
        aws.sqs.receive_message(QueueUrl=fake.url + "/111122223333/nobody")
    with refused("ReceiptHandleIsInvalid"):
        aws.sqs.delete_message(QueueUrl=fake.control.add_queue("other"), ReceiptHandle="x")
    url = aws.sqs.get_queue_url(QueueName="other")["QueueUrl"]
    assert aws.sqs.send_message(QueueUrl=url, MessageBody="hello")["MD5OfMessageBody"] == hashlib.md5(b"hello").hexdigest()
    assert fake.control.queue("other")["messages"] == 1


def test_a_queue_has_a_key_beside_its_policy(fake, aws):
    url, names = {"QueueUrl": fake.control.add_queue("keyed", key="alias/aws/sqs")}, ["KmsMasterKeyId", "SqsManagedSseEnabled"]
    assert aws.sqs.get_queue_attributes(**url, AttributeNames=names)["Attributes"] == {
        "KmsMasterKeyId": "alias/aws/sqs", "SqsManagedSseEnabled": "false"}
    aws.sqs.set_queue_attributes(**url, Attributes={"KmsMasterKeyId": "", "SqsManagedSseEnabled": "true"})
    assert aws.sqs.get_queue_attributes(**url, AttributeNames=names)["Attributes"] == {"SqsManagedSseEnabled": "true"}
    assert aws.sqs.get_queue_attributes(**url, AttributeNames=["Policy"])["Attributes"]["Policy"]


def test_a_queue_has_a_policy(fake, aws):
    url = {"QueueUrl": aws.sqs.get_queue_url(QueueName="tenon")["QueueUrl"]}
    policy = json.loads(aws.sqs.get_queue_attributes(**url, AttributeNames=["Policy"])["Attributes"]["Policy"])
    assert {statement["Effect"] for statement in policy["Statement"]} == {"Allow", "Deny"}
    aws.sqs.set_queue_attributes(**url, Attributes={"Policy": ""})
    assert "Attributes" not in aws.sqs.get_queue_attributes(**url, AttributeNames=["Policy"])
    assert set(aws.sqs.get_queue_attributes(**url, AttributeNames=["All"])["Attributes"]) == {
        "QueueArn", "VisibilityTimeout", "MessageRetentionPeriod", "SqsManagedSseEnabled"}
    with refused("InvalidAttributeValue", "Policy"):
        aws.sqs.set_queue_attributes(**url, Attributes={"Policy": "{"})
    with refused("InvalidAttributeName", "Nonsense"):
        aws.sqs.set_queue_attributes(**url, Attributes={"Nonsense": "1"})


@pytest.mark.parametrize("kind, source, name", [
    ("spot_interruption", "aws.ec2", "EC2 Spot Instance Interruption Warning"),
    ("rebalance", "aws.ec2", "EC2 Instance Rebalance Recommendation"), ("health", "aws.health", "AWS Health Event"),
    ("reservation_interruption", "aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning")])
def test_events_have_eventbridges_form(fake, aws, kind, source, name):
    fake.control.event(kind, "i-0123")
    body = json.loads(receive(aws)[0]["Body"])
    assert (body["version"], body["source"], body["detail-type"]) == ("0", source, name)
    assert "i-0123" in json.dumps(body["detail"]) and body["time"].endswith("Z")


def test_an_interrupted_spot_instance_ends_two_minutes_later(fake, world):
    (one,) = world.launch(kind="spot")
    fake.control.event("spot_interruption", one)
    fake.control.clock(advance=100)
    assert world.describe(one)[0]["State"]["Name"] == "running"
    fake.control.clock(advance=30)
    assert world.describe(one)[0]["StateReason"]["Code"] == "Server.SpotInstanceTermination"


def test_a_follower_hears_of_instances(fake, aws, world):
    fake.control.follow()
    first, second = world.launch(count=2)
    aws.ec2.terminate_instances(InstanceIds=[first])
    fake.control.end(second)
    fake.control.clock(advance=3)
    world.describe()
    heard = [json.loads(message["Body"])["detail"] for message in receive(aws)]
    assert [(one["instance-id"], one["state"]) for one in heard] == [
        (first, "pending"), (second, "pending"), (first, "shutting-down"), (second, "shutting-down"),
        (first, "terminated"), (second, "terminated")]


QUEUE = "arn:aws:sqs:us-east-1:111122223333:tenon"


def names_of(aws, target=QUEUE):
    return aws.events.list_rule_names_by_target(TargetArn=target)["RuleNames"]


def test_rules_of_the_queue(aws):
    assert len(names_of(aws)) == 5
    rules = {one["Name"]: one for one in aws.events.list_rules()["Rules"]}
    pattern = json.loads(rules["tenon-SpotInterruptionRule"]["EventPattern"])
    assert pattern == {"source": ["aws.ec2"], "detail-type": ["EC2 Spot Instance Interruption Warning"]}
    assert {one["State"] for one in rules.values()} == {"ENABLED"}
    pages = list(aws.events.get_paginator("list_rules").paginate(PaginationConfig={"PageSize": 2}))
    assert [len(page["Rules"]) for page in pages] == [2, 2, 1]
    pages = list(aws.events.get_paginator("list_rule_names_by_target").paginate(TargetArn=QUEUE, PaginationConfig={"PageSize": 4}))
    assert [len(page["RuleNames"]) for page in pages] == [4, 1]
    with refused("ValidationException", "token"):
        aws.events.list_rules(NextToken="x")


def test_a_rule_and_its_targets(fake, aws):
    about = {"Name": "one", "EventPattern": '{"source": ["aws.ec2"]}'}
    made = aws.events.put_rule(**about)
    assert made["RuleArn"] == "arn:aws:events:us-east-1:111122223333:rule/one" and not names_of(aws, QUEUE + "-2")
    aws.events.put_targets(Rule="one", Targets=[{"Id": "a", "Arn": QUEUE + "-2"}])
    aws.events.put_rule(**about, State="DISABLED")
    assert names_of(aws, QUEUE + "-2") == ["one"]
    assert aws.events.list_rules(NamePrefix="on")["Rules"][0]["State"] == "DISABLED"
    fake.control.add_rule("two", {"source": ["aws.health"]}, queue="other", state="DISABLED")
    assert names_of(aws, QUEUE.replace("tenon", "other")) == ["two"]
    with refused("LimitExceededException"):
        aws.events.put_targets(Rule="one", Targets=[{"Id": str(number), "Arn": QUEUE} for number in range(5)])
    with refused("NotPlayedByFake", status=501):
        aws.events.put_targets(Rule="one", Targets=[{"Id": "a", "Arn": QUEUE, "InputPath": "$"}])


@pytest.mark.parametrize("code, call, about", [
    ("ResourceNotFoundException", "put_targets", {"Rule": "nobody", "Targets": [{"Id": "a", "Arn": QUEUE}]}),
    ("ResourceNotFoundException", "list_rules", {"EventBusName": "nobody"}),
    ("ValidationException", "put_targets", {"Rule": "nobody", "Targets": []}),
    ("ValidationException", "put_rule", {"Name": "one"}),
    ("ValidationException", "put_rule", {"Name": "a b", "EventPattern": "{}"}),
    ("ValidationException", "list_rules", {"Limit": 101}),
    ("ValidationException", "list_rule_names_by_target", {}),
    *(("InvalidEventPatternException", "put_rule", {"Name": "one", "EventPattern": text})
      for text in ("{", "[]", '{"source": "aws.ec2"}', '{"source": []}', '{"detail": {"state": "running"}}'))])
def test_eventbridge_refuses(aws, code, call, about):
    with refused(code, status=400):
        getattr(aws.events, call)(**about)


def test_the_cluster(fake, aws):
    found = aws.eks.describe_cluster(name="tenon")["cluster"]
    assert found["arn"] == "arn:aws:eks:us-east-1:111122223333:cluster/tenon" and found["version"] == "1.34"
    assert found["kubernetesNetworkConfig"]["serviceIpv4Cidr"] == "172.20.0.0/16"
    assert found["createdAt"].timestamp() == pytest.approx(fake.began, abs=60)
    fake.control.add_cluster("six", cidr6="fd00::/108")
    assert aws.eks.describe_cluster(name="six")["cluster"]["kubernetesNetworkConfig"]["serviceIpv6Cidr"] == "fd00::/108"


def test_zonal_shifts(fake, aws):
    arn = aws.eks.describe_cluster(name="tenon")["cluster"]["arn"]

    def shifts():
        found = aws.arc_zonal_shift.get_managed_resource(resourceIdentifier=arn)
        assert found["arn"] == arn
        return {one["awayFrom"]: one["appliedStatus"] for one in found["zonalShifts"]}

    assert shifts() == {}
    fake.control.shift("use1-az2", 60), fake.control.shift("use1-az4", 600, applied=False)
    assert shifts() == {"use1-az2": "APPLIED", "use1-az4": "NOT_APPLIED"}
    fake.control.clock(advance=61)
    assert shifts() == {"use1-az4": "NOT_APPLIED"}
    fake.control.shift("use1-az4", 0)
    assert shifts() == {}
    assert fake.control.calls(service="arc-zonal-shift")[0]["path"].startswith("/managedresources/arn%3Aaws%3Aeks")
    with refused("ResourceNotFoundException", status=404):
        aws.arc_zonal_shift.get_managed_resource(resourceIdentifier=arn + "-2")


def test_parameters_are_put_by_tests(fake, aws):
    fake.control.parameter("/own/image", "ami-0123")
    assert aws.ssm.get_parameter(Name="/own/image")["Parameter"]["Value"] == "ami-0123"
    fake.control.parameter("/own/image", None)
    with refused("ParameterNotFound"):
        aws.ssm.get_parameter(Name="/own/image")
