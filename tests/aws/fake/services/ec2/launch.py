"""A launch: a template's data with what a request puts over it, read and checked; RunInstances and CreateFleet share it."""

from dataclasses import dataclass, field

from tests.aws.fake.errors import Fault
from tests.aws.fake.services.ec2 import checks, images, network, placement_groups, reservations, tags

SPOT_TAGS = ("You cannot specify tags for Spot instances requests if there are no Spot instances requests being created by "
             "the request.")


@dataclass
class Launch:
    data: dict                      # by the names of RequestLaunchTemplateData
    lifecycle: str                  # on-demand or spot
    zone: str
    type: str
    image: object
    subnet: object
    fleet: str = None               # id
    token: str = None
    tags: dict = field(default_factory=dict)        # by resource type
    reservation: object = None
    group: object = None
    block_lifecycle: str = None     # capacity-block or interruptible-capacity-reservation

    @property
    def addresses(self):
        """IPv4 addresses that one instance takes."""
        return sum(1 + one.get("SecondaryPrivateIpAddressCount", 0)
                   + one.get("Ipv4PrefixCount", 0) * network.PREFIX_ADDRESSES
                   for one in self.interfaces if one.get("InterfaceType") != "efa-only")

    @property
    def interfaces(self):
        return self.data.get("NetworkInterfaces") or [{"DeviceIndex": 0, "Groups": self.data.get("SecurityGroupIds", [])}]


def prepare(context, data, lifecycle, request_tags, fleet=None):
    """Reads and checks the configuration. Raises a Fault for what EC2 would refuse, whatever capacity there is."""
    region = context.region
    row = checks.type_row(context, data.get("InstanceType"))
    image = images.find_image(region, data.get("ImageId") or checks.missing("ImageId"))
    checks.check_architecture(row, image)
    subnet = checks.find_subnet(region, data)
    zone = (data.get("Placement") or {}).get("AvailabilityZone") or subnet.zone
    if zone != subnet.zone:
        raise Fault("InvalidParameterValue", f"The subnet {subnet.id} is not in the Availability Zone {zone}.")
    is_block = (data.get("InstanceMarketOptions") or {}).get("MarketType") == "capacity-block"
    checks.check_offered(context, row, zone, "capacity-block" if is_block else lifecycle, fleet)
    checks.check_profile(context, data.get("IamInstanceProfile"))
    launch = Launch(data, lifecycle, zone, row["InstanceType"], image, subnet, fleet,
                    context.params.get("ClientToken"))
    checks.check_interfaces(region, launch, row)
    checks.check_volumes(data)
    checks.check_options(data, row)
    launch.tags = merge_tags(data, request_tags, lifecycle)
    launch.group = find_group(region, data.get("Placement") or {}, row)
    launch.reservation, launch.block_lifecycle = find_reservation(context, launch)
    return launch


def merge_tags(data, request_tags, lifecycle):
    kinds = {"instance", "volume", "network-interface", "spot-instances-request"}
    found = tags.by_resource(data.get("TagSpecifications"), kinds)
    if "spot-instances-request" in {**found, **request_tags} and lifecycle != "spot":
        raise Fault("InvalidParameterValue", SPOT_TAGS)
    for kind, more in request_tags.items():
        found[kind] = {**found.get(kind, {}), **more}
        tags.check_count(found[kind])
    return found


def find_group(region, placement, row):
    group_id, name = placement.get("GroupId"), placement.get("GroupName")
    if not group_id and not name:
        return None
    group = placement_groups.find(region, group_id, name)
    if group.strategy not in row["PlacementGroupInfo"]["SupportedStrategies"]:
        raise Fault("InvalidParameterCombination",
                    f"The instance type {row['InstanceType']} does not support the placement strategy {group.strategy}.")
    number = placement.get("PartitionNumber")
    if number is not None and not 1 <= number <= (group.partitions or 0):
        raise Fault("InvalidParameterValue", f"Value ({number}) for parameter partitionNumber is invalid.")
    return group


def find_reservation(context, launch):
    """The reservation that a launch goes into (None: none), and the lifecycle that it gives to instances."""
    wanted = launch.data.get("CapacityReservationSpecification") or {}
    target = (wanted.get("CapacityReservationTarget") or {}).get("CapacityReservationId")
    market = (launch.data.get("InstanceMarketOptions") or {}).get("MarketType")
    block = market if market in ("capacity-block", "interruptible-capacity-reservation") else None
    if not target:
        if block:
            raise Fault("InvalidParameterCombination", f"The market type {market} needs a targeted capacity reservation.")
        return open_reservation(context, launch, wanted.get("CapacityReservationPreference", "open")), None
    found = reservations.find(context.region, target)
    kind = "capacity-block" if found.kind == "capacity-block" else \
        "interruptible-capacity-reservation" if found.interruptible else None
    if kind != block:
        raise Fault("InvalidParameterCombination", f"The market type {market} does not fit the capacity reservation {target}.")
    return found, block


def open_reservation(context, launch, preference):
    """An instance runs in an open reservation that fits and has room unless it prefers none."""
    if preference == "none" or launch.lifecycle == "spot":
        return None
    return next((one for one in context.region.reservations.values()
                 if one.match == "open" and one.kind == "default" and not one.interruptible
                 and fits(one, launch) and one.free > 0 and one.takes_launches(context.now)), None)


def fits(reservation, launch):
    tenancy = (launch.data.get("Placement") or {}).get("Tenancy", "default")
    return (reservation.type, reservation.zone, reservation.tenancy) == (launch.type, launch.zone, tenancy)


def is_targeted(launch):
    wanted = launch.data.get("CapacityReservationSpecification") or {}
    return bool((wanted.get("CapacityReservationTarget") or {}).get("CapacityReservationId"))
