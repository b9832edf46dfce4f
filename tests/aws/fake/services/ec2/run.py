"""RunInstances: mostly dry runs, for tenon starts nothing by it; a real one starts instances of one configuration."""

from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action
from tests.aws.fake.services.ec2 import launch, lifecycle, start, tags, templates, tokens
from tests.aws.fake.services.ec2.instances import describe

TAGGED = {"instance", "volume", "network-interface", "spot-instances-request"}


@action("ec2", "RunInstances")
def run_instances(context, MinCount, MaxCount, LaunchTemplate=None, ImageId=None, InstanceType=None, SubnetId=None,
                  SecurityGroupIds=None, NetworkInterfaces=None, IamInstanceProfile=None, UserData=None, Placement=None,
                  InstanceMarketOptions=None, Monitoring=None, BlockDeviceMappings=None, MetadataOptions=None,
                  CapacityReservationSpecification=None, CpuOptions=None, EnclaveOptions=None, TagSpecifications=(),
                  ClientToken=None, DryRun=False):
    return tokens.remember(context, lambda: run(context, MinCount, MaxCount, LaunchTemplate, TagSpecifications))


OVER_TEMPLATE = ("ImageId", "InstanceType", "SubnetId", "SecurityGroupIds", "NetworkInterfaces", "IamInstanceProfile",
                 "UserData", "Placement", "InstanceMarketOptions", "Monitoring", "BlockDeviceMappings",
                 "MetadataOptions", "CapacityReservationSpecification", "CpuOptions", "EnclaveOptions")


def run(context, least, most, template, specifications):
    if not 1 <= least <= most:
        raise Fault("InvalidParameterValue", f"Value ({least}) for parameter minCount is invalid.")
    data = dict(templates.find(context.region, template).data) if template else {}
    data.update({name: context.params[name] for name in OVER_TEMPLATE if name in context.params})
    if data.get("NetworkInterfaces") and context.params.get("SubnetId"):
        raise Fault("InvalidParameterCombination", "Network interfaces and an instance-level subnet ID may not be specified "
                                                   "on the same request")
    if context.params.get("UserData"):
        templates.check_user_data(context.params["UserData"])
    spot = (data.get("InstanceMarketOptions") or {}).get("MarketType") == "spot"
    wanted = launch.prepare(context, data, "spot" if spot else "on-demand", tags.by_resource(specifications, TAGGED))
    context.dry_run()
    lifecycle.sweep(context.fake, context.region, context.now)
    granted, fault = start.room(context, wanted, most)
    if granted < least:
        raise fault
    instances = start.start(context, wanted, granted)
    return {"ReservationId": instances[0].reservation, "OwnerId": context.account, "Groups": [],
            "Instances": [describe(one, context.now) for one in instances]}
