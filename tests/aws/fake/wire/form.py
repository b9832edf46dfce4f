"""Requests of the protocols ec2 and query: a form into the members of an input shape. Nothing unknown passes.

The names are those of botocore's serializers: EC2 writes lists flat (`Filter.1.Value.2`), query as `List.member.1`.
"""

from urllib.parse import parse_qsl

from tests.aws.fake.errors import Fault
from tests.aws.fake.wire import scalars

# What belongs to the protocol, not to an operation.
COMMON = {"Action", "Version"}


def read_form(body):
    """A form as a dict, or None where the body is none."""
    try:
        pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True, strict_parsing=True, max_num_fields=20000)
    except (UnicodeDecodeError, ValueError):
        return None
    form = dict(pairs)
    if len(form) != len(pairs):
        twice = next(key for key, _ in pairs if sum(key == other for other, _ in pairs) > 1)
        raise Fault("InvalidParameterCombination", f"The parameter {twice} may only be specified once")
    return form


def decode(protocol, form, shape):
    """The members of `shape`, by botocore's names."""
    tree = {}
    for key, value in form.items():
        if key not in COMMON:
            grow(tree, key, value)
    return (Ec2 if protocol == "ec2" else Query)().structure(shape, tree, "") if shape else refuse_all(tree)


def refuse_all(tree):
    if tree:
        raise unknown(next(iter(tree)))
    return {}


def grow(tree, key, value):
    """a.b.c=1 into {a: {b: {c: 1}}}."""
    *parents, last = key.split(".")
    for part in parents:
        tree = tree.setdefault(part, {})
        if not isinstance(tree, dict):
            raise unknown(key)
    if last in tree:
        raise unknown(key)
    tree[last] = value


def unknown(name):
    return Fault("UnknownParameter", f"The parameter {name} is not recognized")


class Query:
    def name_of(self, name, shape):
        """The key of a structure's member."""
        return shape.serialization.get("name", name)

    def elements(self, shape, tree, path):
        """The numbered elements of a list."""
        name = shape.member.serialization.get("name", "member")
        if set(tree) - {name}:
            raise unknown(f"{path}.{next(iter(set(tree) - {name}))}")
        return tree.get(name, {}), f"{path}.{name}"

    def value(self, shape, tree, path):
        if shape.type_name == "structure":
            return self.structure(shape, expect_dict(tree, path), path + ".")
        if shape.type_name == "list":
            return [] if tree == "" else self.list(shape, expect_dict(tree, path), path)
        if isinstance(tree, dict):
            raise unknown(f"{path}.{next(iter(tree))}")
        try:
            return scalars.parse(shape.type_name, tree)
        except ValueError as error:
            raise Fault("InvalidParameterValue", f"Invalid value '{tree}' for {path}: {error}") from error

    def structure(self, shape, tree, path):
        names = {self.name_of(name, member): name for name, member in shape.members.items()}
        for key in tree:
            if key not in names:
                raise unknown(path + key)
        return {names[key]: self.value(shape.members[names[key]], part, path + key) for key, part in tree.items()}

    def list(self, shape, tree, path):
        tree, path = self.elements(shape, tree, path)
        for number in range(1, len(tree) + 1):
            if str(number) not in tree:
                raise Fault("InvalidParameter", f"The elements of {path} are not numbered from 1 on")
        return [self.value(shape.member, tree[str(number)], f"{path}.{number}") for number in range(1, len(tree) + 1)]


class Ec2(Query):
    def name_of(self, name, shape):
        if "queryName" in shape.serialization:
            return shape.serialization["queryName"]
        name = shape.serialization.get("name", name)
        return name[0].upper() + name[1:]

    def elements(self, shape, tree, path):
        return tree, path


def expect_dict(tree, path):
    if not isinstance(tree, dict):
        raise Fault("InvalidParameterValue", f"Invalid value '{tree}' for {path}: not a scalar")
    return tree
