"""What a model says of values: required members, enumerations, bounds, patterns. Refused in the words of the service.

EC2's words for members that are missing or out of bounds are known; the other services share those of their framework
("1 validation error detected: …").
"""

import re

from tests.aws.fake.errors import Fault

# EC2 takes words here that its own model does not list: types come before models of them.
OPEN_ENUMERATIONS = {"InstanceType"}


def check(service, shape, params):
    """Raises a Fault for what breaks the model's constraints."""
    if not shape:
        return
    found = list(complaints(shape, params, ""))
    if not found:
        return
    if service.protocol == "ec2":
        raise ec2_fault(found[0])
    plural = "s" if len(found) > 1 else ""
    texts = "; ".join(f"Value {show(value)} at '{lower(path)}' failed to satisfy constraint: {text}"
                      for path, value, text, _ in found)
    code = "ValidationError" if service.protocol == "query" else "ValidationException"
    raise Fault(code, f"{len(found)} validation error{plural} detected: {texts}")


def ec2_fault(complaint):
    path, value, text, kind = complaint
    if kind == "required":
        return Fault("MissingParameter", f"The request must contain the parameter {path}")
    last = path.rsplit(".", 1)[-1]
    if kind in ("min", "max") and last == "MaxResults":
        bound = re.search(r"\d+", text).group()
        relation = "greater than" if kind == "min" else "less than"
        return Fault("InvalidParameterValue",
                     f"Value ( {value} ) for parameter maxResults is invalid. Expecting a value {relation} {bound}.")
    return Fault("InvalidParameterValue", f"Value ({value}) for parameter {path} is invalid. {text}")


def complaints(shape, value, path):
    """(path, value, what must be, kind) for each constraint that does not hold."""
    if shape.type_name == "structure":
        for name in shape.required_members:
            if value.get(name) is None:
                yield path + name, None, "Member must not be null", "required"
        for name, part in value.items():
            yield from complaints(shape.members[name], part, f"{path}{name}.")
        return
    path = path.rstrip(".")
    yield from scalar_complaints(shape, value, path)
    if shape.type_name == "list":
        for number, part in enumerate(value, 1):
            yield from complaints(shape.member, part, f"{path}.{number}.")


def scalar_complaints(shape, value, path):
    about = shape.metadata
    size = value if isinstance(value, (int, float)) else len(value) if isinstance(value, (str, list, bytes)) else None
    noun = {"string": "length", "blob": "length", "list": "length"}.get(shape.type_name, "value")
    if size is not None and shape.type_name not in ("boolean", "timestamp"):
        if "min" in about and size < about["min"]:
            yield path, value, f"Member must have {noun} greater than or equal to {about['min']}", "min"
        if "max" in about and size > about["max"]:
            yield path, value, f"Member must have {noun} less than or equal to {about['max']}", "max"
    if shape.type_name != "string":
        return
    allowed = getattr(shape, "enum", [])
    if allowed and shape.name not in OPEN_ENUMERATIONS and value not in allowed:
        yield path, value, f"Member must satisfy enum value set: [{', '.join(allowed)}]", "enum"
    if "pattern" in about and not matches(about["pattern"], value):
        yield path, value, f"Member must satisfy regular expression pattern: {about['pattern']}", "pattern"


def matches(pattern, value):
    pattern = re.sub(r"\\p\{L\}\\p\{Z\}\\p\{N\}", r"\\w\\s", pattern).replace("\\p{L}", "\\w")
    try:
        return re.fullmatch(pattern, value) is not None
    except re.error:
        return True     # Java's patterns that Python has no words for


def show(value):
    return "null" if value is None else f"'{value}'"


def lower(path):
    return ".".join(part[:1].lower() + part[1:] for part in path.split("."))
