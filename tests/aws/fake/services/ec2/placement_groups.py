"""Placement groups, and where in one an instance goes."""

from collections import Counter
from dataclasses import dataclass, field

from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action
from tests.aws.fake.services.ec2 import tags
from tests.aws.fake.services.ec2.filters import select

SPREAD_MAX = 7      # instances of a group in a zone


@dataclass
class PlacementGroup:
    id: str
    name: str
    arn: str
    strategy: str = "cluster"           # spread, partition
    partitions: int = None
    spread_level: str = None            # rack or host
    state: str = "available"
    tags: dict = field(default_factory=dict)
    members: Counter = field(default_factory=Counter)       # by zone
    by_partition: Counter = field(default_factory=Counter)

    def room(self, zone):
        """How many more instances the zone takes; None: any number."""
        return SPREAD_MAX - self.members[zone] if self.strategy == "spread" else None

    def enter(self, zone, partition):
        """Counts an instance in; its partition: the one asked for, else the emptiest."""
        self.members[zone] += 1
        if self.strategy != "partition":
            return None
        if partition is None:
            partition = min(range(1, self.partitions + 1), key=lambda number: self.by_partition[number])
        self.by_partition[partition] += 1
        return partition

    def leave(self, zone, partition):
        self.members[zone] -= 1
        if partition is not None:
            self.by_partition[partition] -= 1


def find(region, group_id=None, name=None):
    found = next((group for group in region.placement_groups.values()
                  if (group.id == group_id if group_id else group.name == name)), None)
    if found:
        return found
    if group_id:
        raise Fault("InvalidPlacementGroupId.Unknown", f"The Placement Group '{group_id}' is unknown.")
    raise Fault("InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown.")


FILTERS = {"group-name": lambda g: g.name, "group-arn": lambda g: g.arn, "state": lambda g: g.state,
           "strategy": lambda g: g.strategy, "spread-level": lambda g: g.spread_level}


@action("ec2", "DescribePlacementGroups")
def describe_placement_groups(context, GroupIds=(), GroupNames=(), Filters=(), DryRun=False):
    context.dry_run()
    region = context.region
    wanted = [find(region, group_id=one) for one in GroupIds] + [find(region, name=name) for name in GroupNames]
    found = select(context, wanted or region.placement_groups.values(), Filters, FILTERS, lambda g: g.tags)
    return {"PlacementGroups": [
        {"GroupId": group.id, "GroupName": group.name, "GroupArn": group.arn, "State": group.state,
         "Strategy": group.strategy, "PartitionCount": group.partitions, "SpreadLevel": group.spread_level,
         "Tags": tags.to_list(group.tags)} for group in sorted(found, key=lambda g: g.id)]}
