"""What happens to instances, and who hears of it."""

import base64

from tests.aws.fake.control.part import Part
from tests.aws.fake.services.ec2 import events, start


class Instances(Part):
    def instances(self, region=None):
        now = self._fake.clock.now()
        return [{"id": one.id, "type": one.launch.type, "zone": one.launch.zone, "state": one.state(now),
                 "lifecycle": one.launch.lifecycle, "subnet": one.launch.subnet.id, "launched": one.launched,
                 "fleet": one.launch.fleet, "token": one.launch.token, "reason": one.reason, "tags": one.tags,
                 "reboots": one.reboots} for one in self._region(region).instances.values()]

    def machine(self, instance, region=None):
        """What the machine itself knows: its name in the network, its size, and the user data that it was started with."""
        one = self._region(region).instances[instance]
        row = self._fake.world.catalogue.types[one.launch.type]
        data = one.launch.data.get("UserData")
        return {"name": one.interfaces[0]["PrivateDnsName"], "address": one.address, "image": one.launch.image.id,
                "architecture": one.launch.image.architecture, "cpus": row["VCpuInfo"]["DefaultVCpus"],
                "memory_mib": row["MemoryInfo"]["SizeInMiB"],
                "user_data": base64.b64decode(data).decode(errors="replace") if data else ""}

    def copies(self, instance, count, tags=None, region=None):
        """So many further instances like that one, which have been running for as long, with these tags instead of its own; their
        ids and names."""
        where = self._region(region)
        one = where.instances[instance]
        made = [start.copy(where, one) for _ in range(count)]
        for each in made if tags is not None else ():
            each.tags = dict(tags)
        return [{"id": each.id, "name": each.interfaces[0]["PrivateDnsName"]} for each in made]

    def end(self, instance, code="Server.InternalError",
            message="Server.InternalError: Internal error on launch", after=0, region=None):
        """Ends an instance as from the inside of EC2, with a reason, now or in `after` seconds."""
        where = self._region(region)
        one = where.instances[instance]
        one.end(self._fake.clock.now() + after, code, message)
        if after == 0:
            self._fake.events.state_changed(where, one, "shutting-down")

    def impair(self, instance, part="instance", since=0, region=None):
        """An instance's or (part="system") its host's status is impaired, since so many seconds."""
        if part not in ("instance", "system"):
            raise ValueError(f"part {part!r} is neither instance nor system")
        self._region(region).instances[instance].impaired[part] = self._fake.clock.now() - since

    def schedule(self, instance, code="instance-retirement", after=86400, region=None):
        """A scheduled event of an instance."""
        self._region(region).instances[instance].events.append((code, self._fake.clock.now() + after))

    def stop(self, instance, region=None):
        """An instance is stopped by somebody."""
        self._region(region).instances[instance].stopped = self._fake.clock.now()

    def put(self, body, count=1, queue=None, region=None):
        """Puts a text into a queue, so many times."""
        for _ in range(count):
            self._queue(queue, region).put(body)

    def event(self, kind, instance, queue=None, region=None):
        """Puts an event of events.KINDS about an instance; a spot interruption ends it two minutes later."""
        if kind not in events.KINDS:
            raise ValueError(f"kind {kind!r} is none of {', '.join(events.KINDS)}")
        where = self._region(region)
        self._queue(queue, region).put(getattr(self._fake.events, kind)(where, instance))
        if kind == "spot_interruption" and instance in where.instances:
            where.instances[instance].end(self._fake.clock.now() + 120, "Server.SpotInstanceTermination",
                                          "Server.SpotInstanceTermination: Spot instance termination")

    def follow(self, queue=None, region=None):
        """From now on the queue hears of instances that start and end."""
        self._fake.events.follow(self._region(region), queue or self._fake.settings.cluster)

    def queue(self, name=None, region=None):
        now, queue = self._fake.clock.now(), self._queue(name, region)
        hidden = sum(one.visible > now for one in queue.messages.values())
        return {"url": queue.url, "messages": len(queue.messages), "hidden": hidden, "deleted": queue.deleted}
