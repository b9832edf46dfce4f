"""Requests of the protocol rest-json: path, query and body into the members of an input shape."""

from urllib.parse import parse_qs, unquote

from tests.aws.fake.errors import Fault
from tests.aws.fake.wire import json_body, scalars


def decode(service, operation, request):
    shape = operation.input_shape
    pattern = next(pattern for _, pattern, name in service.routes if name == operation.name)
    in_path = pattern.fullmatch(request.path).groupdict()
    in_query = {key: values[-1] for key, values in parse_qs(request.query, keep_blank_values=True).items()}
    params, in_body = {}, dict(shape.members)
    for name, member in shape.members.items():
        where, wire = member.serialization.get("location"), member.serialization.get("name", name)
        if not where:
            continue
        del in_body[name]
        found = in_path.get(wire) if where == "uri" else in_query.pop(wire, None)
        if found is not None:
            params[name] = scalars.parse(member.type_name, unquote(found) if where == "uri" else found)
    if in_query:
        raise Fault("ValidationException", f"Unknown parameter {min(in_query)}")
    if request.body:
        params.update(json_body.read_structure(BodyOf(in_body), json_body.parse(request.body), ""))
    return params


class BodyOf:
    """The members of a shape that travel in the body."""

    def __init__(self, members):
        self.members = members
