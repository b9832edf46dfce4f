"""Every call that the fake plays, once with much in it: a list that any client can send.

`play` sends it with boto3; what boto3 sent can be sent again, by another client to another fake of the same seed, whose
ids and answers are then the same.
"""

import base64
from datetime import datetime

from botocore.exceptions import ClientError

from tests.aws.fake.support import key_values

ROLE = "arn:aws:iam::111122223333:role/KarpenterControllerRole-tenon"
POLICY = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
QUEUE = "arn:aws:sqs:us-east-1:111122223333:tenon"
STANDARD = "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id"


class Tour:
    """Sends calls and keeps (service, operation, parameters, reply); a refusal's reply is {"refused": code}."""

    def __init__(self, aws):
        self.aws, self.sent = aws, []

    def call(self, service, operation, **params):
        client = getattr(self.aws, service.replace("-", "_"))
        method = next(name for name, wire in client.meta.method_to_api_mapping.items() if wire == operation)
        try:
            reply = dict(getattr(client, method)(**params))
            reply.pop("ResponseMetadata")
        except ClientError as error:
            reply = {"refused": error.response["Error"]["Code"]}
        self.sent.append((service, operation, params, reply))
        return reply

    def ec2(self, operation, **params):
        return self.call("ec2", operation, **params)


def play(fake, aws):
    tour = Tour(aws)
    for part in (things, launches, instances, others):
        part(fake, tour)
    return tour.sent


def tagged(*kinds):
    return [{"ResourceType": kind, "Tags": key_values({"eks:eks-cluster-name": "tenon", "Name": "<a> & \"b\" ü"})}
            for kind in kinds]


def things(fake, tour):
    fake.control.add_reservation("m5.large", "us-east-1a", 3, tags={"a": "b"}, ends_in=7200)
    fake.control.add_placement_group("parts", strategy="partition", partitions=3)
    tour.ec2("DescribeSubnets", Filters=[{"Name": "tag:karpenter.sh/discovery", "Values": ["tenon"]}], MaxResults=5)
    tour.ec2("DescribeSecurityGroups", MaxResults=500)
    tour.ec2("DescribeImages", Owners=["amazon"], IncludeDeprecated=True, MaxResults=1000,
             Filters=[{"Name": "name", "Values": ["bottlerocket-aws-k8s-1.34-*", "Windows*1.34*"]}])
    tour.ec2("DescribeInstanceTypes", InstanceTypes=["m5.large", "p5.48xlarge", "inf1.24xlarge", "trn1.32xlarge", "m5.metal"])
    tour.ec2("DescribeInstanceTypes", DryRun=True)
    tour.ec2("DescribeInstanceTypeOfferings", LocationType="availability-zone", MaxResults=1000)
    tour.ec2("DescribeSpotPriceHistory", InstanceTypes=["m5.large"], ProductDescriptions=["Linux/UNIX"])
    tour.ec2("DescribeCapacityReservations", Filters=[{"Name": "state", "Values": ["active"]}], MaxResults=1000)
    tour.ec2("DescribePlacementGroups", GroupNames=["parts"])


def launches(fake, tour):
    world = fake.control.state()
    subnet, zone = next((name, about["zone"]) for name, about in world["subnets"].items())
    group = next(iter(world["groups"]))
    image = fake.world.region("us-east-1").parameters[STANDARD]
    data = {
        "ImageId": image, "UserData": base64.b64encode("#!/bin/sh\necho ä".encode()).decode(), "Monitoring": {"Enabled": True},
        "NetworkInterfaces": [{"DeviceIndex": 0, "Groups": [group], "AssociatePublicIpAddress": False, "Ipv4PrefixCount": 1,
                               "ConnectionTrackingSpecification": {"TcpEstablishedTimeout": 600}}],
        "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": {
            "VolumeType": "gp3", "VolumeSize": 20, "Encrypted": True, "KmsKeyId": "key", "DeleteOnTermination": True,
            "Iops": 3000, "Throughput": 125}}],
        "MetadataOptions": {"HttpEndpoint": "enabled", "HttpTokens": "required", "HttpPutResponseHopLimit": 1,
                            "HttpProtocolIpv6": "disabled", "InstanceMetadataTags": "disabled"},
        "TagSpecifications": tagged("network-interface"), "Placement": {"Tenancy": "default"},
        "CapacityReservationSpecification": {"CapacityReservationPreference": "none"}}
    tour.ec2("CreateLaunchTemplate", LaunchTemplateName="karpenter.k8s.aws/1", LaunchTemplateData=data,
             TagSpecifications=tagged("launch-template"), ClientToken="token-0")
    tour.ec2("CreateLaunchTemplate", LaunchTemplateName="karpenter.k8s.aws/1", LaunchTemplateData=data, ClientToken="token-1")
    tour.ec2("DescribeLaunchTemplates", LaunchTemplateNames=["karpenter.k8s.aws/1"])
    tour.ec2("DescribeLaunchTemplates", LaunchTemplateNames=["nobody"])
    tour.ec2("DescribeLaunchTemplateVersions", LaunchTemplateName="karpenter.k8s.aws/1", Versions=["$Latest"])
    fake.control.capacity("on-demand:m5.large:*", 2)
    overrides = [{"InstanceType": name, "SubnetId": subnet, "AvailabilityZone": zone, "ImageId": image, "Priority": priority}
                 for name, priority in (("m5.large", 0.096), ("m5.xlarge", 0.192))]
    for market, options in (("on-demand", "OnDemandOptions"), ("spot", "SpotOptions")):
        tour.ec2("CreateFleet", Type="instant", ClientToken=f"token-{market}", Context="a context",
                 LaunchTemplateConfigs=[{"LaunchTemplateSpecification": {
                     "LaunchTemplateName": "karpenter.k8s.aws/1", "Version": "$Latest"}, "Overrides": overrides}],
                 TargetCapacitySpecification={"TotalTargetCapacity": 3, "DefaultTargetCapacityType": market},
                 TagSpecifications=tagged("instance", "volume", "fleet"),
                 **{options: {"AllocationStrategy": "lowest-price"}})
    run = {"MinCount": 1, "MaxCount": 1, "LaunchTemplate": {"LaunchTemplateName": "karpenter.k8s.aws/1"},
           "InstanceType": "m5.xlarge", "NetworkInterfaces": [{"DeviceIndex": 0, "SubnetId": subnet}]}
    tour.ec2("RunInstances", DryRun=True, ClientToken="token-3", **run)
    tour.ec2("RunInstances", ClientToken="token-4", **run)


