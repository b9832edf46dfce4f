"""Instances: their states in time, how they end, status, tags, pages, RunInstances."""

import pytest

from tests.aws.fake.support import ids, key_values, refused


def states(world, *wanted):
    return [one["State"]["Name"] for one in world.describe(*wanted)]


def test_states_follow_each_other_in_time(fake, aws, world):
    (one,) = world.launch()
    assert states(world, one) == ["pending"]
    fake.control.clock(advance=3)
    assert states(world, one) == ["running"]
    (change,) = aws.ec2.terminate_instances(InstanceIds=[one])["TerminatingInstances"]
    assert (change["PreviousState"]["Name"], change["CurrentState"]["Name"]) == ("running", "shutting-down")
    (found,) = world.describe(one)
    assert found["StateReason"]["Code"] == "Client.UserInitiatedShutdown" and found["SubnetId"]
    fake.control.clock(advance=3)
    (found,) = world.describe(one)
    assert found["State"] == {"Code": 48, "Name": "terminated"} and "SubnetId" not in found
    fake.control.clock(advance=3601)
    with refused("InvalidInstanceID.NotFound", f"The instance ID '{one}' does not exist", 400):
        world.describe(one)


def test_what_is_unknown_or_malformed_is_refused(aws):
    for call in (aws.ec2.describe_instances, aws.ec2.terminate_instances, aws.ec2.reboot_instances,
                 aws.ec2.describe_instance_status):
        with refused("InvalidInstanceID.NotFound", "The instance IDs 'i-0123, i-0456' do not exist"):
            call(InstanceIds=["i-0123", "i-0456"])
        with refused("InvalidInstanceID.Malformed"):
            call(InstanceIds=["instance"])
    with refused("InvalidInstanceID.NotFound"):
        aws.ec2.create_tags(Resources=["i-0123"], Tags=key_values({"a": "b"}))


def test_nothing_ends_when_one_of_them_is_unknown(aws, world):
    (one,) = world.launch()
    with refused("InvalidInstanceID.NotFound"):
        aws.ec2.terminate_instances(InstanceIds=[one, "i-0123"])
    with refused("DryRunOperation"):
        aws.ec2.terminate_instances(InstanceIds=[one], DryRun=True)
    assert states(world, one) == ["pending"]


def test_ending_again_changes_nothing(aws, world):
    (one,) = world.launch()
    aws.ec2.terminate_instances(InstanceIds=[one])
    (change,) = aws.ec2.terminate_instances(InstanceIds=[one, one])["TerminatingInstances"]
    assert change["PreviousState"]["Name"] == "shutting-down"


def test_an_instance_may_be_seen_late(fake, world):
    fake.control.timing(instance_visible=5)
    (one,) = world.launch()
    assert not world.describe()
    with refused("InvalidInstanceID.NotFound"):
        world.describe(one)
    fake.control.clock(advance=6)
    assert len(world.describe(one)) == 1


def test_the_filters_of_karpenter(world, aws):
    tags = [{"ResourceType": "instance", "Tags": key_values({
        "karpenter.sh/nodepool": "default", "karpenter.k8s.aws/ec2nodeclass": "default", "eks:eks-cluster-name": "tenon"})}]
    mine, other = world.launch(TagSpecifications=tags), world.launch()
    wanted = [{"Name": "tag-key", "Values": ["karpenter.sh/nodepool"]},
              {"Name": "tag-key", "Values": ["karpenter.k8s.aws/ec2nodeclass"]},
              {"Name": "tag:eks:eks-cluster-name", "Values": ["tenon"]},
              {"Name": "instance-state-name", "Values": ["pending", "running", "stopping", "stopped", "shutting-down"]}]
    assert [one["InstanceId"] for one in world.describe(Filters=wanted, MaxResults=1000)] == mine
    assert {one["InstanceId"] for one in world.describe()} == {*mine, *other}
    with refused("InvalidParameterCombination", "cannot be used with the parameter maxResults"):
        aws.ec2.describe_instances(InstanceIds=mine, MaxResults=5)
    with refused("InvalidParameterValue", "Expecting a value greater than 5"):
        aws.ec2.describe_instances(MaxResults=4)


