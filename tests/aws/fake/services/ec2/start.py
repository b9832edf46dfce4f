"""Instances of a launch: how many of the wanted ones there are, and why not more; their start, and what they give back."""

from dataclasses import replace

from tests.aws.fake.errors import Fault
from tests.aws.fake.services.ec2.instances import Instance
from tests.aws.fake.services.ec2.launch import fits, is_targeted


def room(context, launch, wanted):
    """(how many of the wanted instances there are, the Fault of the first bound that leaves some out or None)."""
    granted, fault = wanted, None
    for most, why in bounds(context, launch):
        if most is not None and most < granted:
            granted, fault = max(most, 0), why()
    return granted, fault


def bounds(context, launch):
    """Each thing that there may be too little of: how many instances it allows (None: any number), and its Fault."""
    region, lifecycle = context.region, launch.lifecycle
    capacity, name = region.capacity, launch.type
    vcpus = vcpus_of(context.fake.world, name)
    if lifecycle == "spot" and not capacity.spot_role:
        yield 0, lambda: Fault("AuthFailure.ServiceLinkedRoleCreationNotPermitted",
                               "The provided credentials do not have permission to create the service-linked role for EC2 "
                               "Spot Instances.", 403)
    if is_targeted(launch):
        yield from reservation_bounds(context, launch)
    else:
        yield capacity.room(lifecycle, name, launch.zone), \
            lambda: capacity.lack(lifecycle, name, launch.zone, region.offerings[name])
    yield capacity.quota_room(lifecycle, vcpus), lambda: capacity.quota_fault(lifecycle)
    if launch.group:
        yield launch.group.room(launch.zone), lambda: Fault(
            "UnfulfillableCapacity", "You've reached the limit of instances in this spread placement group. A spread "
                                     "placement group can have up to seven instances per Availability Zone.")
    yield launch.subnet.free // max(launch.addresses, 1), lambda: Fault(
        "InsufficientFreeAddressesInSubnet", f"There are not enough free addresses in subnet '{launch.subnet.id}' to satisfy "
                                             "the requested number of instances.")


def reservation_bounds(context, launch):
    one = launch.reservation
    if not one.takes_launches(context.now):
        yield 0, lambda: Fault("InvalidCapacityReservationState.Unavailable",
                               f"The capacity reservation {one.id} is not available.")
    yield (one.free if fits(one, launch) else 0), lambda: Fault(
        "ReservationCapacityExceeded",
        "The requested reservation does not have sufficient compatible and available capacity for this request.")


def vcpus_of(world, name):
    return world.catalogue.types[name]["VCpuInfo"]["DefaultVCpus"]


def start(context, launch, count):
    """The new instances; takes capacity, addresses and places."""
    region, capacity = context.region, context.region.capacity
    reservation_id = region.new_id("r")
    partition = (launch.data.get("Placement") or {}).get("PartitionNumber")
    made = []
    for index in range(count):
        instance = Instance(region.new_id("i"), reservation_id, index, launch, context.now, context.fake.world.timing)
        instance.tags.update(launch.tags.get("instance", {}))
        instance.interfaces = describe_interfaces(region, launch)
        if launch.lifecycle == "spot":
            instance.spot_request = "sir-" + instance.id[-8:]
        if launch.group:
            instance.partition = launch.group.enter(launch.zone, partition)
        if launch.reservation and (is_targeted(launch) or launch.reservation.free > 0):
            launch.reservation.used += 1
            instance.capacity_reservation = launch.reservation
        else:
            capacity.take(launch.lifecycle, launch.type, launch.zone, 1)
        region.instances[instance.id] = instance
        context.fake.deaths.mark(instance)
        context.fake.events.state_changed(region, instance, "pending")
        made.append(instance)
    launch.subnet.used += count * launch.addresses
    capacity.vcpus_used[launch.lifecycle] += count * vcpus_of(context.fake.world, launch.type)
    return made


def copy(region, instance):
    """A further instance of the same launch, at the same time; takes an address."""
    made = replace(instance, id=region.new_id("i"), tags=dict(instance.tags))
    made.interfaces = describe_interfaces(region, instance.launch)
    region.instances[made.id] = made
    instance.launch.subnet.used += instance.launch.addresses
    return made


def describe_interfaces(region, launch):
    """What the network interfaces of one instance are, with new ids and addresses."""
    found = []
    for one in launch.interfaces:
        groups = one.get("Groups") or [group.id for group in region.groups.values()
                                       if group.name == "default" and group.vpc == launch.subnet.vpc]
        address = launch.subnet.new_address()
        found.append({
            "NetworkInterfaceId": region.new_id("eni"), "InterfaceType": one.get("InterfaceType", "interface"),
            "SubnetId": launch.subnet.id, "VpcId": launch.subnet.vpc, "OwnerId": region.account, "Status": "in-use",
            "PrivateIpAddress": address, "PrivateDnsName": f"ip-{address.replace('.', '-')}.ec2.internal",
            "Groups": [{"GroupId": group, "GroupName": region.groups[group].name} for group in groups],
            "Attachment": {"DeviceIndex": one.get("DeviceIndex", 0), "NetworkCardIndex": one.get("NetworkCardIndex", 0),
                           "Status": "attached", "DeleteOnTermination": True, "AttachmentId": region.new_id("eni-attach")},
            "PrivateIpAddresses": [{"Primary": True, "PrivateIpAddress": address}], "SourceDestCheck": True,
            "Ipv4Prefixes": [{"Ipv4Prefix": f"{address}/28"}] * one.get("Ipv4PrefixCount", 0)})
    return found


def release(world, region, instance):
    """Gives back what a terminated instance had."""
    launch = instance.launch
    launch.subnet.used -= launch.addresses
    region.capacity.vcpus_used[launch.lifecycle] -= vcpus_of(world, launch.type)
    if launch.group:
        launch.group.leave(launch.zone, instance.partition)
    if instance.capacity_reservation:
        instance.capacity_reservation.used -= 1
    else:
        region.capacity.take(launch.lifecycle, launch.type, launch.zone, -1)
