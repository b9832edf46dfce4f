"""CreateFleet: pools by strategy, what is left out and why, client tokens, reservations, placement groups."""

import pytest

from tests.aws.fake.support import errors, ids, key_values, pools, refused

ICE = "InsufficientInstanceCapacity"


def test_the_cheapest_on_demand_pool_gives_all(world):
    found = world.fleet(world.override("m5.xlarge"), world.override("m5.large"), count=20, strategy="lowest-price")
    assert pools(found) == {("m5.large", "us-east-1a"): 20} and not found["Errors"]
    (part,) = found["Instances"]
    assert part["Lifecycle"] == "on-demand" and len(set(part["InstanceIds"])) == 20
    assert part["LaunchTemplateAndOverrides"]["LaunchTemplateSpecification"]["Version"] == "1"
    assert part["LaunchTemplateAndOverrides"]["Overrides"]["SubnetId"] == world.subnets["us-east-1a"]


def test_priorities_count_when_they_shall(world):
    overrides = world.override("m5.xlarge", Priority=1.0), world.override("m5.large", Priority=2.0)
    assert pools(world.fleet(*overrides, strategy="prioritized")) == {("m5.xlarge", "us-east-1a"): 1}
    assert pools(world.fleet(*overrides, strategy="lowest-price")) == {("m5.large", "us-east-1a"): 1}


def test_spot_goes_where_there_is_depth_and_then_by_price(fake, world):
    overrides = world.override("m5.large"), world.override("m5.xlarge", Priority=1.0), world.override("c5.large")
    cheapest = min(("m5.large", "c5.large"), key=lambda name: fake.world.catalogue.spot("us-east-1", name, "us-east-1a"))
    spot = {"kind": "spot", "strategy": "price-capacity-optimized"}
    assert pools(world.fleet(*overrides, count=5, **spot)) == {(cheapest, "us-east-1a"): 5}
    fake.control.capacity(f"spot:{cheapest}:*", 3)
    assert (cheapest, "us-east-1a") not in pools(world.fleet(*overrides, count=5, **spot))
    spot["strategy"] = "capacity-optimized-prioritized"
    assert pools(world.fleet(*overrides, count=5, **spot)) == {("m5.xlarge", "us-east-1a"): 5}


def test_what_a_pool_lacks_others_give_and_the_error_stays(fake, world):
    fake.control.capacity("on-demand:m5.large:us-east-1a", 2)
    found = world.fleet(world.override("m5.large"), world.override("m5.xlarge"), count=5, strategy="lowest-price")
    assert pools(found) == {("m5.large", "us-east-1a"): 2, ("m5.xlarge", "us-east-1a"): 3}
    (error,) = found["Errors"]
    assert error["ErrorCode"] == ICE and "sufficient m5.large capacity" in error["ErrorMessage"]
    assert error["Lifecycle"] == "on-demand"
    assert error["LaunchTemplateAndOverrides"]["Overrides"]["AvailabilityZone"] == "us-east-1a"


def test_partial_fulfilment(fake, world):
    fake.control.capacity("spot:*", 3)
    found = world.fleet(world.override("m5.large"), world.override("m5.xlarge"), count=5, kind="spot")
    assert len(ids(found)) == 3 and {code for code, _ in errors(found)} == {ICE}
    found = world.fleet(world.override("m5.large"), kind="spot")
    assert not found["Instances"] and errors(found) == [(ICE, "m5.large")]
    assert len(world.launch()) == 1, "on-demand capacity is another"


def test_capacity_comes_back_with_instances_that_ended(fake, aws, world):
    fake.control.capacity("on-demand:m5.large:*", 1)
    (one,) = world.launch()
    assert not world.launch()
    aws.ec2.terminate_instances(InstanceIds=[one])
    fake.control.clock(advance=10)
    assert len(world.launch()) == 1


@pytest.mark.parametrize("code", ["UnfulfillableCapacity", "Unsupported", "MaxFleetCountExceeded", "SpotMaxPriceTooLow",
                                  "RequestLimitExceeded", "InternalError"])
def test_any_code_can_be_played_for_an_offering(fake, world, code):
    fake.control.capacity("*:m5.large:us-east-1?", 0, code=code, message="as a test wants it")
    found = world.fleet(world.override("m5.large"), world.override("m5.xlarge"), strategy="lowest-price")
    assert errors(found) == [(code, "m5.large")] and found["Errors"][0]["ErrorMessage"] == "as a test wants it"
    assert pools(found) == {("m5.xlarge", "us-east-1a"): 1}