def instances(fake, tour):
    fake.control.clock(advance=5)
    reply = tour.ec2("DescribeInstances", MaxResults=5)
    tour.ec2("DescribeInstances", MaxResults=5, NextToken=reply["NextToken"])
    first, second, third, *_ = sorted(one["id"] for one in fake.control.instances())
    fake.control.impair(first)
    fake.control.schedule(second)
    tour.ec2("DescribeInstanceStatus", Filters=[{"Name": "instance-status.status", "Values": ["impaired"]}])
    tour.ec2("DescribeInstanceStatus", Filters=[{"Name": "event.code", "Values": ["instance-retirement"]}])
    tour.ec2("CreateTags", Resources=[first], Tags=key_values({"Name": "node", "karpenter.sh/nodeclaim": "claim"}))
    tour.ec2("RebootInstances", InstanceIds=[first])
    tour.ec2("TerminateInstances", InstanceIds=[first, second])
    tour.ec2("TerminateInstances", InstanceIds=["i-0123"])
    fake.control.end(third, "Client.InternalError", "Client.InternalError: Client error on launch")
    tour.ec2("DescribeInstances", InstanceIds=[first, third])
    tour.ec2("DeleteLaunchTemplate", LaunchTemplateName="karpenter.k8s.aws/1")
    tour.ec2("DeleteLaunchTemplate", LaunchTemplateId="lt-0123456789abcdef0")


def others(fake, tour):
    tour.call("ssm", "GetParameter", Name=STANDARD)
    tour.call("iam", "CreateInstanceProfile", InstanceProfileName="one", Path="/karpenter/", Tags=key_values({"a": "b"}))
    tour.call("iam", "TagInstanceProfile", InstanceProfileName="one", Tags=key_values({"c": "d e"}))
    tour.call("iam", "AddRoleToInstanceProfile", InstanceProfileName="one", RoleName="KarpenterNodeRole-tenon")
    tour.call("iam", "GetInstanceProfile", InstanceProfileName="one")
    tour.call("iam", "ListInstanceProfiles", PathPrefix="/karpenter/")
    tour.call("iam", "RemoveRoleFromInstanceProfile", InstanceProfileName="one", RoleName="KarpenterNodeRole-tenon")
    tour.call("iam", "DeleteInstanceProfile", InstanceProfileName="one")
    tour.call("iam", "AttachRolePolicy", RoleName="KarpenterControllerRole-tenon", PolicyArn=POLICY)
    tour.call("iam", "ListAttachedRolePolicies", RoleName="KarpenterNodeRole-tenon")
    tour.call("sts", "AssumeRole", RoleArn=ROLE, RoleSessionName="test")
    fake.control.web_token("web-token")
    tour.call("sts", "AssumeRoleWithWebIdentity", RoleArn=ROLE, RoleSessionName="test", WebIdentityToken="web-token")
    tour.call("sts", "GetCallerIdentity")
    queue = tour.call("sqs", "GetQueueUrl", QueueName="tenon")["QueueUrl"]
    tour.call("sqs", "SetQueueAttributes", QueueUrl=queue, Attributes={"Policy": '{"Statement": []}'})
    tour.call("sqs", "GetQueueAttributes", QueueUrl=queue, AttributeNames=["Policy", "QueueArn"])
    tour.call("sqs", "SendMessage", QueueUrl=queue, MessageBody='{"a": "ü <b>"}')
    reply = tour.call("sqs", "ReceiveMessage", QueueUrl=queue, MessageSystemAttributeNames=["All"])
    tour.call("sqs", "DeleteMessage", QueueUrl=queue, ReceiptHandle=reply["Messages"][0]["ReceiptHandle"])
    tour.call("events", "PutRule", Name="one", EventPattern='{"source": ["aws.ec2"]}', Description="ü <b>")
    tour.call("events", "PutTargets", Rule="one", Targets=[{"Id": "one", "Arn": QUEUE}])
    tour.call("events", "ListRuleNamesByTarget", TargetArn=QUEUE)
    tour.call("events", "ListRules", Limit=3)
    arn = tour.call("eks", "DescribeCluster", name="tenon")["cluster"]["arn"]
    fake.control.shift("use1-az2")
    tour.call("arc-zonal-shift", "GetManagedResource", resourceIdentifier=arn)
    tour.call("pricing", "GetProducts", ServiceCode="AmazonEC2", MaxResults=5, Filters=[
        {"Type": "TERM_MATCH", "Field": "regionCode", "Value": "us-east-1"},
        {"Type": "TERM_MATCH", "Field": "instanceType", "Value": "m5.large"}])


def plain(value):
    """A reply without what depends on the client or the moment: empty lists and texts, times."""
    if isinstance(value, dict):
        found = {key: plain(part) for key, part in value.items()}
        return {key: part for key, part in found.items() if part not in ([], "", None, {})}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, datetime) or isinstance(value, str) and value.startswith("User initiated ("):
        return "a time"
    return value
