"""IAM's instance profiles, the roles in them, and their managed policies."""

import re
from dataclasses import dataclass, field

from tests.aws.fake.auth.identities import ACCOUNT
from tests.aws.fake.errors import Fault
from tests.aws.fake.handlers import action
from tests.aws.fake.services.ec2.pages import page

PATH = re.compile(r"/|/[!-~]{0,510}/")
ATTACHED_MAX = 10
# AWS's own, as far as roles of nodes have them; attaching another is refused as one that is not there.
NODE_POLICIES = ("AmazonEKS_CNI_Policy", "AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly",
                 "AmazonSSMManagedInstanceCore")
AWS_POLICIES = (*NODE_POLICIES, "AdministratorAccess", "AmazonEC2ContainerRegistryReadOnly",
                "AmazonEC2ContainerRegistryPowerUser")


@dataclass
class Role:
    name: str
    id: str
    created: float
    path: str = "/"
    account: str = ACCOUNT
    policies: set = field(default_factory=set)      # ARNs


@dataclass
class Profile:
    name: str
    id: str
    created: float
    path: str = "/"
    role: Role = None
    tags: dict = field(default_factory=dict)


def describe_role(role):
    return {"Path": role.path, "RoleName": role.name, "RoleId": role.id, "CreateDate": role.created,
            "Arn": f"arn:aws:iam::{role.account}:role{role.path}{role.name}", "AssumeRolePolicyDocument": "%7B%7D"}


def describe(profile, with_tags=True):
    return {"Path": profile.path, "InstanceProfileName": profile.name, "InstanceProfileId": profile.id,
            "Arn": f"arn:aws:iam::{ACCOUNT}:instance-profile{profile.path}{profile.name}",
            "CreateDate": profile.created, "Roles": [describe_role(profile.role)] if profile.role else [],
            "Tags": [{"Key": key, "Value": value} for key, value in profile.tags.items()] if with_tags else None}


def find(context, name):
    profiles = context.fake.world.profiles
    if name not in profiles:
        raise Fault("NoSuchEntity", f"Instance Profile {name} cannot be found.", 404)
    return profiles[name]


def find_role(context, name):
    roles = context.fake.world.roles
    if name not in roles:
        raise Fault("NoSuchEntity", f"The role with name {name} cannot be found.", 404)
    return roles[name]


@action("iam", "CreateInstanceProfile")
def create_instance_profile(context, InstanceProfileName, Path="/", Tags=()):
    if not PATH.fullmatch(Path):
        raise Fault("ValidationError", "The specified value for path is invalid. It must begin and end with / and contain "
                                       "only alphanumeric characters and/or / characters.")
    profiles = context.fake.world.profiles
    if InstanceProfileName in profiles:
        raise Fault("EntityAlreadyExists", f"Instance Profile {InstanceProfileName} already exists.", 409)
    tags = {tag["Key"]: tag["Value"] for tag in Tags}
    if len(tags) != len(Tags):
        raise Fault("InvalidInput", "Duplicate tag keys found. Please note that Tag keys are case insensitive.")
    profile = Profile(InstanceProfileName, context.fake.new_iam_id("AIPA"), context.now, Path, None, tags)
    profiles[InstanceProfileName] = profile
    return {"InstanceProfile": describe(profile)}


@action("iam", "GetInstanceProfile")
def get_instance_profile(context, InstanceProfileName):
    return {"InstanceProfile": describe(find(context, InstanceProfileName))}


@action("iam", "AddRoleToInstanceProfile")
def add_role(context, InstanceProfileName, RoleName):
    profile, role = find(context, InstanceProfileName), find_role(context, RoleName)
    if profile.role:
        raise Fault("LimitExceeded", "Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1", 409)
    if context.fake.identities.is_denied(context.identity, "iam:PassRole"):
        raise Fault("AccessDenied", f"User: {context.identity.arn} is not authorized to perform: iam:PassRole on resource: "
                                    f"{describe_role(role)['Arn']} because no identity-based policy allows the iam:PassRole "
                                    "action", 403)
    profile.role = role


@action("iam", "RemoveRoleFromInstanceProfile")
def remove_role(context, InstanceProfileName, RoleName):
    profile, _ = find(context, InstanceProfileName), find_role(context, RoleName)
    if not profile.role or profile.role.name != RoleName:
        raise Fault("NoSuchEntity", f"The role with name {RoleName} cannot be found.", 404)
    profile.role = None


@action("iam", "DeleteInstanceProfile")
def delete_instance_profile(context, InstanceProfileName):
    profile = find(context, InstanceProfileName)
    if profile.role:
        raise Fault("DeleteConflict", "Cannot delete entity, must remove roles from instance profile first.", 409)
    del context.fake.world.profiles[InstanceProfileName]


@action("iam", "TagInstanceProfile")
def tag_instance_profile(context, InstanceProfileName, Tags):
    find(context, InstanceProfileName).tags.update({tag["Key"]: tag["Value"] for tag in Tags})


@action("iam", "ListInstanceProfiles")
def list_instance_profiles(context, PathPrefix="/", Marker=None, MaxItems=100):
    """Tags are not part of what is listed; roles are."""
    found = [one for one in context.fake.world.profiles.values() if one.path.startswith(PathPrefix)]
    shown, marker = iam_page(context, found, Marker, MaxItems)
    return {"InstanceProfiles": [describe(one, False) for one in shown], "IsTruncated": marker is not None,
            "Marker": marker}


def policy_arn(name):
    return f"arn:aws:iam::aws:policy/{name}"


@action("iam", "AttachRolePolicy")
def attach_role_policy(context, RoleName, PolicyArn):
    """Again is success, too."""
    role = find_role(context, RoleName)
    if PolicyArn not in map(policy_arn, AWS_POLICIES):
        raise Fault("NoSuchEntity", f"Policy {PolicyArn} does not exist or is not attachable.", 404)
    if len(role.policies | {PolicyArn}) > ATTACHED_MAX:
        raise Fault("LimitExceeded", f"Cannot exceed quota for PoliciesPerRole: {ATTACHED_MAX}", 409)
    role.policies.add(PolicyArn)


@action("iam", "ListAttachedRolePolicies")
def list_attached_role_policies(context, RoleName, Marker=None, MaxItems=100):
    shown, marker = iam_page(context, find_role(context, RoleName).policies, Marker, MaxItems, lambda arn: arn)
    return {"AttachedPolicies": [{"PolicyName": arn.rsplit("/", 1)[1], "PolicyArn": arn} for arn in shown],
            "IsTruncated": marker is not None, "Marker": marker}


def iam_page(context, found, marker, size, key=lambda one: one.name):
    context.params = {key: value for key, value in context.params.items() if key not in ("Marker", "MaxItems")}
    context.params.update(MaxResults=size, **({"NextToken": marker} if marker else {}))
    try:
        return page(context, found, key)
    except Fault as fault:
        raise Fault("ValidationError", "Invalid Marker.") from fault
