"""CreateFleet of type instant: pools made of templates and overrides, tried in the order of the allocation strategy.

Played as far as Karpenter and tenon ask for it; what they never send (weights, attributes instead of types, maintained
fleets, maximum prices) is refused loudly. A pool that cannot give all that is still wanted leaves an error in the reply,
beside the instances that others gave.
"""

import uuid
from dataclasses import dataclass

from tests.aws.fake.errors import Fault, NotPlayed
from tests.aws.fake.handlers import action
from tests.aws.fake.services.ec2 import launch, lifecycle, start, tags, templates, tokens
from tests.aws.fake.services.ec2.types import price_of

OVERRIDE = {"InstanceType", "SubnetId", "AvailabilityZone", "ImageId", "Priority"}
# Which market a fleet's capacity type is; what is reserved counts as on-demand.
LIFECYCLES = {"on-demand": "on-demand", "spot": "spot", "capacity-block": "on-demand", "reserved-capacity": "on-demand"}
BLOCKS = {"capacity-block": "capacity-block", "reserved-capacity": "interruptible-capacity-reservation"}


@dataclass
class Pool:
    template: object
    override: dict
    lifecycle: str
    price: float
    priority: float
    room: int           # None: any number


@action("ec2", "CreateFleet")
def create_fleet(context, LaunchTemplateConfigs, TargetCapacitySpecification, Type="maintain", SpotOptions=None,
                 OnDemandOptions=None, ReservedCapacityOptions=None, TagSpecifications=(), Context=None, ClientToken=None,
                 DryRun=False):
    if context.body_bytes > context.fake.settings.fleet_body_max:
        raise Fault("InvalidInput", "The request failed because the payload for the body of the request is too large.")
    if Type != "instant":
        raise NotPlayed(f"fleets of type {Type}")
    only(SpotOptions, {"AllocationStrategy"}, "SpotOptions")
    only(OnDemandOptions, {"AllocationStrategy"}, "OnDemandOptions")
    only(TargetCapacitySpecification, {"TotalTargetCapacity", "DefaultTargetCapacityType"}, "TargetCapacitySpecification")
    return tokens.remember(context, lambda: make(context, LaunchTemplateConfigs, TargetCapacitySpecification,
                                                 TagSpecifications))


def only(given, played, name):
    more = (given or {}).keys() - played
    if more:
        raise NotPlayed(f"{', '.join(sorted(more))} in {name}")


def make(context, configs, target, specifications):
    wanted = target["TotalTargetCapacity"]
    if wanted < 1:
        raise Fault("InvalidParameterValue", "The TotalTargetCapacity of an instant fleet must be at least 1.")
    lifecycle.sweep(context.fake, context.region, context.now)
    kind = target.get("DefaultTargetCapacityType", "on-demand")
    request_tags = tags.by_resource(specifications, {"instance", "volume", "fleet", "network-interface"})
    pools = make_pools(context, configs, kind)
    check_reserved(context, pools, kind)
    context.dry_run()
    request_tags.pop("fleet", None)
    fleet = f"fleet-{uuid.UUID(int=context.region.ids.getrandbits(128), version=4)}"
    instances, errors = fulfil(context, order(context, pools, kind, wanted), wanted, request_tags, fleet)
    return {"FleetId": fleet, "Instances": instances, "Errors": errors}


def make_pools(context, configs, kind):
    pools = []
    for config in configs:
        template = templates.find(context.region, config.get("LaunchTemplateSpecification") or {})
        for override in config.get("Overrides") or ({},):
            only(override, OVERRIDE, "Overrides")
            pools.append(make_pool(context, template, override, LIFECYCLES[kind]))
    if not pools:
        raise Fault("MissingParameter", "The request must contain the parameter LaunchTemplateConfigs")
    return pools


