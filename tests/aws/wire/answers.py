"""Random answers of AWS's services, written by their models: XML, JSON, and faults."""

import base64
import json
from email.utils import format_datetime
from xml.sax.saxutils import escape

from model import microseconds, wire_name

CODES = ["InvalidInstanceID.NotFound", "RequestLimitExceeded", "DryRunOperation", "NoSuchEntity", "QueueDoesNotExist"]


def write_answer(random, operation, value, request_id):
    """The body and the headers of a value of the operation's output."""
    if operation.metadata["protocol"] in ("ec2", "query"):
        return XmlAnswer(random, operation).write(value, request_id), {}
    return JsonAnswer(random).write(operation.output_shape, value), {"x-amzn-RequestId": request_id}


class XmlAnswer:
    def __init__(self, random, operation):
        self.random, self.operation = random, operation
        self.protocol = operation.metadata["protocol"]
        self.gap = random.choice(["", "\n    ", "<!-- a comment -->", " <?pi and an instruction?> "])

    def write(self, value, request_id):
        name, shape = self.operation.name, self.operation.output_shape
        body = self.structure(shape, value) if shape else "<return>true</return>"
        if self.protocol == "ec2":
            body = f"<requestId>{request_id}</requestId>{body}"
        else:
            if shape:
                body = f"<{name}Result>{self.gap}{body}</{name}Result>"
            body += f"<ResponseMetadata><RequestId>{request_id}</RequestId></ResponseMetadata>"
        head = self.random.choice(["", '<?xml version="1.0" encoding="UTF-8"?>\n'])
        return f'{head}<{name}Response xmlns="http://aws/doc/">{self.gap}{body}{self.gap}</{name}Response>\n'

    def structure(self, shape, value):
        names = list(value)
        self.random.shuffle(names)
        return "".join(self.element(wire_name(self.protocol, False, name, shape.members[name]), shape.members[name],
                                    value[name]) + self.gap for name in names)

    def element(self, name, shape, value):
        content = self.content(shape, value)
        attribute = self.random.choice(["", "", ' a="b"'])
        if not content and self.random.random() < 0.5:
            return f"<{name}{attribute}/>"
        return f"<{name}{attribute}>{content}</{name}>"

    def content(self, shape, value):
        kind = shape.type_name
        if kind == "structure":
            return self.gap + self.structure(shape, value)
        if kind == "list":
            name = shape.member.serialization.get("name", "member")
            return "".join(self.gap + self.element(name, shape.member, element) for element in value)
        if kind == "boolean":
            return "true" if value else "false"
        if kind == "timestamp":
            return iso_8601(value)
        return self.text(value) if kind in ("string", "character") else str(value)

    def text(self, value):
        if "]]>" not in value and self.random.random() < 0.2:
            return f"<![CDATA[{value}]]>"
        if self.random.random() < 0.2:
            return "".join(f"&#x{ord(character):x};" for character in value)
        return escape(value)


class JsonAnswer:
    def __init__(self, random):
        self.random = random

    def write(self, shape, value):
        body = self.plain(shape, value) if shape else {}
        return json.dumps(body, ensure_ascii=self.random.random() < 0.5, indent=self.random.choice([None, None, 2]))

    def plain(self, shape, value):
        kind = shape.type_name
        if kind == "structure":
            members = {wire_name("json", False, name, shape.members[name]): self.plain(shape.members[name], inner)
                       for name, inner in value.items()}
            if self.random.random() < 0.2:
                members["newer than tenon"] = {"a": [1, None, {}]}
            if self.random.random() < 0.2:
                absent = sorted(shape.members.keys() - value.keys())
                members |= {wire_name("json", False, name, shape.members[name]): None for name in absent}
            return members
        if kind == "list":
            return [self.plain(shape.member, element) for element in value]
        if kind == "map":
            return {key: self.plain(shape.value, element) for key, element in value.items()}
        if kind == "timestamp":
            return self.random.choice([microseconds(value) / 1e6, iso_8601(value)])
        return base64.b64encode(value).decode() if kind == "blob" else value


def iso_8601(moment):
    return moment.isoformat().replace("+00:00", "Z")


def http_date(moment):
    return format_datetime(moment, usegmt=True)


def write_fault(random, operation, request_id):
    """Body and headers of a fault, with its code and message."""
    code, message = random.choice(CODES), random.choice(["", "no & <such> thing", "d'accord é 漢"])
    protocol = operation.metadata["protocol"]
    if protocol == "ec2":
        body = (f"<Response><Errors><Error><Code>{code}</Code><Message>{escape(message)}</Message></Error></Errors>"
                f"<RequestID>{request_id}</RequestID></Response>")
        return body, {}, code, message
    if protocol == "query":
        body = (f'<ErrorResponse xmlns="http://aws/doc/"><Error><Type>Sender</Type><Code>{code}</Code>'
                f"<Message>{escape(message)}</Message></Error><RequestId>{request_id}</RequestId></ErrorResponse>")
        return body, {}, code, message
    headers = {"x-amzn-RequestId": request_id}
    whole = random.choice(["{}", "com.amazonaws.sqs#{}", "{}:http://internal.amazon.com/", "a.b#{}:http://c/"])
    whole = whole.format(code)
    if operation.service_model.is_query_compatible and random.random() < 0.5:
        headers["x-amzn-query-error"] = f"AWS.SimpleQueueService.{code};Sender"
    body = {random.choice(["message", "Message"]): message}
    if protocol == "rest-json" and random.random() < 0.5:
        headers["X-Amzn-ErrorType"] = whole
    else:
        body["__type"] = whole
    return json.dumps(body), headers, code, message
