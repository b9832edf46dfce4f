"""What was asked of AWS, and what became of the objects, in a form in which equal things are equal.

Names of launch templates, orders that mean nothing, ids of instances and times go; user data is decoded and read.
"""

import base64
import email
import re
import tomllib

import yaml
from kubernetes.utils.quantity import parse_quantity

# Karpenter's overrides come in random order, and of equal offers the fake takes the first.
BY_CHANCE = {"kubernetes.io/hostname", "topology.kubernetes.io/zone", "topology.k8s.aws/zone-id"}
OURS = {"tenon.sh/launch"}     # tags and annotations that only tenon sets
PROFILE = re.compile(r"\be2e_[0-9]{10,}\b")
HASHED = re.compile(r"^karpenter\.k8s\.aws/ec2nodeclass-hash")


def without(words, value):
    """The value with words for the names and ids that are others in each run: {id: word}."""
    if isinstance(value, dict):
        return {without(words, key): without(words, one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [without(words, one) for one in value]
    if isinstance(value, str):
        for name, word in words.items():
            value = value.replace(name, word)
        return PROFILE.sub("PROFILE", value)
    return value


def tags_of(specifications):
    """{resource type: {key: value}}"""
    return {one["ResourceType"]: {tag["Key"]: tag.get("Value", "") for tag in one.get("Tags", []) if tag["Key"] not in OURS}
            for one in specifications or []}


def plain(value):
    """Without what is absent, and lists of named things in the order of their texts."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in sorted(value.items()) if one not in (None, [], {})}
    if isinstance(value, list):
        return sorted((plain(one) for one in value), key=str)
    return value


# --- user data

def read_user_data(data):
    """User data as data: MIME parts, TOML, or the words of a script."""
    text = base64.b64decode(data).decode() if data else ""
    if text.startswith("MIME-Version") or text.lower().startswith("content-type"):
        return [read_part(part) for part in email.message_from_string(text).walk() if not part.is_multipart()]
    if text.startswith("<powershell>") or text.startswith("#!"):
        return words(text)
    try:
        return plain(tomllib.loads(text)) if text else ""
    except tomllib.TOMLDecodeError:
        return text


def read_part(part):
    text = part.get_payload(decode=True).decode()
    kind = part.get_content_type()
    return {"type": kind, "body": config_of(text) if kind == "application/node.eks.aws" else words(text)}


def config_of(text):
    config = yaml.safe_load(text)
    kubelet = config.get("spec", {}).get("kubelet", {})
    kubelet["flags"] = sorted(words(flag) for flag in kubelet.get("flags", []))
    return plain(config)


def words(text):
    """The lines of a script; flags of a line in order, and the pairs of a flag, which upstream writes as they come."""
    return [" ".join(sorted(in_order(word) for word in line.split())) for line in text.strip().splitlines()]


def in_order(word):
    head, equals, rest = word.partition("=")
    return f"{head}{equals}{','.join(sorted(rest.strip(chr(39) + chr(34)).split(',')))}" if word.startswith("--") else \
        ",".join(sorted(word.split(",")))


# --- requests

def template(params):
    data = dict(params["LaunchTemplateData"])
    return {**plain({key: value for key, value in data.items() if key not in ("UserData", "TagSpecifications")}),
            "UserData": read_user_data(data.get("UserData")), "Tags": tags_of(data.get("TagSpecifications")),
            "TemplateTags": tags_of(params.get("TagSpecifications"))}


def fleet(params, templates):
    """A fleet: each of its overrides with the template that it is of."""
    overrides = {}
    for config in params["LaunchTemplateConfigs"]:
        name = config["LaunchTemplateSpecification"].get("LaunchTemplateName")
        for one in config.get("Overrides", []):
            key = " ".join(str(one.get(part, "")) for part in ("InstanceType", "SubnetId", "AvailabilityZone"))
            rest = {part: value for part, value in one.items() if part not in ("InstanceType", "SubnetId", "AvailabilityZone")}
            about = {"template": templates.get(name, name), **plain(rest)}
            overrides.setdefault(key, []).append(about)
    rest = {key: value for key, value in params.items()
            if key not in ("LaunchTemplateConfigs", "ClientToken", "TagSpecifications", "DryRun")}
    return {**plain(rest), "Tags": tags_of(params.get("TagSpecifications")),
            "Overrides": {key: sorted(about, key=str) for key, about in overrides.items()}}


def is_dry(call):
    return bool(call["params"].get("DryRun"))


# --- objects

def class_status(thing):
    status = (thing or {}).get("status", {})
    return {"conditions": sorted(f"{one['type']}={one['status']} {one['reason']}" for one in status.get("conditions", [])),
            "amis": plain([{key: value for key, value in one.items()} for one in status.get("amis", [])]),
            **{key: plain(status.get(key)) for key in ("subnets", "securityGroups", "instanceProfile", "capacityReservations")}}


def class_annotations(thing):
    return {key: value for key, value in (thing or {}).get("metadata", {}).get("annotations", {}).items() if HASHED.match(key)}


def claim(thing):
    meta, status = thing["metadata"], thing.get("status", {})
    return {"labels": {key: value for key, value in meta.get("labels", {}).items() if key not in BY_CHANCE},
            "annotations": {key: value for key, value in meta.get("annotations", {}).items() if HASHED.match(key)},
            "capacity": amounts(status.get("capacity")), "allocatable": amounts(status.get("allocatable")),
            "image": status.get("imageID"),
            "launched": next((one["status"] for one in status.get("conditions", []) if one["type"] == "Launched"), None)}


def amounts(resources):
    """Karpenter keeps the unit in which an amount was computed (50G), tenon the largest of 1024 (48828125Ki)."""
    return {name: format(parse_quantity(amount).normalize(), "f") for name, amount in (resources or {}).items()}


# --- differences

def differences(theirs, ours, path=""):
    """Lines "path: theirs -> ours", for leaves and for what only one has."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted(set(theirs) | set(ours), key=str):
            yield from differences(theirs.get(key), ours.get(key), f"{path}.{key}" if path else str(key))
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for index, (one, other) in enumerate(zip(theirs, ours)):
            yield from differences(one, other, f"{path}[{index}]")
    elif theirs != ours:
        yield f"{path}: {short(theirs)} -> {short(ours)}"


def short(value):
    text = str(value)
    return text if len(text) <= 160 else text[:157] + "..."