@pytest.mark.parametrize("name, values, count", [
    ("instance-type", ["m5.*"], 2), ("instance-lifecycle", ["spot"], 1), ("availability-zone", ["us-east-1b"], 1),
    ("client-token", ["token-1"], 1), ("instance-state-code", ["0"], 3), ("tag:Name", ["x"], 0)])
def test_other_filters(world, name, values, count):
    world.launch(ClientToken="token-1"), world.launch("m5.xlarge", "us-east-1b"), world.launch("c5.large", kind="spot")
    assert len(world.describe(Filters=[{"Name": name, "Values": values}])) == count


def test_pages_stay_right_while_instances_come_and_go(fake, aws, world):
    all_of_them = {one for _ in range(4) for one in world.launch(count=5)}
    first = aws.ec2.describe_instances(MaxResults=7)
    seen = {one["InstanceId"] for launch in first["Reservations"] for one in launch["Instances"]}
    gone = sorted(all_of_them - seen)[0]
    fake.control.timing(remembered=0)
    aws.ec2.terminate_instances(InstanceIds=[sorted(seen)[0], gone])
    fake.control.clock(advance=5)
    token = first["NextToken"]
    while token:
        page = aws.ec2.describe_instances(MaxResults=7, NextToken=token)
        seen |= {one["InstanceId"] for launch in page["Reservations"] for one in launch["Instances"]}
        token = page.get("NextToken")
    assert seen == all_of_them - {gone}


def test_instances_of_a_launch_are_one_reservation(aws, world):
    world.launch(count=3)
    (launch,) = aws.ec2.describe_instances()["Reservations"]
    assert len(launch["Instances"]) == 3 and launch["ReservationId"].startswith("r-")
    assert [one["AmiLaunchIndex"] for one in launch["Instances"]] == [0, 1, 2]


def test_a_spot_instance_says_so(world):
    (one,) = world.describe(*world.launch(kind="spot"))
    assert one["InstanceLifecycle"] == "spot" and one["SpotInstanceRequestId"].startswith("sir-")
    (one,) = world.describe(*world.launch())
    assert "InstanceLifecycle" not in one and "SpotInstanceRequestId" not in one
    assert one["SecurityGroups"] == [{"GroupId": world.group, "GroupName": "tenon-node"}]
    assert one["Placement"]["AvailabilityZoneId"] == "use1-az2"


def test_doomed_instances_end_with_a_reason(fake, world):
    device = {"DeviceName": "/dev/xvda", "Ebs": {"VolumeType": "gp3", "VolumeSize": 20, "KmsKeyId": "key-1"}}
    world.template("encrypted", BlockDeviceMappings=[device])
    fake.control.doom(kms_key="key-1", after=1)
    doomed, spared = world.launch(template="encrypted"), world.launch(template=world.template("plain"))
    fake.control.clock(advance=5)
    (one,) = world.describe(*doomed)
    assert one["State"]["Name"] == "terminated"
    assert one["StateReason"] == {"Code": "Client.InternalError", "Message": "Client.InternalError: Client error on launch"}
    assert states(world, *spared) == ["running"]
    fake.control.end(spared[0], "Server.SpotInstanceTermination", "Server.SpotInstanceTermination: gone")
    assert world.describe(*spared)[0]["StateReason"]["Code"] == "Server.SpotInstanceTermination"


def test_doom_can_have_a_number(fake, world):
    fake.control.doom(type="m5.*", times=2)
    world.launch(count=5), world.launch("c5.large")
    fake.control.clock(advance=10)
    assert sorted(states(world)) == ["running"] * 4 + ["terminated"] * 2


def test_reboots_are_counted_and_heal(fake, aws, world):
    (one,) = world.launch()
    fake.control.clock(advance=3)
    fake.control.impair(one, since=300)
    aws.ec2.reboot_instances(InstanceIds=[one])
    assert fake.control.instances()[0]["reboots"] == 1
    assert aws.ec2.describe_instance_status()["InstanceStatuses"][0]["InstanceStatus"]["Status"] == "ok"
    aws.ec2.terminate_instances(InstanceIds=[one])
    with refused("IncorrectInstanceState"):
        aws.ec2.reboot_instances(InstanceIds=[one])


