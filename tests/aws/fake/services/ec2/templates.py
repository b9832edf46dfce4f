"""Launch templates: their names, what their data is refused for when they are made, and which version a launch takes."""

import base64
import binascii
import re
from dataclasses import dataclass, field

from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action
from tests.aws.fake.services.ec2 import tags, tokens
from tests.aws.fake.services.ec2.filters import select
from tests.aws.fake.services.ec2.pages import page

NAME = re.compile(r"[a-zA-Z0-9().\-/_]{3,128}")
USER_DATA_MAX = 16384
TAGGED_BY_DATA = {"instance", "volume", "network-interface", "spot-instances-request"}


@dataclass
class Template:
    id: str
    name: str
    data: dict
    created: float
    by: str
    tags: dict = field(default_factory=dict)
    version: int = 1


@action("ec2", "CreateLaunchTemplate")
def create_launch_template(context, LaunchTemplateName, LaunchTemplateData, TagSpecifications=(), ClientToken=None,
                           DryRun=False):
    return tokens.remember(context, lambda: make(context, LaunchTemplateName, LaunchTemplateData, TagSpecifications))


def make(context, name, data, specifications):
    if not NAME.fullmatch(name):
        raise Fault("InvalidLaunchTemplateName.MalformedException",
                    "A launch template name must be between 3 and 128 characters, and may contain letters, numbers, and "
                    "the following characters: - ( ) . / _.")
    template_tags = tags.by_resource(specifications, {"launch-template"}).get("launch-template", {})
    check_data(data)
    if find_by_name(context.region, name):
        raise Fault("InvalidLaunchTemplateName.AlreadyExistsException", "Launch template name already in use.")
    context.dry_run()
    template = Template(context.region.new_id("lt"), name, data, context.now, context.identity.arn, template_tags)
    context.region.templates[template.id] = template
    return {"LaunchTemplate": describe(template)}


def check_data(data):
    check_user_data(data.get("UserData", ""))
    tags.by_resource(data.get("TagSpecifications"), TAGGED_BY_DATA)
    if data.get("NetworkInterfaces") and (data.get("SecurityGroupIds") or data.get("SecurityGroups")):
        raise Fault("InvalidParameterCombination", "Network interfaces and an instance-level security groups may not be "
                                                   "specified on the same request")


def check_user_data(text):
    try:
        plain = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error) as error:
        raise Fault("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.") from error
    if len(plain) > USER_DATA_MAX:
        raise Fault("InvalidUserData.Malformed", f"User data is limited to {USER_DATA_MAX} bytes")


def find_by_name(region, name):
    return next((template for template in region.templates.values() if template.name == name), None)


def find(region, specification):
    """The template of a LaunchTemplateSpecification, by id or name and version."""
    template_id, name = specification.get("LaunchTemplateId"), specification.get("LaunchTemplateName")
    if bool(template_id) == bool(name):
        raise Fault("InvalidParameterCombination" if name else "MissingParameter",
                    "Exactly one of launch template ID and launch template name must be specified.")
    template = find_by_id(region, template_id) if template_id else expect_name(region, name)
    version = specification.get("Version", "$Default")
    if version not in ("$Latest", "$Default", str(template.version)):
        raise Fault("InvalidLaunchTemplateId.VersionNotFound",
                    f"Could not find the specified version {version} for the launch template with ID {template.id}.")
    return template


def find_by_id(region, template_id):
    if not re.fullmatch(r"lt-[0-9a-f]+", template_id):
        raise Fault("InvalidLaunchTemplateId.Malformed", f"Invalid launch template ID: {template_id}")
    if template_id not in region.templates:
        raise Fault("InvalidLaunchTemplateId.NotFound",
                    f"The specified launch template, with template ID {template_id}, does not exist.")
    return region.templates[template_id]


def expect_name(region, name):
    template = find_by_name(region, name)
    if not template:
        raise Fault("InvalidLaunchTemplateName.NotFoundException",
                    f"The specified launch template, with template name {name}, does not exist.")
    return template


def describe(template):
    return {"LaunchTemplateId": template.id, "LaunchTemplateName": template.name, "CreateTime": template.created,
            "CreatedBy": template.by, "DefaultVersionNumber": template.version, "LatestVersionNumber": template.version,
            "Tags": tags.to_list(template.tags)}


FILTERS = {"launch-template-name": lambda t: t.name, "create-time": lambda t: t.created}


@action("ec2", "DescribeLaunchTemplates")
def describe_launch_templates(context, LaunchTemplateIds=(), LaunchTemplateNames=(), Filters=(), MaxResults=None,
                              NextToken=None, DryRun=False):
    context.dry_run()
    region = context.region
    wanted = [find_by_id(region, one) for one in LaunchTemplateIds]
    wanted += [expect_name(region, name) for name in LaunchTemplateNames]
    found = select(context, wanted or region.templates.values(), Filters, FILTERS, lambda t: t.tags)
    shown, token = page(context, found, lambda t: t.id, default=200, most=200)
    return {"LaunchTemplates": [describe(template) for template in shown], "NextToken": token}


@action("ec2", "DescribeLaunchTemplateVersions")
def describe_launch_template_versions(context, LaunchTemplateId=None, LaunchTemplateName=None, Versions=(),
                                      DryRun=False):
    context.dry_run()
    found = [find(context.region, {"LaunchTemplateId": LaunchTemplateId, "LaunchTemplateName": LaunchTemplateName,
                                   "Version": version}) for version in Versions or ("$Latest",)]
    return {"LaunchTemplateVersions": [
        {"LaunchTemplateId": template.id, "LaunchTemplateName": template.name, "VersionNumber": template.version,
         "CreateTime": template.created, "CreatedBy": template.by, "DefaultVersion": True,
         "LaunchTemplateData": template.data} for template in found]}


@action("ec2", "DeleteLaunchTemplate")
def delete_launch_template(context, LaunchTemplateId=None, LaunchTemplateName=None, DryRun=False):
    template = find(context.region, {"LaunchTemplateId": LaunchTemplateId, "LaunchTemplateName": LaunchTemplateName})
    context.dry_run()
    del context.region.templates[template.id]
    return {"LaunchTemplate": describe(template)}
