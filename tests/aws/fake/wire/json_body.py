"""Bodies of the protocols json and rest-json: members of a shape from JSON and into it."""

import base64
import json

from tests.aws.fake.errors import Fault

KINDS = {"string": str, "integer": int, "long": int, "boolean": bool, "double": (int, float), "float": (int, float),
         "timestamp": (int, float), "blob": str, "structure": dict, "map": dict, "list": list}


def decode(body, shape):
    """The members of `shape` from a body; an empty one is an empty object."""
    return read(shape, parse(body), "") if shape else {}


def parse(body):
    try:
        return json.loads(body or b"{}")
    except ValueError as error:
        raise Fault("SerializationException", "Unable to parse the request body") from error


def read(shape, value, path):
    wrong_kind = not isinstance(value, KINDS[shape.type_name])
    if wrong_kind or (isinstance(value, bool) and shape.type_name != "boolean"):
        raise Fault("SerializationException", f"{path or 'the body'} is not a {shape.type_name}")
    if shape.type_name == "structure":
        return read_structure(shape, value, path)
    if shape.type_name == "list":
        return [read(shape.member, part, f"{path}[{i}]") for i, part in enumerate(value) if part is not None]
    if shape.type_name == "map":
        return {key: read(shape.value, part, f"{path}.{key}") for key, part in value.items()}
    return base64.b64decode(value) if shape.type_name == "blob" else value


def read_structure(shape, value, path):
    names = {member.serialization.get("name", name): name for name, member in shape.members.items()}
    unknown = value.keys() - names.keys()
    if unknown:
        raise Fault("SerializationException", f"Unknown member {path}{min(unknown)}")
    return {names[key]: read(shape.members[names[key]], part, f"{path}{key}")
            for key, part in value.items() if part is not None}


def encode(output, shape):
    return json.dumps(write(shape, output) if shape else {}).encode()


def write(shape, value):
    if shape.type_name == "structure":
        return {shape.members[name].serialization.get("name", name): write(shape.members[name], part)
                for name, part in value.items() if part is not None}
    if shape.type_name == "list":
        return [write(shape.member, part) for part in value]
    if shape.type_name == "map":
        return {key: write(shape.value, part) for key, part in value.items()}
    if shape.type_name == "timestamp" and shape.serialization.get("timestampFormat") == "iso8601":
        raise KeyError(f"{shape.name}: a timestamp in another format than seconds")
    return base64.b64encode(value).decode() if shape.type_name == "blob" else value


# The codes that services of the former query protocol still send beside the new ones.
FORMER_CODES = {"QueueDoesNotExist": "AWS.SimpleQueueService.NonExistentQueue"}


def error(service, fault):
    """(body, headers) of a refusal; `service` is None where nobody knows what was asked for."""
    headers = {"Content-Type": service.content_type if service else "application/json"}
    if not service or service.protocol == "rest-json":
        headers["x-amzn-ErrorType"] = fault.code
        return json.dumps({"message": fault.message}).encode(), headers
    body = {"__type": fault.code, **({"message": fault.message} if fault.message else {})}
    if service.query_compatible:
        body["__type"] = f"com.amazonaws.{service.name}#{fault.code}"
        side = "Receiver" if fault.status >= 500 else "Sender"
        headers["x-amzn-query-error"] = f"{FORMER_CODES.get(fault.code, fault.code)};{side}"
    return json.dumps(body).encode(), headers
