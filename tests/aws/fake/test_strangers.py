"""The same calls to this fake and to those of others, compared as sets, where those are right (reference testbed.md 3).

An observation is a function of clients that says what it saw in the field's words, without ids.
"""

import base64
import json

import pytest
from botocore.exceptions import ClientError

from tests.aws.fake import Fake, strangers
from tests.aws.fake.support import Clients, key_values

TRUST = '{"Version": "2012-10-17", "Statement": []}'
# moto knows no wildcards here.
# SQS tells clients of its old protocol another name of the same, in a header that not every fake has.
QUERY_CODES = {"AWS.SimpleQueueService.NonExistentQueue": "QueueDoesNotExist"}
OFFERED = ("m5.large", "m6g.16xlarge", "p5.48xlarge", "u7i-12tb.224xlarge", "nobody")


def code_of(call, **params):
    """What a call is refused with; ok where it is not."""
    try:
        call(**params)
        return "ok"
    except ClientError as error:
        code = error.response["Error"]["Code"]
        return QUERY_CODES.get(code, code), error.response["ResponseMetadata"]["HTTPStatusCode"]


def types(aws):
    names = ["m5.large", "p5.48xlarge", "inf1.24xlarge", "trn1.32xlarge", "c6g.metal", "t3.micro", "g5.xlarge", "mac2.metal"]
    found = aws.ec2.describe_instance_types(InstanceTypes=names)["InstanceTypes"]
    return {row["InstanceType"]: row for row in found}


def type_names(aws):
    seen = {}
    for name, value in (("processor-info.supported-architecture", "arm64"), ("instance-type", "m5*")):
        pages = aws.ec2.get_paginator("describe_instance_types").paginate(Filters=[{"Name": name, "Values": [value]}])
        # moto describes types that the region has not.
        seen[name] = {row["InstanceType"] for page in pages for row in page["InstanceTypes"]} & offered(aws)
    return seen


def offered(aws):
    if "offered" not in vars(aws):
        pages = aws.ec2.get_paginator("describe_instance_type_offerings").paginate(LocationType="region")
        aws.offered = {row["InstanceType"] for page in pages for row in page["InstanceTypeOfferings"]}
    return aws.offered


def offerings(aws):
    seen = {}
    for pattern in OFFERED:
        pages = aws.ec2.get_paginator("describe_instance_type_offerings").paginate(
            LocationType="availability-zone", Filters=[{"Name": "instance-type", "Values": [pattern]}])
        seen[pattern] = {(row["InstanceType"], row["Location"]) for page in pages for row in page["InstanceTypeOfferings"]}
    return seen


def tagged(kind, **tags):
    return [{"ResourceType": kind, "Tags": key_values(tags)}]


def network(aws):
    """Subnets and groups made by calls where there are calls for it, else by the fake's control."""
    if "network" in vars(aws):
        return aws.network
    zones, found = ("us-east-1a", "us-east-1b", "us-east-1c"), {}
    if isinstance(aws, Clients):
        for number, zone in enumerate(zones):
            found[zone] = aws.control.add_subnet(zone, f"10.77.{number}.0/24", {"Name": f"own-{zone}", "team": "a*"})
        found["group"] = aws.control.add_group("own-group", {"team": "b"})
    else:
        vpc = aws.ec2.create_vpc(CidrBlock="10.77.0.0/16")["Vpc"]["VpcId"]
        for number, zone in enumerate(zones):
            found[zone] = aws.ec2.create_subnet(
                VpcId=vpc, CidrBlock=f"10.77.{number}.0/24", AvailabilityZone=zone,
                TagSpecifications=tagged("subnet", Name=f"own-{zone}", team="a*"))["Subnet"]["SubnetId"]
        found["group"] = aws.ec2.create_security_group(GroupName="own-group", Description="own-group", VpcId=vpc,
                                                       TagSpecifications=tagged("security-group", team="b"))["GroupId"]
    aws.network = found
    return found


def subnets(aws):
    own = network(aws)
    seen = {}
    for name, values in (("tag:Name", ["own-us-east-1?"]), ("tag:Name", ["own-*-1a", "own-*-1b"]),
                         ("subnet-id", [own["us-east-1c"]]), ("tag-key", ["team"]), ("cidr-block", ["10.77.1.0/24"])):
        found = aws.ec2.describe_subnets(Filters=[{"Name": name, "Values": values}])["Subnets"]
        label = "own" if name == "subnet-id" else str(values)
        seen[name, label] = {(one["AvailabilityZone"], one["CidrBlock"], one["AvailableIpAddressCount"], one["State"])
                             for one in found if one["CidrBlock"].startswith("10.77.")}
    return seen


