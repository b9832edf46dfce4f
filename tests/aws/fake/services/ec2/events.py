"""EventBridge's messages about instances, in queues: what EC2 and AWS Health say (reference aws.md 7.7 and 13.1)."""

import json
import uuid

from tests.aws.fake.clock import iso


class Events:
    """`follow(region, queue)`: from then on the queue is told that instances are pending, shutting down, terminated; the
    last when a call looks at instances, for nothing here happens by itself."""

    def __init__(self, clock):
        self.clock, self.followers = clock, {}

    def follow(self, region, queue):
        self.followers[region.name] = queue

    def state_changed(self, region, instance, state):
        queue = self.followers.get(region.name)
        if queue:
            region.queues[queue].put(self.state_change(region, instance.id, state))

    def event(self, region, source, kind, detail, resources=()):
        return json.dumps({
            "version": "0", "id": str(uuid.UUID(int=region.ids.getrandbits(128), version=4)), "detail-type": kind,
            "source": source, "account": region.account, "time": iso(self.clock.now(), False), "region": region.name,
            "resources": list(resources), "detail": detail})

    def of_instance(self, region, kind, instance_id, **detail):
        return self.event(region, "aws.ec2", kind, {"instance-id": instance_id, **detail},
                          [region.arn("ec2", f"instance/{instance_id}")])

    def state_change(self, region, instance_id, state):
        return self.of_instance(region, "EC2 Instance State-change Notification", instance_id, state=state)

    def spot_interruption(self, region, instance_id):
        return self.of_instance(region, "EC2 Spot Instance Interruption Warning", instance_id,
                                **{"instance-action": "terminate"})

    def rebalance(self, region, instance_id):
        return self.of_instance(region, "EC2 Instance Rebalance Recommendation", instance_id)

    def reservation_interruption(self, region, instance_id):
        return self.of_instance(region, "EC2 Capacity Reservation Instance Interruption Warning", instance_id,
                                **{"instance-action": "terminate"})

    def health(self, region, instance_id):
        return self.event(region, "aws.health", "AWS Health Event", {
            "service": "EC2", "eventTypeCode": "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED",
            "eventTypeCategory": "scheduledChange", "startTime": iso(self.clock.now(), False),
            "affectedEntities": [{"entityValue": instance_id}]})


KINDS = ("spot_interruption", "rebalance", "reservation_interruption", "health")
