"""Rows of what is refused, and how: configurations of launches, tags, requests that no SDK sends."""

import base64
import http.client
import json

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.aws.fake.support import errors, ec2_form, ids, key_values, refused, send

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
DESCRIBE = "Action=DescribeSubnets&Version=2016-11-15"


def volume(**ebs):
    return {"BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 20, **ebs}}]}


@pytest.mark.parametrize("data, code, words", [
    (volume(VolumeType="gp2", Iops=3000), "InvalidParameterCombination", "iops is not supported for gp2"),
    (volume(VolumeType="io1", Iops=3000, Throughput=1), "InvalidParameterCombination", "throughput is not supported for io1"),
    (volume(VolumeType="io2"), "MissingParameter", "iops must be specified for io2"),
    ({"EnclaveOptions": {"Enabled": True}}, "Unsupported", "Nitro Enclaves"),
    ({"CpuOptions": {"NestedVirtualization": "enabled"}}, "Unsupported", "nested virtualization"),
    ({"InstanceMarketOptions": {"MarketType": "capacity-block"}}, "Unsupported", "Availability Zone"),
    ({"InstanceMarketOptions": {"MarketType": "interruptible-capacity-reservation"}}, "InvalidParameterCombination",
     "interruptible-capacity-reservation"),
    ({"Placement": {"GroupName": "nobody"}}, "InvalidPlacementGroup.Unknown", "'nobody' is unknown"),
    ({"Placement": {"GroupName": "parts", "PartitionNumber": 4}}, "InvalidParameterValue", "partitionNumber"),
    ({"ImageId": "x"}, "InvalidAMIID.Malformed", "ami-"),
    ({"NetworkInterfaces": [{"DeviceIndex": 0, "Groups": ["sg-0123"]}]}, "InvalidGroup.NotFound", "sg-0123"),
    ({"CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": "cr-0123"}}},
     "InvalidCapacityReservationId.NotFound", "cr-0123"),
])
def test_a_dry_run_says_what_is_wrong_with_a_template(fake, aws, world, data, code, words):
    fake.control.add_placement_group("parts", strategy="partition", partitions=3)
    world.template(**data)
    interfaces = data.get("NetworkInterfaces", [{"DeviceIndex": 0, "Groups": [world.group]}])
    with refused(code, words):
        aws.ec2.run_instances(
            MinCount=1, MaxCount=1, DryRun=True, InstanceType="m5.large",
            LaunchTemplate={"LaunchTemplateName": "karpenter.k8s.aws/1"},
            NetworkInterfaces=[{**one, "SubnetId": world.subnets["us-east-1a"]} for one in interfaces])


@pytest.mark.parametrize("name, strategy, works", [("t3.micro", "cluster", False), ("c5.large", "cluster", True)])
def test_not_all_types_go_into_cluster_groups(fake, world, name, strategy, works):
    group = fake.control.add_placement_group("own", strategy=strategy)
    world.template(Placement={"GroupId": group})
    assert bool(ids(world.fleet(world.override(name)))) == works


def test_enclaves_and_nested_virtualization_work_where_they_can(fake, world):
    types = fake.world.catalogue.types
    offered = fake.world.region("us-east-1").offerings
    for data, has in (({"EnclaveOptions": {"Enabled": True}}, lambda row: row["NitroEnclavesSupport"] == "supported"),
                      ({"CpuOptions": {"NestedVirtualization": "enabled"}},
                       lambda row: "nested-virtualization" in row["ProcessorInfo"].get("SupportedFeatures", ()))):
        name = next(name for name in sorted(offered) if has(types[name]) and "us-east-1a" in offered[name]
                    and "x86_64" in types[name]["ProcessorInfo"]["SupportedArchitectures"])
        world.template(f"with-{name}", **data)
        assert not world.fleet(world.override(name), template=f"with-{name}")["Errors"]


def test_a_place_in_a_spread_group_comes_back(fake, aws, world):
    group = fake.control.add_placement_group("spread", strategy="spread")
    world.template(Placement={"GroupId": group})
    made = ids(world.fleet(world.override("m5.large"), count=7))
    assert errors(world.fleet(world.override("m5.large"))) == [("UnfulfillableCapacity", "m5.large")]
    aws.ec2.terminate_instances(InstanceIds=made[:1])
    fake.control.clock(advance=10)
    assert len(world.launch()) == 1


def test_a_partition_comes_back(fake, aws, world):
    group = fake.control.add_placement_group("parts", strategy="partition", partitions=2)
    world.template(Placement={"GroupId": group})
    first, second = world.describe(*ids(world.fleet(world.override("m5.large"), count=2)))
    aws.ec2.terminate_instances(InstanceIds=[second["InstanceId"]])
    fake.control.clock(advance=10)
    (third,) = world.describe(*world.launch())
    assert third["Placement"]["PartitionNumber"] == second["Placement"]["PartitionNumber"] != \
        first["Placement"]["PartitionNumber"]