def groups(aws):
    own = network(aws)["group"]
    filters = [[{"Name": "group-name", "Values": ["own-g*"]}], [{"Name": "tag:team", "Values": ["b"]}],
               [{"Name": "group-id", "Values": [own]}], [{"Name": "tag:team", "Values": ["nobody"]}]]
    return [{one["GroupName"] for one in aws.ec2.describe_security_groups(Filters=one)["SecurityGroups"]} for one in filters]


def templates(aws):
    data, ec2 = {"ImageId": aws.image, "UserData": base64.b64encode(b"x").decode()}, aws.ec2
    make = {"LaunchTemplateName": "karpenter.k8s.aws/1", "LaunchTemplateData": data}
    seen = [code_of(ec2.create_launch_template, DryRun=True, **make)]
    made = ec2.create_launch_template(**make, TagSpecifications=tagged("launch-template", a="b"))["LaunchTemplate"]
    seen += [made["Tags"], made["LatestVersionNumber"], code_of(ec2.create_launch_template, **make)]
    for wanted in ([{"Name": "tag:a", "Values": ["b"]}], [{"Name": "tag:a", "Values": ["c"]}]):
        seen.append({one["LaunchTemplateName"] for one in ec2.describe_launch_templates(Filters=wanted)["LaunchTemplates"]})
    (version,) = ec2.describe_launch_template_versions(LaunchTemplateName=make["LaunchTemplateName"])["LaunchTemplateVersions"]
    seen.append(version["LaunchTemplateData"]["UserData"])
    seen.append(code_of(ec2.describe_launch_templates, LaunchTemplateNames=["nobody"]))
    ec2.delete_launch_template(LaunchTemplateId=made["LaunchTemplateId"])
    return seen + [{one["LaunchTemplateName"] for one in ec2.describe_launch_templates()["LaunchTemplates"]} & {
        make["LaunchTemplateName"]}]


def fleets(aws):
    aws.ec2.create_launch_template(LaunchTemplateName="fleets", LaunchTemplateData={"ImageId": aws.image})
    subnet = network(aws)["us-east-1a"]

    def ask(name="fleets", count=3, **more):
        return {"Type": "instant", "LaunchTemplateConfigs": [{
            "LaunchTemplateSpecification": {"LaunchTemplateName": name, "Version": "$Latest"},
            "Overrides": [{"InstanceType": "m5.large", "SubnetId": subnet}]}],
            "TargetCapacitySpecification": {"TotalTargetCapacity": count, "DefaultTargetCapacityType": "on-demand"}, **more}

    reply = aws.ec2.create_fleet(**ask())
    made = [one for part in reply["Instances"] for one in part["InstanceIds"]]
    return [len(made), {part["InstanceType"] for part in reply["Instances"]},
            {part["Lifecycle"] for part in reply["Instances"]}, reply.get("Errors", []),
            code_of(aws.ec2.create_fleet, **ask(DryRun=True)), code_of(aws.ec2.create_fleet, **ask("nobody"))]


def instances(aws):
    ec2, subnet = aws.ec2, network(aws)["us-east-1b"]

    def run(name, kind):
        return ec2.run_instances(MinCount=1, MaxCount=1, ImageId=aws.image, InstanceType=kind, SubnetId=subnet,
                                 TagSpecifications=[{"ResourceType": "instance", "Tags": key_values({
                                     "Name": name, "karpenter.sh/nodepool": "default"})}])["Instances"][0]["InstanceId"]

    first, second = run("one", "m5.large"), run("two", "c5.large")
    seen = {}
    for name, value in (("tag-key", "karpenter.sh/nodepool"), ("tag:Name", "o*"), ("instance-type", "c5.large"),
                        ("instance-id", first), ("subnet-id", subnet), ("tag:Name", "x")):
        found = ec2.describe_instances(Filters=[{"Name": name, "Values": [value]}])["Reservations"]
        tags = [{tag["Key"]: tag["Value"] for tag in one.get("Tags", [])} for part in found for one in part["Instances"]]
        # Others were launched by other observations.
        seen[name, value if name.startswith(("tag", "instance-t")) else ""] = {one["Name"] for one in tags if "Name" in one}
    ec2.create_tags(Resources=[first], Tags=key_values({"karpenter.sh/nodeclaim": "claim"}))
    (one,) = ec2.describe_instances(InstanceIds=[first])["Reservations"][0]["Instances"]
    seen["tags"] = {tag["Key"] for tag in one["Tags"]}
    seen["missing"] = code_of(ec2.describe_instances, InstanceIds=["i-0123456789abcdef0"])
    seen["missing end"] = code_of(ec2.terminate_instances, InstanceIds=["i-0123456789abcdef0"])
    seen["dry"] = code_of(ec2.run_instances, MinCount=1, MaxCount=1, ImageId=aws.image, InstanceType="m5.large",
                          SubnetId=subnet, DryRun=True)
    seen["reboot"] = code_of(ec2.reboot_instances, InstanceIds=[second])
    ended = ec2.terminate_instances(InstanceIds=[first])["TerminatingInstances"]
    seen["ended"] = {one["CurrentState"]["Name"] for one in ended} <= {"shutting-down", "terminated"}
    return seen


