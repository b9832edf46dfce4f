"""What each service does. HANDLERS has them all, for importing their files registers them."""

from tests.aws.fake.handlers import HANDLERS
from tests.aws.fake.services import eks, eventbridge, iam, pricing, sqs, ssm, sts, zonal_shift
from tests.aws.fake.services.ec2 import fleet, images, lifecycle, network, placement_groups, reservations, run, tags
from tests.aws.fake.services.ec2 import templates, types

__all__ = ["HANDLERS", "eks", "eventbridge", "fleet", "iam", "images", "lifecycle", "network", "placement_groups", "pricing",
           "reservations", "run", "sqs", "ssm", "sts", "tags", "templates", "types", "zonal_shift"]
