"""An instance: its states in time, and what DescribeInstances says of it."""

from dataclasses import dataclass, field

from tests.aws.fake.auth.identities import ACCOUNT
from tests.aws.fake.clock import iso, utc
from tests.aws.fake.services.ec2.tags import to_list

CODES = {"pending": 0, "running": 16, "shutting-down": 32, "terminated": 48, "stopping": 64, "stopped": 80}


@dataclass
class Instance:
    id: str
    reservation: str        # of the launch, r-…
    index: int
    launch: object          # launch.Launch
    launched: float
    timing: object = None   # world.Timing
    tags: dict = field(default_factory=dict)
    interfaces: list = field(default_factory=list)
    spot_request: str = None
    partition: int = None
    capacity_reservation: object = None
    ended: float = None     # when it began to shut down; may lie ahead
    reason: tuple = None    # code, message
    stopped: float = None   # when it began to stop
    reboots: int = 0
    impaired: dict = field(default_factory=dict)    # instance or system: when that status became impaired
    events: list = field(default_factory=list)      # scheduled ones: codes
    released: bool = False

    def state(self, now):
        if self.ended is not None and now >= self.ended:
            return "shutting-down" if now < self.ended + self.timing.shutting_down else "terminated"
        if self.stopped is not None:
            return "stopping" if now < self.stopped + self.timing.shutting_down else "stopped"
        return "pending" if now < self.launched + self.timing.pending else "running"

    def is_forgotten(self, now):
        return self.ended is not None and now >= self.ended + self.timing.shutting_down + self.timing.remembered

    def is_visible(self, now):
        return now >= self.launched + self.timing.instance_visible and not self.is_forgotten(now)

    def end(self, now, code, message):
        """Begins to end it, unless it ends already."""
        if self.ended is None or self.ended > now:
            self.ended, self.reason = now, (code, message)

    @property
    def address(self):
        return self.interfaces[0]["PrivateIpAddress"]

    @property
    def lifecycle(self):
        """What instanceLifecycle says; None for ordinary on-demand ones."""
        return self.launch.block_lifecycle or ("spot" if self.launch.lifecycle == "spot" else None)


def describe_state(name):
    return {"Code": CODES[name], "Name": name}


def describe(instance, now):
    launch, data, state = instance.launch, instance.launch.data, instance.state(now)
    gone = state == "terminated"
    placement = data.get("Placement") or {}
    group = launch.group
    reservation = instance.capacity_reservation
    if reservation and reservation.state_at(now) != "active":   # what was reserved has become ordinary
        reservation = None
    has_ended = instance.ended is not None and now >= instance.ended
    return {
        "InstanceId": instance.id, "AmiLaunchIndex": instance.index, "ImageId": launch.image.id,
        "InstanceType": launch.type, "State": describe_state(state), "LaunchTime": instance.launched,
        "Architecture": launch.image.architecture, "ClientToken": launch.token or "", "EbsOptimized": False,
        "EnaSupport": True, "Hypervisor": "xen", "VirtualizationType": "hvm", "RootDeviceType": "ebs",
        "RootDeviceName": launch.image.devices[0], "Platform": launch.image.platform,
        "PlatformDetails": "Windows" if launch.image.platform else "Linux/UNIX", "UsageOperation": "RunInstances",
        "Monitoring": {"State": "enabled" if (data.get("Monitoring") or {}).get("Enabled") else "disabled"},
        "Placement": {"AvailabilityZone": launch.zone, "AvailabilityZoneId": launch.subnet.zone_id,
                      "Tenancy": placement.get("Tenancy", "default"), "GroupName": group.name if group else "",
                      "GroupId": group.id if group else None, "PartitionNumber": instance.partition},
        "PrivateDnsName": "" if gone else instance.interfaces[0]["PrivateDnsName"], "PublicDnsName": "",
        "PrivateIpAddress": None if gone else instance.address,
        "SubnetId": None if gone else launch.subnet.id, "VpcId": None if gone else launch.subnet.vpc,
        "SecurityGroups": [] if gone else instance.interfaces[0]["Groups"],
        "NetworkInterfaces": [] if gone else instance.interfaces, "SourceDestCheck": True,
        "IamInstanceProfile": describe_profile(data), "InstanceLifecycle": instance.lifecycle,
        "SpotInstanceRequestId": instance.spot_request,
        "CapacityReservationId": reservation.id if reservation else None,
        "CapacityReservationSpecification": describe_reservation_wish(data),
        "MetadataOptions": {"State": "applied", "HttpTokens": "optional", "HttpPutResponseHopLimit": 1,
                            "HttpEndpoint": "enabled", "HttpProtocolIpv6": "disabled", "InstanceMetadataTags": "disabled",
                            **(data.get("MetadataOptions") or {})},
        "EnclaveOptions": {"Enabled": bool((data.get("EnclaveOptions") or {}).get("Enabled"))},
        "BlockDeviceMappings": [] if gone else describe_volumes(instance),
        "StateReason": dict(zip(("Code", "Message"), instance.reason)) if has_ended and instance.reason else None,
        "StateTransitionReason": f"User initiated ({utc(instance.ended):%Y-%m-%d %H:%M:%S} GMT)" if has_ended else "",
        "Tags": to_list(instance.tags),
    }


def describe_profile(data):
    name = (data.get("IamInstanceProfile") or {}).get("Name")
    return {"Arn": f"arn:aws:iam::{ACCOUNT}:instance-profile/{name}", "Id": "AIPA" + name[:16].upper()} if name else None


def describe_reservation_wish(data):
    wish = data.get("CapacityReservationSpecification") or {}
    return {"CapacityReservationPreference": wish.get("CapacityReservationPreference", "open"),
            "CapacityReservationTarget": wish.get("CapacityReservationTarget")}


def describe_volumes(instance):
    names = [one["DeviceName"] for one in instance.launch.data.get("BlockDeviceMappings") or ()]
    return [{"DeviceName": name, "Ebs": {"VolumeId": f"vol-{instance.id[2:-1]}{number}", "Status": "attached",
                                         "AttachTime": instance.launched, "DeleteOnTermination": True}}
            for number, name in enumerate(names or instance.launch.image.devices)]


FILTERS = {
    "instance-id": lambda i: i.id, "instance-type": lambda i: i.launch.type, "image-id": lambda i: i.launch.image.id,
    "availability-zone": lambda i: i.launch.zone, "availability-zone-id": lambda i: i.launch.subnet.zone_id,
    "subnet-id": lambda i: i.launch.subnet.id, "vpc-id": lambda i: i.launch.subnet.vpc,
    "instance-lifecycle": lambda i: i.lifecycle, "client-token": lambda i: i.launch.token,
    "private-ip-address": lambda i: i.address, "spot-instance-request-id": lambda i: i.spot_request,
    "reservation-id": lambda i: i.reservation, "architecture": lambda i: i.launch.image.architecture,
    "placement-group-name": lambda i: i.launch.group.name if i.launch.group else None,
    "capacity-reservation-id": lambda i: i.capacity_reservation.id if i.capacity_reservation else None,
    "state-reason-code": lambda i: i.reason[0] if i.reason else None,
    "iam-instance-profile.name": lambda i: (i.launch.data.get("IamInstanceProfile") or {}).get("Name"),
    "instance.group-id": lambda i: [group["GroupId"] for one in i.interfaces for group in one["Groups"]],
}


def filters_at(now):
    """The filters, with those that depend on the time."""
    return {**FILTERS, "instance-state-name": lambda i: i.state(now),
            "instance-state-code": lambda i: CODES[i.state(now)], "launch-time": lambda i: iso(i.launched)}