def profiles(aws):
    iam, role = aws.iam, "KarpenterNodeRole-tenon"
    if not isinstance(aws, Clients):
        iam.create_role(RoleName=role, AssumeRolePolicyDocument=TRUST)
    name = {"InstanceProfileName": "tenon_1"}
    made = iam.create_instance_profile(**name, Path="/karpenter/us-east-1/tenon/uid/", Tags=key_values({"a": "b"}))
    seen = [made["InstanceProfile"]["Arn"], code_of(iam.create_instance_profile, **name)]
    seen.append(code_of(iam.add_role_to_instance_profile, **name, RoleName="nobody"))
    iam.add_role_to_instance_profile(**name, RoleName=role)
    found = iam.get_instance_profile(**name)["InstanceProfile"]
    seen += [found["Path"], found["Tags"], [one["RoleName"] for one in found["Roles"]]]
    seen.append(code_of(iam.delete_instance_profile, **name))
    seen.append("tenon_1" in {one["InstanceProfileName"] for one in iam.list_instance_profiles()["InstanceProfiles"]})
    iam.remove_role_from_instance_profile(**name, RoleName=role)
    iam.delete_instance_profile(**name)
    return seen + [code_of(iam.get_instance_profile, **name), code_of(iam.delete_instance_profile, **name)]


POLICY = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"


def policies(aws):
    iam, role = aws.iam, {"RoleName": "own-role"}
    if isinstance(aws, Clients):
        aws.control.add_role("own-role")
    else:
        iam.create_role(**role, AssumeRolePolicyDocument=TRUST)
    seen = [iam.list_attached_role_policies(**role)["AttachedPolicies"]]
    seen += [code_of(iam.attach_role_policy, **role, PolicyArn=arn) for arn in (POLICY, POLICY, POLICY + "Nonsense")]
    seen += [code_of(iam.attach_role_policy, RoleName="nobody", PolicyArn=POLICY)]
    return seen + [iam.list_attached_role_policies(**role)["AttachedPolicies"],
                   code_of(iam.list_attached_role_policies, RoleName="nobody")]


def rules(aws):
    """Of a queue of which nobody knows, since targets are only names."""
    events, queue = aws.events, "arn:aws:sqs:us-east-1:111122223333:own-rules"
    about = {"Name": "own-spot", "EventPattern": '{"source": ["aws.ec2"], "detail-type": ["EC2 Event"]}'}
    seen = [events.put_rule(**about)["RuleArn"], events.list_rule_names_by_target(TargetArn=queue)["RuleNames"]]
    made = events.put_targets(Rule="own-spot", Targets=[{"Id": "a", "Arn": queue}])
    seen += [made["FailedEntryCount"], events.list_rule_names_by_target(TargetArn=queue)["RuleNames"]]
    events.put_rule(**about, State="DISABLED")
    events.put_rule(Name="own-all", EventPattern='{"source": [{"prefix": "aws."}]}')
    for rule in sorted(events.list_rules(NamePrefix="own-")["Rules"], key=lambda one: one["Name"]):
        seen.append({name: rule.get(name) for name in ("Name", "Arn", "EventPattern", "State", "EventBusName")})
    seen.append(events.list_rule_names_by_target(TargetArn=queue)["RuleNames"])
    seen += [code_of(events.put_rule, Name="own-bad", EventPattern=text) for text in ("{", '{"source": []}', '{"source": "a"}')]
    return seen + [code_of(events.put_rule, Name="own-bad"),
                   code_of(events.put_targets, Rule="nobody", Targets=[{"Id": "a", "Arn": queue}]),
                   code_of(events.list_rules, EventBusName="nobody")]


