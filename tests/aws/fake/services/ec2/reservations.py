"""Capacity reservations: on-demand ones, interruptible ones and capacity blocks."""

from dataclasses import dataclass, field

from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action
from tests.aws.fake.services.ec2 import tags
from tests.aws.fake.services.ec2.filters import select
from tests.aws.fake.services.ec2.pages import page, refuse_size_with_ids

RECLAIM_SECONDS = 30 * 60       # before its end a capacity block takes no launches: its instances are being ended


@dataclass
class Reservation:
    id: str
    type: str
    zone: str
    zone_id: str
    owner: str
    arn: str
    total: int
    used: int = 0
    match: str = "targeted"             # or open
    kind: str = "default"               # or capacity-block
    interruptible: bool = False
    state: str = "active"
    start: float = 0.0
    end: float = None
    tenancy: str = "default"
    tags: dict = field(default_factory=dict)

    @property
    def free(self):
        return self.total - self.used

    def state_at(self, now):
        return "expired" if self.end is not None and now >= self.end else self.state

    def takes_launches(self, now):
        reclaiming = self.kind == "capacity-block" and self.end is not None and now >= self.end - RECLAIM_SECONDS
        return self.state_at(now) == "active" and not reclaiming


def find(region, reservation_id):
    if reservation_id not in region.reservations:
        raise Fault("InvalidCapacityReservationId.NotFound",
                    f"The capacity reservation '{reservation_id}' does not exist")
    return region.reservations[reservation_id]


FILTERS = {"instance-type": lambda r: r.type, "owner-id": lambda r: r.owner, "availability-zone": lambda r: r.zone,
           "instance-match-criteria": lambda r: r.match, "tenancy": lambda r: r.tenancy,
           "reservation-type": lambda r: r.kind}


@action("ec2", "DescribeCapacityReservations")
def describe_capacity_reservations(context, CapacityReservationIds=(), Filters=(), MaxResults=None, NextToken=None,
                                   DryRun=False):
    context.dry_run()
    refuse_size_with_ids(context, CapacityReservationIds, "capacityReservationSet")
    region = context.region
    wanted = [find(region, one) for one in CapacityReservationIds] or region.reservations.values()
    filters = {**FILTERS, "state": lambda r: r.state_at(context.now)}
    found = select(context, wanted, Filters, filters, lambda r: r.tags)
    shown, token = page(context, found, lambda r: r.id)
    return {"CapacityReservations": [describe(one, context.now) for one in shown], "NextToken": token}


def describe(one, now):
    return {"CapacityReservationId": one.id, "OwnerId": one.owner, "CapacityReservationArn": one.arn,
            "AvailabilityZone": one.zone, "AvailabilityZoneId": one.zone_id, "InstanceType": one.type,
            "InstancePlatform": "Linux/UNIX", "Tenancy": one.tenancy, "TotalInstanceCount": one.total,
            "AvailableInstanceCount": max(one.free, 0), "EbsOptimized": False, "EphemeralStorage": False,
            "State": one.state_at(now), "StartDate": one.start, "CreateDate": one.start, "EndDate": one.end,
            "EndDateType": "limited" if one.end is not None else "unlimited", "InstanceMatchCriteria": one.match,
            "ReservationType": one.kind, "Interruptible": one.interruptible, "Tags": tags.to_list(one.tags)}
