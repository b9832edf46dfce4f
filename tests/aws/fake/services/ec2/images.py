"""Images and how they become deprecated."""

import calendar
import time
from dataclasses import dataclass, field

from tests.aws.fake.clock import iso
from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action
from tests.aws.fake.services.ec2.filters import select
from tests.aws.fake.services.ec2.pages import page
from tests.aws.fake.services.ec2.tags import to_list


@dataclass
class Image:
    id: str
    name: str
    owner: str
    architecture: str = "x86_64"
    created: str = "2026-01-01T00:00:00.000Z"
    deprecated: str = None          # when it becomes or became so; None: never
    state: str = "available"
    platform: str = None            # windows
    alias: str = "amazon"           # of the owner; None: an account like others
    public: bool = True
    devices: tuple = ("/dev/xvda",)  # the first is the root device
    tags: dict = field(default_factory=dict)

    def is_deprecated(self, now):
        return self.deprecated is not None and to_seconds(self.deprecated) <= now


def to_seconds(text):
    return calendar.timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))


FILTERS = {"image-id": lambda i: i.id, "name": lambda i: i.name, "state": lambda i: i.state,
           "architecture": lambda i: i.architecture, "owner-id": lambda i: i.owner, "owner-alias": lambda i: i.alias,
           "is-public": lambda i: i.public, "platform": lambda i: i.platform, "image-type": lambda i: "machine",
           "root-device-type": lambda i: "ebs", "virtualization-type": lambda i: "hvm", "hypervisor": lambda i: "xen",
           "root-device-name": lambda i: i.devices[0], "creation-date": lambda i: i.created,
           "description": lambda i: i.name}


@action("ec2", "DescribeImages")
def describe_images(context, ImageIds=(), Owners=(), Filters=(), IncludeDeprecated=False, MaxResults=None,
                    NextToken=None, DryRun=False):
    context.dry_run()
    images = [find_image(context.region, name) for name in ImageIds] or context.region.images.values()
    images = [image for image in images if not Owners or is_owned(context, image, Owners)]
    if not IncludeDeprecated and not ImageIds:
        images = [image for image in images if image.owner == context.account or not image.is_deprecated(context.now)]
    found = select(context, images, Filters, FILTERS, lambda i: i.tags)
    shown, token = page(context, found, lambda i: i.id)
    return {"Images": [describe(image) for image in shown], "NextToken": token}


def is_owned(context, image, owners):
    return image.owner in owners or image.alias in owners or ("self" in owners and image.owner == context.account)


def find_image(region, image_id):
    if not image_id.startswith("ami-") or not image_id[4:].isalnum():
        raise Fault("InvalidAMIID.Malformed", f'Invalid id: "{image_id}" (expecting "ami-...")')
    if image_id not in region.images:
        raise Fault("InvalidAMIID.NotFound", f"The image id '[{image_id}]' does not exist")
    return region.images[image_id]


def describe(image):
    mappings = [{"DeviceName": name, "Ebs": {"DeleteOnTermination": True, "Encrypted": False, "VolumeType": "gp3",
                                             "SnapshotId": "snap-" + image.id[4:], "VolumeSize": 20, "Iops": 3000,
                                             "Throughput": 125}} for name in image.devices]
    deprecated = iso(to_seconds(image.deprecated)) if image.deprecated else None
    return {"ImageId": image.id, "Name": image.name, "Description": image.name, "OwnerId": image.owner,
            "ImageOwnerAlias": image.alias, "ImageLocation": f"{image.alias or image.owner}/{image.name}",
            "Architecture": image.architecture, "CreationDate": image.created, "DeprecationTime": deprecated,
            "State": image.state, "Public": image.public, "ImageType": "machine", "Platform": image.platform,
            "PlatformDetails": "Windows" if image.platform else "Linux/UNIX", "UsageOperation": "RunInstances",
            "RootDeviceName": image.devices[0], "RootDeviceType": "ebs", "VirtualizationType": "hvm",
            "Hypervisor": "xen", "EnaSupport": True, "SriovNetSupport": "simple", "ImdsSupport": "v2.0",
            "BootMode": "uefi-preferred", "BlockDeviceMappings": mappings, "Tags": to_list(image.tags)}