def messages(aws):
    sqs = aws.sqs
    if isinstance(aws, Clients):
        aws.control.add_queue("own", policy="")
    else:
        sqs.create_queue(QueueName="own")
    url = {"QueueUrl": sqs.get_queue_url(QueueName="own")["QueueUrl"]}
    sent = [sqs.send_message(**url, MessageBody=body)["MD5OfMessageBody"] for body in ("one", "two")]
    found = []
    while len(found) < 2:
        found += sqs.receive_message(**url, MaxNumberOfMessages=10, VisibilityTimeout=30,
                                     MessageSystemAttributeNames=["SentTimestamp"]).get("Messages", [])
    seen = [sent, {one["Body"] for one in found}, {tuple(one["Attributes"]) for one in found},
            sqs.receive_message(**url).get("Messages", [])]
    for one in found:
        sqs.delete_message(**url, ReceiptHandle=one["ReceiptHandle"])
    return seen + [code_of(sqs.get_queue_url, QueueName="nobody")]


def policies_of_queues(aws):
    sqs, policy = aws.sqs, {"Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Principal": {"Service": "events.amazonaws.com"}, "Action": "sqs:SendMessage", "Resource": "*"}]}
    url = queue(aws, "own-policy", 30, policy="")
    seen = [sqs.get_queue_attributes(**url, AttributeNames=["Policy"]).get("Attributes", {})]
    sqs.set_queue_attributes(**url, Attributes={"Policy": json.dumps(policy)})
    seen += [json.loads(sqs.get_queue_attributes(**url, AttributeNames=["Policy"])["Attributes"]["Policy"])]
    sqs.set_queue_attributes(**url, Attributes={"KmsMasterKeyId": "alias/aws/sqs"})
    seen += [sqs.get_queue_attributes(**url, AttributeNames=["KmsMasterKeyId"])["Attributes"]]
    sqs.set_queue_attributes(**url, Attributes={"Policy": ""})
    return seen + [sqs.get_queue_attributes(**url, AttributeNames=["Policy"]).get("Attributes", {}),
                   code_of(sqs.get_queue_attributes, QueueUrl=url["QueueUrl"] + "-nobody", AttributeNames=["All"])]


def sessions(aws):
    role = "arn:aws:iam::111122223333:role/KarpenterControllerRole-tenon"
    reply = aws.sts.assume_role(RoleArn=role, RoleSessionName="test", DurationSeconds=900)
    return [set(reply["Credentials"]), reply["AssumedRoleUser"]["Arn"], reply["Credentials"]["AccessKeyId"][:4],
            aws.sts.get_caller_identity()["Account"]]


def missing_things(aws):
    return [code_of(aws.eks.describe_cluster, name="nobody"), code_of(aws.ssm.get_parameter, Name="/own/nobody"),
            code_of(aws.ec2.describe_subnets, SubnetIds=["subnet-0123456789abcdef0"]),
            code_of(aws.ec2.describe_security_groups, GroupIds=["sg-0123456789abcdef0"]),
            code_of(aws.ec2.describe_images, ImageIds=["ami-0123456789abcdef0"])]


@pytest.fixture(scope="module")
def ours():
    with Fake(throttle=False) as fake:
        aws = Clients(fake)
        aws.control = fake.control
        aws.image = next(one.id for one in fake.world.region("us-east-1").images.values() if one.owner == "111122223333")
        yield aws


@pytest.fixture(scope="module")
def moto():
    with strangers.moto() as aws:
        images = aws.ec2.describe_images(Filters=[{"Name": "architecture", "Values": ["x86_64"]}])["Images"]
        aws.image = next(one["ImageId"] for one in images if one.get("Platform") != "windows")
        yield aws


@pytest.mark.parametrize("observe", [types, type_names, offerings, subnets, groups, templates, fleets, instances, profiles,
                                     policies, rules, messages, policies_of_queues, sessions, missing_things], ids=lambda one: one.__name__)
def test_moto_sees_the_same(ours, moto, observe):
    assert observe(ours) == observe(moto)


@pytest.fixture(scope="module")
def ministack():
    with strangers.ministack() as aws:
        aws.image = "ami-0123"
        yield aws


