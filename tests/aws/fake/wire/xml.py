"""Replies of the protocols ec2 and query: members of an output shape into XML.

A writer is made once for each shape. A member that the shape has not is a bug of the fake and raises KeyError.
"""

from xml.sax.saxutils import escape

from tests.aws.fake.wire import scalars

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


class XmlWriter:
    """Writes replies of one service."""

    def __init__(self, service):
        self.service = service
        self.writers = {}

    def reply(self, operation, output, request_id):
        out, name, shape = [HEAD], operation.name, operation.output_shape
        out.append(f'<{name}Response xmlns="{self.service.namespace.rstrip("/")}/">')
        if self.service.protocol == "ec2":
            out.append(f"<requestId>{request_id}</requestId>")
            self.members(shape, output, out)
        else:
            wrapper = shape.serialization.get("resultWrapper") if shape else None
            if wrapper:
                out.append(f"<{wrapper}>")
                self.members(shape, output, out)
                out.append(f"</{wrapper}>")
            out.append(f"<ResponseMetadata><RequestId>{request_id}</RequestId></ResponseMetadata>")
        out.append(f"</{name}Response>")
        return "".join(out).encode()

    def members(self, shape, output, out):
        if shape:
            self.writer(shape)(output, out)
        elif output:
            raise KeyError(f"a reply without members was given {sorted(output)}")

    def error(self, fault, request_id):
        code, message = escape(fault.code), escape(fault.message)
        if self.service.protocol == "ec2":
            return (f"{HEAD}<Response><Errors><Error><Code>{code}</Code><Message>{message}</Message></Error></Errors>"
                    f"<RequestID>{request_id}</RequestID></Response>").encode()
        kind = "Receiver" if fault.status >= 500 else "Sender"
        return (f'<ErrorResponse xmlns="{self.service.namespace}"><Error><Type>{kind}</Type><Code>{code}</Code>'
                f"<Message>{message}</Message></Error><RequestId>{request_id}</RequestId></ErrorResponse>").encode()

    def writer(self, shape):
        """The function(value, out) that appends a value of this shape."""
        key = (shape.name, shape.type_name)
        if key not in self.writers:
            make = {"structure": self.structure_writer, "list": self.list_writer}.get(shape.type_name, scalar_writer)
            self.writers[key] = make(shape)
        return self.writers[key]

    def structure_writer(self, shape):
        tags = {}

        def tag(name):
            member = shape.members[name]
            wire = member.serialization.get("name", name)
            tags[name] = (f"<{wire}>", f"</{wire}>", self.writer(member))
            return tags[name]

        def write(value, out):
            for name, part in value.items():
                if part is not None:
                    start, end, writer = tags.get(name) or tag(name)
                    out.append(start)
                    writer(part, out)
                    out.append(end)
        return write

    def list_writer(self, shape):
        wire = shape.member.serialization.get("name", "member")

        def write(value, out, start=f"<{wire}>", end=f"</{wire}>"):
            writer = self.writer(shape.member)
            for part in value:
                out.append(start)
                writer(part, out)
                out.append(end)
        return write


def scalar_writer(shape):
    if shape.type_name == "string":
        def write(value, out):
            out.append(escape(value) if "&" in value or "<" in value or ">" in value else value)
        return write
    printer = scalars.PRINTERS[shape.type_name]
    return lambda value, out: out.append(printer(value))