@pytest.mark.parametrize("more, code", [
    ({"MinCount": 2, "MaxCount": 1}, "InvalidParameterValue"), ({"SubnetId": "subnet-0123"}, "InvalidParameterCombination"),
    ({"UserData": "x" * 16385}, "InvalidUserData.Malformed"), ({"InstanceType": None}, "MissingParameter"),
    ({"UserData": "x"}, "DryRunOperation")])
def test_what_runinstances_refuses(aws, world, more, code):
    world.template()
    asked = {"MinCount": 1, "MaxCount": 1, "InstanceType": "m5.large", "DryRun": True,
             "LaunchTemplate": {"LaunchTemplateName": "karpenter.k8s.aws/1"},
             "NetworkInterfaces": [{"DeviceIndex": 0, "SubnetId": world.subnets["us-east-1a"]}], **more}
    with refused(code):
        aws.ec2.run_instances(**{name: value for name, value in asked.items() if value is not None})


@pytest.mark.parametrize("asked, code", [
    ({}, "MissingParameter"), ({"LaunchTemplateName": "one", "LaunchTemplateId": "lt-0123"}, "InvalidParameterCombination"),
    ({"LaunchTemplateName": "karpenter.k8s.aws/1", "Version": "7"}, "InvalidLaunchTemplateId.VersionNotFound")])
def test_a_fleet_names_each_template_in_one_way(aws, world, asked, code):
    world.template()
    with refused(code):
        aws.ec2.create_fleet(Type="instant", TargetCapacitySpecification={"TotalTargetCapacity": 1}, LaunchTemplateConfigs=[
            {"LaunchTemplateSpecification": asked, "Overrides": [world.override("m5.large")]}])


@pytest.mark.parametrize("more, code", [
    ({"count": 0}, "InvalidParameterValue"), ({"ClientToken": "x" * 129}, "InvalidParameterValue"),
    ({"TagSpecifications": [{"ResourceType": "image", "Tags": key_values({"a": "b"})}]}, "InvalidParameterValue"),
    ({"TagSpecifications": [{"ResourceType": "instance", "Tags": key_values({"a": "b"})}] * 2}, "InvalidParameterValue"),
    ({"TagSpecifications": [{"ResourceType": "instance", "Tags": [{"Value": "b"}]}]}, "InvalidParameterValue"),
    ({"kind": "spot", "strategy": "diversified"}, "NotPlayedByFake")])
def test_what_a_fleet_refuses(world, more, code):
    with refused(code):
        world.fleet(world.override("m5.large"), **more)


@pytest.mark.parametrize("filters, code", [
    ([{"Values": ["x"]}], "InvalidParameterValue"),
    ([{"Name": "subnet-id", "Values": [str(number) for number in range(201)]}], "FilterLimitExceeded"),
    ([{"Name": "tag:a"}], "ok"), ([{"Name": "map-public-ip-on-launch", "Values": ["false"]}], "ok")])
def test_filters_are_checked(aws, filters, code):
    if code == "ok":
        aws.ec2.describe_subnets(Filters=filters)
        return
    with refused(code):
        aws.ec2.describe_subnets(Filters=filters)


def signed(fake, body=DESCRIBE, change=None, **headers):
    """A signed request's headers, changed after signing."""
    request = AWSRequest(method="POST", url=fake.url + "/", data=body, headers={**FORM, **headers})
    SigV4Auth(Credentials(fake.settings.access_key, fake.settings.secret), "ec2", "us-east-1").add_auth(request)
    found = dict(request.headers)
    if change:
        change(found)
    return found


def post(fake, headers, body=DESCRIBE, path="/"):
    connection = http.client.HTTPConnection(*fake.listener.server_address[:2], timeout=10)
    connection.request("POST", path, body, headers)
    return connection.getresponse().status


def add(name, value):
    return lambda headers: headers.__setitem__(name, value)


def replace(old, new):
    return lambda headers: headers.__setitem__("Authorization", headers["Authorization"].replace(old, new))


@pytest.mark.parametrize("change, status", [
    (None, 200), (add("X-Amz-Other", "unsigned"), 401), (add("X-Amz-Date", "20200101T000000Z"), 400),
    (add("X-Amz-Date", "yesterday"), 400), (add("Authorization", "Basic x"), 400), (replace("us-east-1", "us-east-2"), 401),
    (replace("SignedHeaders=content-type;host", "SignedHeaders=host"), 401), (add("Content-Type", "text/plain"), 404)])
def test_headers_changed_after_signing(fake, change, status):
    assert post(fake, signed(fake, change=change)) == status


def test_a_query_is_part_of_what_is_signed(fake):
    assert send(fake, "ec2", DESCRIBE, dict(FORM), path="/?b=2&a=1")[0] == 200
    assert post(fake, signed(fake), path="/?a=1") == 401