def make_pool(context, template, override, market):
    region = context.region
    name = override.get("InstanceType") or template.data.get("InstanceType")
    subnet = region.subnets.get(override.get("SubnetId"))
    zone = override.get("AvailabilityZone") or (subnet.zone if subnet else "")
    known = name in context.fake.world.catalogue.types
    price = price_of(context, market, name, zone) if known else float("inf")
    return Pool(template, override, market, price, override.get("Priority", float("inf")),
                region.capacity.room(market, name, zone))


def check_reserved(context, pools, kind):
    """What is reserved is asked for by the fleet and by its templates alike."""
    options = context.params.get("ReservedCapacityOptions") or {}
    only(options, {"ReservationTypes"}, "ReservedCapacityOptions")
    asked = options.get("ReservationTypes", [])
    if (kind == "reserved-capacity") != (asked == ["interruptible-capacity-reservation"]):
        raise Fault("InvalidParameterCombination",
                    f"ReservedCapacityOptions do not fit the default target capacity type {kind}.")
    for pool in pools:
        market = (pool.template.data.get("InstanceMarketOptions") or {}).get("MarketType")
        if market != BLOCKS.get(kind) and (market or BLOCKS.get(kind)):
            raise Fault("InvalidParameterCombination", f"The market type {market} of launch template {pool.template.id} does "
                                                       f"not fit the default target capacity type {kind}.")


def order(context, pools, kind, wanted):
    """The pools as the strategy tries them; equal ones stay as they were sent."""
    options = context.params.get("SpotOptions" if kind == "spot" else "OnDemandOptions") or {}
    strategy = options.get("AllocationStrategy", "lowest-price")
    # EC2 knows how deep its pools are; here that is what tests said of them.
    depth = {id(pool): -(wanted if pool.room is None else min(pool.room, wanted)) for pool in pools}
    keys = {"lowest-price": lambda pool: pool.price, "prioritized": lambda pool: pool.priority,
            "price-capacity-optimized": lambda pool: (depth[id(pool)], pool.price),
            "capacity-optimized": lambda pool: depth[id(pool)],
            "capacity-optimized-prioritized": lambda pool: (depth[id(pool)], pool.priority)}
    if strategy not in keys:
        raise NotPlayed(f"the allocation strategy {strategy}")
    return sorted(pools, key=keys[strategy])


def fulfil(context, pools, wanted, request_tags, fleet):
    """Instances and errors of the reply."""
    instances, errors = [], []
    for pool in pools:
        if wanted == 0:
            break
        try:
            prepared = launch.prepare(context, merge(pool), pool.lifecycle, request_tags, fleet)
            granted, fault = start.room(context, prepared, wanted)
        except Fault as refused:
            granted, fault = 0, refused
        if fault:
            errors.append({"LaunchTemplateAndOverrides": describe_pool(pool), "Lifecycle": pool.lifecycle,
                           "ErrorCode": fault.code, "ErrorMessage": fault.message})
        if granted:
            made = start.start(context, prepared, granted)
            wanted -= granted
            instances.append({
                "LaunchTemplateAndOverrides": describe_pool(pool), "Lifecycle": pool.lifecycle,
                "InstanceIds": [one.id for one in made], "InstanceType": prepared.type,
                "Platform": "Windows" if prepared.image.platform else None, "AvailabilityZone": prepared.zone,
                "AvailabilityZoneId": prepared.subnet.zone_id, "SubnetId": prepared.subnet.id})
    return instances, errors


def merge(pool):
    """The template's data with the override over it."""
    data = dict(pool.template.data)
    data.update({name: pool.override[name] for name in ("InstanceType", "SubnetId", "ImageId") if name in pool.override})
    if "AvailabilityZone" in pool.override:
        data["Placement"] = {**(data.get("Placement") or {}), "AvailabilityZone": pool.override["AvailabilityZone"]}
    return data


def describe_pool(pool):
    return {"LaunchTemplateSpecification": {"LaunchTemplateId": pool.template.id, "Version": str(pool.template.version)},
            "Overrides": pool.override or None}
