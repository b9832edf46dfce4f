"""How many instances EC2 has: for each offering without end unless a test says otherwise, and the account's quotas."""

from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from tests.aws.fake.errors import Fault


@dataclass
class Limit:
    """What is left of the offerings that `pattern` matches, as spot:m5.*:us-east-1a."""

    pattern: str
    left: int
    code: str = "InsufficientInstanceCapacity"
    message: str = ""
    shared: bool = True         # one number for all that match; else one for each offering
    taken: dict = field(default_factory=dict)   # by offering; an instance from before the limit returns nothing to it

    def room(self, offering):
        return self.left - (sum(self.taken.values()) if self.shared else self.taken.get(offering, 0))

    def take(self, offering, count):
        self.taken[offering] = max(self.taken.get(offering, 0) + count, 0)


class Capacity:
    def __init__(self):
        self.limits = {}        # pattern: Limit; of those that match the one set last counts
        self.vcpus = {"spot": None, "on-demand": None}      # quotas of the account
        self.vcpus_used = {"spot": 0, "on-demand": 0}
        self.spot_role = True   # whether the service-linked role of spot exists or may be made

    def limit_of(self, offering):
        return next((one for one in reversed(self.limits.values()) if fnmatchcase(offering, one.pattern)), None)

    def room(self, lifecycle, name, zone):
        """How many more instances there are; None: any number."""
        limit = self.limit_of(f"{lifecycle}:{name}:{zone}")
        return limit.room(f"{lifecycle}:{name}:{zone}") if limit else None

    def lack(self, lifecycle, name, zone, zones):
        """The Fault for an offering that has no more."""
        limit = self.limit_of(f"{lifecycle}:{name}:{zone}")
        if limit.message or limit.code != "InsufficientInstanceCapacity":
            return Fault(limit.code, limit.message or "The request cannot be fulfilled.")
        if lifecycle == "spot":
            return Fault(limit.code, "There is no Spot capacity available that matches your request.")
        others = ", ".join(other for other in zones if other != zone)
        return Fault(limit.code,
                     f"We currently do not have sufficient {name} capacity in the Availability Zone you requested ({zone})."
                     f" Our system will be working on provisioning additional capacity. You can currently get {name} "
                     f"capacity by not specifying an Availability Zone in your request or choosing {others}.")

    def quota_room(self, lifecycle, vcpus):
        """How many instances of so many vCPUs the account's quota still takes; None: any number."""
        quota = self.vcpus[lifecycle]
        return None if quota is None else max(quota - self.vcpus_used[lifecycle], 0) // vcpus

    def quota_fault(self, lifecycle):
        if lifecycle == "spot":
            return Fault("MaxSpotInstanceCountExceeded", "Max spot instance count exceeded")
        return Fault("VcpuLimitExceeded",
                     f"You have requested more vCPU capacity than your current vCPU limit of {self.vcpus[lifecycle]} allows "
                     "for the instance bucket that the specified instance type belongs to. Please visit "
                     "http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.")

    def take(self, lifecycle, name, zone, count):
        """Takes instances; a negative count returns them."""
        offering = f"{lifecycle}:{name}:{zone}"
        limit = self.limit_of(offering)
        if limit:
            limit.take(offering, count)