def test_what_is_no_whole_request_is_refused(fake):
    connection = http.client.HTTPConnection(*fake.listener.server_address[:2], timeout=10)
    connection.putrequest("POST", "/")
    connection.putheader("Content-Length", "much")
    connection.endheaders()
    assert connection.getresponse().status == 411
    connection = http.client.HTTPConnection(*fake.listener.server_address[:2], timeout=10)
    connection.putrequest("POST", "/")
    connection.putheader("Content-Length", str(1 << 40))
    connection.endheaders()
    assert connection.getresponse().status == 413


@pytest.mark.parametrize("parameters", [{"Filter__1": "x"}, {"Filter__1__Name": "a", "Filter__1__Name__1": "b"},
                                        {"Filter__1__Name__1": "b", "Filter__1__Name": "a"}, {"DryRun__1": "true"}])
def test_keys_that_are_both_value_and_list(fake, parameters):
    assert ec2_form(fake, "DescribeSubnets", **parameters)[0] == 400


def test_actions_without_parameters_take_none(fake):
    assert "UnknownParameter" in send(fake, "sts", "Action=GetCallerIdentity&Version=2011-06-15&A=b", dict(FORM))[1]
    assert send(fake, "sts", "Action=GetCallerIdentity&Version=2011-06-15", dict(FORM))[0] == 200


def test_rest_takes_only_what_its_model_has(fake):
    assert send(fake, "eks", None, {}, "GET", "/clusters/tenon")[0] == 200
    status, body = send(fake, "eks", None, {}, "GET", "/clusters/tenon?nonsense=1")
    assert status == 400 and "nonsense" in body
    assert "Unknown member" in send(fake, "eks", '{"nonsense": 1}', {}, "GET", "/clusters/tenon")[1]


def test_a_jwt_is_read_but_not_verified(fake, aws):
    def token(**claims):
        parts = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({}, claims))
        return ".".join((*parts, "signature"))

    asked = {"RoleArn": "arn:aws:iam::111122223333:role/KarpenterControllerRole-tenon", "RoleSessionName": "pod"}
    subject = "system:serviceaccount:karpenter:karpenter"
    reply = aws.sts.assume_role_with_web_identity(**asked, WebIdentityToken=token(exp=fake.clock.now() + 60, sub=subject))
    assert reply["SubjectFromWebIdentityToken"] == subject
    with refused("ExpiredTokenException"):
        aws.sts.assume_role_with_web_identity(**asked, WebIdentityToken=token(exp=fake.clock.now() - 60, sub=subject))
    with refused("InvalidIdentityToken"):
        aws.sts.assume_role_with_web_identity(**asked, WebIdentityToken=token(sub=subject))
    with refused("ValidationError"):
        aws.sts.assume_role(RoleArn="arn:aws:iam::111122223333:user/somebody", RoleSessionName="pod")


def test_a_users_rights_are_its_own(fake, aws):
    from tests.aws.fake.support import Clients
    fake.control.user("AKIAOTHER", "other", "other", ["ec2:CreateFleet"])
    other = Clients(fake, key="AKIAOTHER", secret="other")
    other.ec2.describe_subnets()
    with refused("UnauthorizedOperation", "user/other is not authorized"):
        other.ec2.create_fleet(TargetCapacitySpecification={"TotalTargetCapacity": 1}, LaunchTemplateConfigs=[
            {"LaunchTemplateSpecification": {"LaunchTemplateName": "x-1"}}])


def test_prices_that_are_not_played(aws):
    with refused("NotPlayedByFake"):
        aws.pricing.get_products(ServiceCode="AmazonS3")
    with refused("NotPlayedByFake"):
        aws.pricing.get_products(ServiceCode="AmazonEC2", Filters=[{"Type": "CONTAINS", "Field": "a", "Value": "b"}])
    with refused("InvalidNextTokenException"):
        aws.pricing.get_products(ServiceCode="AmazonEC2", NextToken="x")


def test_profiles_that_are_refused(aws):
    with refused("ValidationError", "path"):
        aws.iam.create_instance_profile(InstanceProfileName="one", Path="x")
    with refused("InvalidInput"):
        aws.iam.create_instance_profile(InstanceProfileName="one", Tags=[{"Key": "a", "Value": value} for value in "bc"])
    aws.iam.create_instance_profile(InstanceProfileName="one")
    with refused("NoSuchEntity"):
        aws.iam.remove_role_from_instance_profile(InstanceProfileName="one", RoleName="KarpenterNodeRole-tenon")
    with refused("ValidationError", "Marker"):
        aws.iam.list_instance_profiles(Marker="x")


def test_a_bug_of_the_fake_is_loud(fake, aws, caplog):
    fake.world.region("us-east-1").subnets["broken"] = None
    with refused("InternalFailure", "the fake failed", 500):
        aws.ec2.describe_subnets()
    assert "DescribeSubnets" in caplog.text
