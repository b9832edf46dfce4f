"""What EC2 refuses about the configuration of a launch, whatever capacity there is."""

from tests.aws.fake.errors import Fault
from tests.aws.fake.services.ec2 import network

# A type that a fleet asks for where it is not offered: the code in a fleet's errors and that of RunInstances.
NOT_OFFERED = {True: "InvalidFleetConfiguration", False: "Unsupported"}


def missing(name):
    raise Fault("MissingParameter", f"The request must contain the parameter {name}")


def type_row(context, name):
    row = context.fake.world.catalogue.types.get(name or missing("InstanceType"))
    if not row:
        raise Fault("InvalidParameterValue", f"Invalid value '{name}' for InstanceType.")
    return row


def check_architecture(row, image):
    supported = row["ProcessorInfo"]["SupportedArchitectures"]
    if image.architecture not in supported:
        raise Fault("InvalidParameterValue",
                    f"The architecture '{','.join(supported)}' of the specified instance type does not match the architecture"
                    f" '{image.architecture}' of the specified AMI. Specify an instance type and an AMI that have matching "
                    "architectures, and try again. You can use 'describe-instance-types' or 'describe-images' to discover "
                    "the architecture of the instance type or AMI.")


def find_subnet(region, data):
    named = [one["SubnetId"] for one in data.get("NetworkInterfaces") or () if one.get("SubnetId")]
    subnet_id = data.get("SubnetId") or next(iter(named), None)
    if not subnet_id:
        raise Fault("MissingInput", "No subnets found for the default VPC. Please specify a subnet.")
    return network.find_subnet(region, subnet_id)


def check_offered(context, row, zone, usage, fleet):
    """`usage`: on-demand, spot or capacity-block."""
    zones = context.region.offerings.get(row["InstanceType"], [])
    if zone not in zones or usage not in row["SupportedUsageClasses"]:
        raise Fault(NOT_OFFERED[fleet is not None],
                    f"Your requested instance type ({row['InstanceType']}) is not supported in your requested Availability "
                    f"Zone ({zone}). Please retry your request by not specifying an Availability Zone or choosing "
                    f"{', '.join(zones)}.")


def check_profile(context, profile):
    name = (profile or {}).get("Name")
    if name is None:
        return
    known = context.fake.world.profiles.get(name)
    if not known or context.now < known.created + context.fake.world.timing.profile_visible:
        raise Fault("InvalidParameterValue", f"Value ({name}) for parameter iamInstanceProfile.name is invalid. "
                                             "Invalid IAM Instance Profile name")


def check_interfaces(region, launch, row):
    cards = {card["NetworkCardIndex"]: card for card in row["NetworkInfo"]["NetworkCards"]}
    count = {}
    for one in launch.interfaces:
        card = cards.get(one.get("NetworkCardIndex", 0))
        if not card:
            raise Fault("InvalidParameterValue", f"The network card index {one['NetworkCardIndex']} is not valid for the "
                                                 f"instance type {launch.type}.")
        kind = one.get("InterfaceType", "interface")
        if kind not in card.get("InterfaceTypes", ["interface"]):
            raise Fault("Unsupported", f"Interfaces of type {kind} are not supported on {launch.type}.")
        index = card["NetworkCardIndex"]
        count[index] = count.get(index, 0) + 1
        if count[index] > card["MaximumNetworkInterfaces"]:
            raise Fault("AttachmentLimitExceeded",
                        f"Interface count {count[index]} exceeds the limit for {launch.type}")
        for group_id in one.get("Groups", ()):
            if network.find_group(region, group_id).vpc != launch.subnet.vpc:
                raise Fault("InvalidParameter", f"Security group {group_id} and subnet {launch.subnet.id} belong to "
                                                "different networks.")


def check_volumes(data):
    for mapping in data.get("BlockDeviceMappings") or ():
        ebs = mapping.get("Ebs") or {}
        kind = ebs.get("VolumeType", "gp2")
        if "Iops" in ebs and kind not in ("gp3", "io1", "io2"):
            raise Fault("InvalidParameterCombination", f"The parameter iops is not supported for {kind} volumes.")
        if "Throughput" in ebs and kind != "gp3":
            raise Fault("InvalidParameterCombination", f"The parameter throughput is not supported for {kind} volumes.")
        if kind in ("io1", "io2") and "Iops" not in ebs:
            raise Fault("MissingParameter", f"The parameter iops must be specified for {kind} volumes.")


def check_options(data, row):
    if (data.get("EnclaveOptions") or {}).get("Enabled") and row.get("NitroEnclavesSupport") != "supported":
        raise Fault("Unsupported", f"The instance type {row['InstanceType']} does not support Nitro Enclaves.")
    nested = (data.get("CpuOptions") or {}).get("NestedVirtualization") == "enabled"
    if nested and "nested-virtualization" not in row["ProcessorInfo"].get("SupportedFeatures", ()):
        raise Fault("Unsupported", f"The instance type {row['InstanceType']} does not support nested virtualization.")
