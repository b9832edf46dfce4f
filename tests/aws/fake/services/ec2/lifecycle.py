"""Calls on instances that there are: described, ended, rebooted, their status; and what time does to them."""

import re

from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action
from tests.aws.fake.services.ec2 import start
from tests.aws.fake.services.ec2.filters import select
from tests.aws.fake.services.ec2.instances import describe, describe_state, filters_at
from tests.aws.fake.services.ec2.pages import page, refuse_size_with_ids

USER_ENDED = ("Client.UserInitiatedShutdown", "Client.UserInitiatedShutdown: User initiated shutdown")


def sweep(fake, region, now):
    """Gives back what terminated instances had, and forgets those that EC2 has forgotten."""
    for instance in [one for one in region.instances.values() if one.ended is not None]:
        if not instance.released and instance.state(now) == "terminated":
            instance.released = True
            start.release(fake.world, region, instance)
            fake.events.state_changed(region, instance, "terminated")
        if instance.is_forgotten(now):
            del region.instances[instance.id]


def find_all(context, ids, visible_only=False):
    """The instances with these ids. Raises a Fault that names all that there are not."""
    region, now = context.region, context.now
    for one in ids:
        if not re.fullmatch(r"i-[0-9a-f]+", one):
            raise Fault("InvalidInstanceID.Malformed", f'Invalid id: "{one}"')
    missing = [one for one in ids if one not in region.instances or region.instances[one].is_forgotten(now)
               or visible_only and not region.instances[one].is_visible(now)]
    if len(missing) == 1:
        raise Fault("InvalidInstanceID.NotFound", f"The instance ID '{missing[0]}' does not exist")
    if missing:
        raise Fault("InvalidInstanceID.NotFound", f"The instance IDs '{', '.join(missing)}' do not exist")
    return [region.instances[one] for one in dict.fromkeys(ids)]


@action("ec2", "DescribeInstances")
def describe_instances(context, InstanceIds=(), Filters=(), MaxResults=None, NextToken=None, DryRun=False):
    context.dry_run()
    refuse_size_with_ids(context, InstanceIds, "instancesSet")
    now = context.now
    sweep(context.fake, context.region, now)
    wanted = find_all(context, InstanceIds, True) if InstanceIds else \
        [one for one in context.region.instances.values() if one.is_visible(now)]
    found = select(context, wanted, Filters, filters_at(now), lambda i: i.tags)
    shown, token = page(context, found, lambda i: f"{i.reservation}/{i.index:06}", least=5)
    launches = {}
    for instance in shown:
        launches.setdefault(instance.reservation, []).append(describe(instance, now))
    return {"NextToken": token, "Reservations": [
        {"ReservationId": reservation, "OwnerId": context.account, "Groups": [], "Instances": instances}
        for reservation, instances in launches.items()]}


@action("ec2", "TerminateInstances")
def terminate_instances(context, InstanceIds, DryRun=False):
    instances = find_all(context, InstanceIds)
    context.dry_run()
    changes = []
    for instance in instances:
        before = instance.state(context.now)
        if before not in ("shutting-down", "terminated"):
            instance.end(context.now, *USER_ENDED)
            context.fake.events.state_changed(context.region, instance, "shutting-down")
        changes.append({"InstanceId": instance.id, "PreviousState": describe_state(before),
                        "CurrentState": describe_state(instance.state(context.now))})
    return {"TerminatingInstances": changes}


@action("ec2", "RebootInstances")
def reboot_instances(context, InstanceIds, DryRun=False):
    instances = find_all(context, InstanceIds)
    for instance in instances:
        if instance.state(context.now) not in ("running", "pending"):
            raise Fault("IncorrectInstanceState", f"The instance '{instance.id}' is not in a state from which it can be "
                                                  "rebooted.")
    context.dry_run()
    for instance in instances:
        instance.reboots += 1
        instance.impaired.clear()


STATUS_FILTERS = {
    "instance-status.status": lambda i: summary(i, "instance"), "system-status.status": lambda i: summary(i, "system"),
    "instance-status.reachability": lambda i: detail(i, "instance"),
    "system-status.reachability": lambda i: detail(i, "system"),
    "event.code": lambda i: [code for code, _ in i.events], "availability-zone": lambda i: i.launch.zone,
}


def summary(instance, part):
    return "impaired" if part in instance.impaired else "ok"


def detail(instance, part):
    return "failed" if part in instance.impaired else "passed"


@action("ec2", "DescribeInstanceStatus")
def describe_instance_status(context, InstanceIds=(), Filters=(), IncludeAllInstances=False, MaxResults=None,
                             NextToken=None, DryRun=False):
    context.dry_run()
    refuse_size_with_ids(context, InstanceIds, "instancesSet")
    now = context.now
    wanted = find_all(context, InstanceIds) if InstanceIds else context.region.instances.values()
    wanted = [one for one in wanted if one.is_visible(now) and (IncludeAllInstances or one.state(now) == "running")]
    filters = {**STATUS_FILTERS, "instance-state-name": lambda i: i.state(now)}
    found = select(context, wanted, Filters, filters)
    shown, token = page(context, found, lambda i: i.id, least=5)
    return {"NextToken": token, "InstanceStatuses": [describe_status(one, now) for one in shown]}


def describe_status(instance, now):
    def part(name):
        found = {"Name": "reachability", "Status": detail(instance, name)}
        if name in instance.impaired:
            found["ImpairedSince"] = instance.impaired[name]
        return {"Status": summary(instance, name), "Details": [found]}

    return {"InstanceId": instance.id, "AvailabilityZone": instance.launch.zone,
            "AvailabilityZoneId": instance.launch.subnet.zone_id, "InstanceState": describe_state(instance.state(now)),
            "InstanceStatus": part("instance"), "SystemStatus": part("system"), "AttachedEbsStatus": part("attached-ebs"),
            "Events": [{"Code": code, "Description": code.replace("-", " "), "NotBefore": at,
                        "InstanceEventId": f"instance-event-{instance.id[2:]}{number}"}
                       for number, (code, at) in enumerate(instance.events)]}
