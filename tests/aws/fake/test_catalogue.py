"""Types, offerings and prices, against moto's data and tenon's catalogue; images, subnets, groups."""

import json

import pytest

from tests.aws.fake.support import key_values, refused

HVM = [{"Name": "supported-virtualization-type", "Values": ["hvm"]},
       {"Name": "processor-info.supported-architecture", "Values": ["x86_64", "arm64"]}]


def all_pages(client, operation, member, **more):
    return [row for page in client.get_paginator(operation).paginate(**more) for row in page[member]]


def test_types_come_in_pages_as_ec2_describes_them(fake, aws):
    rows = all_pages(aws.ec2, "describe_instance_types", "InstanceTypes", Filters=HVM)
    offered = fake.world.region("us-east-1").offerings
    types = fake.world.catalogue.types
    wanted = {name for name in offered if "hvm" in types[name]["SupportedVirtualizationTypes"]
              and {"x86_64", "arm64"} & set(types[name]["ProcessorInfo"]["SupportedArchitectures"])}
    assert {row["InstanceType"] for row in rows} == wanted and len(wanted) > 1300
    assert all(row == types[row["InstanceType"]] for row in rows)
    calls = fake.control.calls(action="DescribeInstanceTypes")
    assert len(calls) == -(-len(wanted) // 100)


def test_all_types_can_be_had_in_all_zones(fake):
    offered = fake.world.catalogue.offerings("us-east-1", everywhere=True)
    assert len(offered) == 1395 and all(len(zones) == 6 for zones in offered.values())


def test_types_are_found_by_name_and_filters(aws):
    reply = aws.ec2.describe_instance_types(InstanceTypes=["m5.large", "c6g.large"])
    assert [row["InstanceType"] for row in reply["InstanceTypes"]] == ["c6g.large", "m5.large"]
    reply = aws.ec2.describe_instance_types(Filters=[{"Name": "instance-type", "Values": ["m5.*large"]},
                                                     {"Name": "bare-metal", "Values": ["false"]}], MaxResults=100)
    assert {row["InstanceType"] for row in reply["InstanceTypes"]} == {
        f"m5.{size}" for size in ("large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge", "24xlarge")}
    with refused("InvalidInstanceType", "[m99.large]"):
        aws.ec2.describe_instance_types(InstanceTypes=["m99.large"])


@pytest.mark.parametrize("kind, place", [("region", "us-east-1"), ("availability-zone", "us-east-1a"),
                                         ("availability-zone-id", "use1-az2")])
def test_offerings_by_kind_of_place(aws, kind, place):
    rows = all_pages(aws.ec2, "describe_instance_type_offerings", "InstanceTypeOfferings", LocationType=kind,
                     Filters=[{"Name": "instance-type", "Values": ["m5.large"]}])
    assert {"InstanceType": "m5.large", "LocationType": kind, "Location": place} in rows


def test_the_dry_run_that_tenon_starts_with(aws):
    with refused("DryRunOperation", "Request would have succeeded", 412):
        aws.ec2.describe_instance_types(DryRun=True)


def test_spot_prices_hold_and_change(fake, aws):
    def latest(at=None):
        rows = all_pages(aws.ec2, "describe_spot_price_history", "SpotPriceHistory", InstanceTypes=["m5.large"],
                         ProductDescriptions=["Linux/UNIX", "Linux/UNIX (Amazon VPC)"],
                         **({"StartTime": at} if at else {}))
        return {row["AvailabilityZone"]: float(row["SpotPrice"]) for row in rows}

    now = fake.clock.now()
    before = latest(now)
    assert set(before) == {f"us-east-1{letter}" for letter in "abcdf"}
    assert all(0.096 * 0.2 < price < 0.096 * 0.5 for price in before.values())
    fake.control.spot_price("m5.large", "us-east-1a", 0.05)
    assert latest(fake.clock.now() + 1) == {**before, "us-east-1a": 0.05}
    fake.control.clock(advance=60)
    rows = aws.ec2.describe_spot_price_history(InstanceTypes=["m5.large"], AvailabilityZone="us-east-1a")
    assert len(rows["SpotPriceHistory"]) == 2


def products(aws, *more):
    wanted = {"regionCode": "us-east-1", "serviceCode": "AmazonEC2", "preInstalledSw": "NA", "operatingSystem": "Linux",
              "capacitystatus": "Used", "marketoption": "OnDemand", **dict(more)}
    filters = [{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in wanted.items()]
    texts = all_pages(aws.pricing, "get_products", "PriceList", ServiceCode="AmazonEC2", Filters=filters)
    found = {}
    for text in texts:
        assert isinstance(text, str)
        product = json.loads(text)
        (term,) = product["terms"]["OnDemand"].values()
        (dimension,) = term["priceDimensions"].values()
        found[product["product"]["attributes"]["instanceType"]] = float(dimension["pricePerUnit"]["USD"])
    assert len(found) == len(texts)
    return found


def test_prices_are_those_of_tenons_catalogue(fake, aws):
    shared = products(aws, ("tenancy", "Shared"), ("productFamily", "Compute Instance"))
    metal = products(aws, ("tenancy", "Dedicated"), ("productFamily", "Compute Instance (bare metal)"))
    assert shared["m5.large"] == 0.096 and metal["m5.metal"] == 4.608
    assert not shared.keys() & metal.keys()
    offered = fake.world.region("us-east-1").offerings
    known = {name for name in offered if fake.world.catalogue.on_demand("us-east-1", name) is not None}
    assert shared.keys() | metal.keys() == known
    assert fake.world.catalogue.on_demand("eu-west-1", "m5.large") == 0.107


def test_prices_are_asked_for_where_there_is_an_endpoint(fake):
    from tests.aws.fake.support import send
    headers = {"Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": "AWSPriceListService.GetProducts"}
    status, body = send(fake, "pricing", '{"ServiceCode": "AmazonEC2"}', headers, region="us-west-2")
    assert status == 400 and "not 'us-west-2'" in body


def test_images_by_the_paths_of_all_families(aws):
    roots = {"eks/optimized-ami/1.34/amazon-linux-2023/arm64/nvidia/recommended": "amazon-eks-node-al2023-arm64-nvidia-1.34",
             "eks/optimized-ami/1.32/amazon-linux-2-gpu/recommended": "amazon-eks-gpu-node-1.32",
             "bottlerocket/aws-k8s-1.34-nvidia/x86_64/latest": "bottlerocket-aws-k8s-1.34-nvidia-x86_64-v1.50.0",
             "bottlerocket/aws-k8s-1.34/arm64/1.45.0": "bottlerocket-aws-k8s-1.34-arm64-v1.45.0",
             "ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.34": "Windows_Server-2022-English-Core"}
    for path, name in roots.items():
        image = aws.ssm.get_parameter(Name=f"/aws/service/{path}/image_id")["Parameter"]["Value"]
        (found,) = aws.ec2.describe_images(ImageIds=[image])["Images"]
        assert found["Name"].startswith(name) and found["State"] == "available"
    with refused("ParameterNotFound", ""):
        aws.ssm.get_parameter(Name="/aws/service/eks/optimized-ami/1.33/amazon-linux-2/recommended/image_id")


def test_deprecated_images_are_shown_when_asked_for(fake, aws):
    wanted = {"Filters": [{"Name": "name", "Values": ["amazon-eks-node-al2023-x86_64-standard-1.34-*"]}],
              "Owners": ["amazon"]}
    assert len(aws.ec2.describe_images(**wanted)["Images"]) == 2
    found = aws.ec2.describe_images(IncludeDeprecated=True, MaxResults=1000, **wanted)["Images"]
    assert sorted(image["DeprecationTime"][:4] for image in found) == ["2026", "2028", "2028"]
    newest = max(found, key=lambda image: image["CreationDate"])
    fake.control.deprecate(newest["ImageId"])
    assert len(aws.ec2.describe_images(**wanted)["Images"]) == 1


def test_images_by_owner_and_tag(aws):
    own = aws.ec2.describe_images(Owners=["self"], Filters=[{"Name": "tag:team", "Values": ["plat*"]}])["Images"]
    assert {image["Name"] for image in own} == {"own-x86_64", "own-arm64"}
    assert not aws.ec2.describe_images(Owners=["self"], Filters=[{"Name": "name", "Values": ["bottlerocket*"]}])["Images"]
    with refused("InvalidAMIID.NotFound"):
        aws.ec2.describe_images(ImageIds=["ami-0123"])
    with refused("InvalidAMIID.Malformed"):
        aws.ec2.describe_images(ImageIds=["x"])


@pytest.mark.parametrize("name, values, count", [
    ("tag:karpenter.sh/discovery", ["tenon"], 6), ("tag:karpenter.sh/discovery", ["t?non"], 6),
    ("tag-key", ["karpenter.sh/*"], 6), ("tag:Name", ["*-us-east-1a", "*-us-east-1b"], 2),
    ("availability-zone-id", ["use1-az2"], 1), ("tag:Name", ["tenon-private-us-east-1\\*"], 0)])
def test_subnets_by_filters(aws, name, values, count):
    assert len(aws.ec2.describe_subnets(Filters=[{"Name": name, "Values": values}])["Subnets"]) == count


def test_subnets_in_pages(fake, aws):
    for number in range(9):
        fake.control.add_subnet("us-east-1a", f"10.99.{number}.0/24", {"own": "yes"})
    wanted = [{"Name": "tag:own", "Values": ["yes"]}]
    first = aws.ec2.describe_subnets(Filters=wanted, MaxResults=5)
    rest = aws.ec2.describe_subnets(Filters=wanted, MaxResults=5, NextToken=first["NextToken"])
    assert (len(first["Subnets"]), len(rest["Subnets"])) == (5, 4) and "NextToken" not in rest
    assert {one["AvailableIpAddressCount"] for one in first["Subnets"]} == {251}
    with refused("InvalidNextToken"):
        aws.ec2.describe_subnets(MaxResults=5, NextToken=first["NextToken"])


def test_groups_by_name_and_tag(fake, aws):
    group = fake.control.add_group("other", {"a": "b"})
    for wanted in ({"GroupIds": [group]}, {"GroupNames": ["other"]}, {"Filters": [{"Name": "group-name", "Values": ["oth*"]}]},
                   {"Filters": [{"Name": "tag:a", "Values": ["b"]}]}):
        (found,) = aws.ec2.describe_security_groups(**wanted)["SecurityGroups"]
        assert (found["GroupId"], found["Tags"]) == (group, key_values({"a": "b"}))
    with refused("InvalidGroup.NotFound"):
        aws.ec2.describe_security_groups(GroupIds=["sg-0123"])


def test_another_region_is_another_world(fake):
    from tests.aws.fake.support import Clients
    aws = Clients(fake, region="eu-west-1")
    assert {one["AvailabilityZone"] for one in aws.ec2.describe_subnets()["Subnets"]} == {
        "eu-west-1a", "eu-west-1b", "eu-west-1c"}
    assert aws.eks.describe_cluster(name="tenon")["cluster"]["arn"].split(":")[3] == "eu-west-1"