def test_addresses_run_out_and_come_back(fake, aws, world):
    zone = "us-east-1b"
    small = world.subnets[zone] = fake.control.add_subnet(zone, "10.200.0.0/28")
    found = world.fleet(world.override("m5.large", zone), world.override("m5.large"), count=15, strategy="prioritized")
    assert pools(found) == {("m5.large", zone): 11, ("m5.large", "us-east-1a"): 4}
    assert errors(found) == [("InsufficientFreeAddressesInSubnet", "m5.large")]
    assert small in found["Errors"][0]["ErrorMessage"]
    aws.ec2.terminate_instances(InstanceIds=found["Instances"][0]["InstanceIds"][:4])

    def free():
        return aws.ec2.describe_subnets(SubnetIds=[small])["Subnets"][0]["AvailableIpAddressCount"]

    assert free() == 0
    fake.control.clock(advance=10)
    aws.ec2.describe_instances()
    assert free() == 4
    fake.control.take_addresses(small, 3)
    assert free() == 1


def test_prefixes_and_secondary_addresses_take_more(aws, world):
    before = world.subnets["us-east-1a"]
    world.template("prefixes", NetworkInterfaces=[
        {"DeviceIndex": 0, "Groups": [world.group], "Ipv4PrefixCount": 2},
        {"DeviceIndex": 1, "NetworkCardIndex": 0, "Groups": [world.group], "SecondaryPrivateIpAddressCount": 3}])
    free = aws.ec2.describe_subnets(SubnetIds=[before])["Subnets"][0]["AvailableIpAddressCount"]
    world.fleet(world.override("m5.large"), template="prefixes")
    (now,) = aws.ec2.describe_subnets(SubnetIds=[before])["Subnets"]
    assert free - now["AvailableIpAddressCount"] == 1 + 2 * 16 + 1 + 3


def test_quotas(fake, world):
    fake.control.quota("on-demand", 10)
    found = world.fleet(world.override("m5.large"), count=7)
    assert len(ids(found)) == 5 and errors(found) == [("VcpuLimitExceeded", "m5.large")]
    fake.control.quota("spot", 0)
    assert errors(world.fleet(world.override("m5.large"), kind="spot")) == [("MaxSpotInstanceCountExceeded", "m5.large")]


def test_spot_needs_its_role(fake, world):
    fake.control.spot_role(False)
    found = world.fleet(world.override("m5.large"), kind="spot")
    assert errors(found) == [("AuthFailure.ServiceLinkedRoleCreationNotPermitted", "m5.large")]
    assert len(world.launch()) == 1


@pytest.mark.parametrize("override, code", [
    ({"InstanceType": "m99.large"}, "InvalidParameterValue"), ({"ImageId": "ami-0123"}, "InvalidAMIID.NotFound"),
    ({"SubnetId": "subnet-0123"}, "InvalidSubnetID.NotFound"), ({"InstanceType": "m6g.large"}, "InvalidParameterValue"),
    ({"AvailabilityZone": "us-east-1b"}, "InvalidParameterValue")])
def test_a_wrong_override_leaves_an_error_and_the_next_is_tried(world, override, code):
    wrong = {**world.override("m5.large"), **override}
    found = world.fleet({**wrong, "Priority": 1.0}, world.override("m5.xlarge", Priority=2.0), strategy="prioritized")
    assert [one["ErrorCode"] for one in found["Errors"]] == [code]
    assert pools(found) == {("m5.xlarge", "us-east-1a"): 1}


def test_a_type_that_the_zone_has_not(world):
    found = world.fleet(world.override("m5.large", "us-east-1e"))
    assert errors(found) == [("InvalidFleetConfiguration", "m5.large")]
    assert "is not supported in your requested Availability Zone (us-east-1e)" in found["Errors"][0]["ErrorMessage"]


def test_several_templates_each_with_its_image(world):
    arm = world.parameter("/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/arm64/standard/recommended/image_id")
    world.template("amd"), world.template("arm", ImageId=arm)
    found = world.fleet(count=1, strategy="lowest-price", configs=[
        ("amd", [world.override("m6i.large")]), ("arm", [world.override("m6g.large")])])
    assert pools(found) == {("m6g.large", "us-east-1a"): 1}
    assert world.describe(*ids(found))[0]["ImageId"] == arm