def listed_by_path(aws):
    for number, path in enumerate(("/a/b/", "/a/bc/", "/a/b/c/")):
        aws.iam.create_instance_profile(InstanceProfileName=f"path_{number}", Path=path)
    return [{one["InstanceProfileName"] for one in aws.iam.list_instance_profiles(PathPrefix=prefix)["InstanceProfiles"]}
            for prefix in ("/a/", "/a/b/", "/a/b/c/", "/nobody/")]


def nothing_reserved(aws):
    return (aws.ec2.describe_capacity_reservations()["CapacityReservations"],
            aws.ec2.describe_placement_groups()["PlacementGroups"])


@pytest.mark.parametrize("observe", [listed_by_path, nothing_reserved, profiles, messages, sessions],
                         ids=lambda one: one.__name__)
def test_ministack_sees_the_same(ministack, observe):
    with Fake(throttle=False) as fake:
        aws = Clients(fake)
        aws.control = fake.control
        assert observe(aws) == observe(ministack)


@pytest.fixture(scope="module")
def elasticmq():
    with strangers.elasticmq() as aws:
        yield aws


def queue(aws, name, visibility, **of_ours):
    """The address of a new queue whose messages come again after so many seconds."""
    if isinstance(aws, Clients):
        aws.control.add_queue(name, visibility=visibility, **of_ours)
    else:
        aws.sqs.create_queue(QueueName=name, Attributes={"VisibilityTimeout": str(visibility)})
    return {"QueueUrl": aws.sqs.get_queue_url(QueueName=name)["QueueUrl"]}


def receive(aws, url, **wishes):
    wishes = {"MaxNumberOfMessages": 10, "WaitTimeSeconds": 3, "MessageSystemAttributeNames": ["All"], **wishes}
    return aws.sqs.receive_message(**url, **wishes).get("Messages", [])


def returning_messages(aws):
    """What nobody deletes in time is received again, with a receipt of its own and its count."""
    url = queue(aws, "returning", 1)
    aws.sqs.send_message(**url, MessageBody="one")
    (first,) = receive(aws, url)
    (second,) = receive(aws, url)
    seen = [first["MessageId"] == second["MessageId"], first["MD5OfBody"] == second["MD5OfBody"]]
    for one in (first, second):
        seen += [one["Body"], one["Attributes"]["ApproximateReceiveCount"],
                 one["Attributes"]["SentTimestamp"] == first["Attributes"]["SentTimestamp"],
                 one["Attributes"]["ApproximateFirstReceiveTimestamp"] >= one["Attributes"]["SentTimestamp"]]
    aws.sqs.delete_message(**url, ReceiptHandle=second["ReceiptHandle"])
    return seen + [receive(aws, url)]


def kept_messages(aws):
    """A receive may say for how long it keeps messages, and how many it wants; a delayed one is not there yet."""
    url = queue(aws, "kept", 1)
    for number in range(12):
        aws.sqs.send_message(**url, MessageBody=str(number))
    counts = [len(receive(aws, url, MaxNumberOfMessages=most, VisibilityTimeout=30)) for most in (1, 10, 10)]
    aws.sqs.send_message(**url, MessageBody="late", DelaySeconds=2)
    soon = receive(aws, url, WaitTimeSeconds=0)
    return [counts, soon, {one["Body"] for one in receive(aws, url, WaitTimeSeconds=5)}]


def refused_receives(aws):
    url = queue(aws, "refused", 30)
    ranges = [{"MaxNumberOfMessages": 0}, {"MaxNumberOfMessages": 11}, {"WaitTimeSeconds": 21}, {"WaitTimeSeconds": -1}]
    # ElasticMQ has codes of its own for these.
    seen = [code_of(aws.sqs.receive_message, **url, **wishes)[1] for wishes in ranges]
    nowhere = {"QueueUrl": url["QueueUrl"].replace("refused", "nobody")}
    return seen + [code_of(aws.sqs.receive_message, **nowhere), code_of(aws.sqs.send_message, **nowhere, MessageBody="x"),
                   code_of(aws.sqs.delete_message, **url, ReceiptHandle="no receipt")]


@pytest.mark.parametrize("observe", [messages, returning_messages, kept_messages, refused_receives],
                         ids=lambda one: one.__name__)
def test_elasticmq_sees_the_same(ours, elasticmq, observe):
    assert observe(ours) == observe(elasticmq)
