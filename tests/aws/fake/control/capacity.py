"""How much there is of what, and what it costs."""

from tests.aws.fake.control.part import Part
from tests.aws.fake.services.ec2.capacity import Limit


class Capacity(Part):
    def capacity(self, offering, left, code="InsufficientInstanceCapacity", message="", shared=True, region=None):
        """What is left of the offerings that a pattern matches (spot:m5.*:us-east-1a); left=None: any number again."""
        limits = self._region(region).capacity.limits
        limits.pop(offering, None)
        if left is not None:
            limits[offering] = Limit(offering, left, code, message, shared)

    def quota(self, lifecycle, vcpus, region=None):
        """The account's quota of vCPUs, of spot or on-demand; None: none."""
        self._region(region).capacity.vcpus[lifecycle] = vcpus

    def spot_role(self, exists, region=None):
        self._region(region).capacity.spot_role = exists

    def spot_price(self, type, zone, price, region=None):
        history = self._region(region).spot_prices.setdefault((type, zone), [])
        history.append((self._fake.clock.now(), float(price)))

    def doom(self, **about):
        """Instances that end after their launch (deaths.Doom). Returns the number of it."""
        return self._fake.deaths.add(**about)

    def undoom(self):
        self._fake.deaths.clear()