def test_a_missing_template_refuses_the_call(world):
    with refused("InvalidLaunchTemplateName.NotFoundException"):
        world.fleet(world.override("m5.large"), template="nobody")


def test_a_client_token_launches_once(fake, world):
    first = world.fleet(world.override("m5.large"), count=3, ClientToken="token-1")
    again = world.fleet(world.override("m5.large"), count=3, ClientToken="token-1")
    assert ids(first) == ids(again) and first["FleetId"] == again["FleetId"]
    assert len(fake.control.instances()) == 3
    with refused("IdempotentParameterMismatch", "inconsistent", 400):
        world.fleet(world.override("m5.large"), count=4, ClientToken="token-1")
    assert len(world.launch(ClientToken="token-2")) == 1


def test_a_dry_run_starts_nothing(fake, world):
    with refused("DryRunOperation", status=412):
        world.fleet(world.override("m5.large"), DryRun=True)
    assert not fake.control.instances()
    fake.control.deny(["ec2:CreateFleet"])
    with refused("UnauthorizedOperation"):
        world.fleet(world.override("m5.large"), DryRun=True)


def test_a_body_can_be_too_large(fake, world):
    fake.control.settings(fleet_body_max=5000)
    with refused("InvalidInput", "the payload for the body of the request is too large", 400):
        world.fleet(*[world.override("m5.large", zone) for zone in world.subnets] * 5)
    assert len(world.launch()) == 1


def test_what_is_not_played_is_refused_loudly(aws, world):
    world.template()
    with refused("NotPlayedByFake", "maintain", 501):
        aws.ec2.create_fleet(Type="maintain", TargetCapacitySpecification={"TotalTargetCapacity": 1}, LaunchTemplateConfigs=[
            {"LaunchTemplateSpecification": {"LaunchTemplateName": "karpenter.k8s.aws/1", "Version": "1"}}])
    with refused("NotPlayedByFake", "WeightedCapacity"):
        world.fleet(world.override("m5.large", WeightedCapacity=1))


def test_tags_of_request_and_template_are_joined(world):
    world.template(TagSpecifications=[{"ResourceType": "instance", "Tags": key_values({"a": "template", "b": "template"})}])
    tags = [{"ResourceType": kind, "Tags": key_values({"a": "request"})} for kind in ("instance", "volume", "fleet")]
    (one,) = world.describe(*world.launch(TagSpecifications=tags))
    assert one["Tags"] == key_values({"a": "request", "b": "template"})


def test_spot_tags_without_spot_requests_are_refused(world):
    world.template(TagSpecifications=[{"ResourceType": "spot-instances-request", "Tags": key_values({"a": "b"})}])
    found = world.fleet(world.override("m5.large"))
    assert "You cannot specify tags for Spot instances requests" in found["Errors"][0]["ErrorMessage"]
    assert len(world.launch(kind="spot")) == 1


def test_profiles_and_groups_must_be_there(fake, aws, world):
    world.template(IamInstanceProfile={"Name": "nobody"})
    found = world.fleet(world.override("m5.large"))
    assert "Invalid IAM Instance Profile name" in found["Errors"][0]["ErrorMessage"]
    fake.control.timing(profile_visible=30)
    fake.control.add_profile("nobody")
    assert not world.launch()
    fake.control.clock(advance=31)
    (one,) = world.describe(*world.launch())
    assert one["IamInstanceProfile"]["Arn"].endswith("instance-profile/nobody")
    other = fake.control.add_group("elsewhere", vpc="vpc-0123")
    world.template("networks", NetworkInterfaces=[{"DeviceIndex": 0, "Groups": [other]}])
    found = world.fleet(world.override("m5.large"), template="networks")
    assert "belong to different networks" in found["Errors"][0]["ErrorMessage"]


