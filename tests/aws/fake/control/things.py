"""What there is beside instances: network, images, reservations, profiles, queues, clusters."""

import json

from tests.aws.fake.control.part import Part, set_field
from tests.aws.fake.services import eks, eventbridge, iam, zonal_shift
from tests.aws.fake.services.ec2.images import Image
from tests.aws.fake.services.ec2.network import Group, Subnet
from tests.aws.fake.services.ec2.placement_groups import PlacementGroup
from tests.aws.fake.services.ec2.reservations import Reservation
from tests.aws.fake.services.sqs import Queue, sender_policy


class Things(Part):
    def add_subnet(self, zone, cidr, tags=None, vpc=None, public=False, region=None):
        where = self._region(region)
        name = where.new_id("subnet")
        vpc = vpc or next(iter(where.subnets.values())).vpc
        where.subnets[name] = Subnet(name, vpc, zone, where.zones[zone], cidr, where.arn("ec2", f"subnet/{name}"),
                                     tags or {}, public)
        return name

    def take_addresses(self, subnet, count, region=None):
        """Others (pods) take addresses of a subnet; a negative count gives them back."""
        self._region(region).subnets[subnet].used += count

    def add_group(self, name, tags=None, vpc=None, region=None):
        where = self._region(region)
        group = where.new_id("sg")
        vpc = vpc or next(iter(where.subnets.values())).vpc
        where.groups[group] = Group(group, name, vpc, where.arn("ec2", f"security-group/{group}"), tags or {})
        return group

    def add_image(self, name, owner, region=None, **about):
        """An image (images.Image); its id is returned."""
        where = self._region(region)
        image = about.pop("id", None) or where.new_id("ami")
        where.images[image] = Image(image, name, owner, **about)
        return image

    def deprecate(self, image, at="2026-01-01T00:00:00.000Z", region=None):
        self._region(region).images[image].deprecated = at

    def parameter(self, name, value, region=None):
        """Sets a parameter of SSM; None removes it."""
        parameters = self._region(region).parameters
        if value is None:
            parameters.pop(name, None)
        else:
            parameters[name] = value

    def add_reservation(self, type, zone, count, region=None, ends_in=None, owner=None, **about):
        """A capacity reservation (reservations.Reservation); `ends_in`: seconds."""
        where, now = self._region(region), self._fake.clock.now()
        name = where.new_id("cr")
        where.reservations[name] = Reservation(
            name, type, zone, where.zones[zone], owner or where.account,
            where.arn("ec2", f"capacity-reservation/{name}"), count, start=now,
            end=None if ends_in is None else now + ends_in, **about)
        return name

    def change_reservation(self, reservation, region=None, **about):
        one = self._region(region).reservations[reservation]
        for name, value in about.items():
            set_field(one, name, value)

    def add_placement_group(self, name, region=None, **about):
        where = self._region(region)
        group = where.new_id("pg")
        where.placement_groups[group] = PlacementGroup(group, name, where.arn("ec2", f"placement-group/{name}"), **about)
        return group

    def add_role(self, name, path="/", policies=()):
        """A role; `policies`: names of AWS's, or ARNs of any."""
        arns = {one if one.startswith("arn:") else iam.policy_arn(one) for one in policies}
        self._fake.world.roles[name] = iam.Role(name, self._fake.new_iam_id("AROA"), self._fake.clock.now(), path,
                                                policies=arns)

    def add_profile(self, name, path="/", role=None, tags=None):
        world = self._fake.world
        world.profiles[name] = iam.Profile(name, self._fake.new_iam_id("AIPA"), self._fake.clock.now(), path,
                                       world.roles[role] if role else None, tags or {})

    def add_queue(self, name, region=None, visibility=30, retention=345600, policy=None, key=None):
        """`policy`: JSON; "": none; without a word, the one that lets EventBridge send. `key`: of KMS."""
        where = self._region(region)
        url = f"{self._fake.url}/{where.account}/{name}"
        where.queues[name] = Queue(name, url, self._fake.clock, self._fake.lock, visibility, retention)
        where.queues[name].policy = sender_policy(where.arn("sqs", name)) if policy is None else policy
        where.queues[name].key = key
        return url

    def add_rule(self, name, pattern, queue=None, state="ENABLED", region=None):
        """A rule of EventBridge that sends to a queue; `pattern`: what its JSON is of."""
        where = self._region(region)
        arn = where.arn("sqs", queue or self._fake.settings.cluster)
        eventbridge.make(where, name, json.dumps(pattern), [arn], state)

    def add_cluster(self, name, version="1.34", region=None, **about):
        where = self._region(region)
        where.clusters[name] = eks.make(where, name, version, self._fake.clock.now(), **about)
        return where.clusters[name]["arn"]

    def shift(self, zone_id, seconds=3600, applied=True, cluster=None, region=None):
        """A zonal shift of a cluster away from a zone; seconds=0 ends it."""
        where = self._region(region)
        arn = where.clusters[cluster or self._fake.settings.cluster]["arn"]
        if seconds:
            zonal_shift.start(where, arn, zone_id, self._fake.clock.now(), seconds, applied)
        else:
            zonal_shift.cancel(where, arn, zone_id)

    def templates(self, region=None):
        return [{"id": one.id, "name": one.name, "tags": one.tags, "data": one.data}
                for one in self._region(region).templates.values()]

    def delete_template(self, name, region=None):
        """Somebody else deletes a launch template."""
        templates = self._region(region).templates
        del templates[next(one.id for one in templates.values() if one.name == name)]

    def state(self, region=None):
        """Counts, and the ids of what a test needs to name."""
        where = self._region(region)
        return {"subnets": {one.id: {"zone": one.zone, "zone_id": one.zone_id, "free": one.free, "tags": one.tags}
                            for one in where.subnets.values()},
                "groups": {one.id: one.name for one in where.groups.values()},
                "types": len(where.offerings), "instances": len(where.instances), "templates": len(where.templates),
                "profiles": {one.name: {"path": one.path, "role": one.role.name if one.role else None, "tags": one.tags}
                             for one in self._fake.world.profiles.values()},
                "reservations": {one.id: {"total": one.total, "used": one.used} for one in where.reservations.values()}}