def test_status_by_the_filters_of_the_health_controller(fake, aws, world):
    broken, hosted, planned, well = world.launch(count=4)
    fake.control.clock(advance=3)
    fake.control.impair(broken, since=130)
    fake.control.impair(hosted, part="system")
    fake.control.schedule(planned, "instance-stop")

    def find(name, *values):
        found = aws.ec2.describe_instance_status(Filters=[{"Name": name, "Values": list(values)}])["InstanceStatuses"]
        return {one["InstanceId"]: one for one in found}

    assert set(find("instance-status.status", "impaired")) == {broken}
    (detail,) = find("instance-status.status", "impaired")[broken]["InstanceStatus"]["Details"]
    assert (detail["Name"], detail["Status"]) == ("reachability", "failed")
    assert 129 < fake.clock.now() - detail["ImpairedSince"].timestamp() < 140
    assert set(find("system-status.status", "impaired")) == {hosted}
    assert find("event.code", "instance-reboot", "instance-stop")[planned]["Events"][0]["Code"] == "instance-stop"
    assert well in find("instance-status.status", "ok")


def test_only_running_ones_have_a_status_unless_all_are_asked_for(aws, world):
    world.launch()
    assert not aws.ec2.describe_instance_status()["InstanceStatuses"]
    assert aws.ec2.describe_instance_status(IncludeAllInstances=True)["InstanceStatuses"]


def test_tags_are_added(aws, world):
    (one,) = world.launch()
    aws.ec2.create_tags(Resources=[one], Tags=key_values({"Name": "node-1"}))
    assert world.describe(one)[0]["Tags"] == key_values({"Name": "node-1"})
    with refused("InvalidID"):
        aws.ec2.create_tags(Resources=["x"], Tags=key_values({"a": "b"}))


def run(world, aws, **more):
    name = world.template() if not world.fake.control.templates() else "karpenter.k8s.aws/1"
    return aws.ec2.run_instances(**{"MinCount": 1, "MaxCount": 1, "InstanceType": "m5.large", "LaunchTemplate": {
        "LaunchTemplateName": name, "Version": "$Latest"}, "NetworkInterfaces": [
            {"DeviceIndex": 0, "SubnetId": world.subnets["us-east-1a"], "Groups": [world.group]}], **more})


def test_the_dry_run_of_validation(fake, aws, world):
    with refused("DryRunOperation", status=412):
        run(world, aws, DryRun=True, TagSpecifications=[{"ResourceType": kind, "Tags": key_values({"a": "b"})}
                                                        for kind in ("instance", "volume", "network-interface")])
    with refused("InvalidParameterValue", "architecture"):
        run(world, aws, DryRun=True, InstanceType="m6g.large")
    with refused("InvalidParameterValue", "Invalid value 'm99.large' for InstanceType."):
        run(world, aws, DryRun=True, InstanceType="m99.large")
    with refused("Unsupported", "is not supported in your requested Availability Zone"):
        run(world, aws, DryRun=True, NetworkInterfaces=[{"DeviceIndex": 0, "SubnetId": world.subnets["us-east-1e"]}])
    fake.control.deny(["ec2:RunInstances"])
    with refused("UnauthorizedOperation"):
        run(world, aws, DryRun=True)
    assert not fake.control.instances()


def test_a_real_run(fake, aws, world):
    found = run(world, aws, MaxCount=3, ClientToken="token-1")
    assert len(found["Instances"]) == 3
    assert run(world, aws, MaxCount=3, ClientToken="token-1")["ReservationId"] == found["ReservationId"]
    fake.control.capacity("on-demand:m5.large:*", 1)
    with refused("InsufficientInstanceCapacity"):
        run(world, aws, MinCount=2, MaxCount=2)
    assert len(run(world, aws, MinCount=1, MaxCount=2)["Instances"]) == 1


def test_stopped_instances(fake, world):
    (one,) = world.launch()
    fake.control.stop(one)
    assert states(world, one) == ["stopping"]
    fake.control.clock(advance=3)
    assert states(world, one) == ["stopped"]


def test_ids_are_the_same_in_each_run():
    from tests.aws.fake import Fake
    from tests.aws.fake.support import Clients, World
    found = []
    for seed in (1, 1, 2):
        with Fake(throttle=False, seed=seed) as fake:
            world = World(fake, Clients(fake))
            found.append((world.launch(), ids(world.fleet(world.override("c5.large"), kind="spot"))))
    assert found[0] == found[1] != found[2]