def test_interfaces_must_fit_the_type(world):
    nic = {"DeviceIndex": 1, "Groups": [world.group]}
    world.template("cards", NetworkInterfaces=[{**nic, "NetworkCardIndex": 1}])
    world.template("many", NetworkInterfaces=[nic] * 4)
    world.template("efa", NetworkInterfaces=[{**nic, "InterfaceType": "efa"}])
    for name, code in (("cards", "InvalidParameterValue"), ("many", "AttachmentLimitExceeded"), ("efa", "Unsupported")):
        assert errors(world.fleet(world.override("m5.large"), template=name)) == [(code, "m5.large")]
    world.template("both", NetworkInterfaces=[
        {"DeviceIndex": 0, "NetworkCardIndex": 0, "InterfaceType": "efa", "Groups": [world.group]},
        {"DeviceIndex": 1, "NetworkCardIndex": 1, "InterfaceType": "efa-only", "Groups": [world.group]}])
    zone = world.fake.world.region("us-east-1").offerings["p5.48xlarge"][0]
    (one,) = world.describe(*ids(world.fleet(world.override("p5.48xlarge", zone), template="both")))
    assert [nic["InterfaceType"] for nic in one["NetworkInterfaces"]] == ["efa", "efa-only"]


def reserved(world, reservation, name="reserved", **more):
    return world.template(name, CapacityReservationSpecification={
        "CapacityReservationPreference": "capacity-reservations-only",
        "CapacityReservationTarget": {"CapacityReservationId": reservation}}, **more)


def test_a_reservation_is_used_up_and_given_back(fake, aws, world):
    reservation = fake.control.add_reservation("m5.large", "us-east-1a", 2)
    reserved(world, reservation)
    found = world.fleet(world.override("m5.large"), template="reserved", count=3)
    assert len(ids(found)) == 2 and errors(found) == [("ReservationCapacityExceeded", "m5.large")]
    (first, _) = world.describe(*ids(found))
    assert first["CapacityReservationId"] == reservation
    assert first["CapacityReservationSpecification"]["CapacityReservationPreference"] == "capacity-reservations-only"

    def free():
        (one,) = aws.ec2.describe_capacity_reservations(CapacityReservationIds=[reservation])["CapacityReservations"]
        return one["AvailableInstanceCount"], one["TotalInstanceCount"]

    assert free() == (0, 2)
    aws.ec2.terminate_instances(InstanceIds=ids(found)[:1])
    fake.control.clock(advance=10)
    aws.ec2.describe_instances()
    assert free() == (1, 2)
    assert errors(world.fleet(world.override("m5.xlarge"), template="reserved")) == [
        ("ReservationCapacityExceeded", "m5.xlarge")]


def test_instances_outlive_their_reservation_as_ordinary_ones(fake, world):
    reservation = fake.control.add_reservation("m5.large", "us-east-1a", 1, ends_in=600)
    reserved(world, reservation)
    (one,) = ids(world.fleet(world.override("m5.large"), template="reserved"))
    assert world.describe(one)[0]["CapacityReservationId"] == reservation
    fake.control.clock(advance=601)
    assert "CapacityReservationId" not in world.describe(one)[0]
    assert errors(world.fleet(world.override("m5.large"), template="reserved")) == [
        ("InvalidCapacityReservationState.Unavailable", "m5.large")]


def test_open_reservations_take_who_does_not_prefer_none(fake, world):
    reservation = fake.control.add_reservation("m5.large", "us-east-1a", 1, match="open")
    world.template("none", CapacityReservationSpecification={"CapacityReservationPreference": "none"})
    world.template("open")
    first, second, third = (world.describe(*ids(world.fleet(world.override("m5.large"), template=name)))[0]
                            for name in ("none", "open", "open"))
    assert second["CapacityReservationId"] == reservation
    assert "CapacityReservationId" not in first and "CapacityReservationId" not in third


def test_reservations_are_found_by_filters(fake, aws):
    mine = fake.control.add_reservation("m5.large", "us-east-1a", 1, tags={"team": "a"}, match="open")
    theirs = fake.control.add_reservation("p5.48xlarge", "us-east-1b", 1, kind="capacity-block", ends_in=3600,
                                          owner="999988887777")

    def find(**filters):
        wanted = [{"Name": name.replace("_", "-"), "Values": [value]} for name, value in filters.items()]
        found = aws.ec2.describe_capacity_reservations(Filters=wanted, MaxResults=1000)["CapacityReservations"]
        return {one["CapacityReservationId"] for one in found}

    assert find(state="active") == {mine, theirs} and find(owner_id="999988887777") == {theirs}
    assert find(instance_match_criteria="open") == {mine} and find(**{"tag:team": "a"}) == {mine}
    fake.control.clock(advance=3601)
    assert find(state="active") == {mine} and find(state="expired") == {theirs}
    with refused("InvalidCapacityReservationId.NotFound"):
        aws.ec2.describe_capacity_reservations(CapacityReservationIds=["cr-0123"])
    with refused("InvalidParameterCombination"):
        aws.ec2.describe_capacity_reservations(CapacityReservationIds=[mine], MaxResults=5)
    fake.control.change_reservation(mine, state="cancelled")
    assert find(state="active") == set()


