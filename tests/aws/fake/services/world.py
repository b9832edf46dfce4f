"""All that exists: regions with what is in them, and what is one for all regions (IAM)."""

import random
from dataclasses import dataclass, field

from tests.aws.fake.auth.identities import ACCOUNT


@dataclass
class Timing:
    """How long things take, in seconds of the fake's clock. Tests set what they need."""

    pending: float = 2.0            # until an instance runs
    shutting_down: float = 2.0      # until an ended one is terminated
    remembered: float = 3600.0      # how long a terminated instance is still described
    instance_visible: float = 0.0   # until DescribeInstances knows a new instance
    profile_visible: float = 0.0    # until EC2 knows a new instance profile
    token_kept: float = 24 * 3600.0  # how long a client token is remembered


@dataclass
class Region:
    name: str
    zones: dict                                     # name: id
    offerings: dict                                 # type: zones
    ids: random.Random
    account: str = ACCOUNT
    subnets: dict = field(default_factory=dict)
    groups: dict = field(default_factory=dict)
    images: dict = field(default_factory=dict)
    templates: dict = field(default_factory=dict)
    instances: dict = field(default_factory=dict)
    reservations: dict = field(default_factory=dict)        # of capacity
    placement_groups: dict = field(default_factory=dict)
    client_tokens: dict = field(default_factory=dict)
    parameters: dict = field(default_factory=dict)          # of SSM: name: value
    clusters: dict = field(default_factory=dict)
    queues: dict = field(default_factory=dict)
    rules: dict = field(default_factory=dict)               # of EventBridge
    shifts: dict = field(default_factory=dict)              # of zones, by the resource's ARN
    spot_prices: dict = field(default_factory=dict)         # (type, zone): [(seconds, price)]
    capacity: object = None                                 # ec2.capacity.Capacity

    def new_id(self, prefix):
        """i-0123456789abcdef0: the same ones in the same order in each run of a seed."""
        return f"{prefix}-0{self.ids.getrandbits(64):016x}"

    def arn(self, service, resource):
        return f"arn:{partition(self.name)}:{service}:{self.name}:{self.account}:{resource}"


def partition(region):
    return "aws-cn" if region.startswith("cn-") else "aws-us-gov" if region.startswith("us-gov-") else "aws"


class World:
    """Regions come into being when they are first named, with what `furnish(region)` puts into them."""

    def __init__(self, catalogue, furnish, seed=1, everywhere=False):
        self.catalogue, self._furnish, self._seed, self._everywhere = catalogue, furnish, seed, everywhere
        self.timing = Timing()
        self.regions = {}
        self.profiles, self.roles = {}, {}      # of IAM
        self.web_tokens = {}                    # token: seconds since 1970 at which it ends

    @property
    def region_names(self):
        return self.catalogue.zones.keys()

    def region(self, name):
        if name not in self.regions:
            region = Region(name, self.catalogue.zones[name], self.catalogue.offerings(name, self._everywhere),
                            random.Random(f"{self._seed}/{name}"))
            self.regions[name] = region
            self._furnish(region)
        return self.regions[name]
