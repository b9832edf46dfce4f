"""Instance types, where they are offered, and spot prices."""

from tests.aws.fake.clock import iso
from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action
from tests.aws.fake.services.ec2.filters import at_path, select
from tests.aws.fake.services.ec2.pages import page, refuse_size_with_ids

TYPE_FILTERS = {name: at_path(path) for name, path in {
    "instance-type": "InstanceType", "bare-metal": "BareMetal", "current-generation": "CurrentGeneration",
    "hypervisor": "Hypervisor", "supported-usage-class": "SupportedUsageClasses",
    "supported-virtualization-type": "SupportedVirtualizationTypes",
    "supported-root-device-type": "SupportedRootDeviceTypes", "supported-boot-mode": "SupportedBootModes",
    "processor-info.supported-architecture": "ProcessorInfo.SupportedArchitectures",
    "processor-info.supported-features": "ProcessorInfo.SupportedFeatures",
    "processor-info.sustained-clock-speed-in-ghz": "ProcessorInfo.SustainedClockSpeedInGhz",
    "vcpu-info.default-vcpus": "VCpuInfo.DefaultVCpus", "memory-info.size-in-mib": "MemoryInfo.SizeInMiB",
    "instance-storage-supported": "InstanceStorageSupported",
    "instance-storage-info.nvme-support": "InstanceStorageInfo.NvmeSupport",
    "ebs-info.ebs-optimized-support": "EbsInfo.EbsOptimizedSupport",
    "network-info.ena-support": "NetworkInfo.EnaSupport", "network-info.efa-supported": "NetworkInfo.EfaSupported",
    "network-info.encryption-in-transit-supported": "NetworkInfo.EncryptionInTransitSupported",
    "nitro-enclaves-support": "NitroEnclavesSupport", "burstable-performance-supported": "BurstablePerformanceSupported",
}.items()}


@action("ec2", "DescribeInstanceTypes")
def describe_instance_types(context, InstanceTypes=(), Filters=(), MaxResults=None, NextToken=None, DryRun=False):
    context.dry_run()
    refuse_size_with_ids(context, InstanceTypes, "instanceTypesSet")
    catalogue, offered = context.fake.world.catalogue, context.region.offerings
    missing = [name for name in InstanceTypes if name not in offered]
    if missing:
        raise Fault("InvalidInstanceType", f"The following supplied instance types do not exist: [{', '.join(missing)}]")
    found = select(context, [catalogue.types[name] for name in InstanceTypes or offered], Filters, TYPE_FILTERS)
    shown, token = page(context, found, lambda row: row["InstanceType"], default=100, most=100)
    return {"InstanceTypes": shown, "NextToken": token}


OFFERING_FILTERS = {"instance-type": lambda row: row[0], "location": lambda row: row[1]}


@action("ec2", "DescribeInstanceTypeOfferings")
def describe_instance_type_offerings(context, LocationType="region", Filters=(), MaxResults=None, NextToken=None,
                                     DryRun=False):
    context.dry_run()
    region = context.region
    where = {"region": lambda zone: region.name, "availability-zone": lambda zone: zone,
             "availability-zone-id": region.zones.get}
    if LocationType not in where:
        raise Fault("InvalidParameterValue", f"The location type '{LocationType}' is not supported here")
    rows = {(name, where[LocationType](zone)) for name, zones in region.offerings.items() for zone in zones}
    found = select(context, rows, Filters, OFFERING_FILTERS)
    shown, token = page(context, found, "/".join, default=1000)
    return {"NextToken": token, "InstanceTypeOfferings": [
        {"InstanceType": name, "LocationType": LocationType, "Location": place} for name, place in shown]}


SPOT_FILTERS = {"availability-zone": lambda row: row["AvailabilityZone"], "instance-type": lambda row: row["InstanceType"],
                "product-description": lambda row: row["ProductDescription"], "spot-price": lambda row: row["SpotPrice"]}


@action("ec2", "DescribeSpotPriceHistory")
def describe_spot_price_history(context, ProductDescriptions=(), InstanceTypes=(), AvailabilityZone=None, Filters=(),
                                StartTime=None, EndTime=None, MaxResults=None, NextToken=None, DryRun=False):
    context.dry_run()
    rows = [{"AvailabilityZone": zone, "AvailabilityZoneId": context.region.zones[zone], "InstanceType": name,
             "ProductDescription": "Linux/UNIX", "SpotPrice": f"{price:.6f}", "Timestamp": at}
            for name, zones in context.region.offerings.items() if not InstanceTypes or name in InstanceTypes
            for zone in zones if AvailabilityZone in (None, zone)
            for at, price in prices_between(context, name, zone, StartTime, EndTime)]
    rows = [row for row in rows if not ProductDescriptions or row["ProductDescription"] in ProductDescriptions]
    found = select(context, rows, Filters, SPOT_FILTERS)
    shown, token = page(context, found, lambda row: f"{row['InstanceType']}/{row['AvailabilityZone']}/"
                                                    f"{iso(row['Timestamp'])}", default=1000)
    return {"SpotPriceHistory": shown, "NextToken": token or ""}


def prices_between(context, name, zone, start, end):
    """[(seconds, price)]: what held at `start`, and the changes until `end`."""
    history = spot_history(context, name, zone)
    end = context.now if end is None else end
    start = context.now - 90 * 86400 if start is None else start
    before = [row for row in history if row[0] <= start]
    return before[-1:] + [row for row in history if start < row[0] <= end]


def spot_history(context, name, zone):
    if "spot" not in context.fake.world.catalogue.types[name]["SupportedUsageClasses"]:
        return []
    changes = context.region.spot_prices.get((name, zone), [])
    price = context.fake.world.catalogue.spot(context.region.name, name, zone)
    return ([(context.fake.began - 3600, price)] if price is not None else []) + changes


def price_of(context, lifecycle, name, zone):
    """USD per hour now; what has no price is dearer than all."""
    if lifecycle == "spot":
        history = spot_history(context, name, zone)
        return history[-1][1] if history else float("inf")
    price = context.fake.world.catalogue.on_demand(context.region.name, name)
    return float("inf") if price is None else price