def test_a_capacity_block(fake, world):
    zone = fake.world.region("us-east-1").offerings["p5.48xlarge"][0]
    block = fake.control.add_reservation("p5.48xlarge", zone, 1, kind="capacity-block", ends_in=7200)
    reserved(world, block, InstanceMarketOptions={"MarketType": "capacity-block"})
    with refused("InvalidParameterCombination"):
        world.fleet(world.override("p5.48xlarge", zone), template="reserved")
    (one,) = world.describe(*ids(world.fleet(world.override("p5.48xlarge", zone), template="reserved",
                                             kind="capacity-block")))
    assert one["InstanceLifecycle"] == "capacity-block" and one["CapacityReservationId"] == block
    fake.control.clock(advance=7200 - 1700)
    assert errors(world.fleet(world.override("p5.48xlarge", zone), template="reserved", kind="capacity-block")) == [
        ("InvalidCapacityReservationState.Unavailable", "p5.48xlarge")]


def test_a_block_is_of_types_that_have_blocks(fake, world):
    block = fake.control.add_reservation("m5.large", "us-east-1a", 1, kind="capacity-block", ends_in=7200)
    reserved(world, block, InstanceMarketOptions={"MarketType": "capacity-block"})
    found = world.fleet(world.override("m5.large"), template="reserved", kind="capacity-block")
    assert errors(found) == [("InvalidFleetConfiguration", "m5.large")]


def test_an_interruptible_reservation(fake, world):
    reservation = fake.control.add_reservation("m5.large", "us-east-1a", 1, interruptible=True)
    market = "interruptible-capacity-reservation"
    reserved(world, reservation, InstanceMarketOptions={"MarketType": market})
    options = {"ReservedCapacityOptions": {"ReservationTypes": [market]}}
    (one,) = world.describe(*ids(world.fleet(world.override("m5.large"), template="reserved", kind="reserved-capacity",
                                             **options)))
    assert one["InstanceLifecycle"] == market
    with refused("InvalidParameterCombination"):
        world.fleet(world.override("m5.large"), template="reserved", kind="reserved-capacity")


def test_a_spread_group_takes_seven_in_a_zone(fake, world):
    group = fake.control.add_placement_group("spread", strategy="spread", spread_level="rack")
    world.template(Placement={"GroupId": group})
    found = world.fleet(world.override("m5.large"), world.override("m5.large", "us-east-1b"), count=9,
                        strategy="prioritized")
    assert pools(found) == {("m5.large", "us-east-1a"): 7, ("m5.large", "us-east-1b"): 2}
    assert "limit of instances in this spread placement group" in found["Errors"][0]["ErrorMessage"]


def test_partitions_are_given_or_chosen(fake, aws, world):
    group = fake.control.add_placement_group("parts", strategy="partition", partitions=3)
    world.template("any", Placement={"GroupId": group})
    world.template("second", Placement={"GroupName": "parts", "PartitionNumber": 2})
    found = world.describe(*ids(world.fleet(world.override("m5.large"), template="any", count=3)))
    assert {one["Placement"]["PartitionNumber"] for one in found} == {1, 2, 3}
    (one,) = world.describe(*ids(world.fleet(world.override("m5.large"), template="second")))
    assert one["Placement"]["PartitionNumber"] == 2 and one["Placement"]["GroupId"] == group
    assert aws.ec2.describe_placement_groups(GroupNames=["parts"], Filters=[{"Name": "state", "Values": ["available"]}])[
        "PlacementGroups"][0]["PartitionCount"] == 3
    with refused("InvalidPlacementGroup.Unknown"):
        aws.ec2.describe_placement_groups(GroupNames=["nobody"])
    with refused("InvalidPlacementGroupId.Unknown"):
        aws.ec2.describe_placement_groups(GroupIds=["pg-0123"])
