"""Tags: of requests (TagSpecifications), and CreateTags."""

from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action

TAGS_MAX = 50


def to_dict(tags):
    """A list of tags as a dict; refuses what EC2 refuses."""
    found = {}
    for tag in tags or ():
        key, value = tag.get("Key"), tag.get("Value", "")
        if not key:
            raise Fault("InvalidParameterValue", "Tag key cannot be null or empty.")
        if key in found:
            raise Fault("InvalidParameterValue", f"Duplicate tag key '{key}' specified.")
        if key.lower().startswith("aws:"):
            raise Fault("InvalidParameterValue", "Tag keys starting with 'aws:' are reserved for internal use")
        if len(key) > 128 or len(value) > 256:
            raise Fault("InvalidParameterValue",
                        f"Tag {'key' if len(key) > 128 else 'value'} exceeds the maximum length of "
                        f"{128 if len(key) > 128 else 256} characters")
        found[key] = value
    check_count(found)
    return found


def check_count(tags):
    if len(tags) > TAGS_MAX:
        raise Fault("TagLimitExceeded", f"The maximum number of tags for a resource is {TAGS_MAX}")


def to_list(tags):
    return [{"Key": key, "Value": value} for key, value in sorted(tags.items())]


def by_resource(specifications, allowed):
    """{resource type: tags} of TagSpecifications; `allowed`: the types that the action makes."""
    found = {}
    for specification in specifications or ():
        kind = specification.get("ResourceType")
        if kind not in allowed:
            raise Fault("InvalidParameterValue", f"'{kind}' is not a valid taggable resource type for this operation.")
        if kind in found:
            raise Fault("InvalidParameterValue", f"Duplicate resource type '{kind}' in tag specifications.")
        found[kind] = to_dict(specification.get("Tags"))
    return found


def find_resource(context, resource_id):
    region = context.region
    kinds = {"i": (region.instances, "InvalidInstanceID.NotFound", "The instance ID '{}' does not exist"),
             "lt": (region.templates, "InvalidLaunchTemplateId.NotFound",
                    "The specified launch template, with template ID {}, does not exist."),
             "subnet": (region.subnets, "InvalidSubnetID.NotFound", "The subnet ID '{}' does not exist"),
             "sg": (region.groups, "InvalidGroup.NotFound", "The security group '{}' does not exist"),
             "ami": (region.images, "InvalidAMIID.NotFound", "The image id '[{}]' does not exist"),
             "cr": (region.reservations, "InvalidCapacityReservationId.NotFound",
                    "The capacity reservation '{}' does not exist")}
    prefix = resource_id.partition("-")[0]
    if prefix not in kinds:
        raise Fault("InvalidID", f"The ID '{resource_id}' is not valid")
    resources, code, text = kinds[prefix]
    if resource_id not in resources:
        raise Fault(code, text.format(resource_id))
    resource = resources[resource_id]
    if prefix == "i" and resource.is_forgotten(context.now):
        raise Fault(code, text.format(resource_id))
    return resource


@action("ec2", "CreateTags")
def create_tags(context, Resources, Tags, DryRun=False):
    tags = to_dict(Tags)
    resources = [find_resource(context, resource_id) for resource_id in Resources]
    for resource in resources:
        check_count({**resource.tags, **tags})
    context.dry_run()
    for resource in resources:
        resource.tags.update(tags)
