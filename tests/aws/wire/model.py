"""botocore's models beside tenon's tables: which member of the one is which of the other, and values in the terms of both.

A pair is a botocore shape with tenon's description of the same thing (driver.c, "describe"). Values in botocore's terms
are what its serialisers take and its parsers return; in the driver's terms they are JSON with names of the wire.
"""

import base64
import functools
import json
import subprocess
from datetime import datetime, timedelta, timezone

import botocore.loaders
import botocore.model

KINDS = {"string": "string", "character": "string", "blob": "blob", "boolean": "boolean", "integer": "integer",
         "long": "integer", "float": "real", "double": "real", "timestamp": "time", "structure": "structure",
         "list": "list", "map": "map"}
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# Services whose name in botocore's data is not tenon's id.
DATA_NAMES = {"arc_zonal_shift": "arc-zonal-shift", "eventbridge": "events"}


class Driver:
    """tenon's side: a process that answers lines of JSON."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, **line):
        self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"the driver ended with {self.process.wait()} at {json.dumps(line)[:2000]}")
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def data_name(service_id):
    return DATA_NAMES.get(service_id, service_id)


@functools.cache
def load_service(service_id):
    name = data_name(service_id)
    return botocore.model.ServiceModel(botocore.loaders.Loader().load_service_model(name, "service-2"), name)


def paginator_tokens(service_id, operation_name):
    """The names of the tokens of input and output by which botocore follows pages; None: it does not."""
    data = botocore.loaders.Loader().load_service_model(data_name(service_id), "paginators-1")
    page = data["pagination"].get(operation_name)
    if not page:
        return None
    model = load_service(service_id).operation_model(operation_name)
    protocol = model.metadata["protocol"]
    given, found = page["input_token"], page["output_token"]
    return [wire_name(protocol, True, given, model.input_shape.members[given]),
            wire_name(protocol, False, found, model.output_shape.members[found])]


def wire_name(protocol, is_input, name, shape):
    """How a member is called on the wire."""
    traits = shape.serialization
    if protocol == "ec2" and is_input:
        return capitalised(traits.get("queryName") or traits.get("name") or name)
    return traits.get("name", name)


def capitalised(name):
    return name[0].upper() + name[1:]


class Pairing:
    """Pairs of one direction of one operation."""

    def __init__(self, protocol, is_input):
        self.protocol, self.is_input = protocol, is_input

    def members(self, shape, table):
        """The members of a structure that tenon has: name, shape, name on the wire as the table has it, its table."""
        known = {self.table_name(key): (key, value) for key, value in table["members"].items()}
        for name, member in shape.members.items():
            wire = wire_name(self.protocol, self.is_input, name, member)
            if wire in known:
                yield name, member, *known[wire]

    def table_name(self, key):
        return capitalised(key) if self.protocol == "ec2" and self.is_input else key

    def problems(self, shape, table, path=""):
        """Members of tenon's that the model does not have, or has otherwise."""
        if KINDS[shape.type_name] != table["kind"]:
            yield f"{path}: {table['kind']}, botocore has {shape.type_name}"
        elif table["kind"] == "structure":
            found = list(self.members(shape, table))
            for key in table["members"].keys() - {key for _, _, key, _ in found}:
                yield f"{path}.{key}: botocore has no such member"
            for _, member, key, inner in found:
                yield from self.problems(member, inner, f"{path}.{key}")
        elif table["kind"] in ("list", "map"):
            yield from self.problems(element_of(shape), table["element"], path + "[]")

    def wanted(self, shape, table):
        """The members of structures that tenon reads, as (structure, member)."""
        if table["kind"] == "structure":
            for name, member, _, inner in self.members(shape, table):
                yield shape.name, name
                yield from self.wanted(member, inner)
        elif table["kind"] in ("list", "map"):
            yield from self.wanted(element_of(shape), table["element"])

    def restrict(self, shape, table, value):
        """A value without the members that tenon does not have."""
        if table["kind"] == "structure":
            return {name: self.restrict(member, inner, value[name])
                    for name, member, _, inner in self.members(shape, table) if name in value}
        if table["kind"] == "list":
            return [self.restrict(shape.member, table["element"], element) for element in value]
        return value

    def to_driver(self, shape, table, value):
        """A value in botocore's terms in the driver's."""
        kind = table["kind"]
        if kind == "structure":
            return {key: self.to_driver(member, inner, value[name])
                    for name, member, key, inner in self.members(shape, table) if name in value}
        if kind == "list":
            return [self.to_driver(shape.member, table["element"], element) for element in value]
        if kind == "map":
            return {key: self.to_driver(shape.value, table["element"], element) for key, element in value.items()}
        if kind == "time":
            return microseconds(value) / 1e6
        if kind == "blob":
            return base64.b64encode(value).decode()
        return value

    def of_botocore(self, shape, table, value):
        """What botocore parsed, as far as tenon has it, with times in microseconds."""
        kind = table["kind"]
        if kind == "structure":
            return {key: self.of_botocore(member, inner, value[name])
                    for name, member, key, inner in self.members(shape, table) if value.get(name) is not None}
        if kind == "list":
            return [self.of_botocore(shape.member, table["element"], element)
                    for element in value if element is not None]
        if kind == "map":
            return {key: self.of_botocore(shape.value, table["element"], element)
                    for key, element in value.items() if element is not None}
        return microseconds(value) if kind == "time" else value

    def of_driver(self, table, value):
        """What the driver read, in the same terms."""
        kind = table["kind"]
        if kind == "structure":
            return {key: self.of_driver(table["members"][key], inner) for key, inner in value.items()}
        if kind == "list":
            return [self.of_driver(table["element"], element) for element in value]
        if kind == "map":
            return {key: self.of_driver(table["element"], element) for key, element in value.items()}
        if kind == "time":
            return round(value * 1e6)
        return base64.b64decode(value) if kind == "blob" else value


def paths(table, value, path=""):
    """The members of a table that a value in the driver's terms has."""
    if table["kind"] == "structure":
        for key, inner in value.items():
            yield f"{path}.{key}"
            yield from paths(table["members"][key], inner, f"{path}.{key}")
    elif table["kind"] in ("list", "map"):
        for element in value if table["kind"] == "list" else value.values():
            yield from paths(table["element"], element, path)


def all_paths(table, path=""):
    """All members of a table."""
    for key, inner in table.get("members", {}).items():
        yield f"{path}.{key}"
        yield from all_paths(inner, f"{path}.{key}")
    if "element" in table:
        yield from all_paths(table["element"], path)


def element_of(shape):
    return shape.member if shape.type_name == "list" else shape.value


def microseconds(moment):
    return (moment - EPOCH) // timedelta(microseconds=1)


def moment_of(microseconds_):
    return EPOCH + timedelta(microseconds=microseconds_)
