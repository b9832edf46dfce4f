"""botocore's own tests of its protocols, on tenon's writers and readers.

Each test brings a model; the driver makes tables of it. A test is left out when it is about something that no operation
of tenon has; LEFT_OUT and UNKNOWN_TRAITS say what that is. Where botocore leaves a test out because it does otherwise,
tenon is held to the test, not to botocore.
"""

import base64
import json
import os
from datetime import datetime, timezone
from urllib.parse import parse_qsl

from botocore.model import OperationModel, ServiceModel
from botocore.utils import parse_timestamp

from model import KINDS, wire_name

PROTOCOLS = {"ec2": "ec2", "query": "query", "json_1_0": "json 1.0", "json_1_0-query-compatible": "json 1.0",
             "json": "json 1.1", "rest-json": "rest-json"}
SHOWN_MAX = 10

ENDPOINT = "the endpoint is not of the protocol"
TOKENS = "tokens are the caller's"
EMPTY = "an empty body, which to tenon is no answer"
# By the test's id, or the description of its suite.
LEFT_OUT = {
    "input": {
        "Idempotency token auto fill": TOKENS,
        "Ec2ProtocolIdempotencyTokenAutoFill": TOKENS,
        "QueryProtocolIdempotencyTokenAutoFill": TOKENS,
        "Ec2QueryHostWithPath": ENDPOINT,
        "QueryHostWithPath": ENDPOINT,
        "AwsJson11HostWithPath": ENDPOINT,
        "AwsJson10HostWithPath": ENDPOINT,
        "RestJsonHostWithPath": ENDPOINT,
    },
    "output": {
        "QueryEmptyInputAndEmptyOutput": EMPTY,
        "QueryNoInputAndNoOutput": EMPTY,
        "QueryNoInputAndOutput": EMPTY,
        "RestJsonIgnoreQueryParamsInResponseNoPayload": EMPTY,
    },
}


class NotCovered(Exception):
    """The test is about something that tenon does not have."""


class Difference(Exception):
    pass


def run(driver, folder):
    """Runs all; returns how many passed and failed."""
    counts, left_out = [0, 0], {}
    for direction in ("input", "output"):
        for name in PROTOCOLS:
            with open(os.path.join(folder, direction, name + ".json"), encoding="utf-8") as file:
                suites = json.load(file)
            for suite in suites:
                for case in suite["cases"]:
                    run_case(driver, direction, name, suite, case, counts, left_out)
    for reason, tests in sorted(left_out.items()):
        print(f"  {len(tests):3} left out: {reason}")
    return counts


def run_case(driver, direction, name, suite, case, counts, left_out):
    test = case.get("id") or suite["description"]
    try:
        Case(driver, direction, name, suite, case).run()
        counts[0] += 1
    except NotCovered as reason:
        left_out.setdefault(str(reason), []).append(test)
    except Difference as difference:
        counts[1] += 1
        if counts[1] <= SHOWN_MAX:
            print(f"protocol test {direction} {name} {test}: {str(difference)[:1500]}")


class Case:
    def __init__(self, driver, direction, name, suite, case):
        self.driver, self.direction, self.name, self.case = driver, direction, name, case
        left_out = LEFT_OUT[direction]
        reason = left_out.get(case.get("id")) or left_out.get(suite["description"])
        if reason:
            raise NotCovered(reason)
        self.operation_name = case["given"].get("name", "OperationName")
        model = ServiceModel(suite | {"operations": {self.operation_name: case}})
        self.operation = OperationModel(case["given"], model, self.operation_name)
        self.protocol = PROTOCOLS[name].split(" ")[0]

    def run(self):
        direction = self.direction
        shapes = Shapes(self.protocol, direction == "input")
        check_operation(self.operation)
        metadata = self.operation.metadata
        description = {
            "name": self.operation_name, "protocol": PROTOCOLS[self.name],
            "api_version": metadata.get("apiVersion", ""), "json_target": metadata.get("targetPrefix", ""),
            "input": shapes.add(self.operation.input_shape) if direction == "input" else shapes.empty(),
        }
        if self.protocol == "rest-json":
            description |= {"method": self.operation.http["method"], "path": self.operation.http["requestUri"]}
        if self.operation.service_model.is_query_compatible:
            description["was_query"] = True
        if direction == "output" and self.operation.output_shape and self.operation.output_shape.members:
            description["output"] = shapes.add(self.operation.output_shape)
        self.driver.ask(do="define", shapes=shapes.all, **description)
        if direction == "input":
            self.check_input(shapes)
        elif "error" in self.case:
            self.check_error()
        else:
            self.check_output()

    def check_input(self, shapes):
        value = shapes.to_driver(self.operation.input_shape, self.case.get("params", {}))
        mine = self.driver.ask(do="write", operation="defined", input=value)
        wanted = self.case["serialized"]
        if "error" in mine:
            raise Difference(mine["error"])
        expect("method", mine["method"], wanted.get("method", mine["method"]))
        expect("path", mine["path"], wanted["uri"])
        headers = {name.lower(): value for name, value in mine["headers"].items()}
        for name, value in wanted.get("headers", {}).items():
            expect(name, plain_type(headers.get(name.lower())), plain_type(value))
        for name in wanted.get("forbidHeaders", []):
            expect(name, headers.get(name.lower()), None)
        if "body" in wanted:
            expect("body", self.body(mine["body"]), self.body(wanted["body"]))

    def body(self, text):
        if self.protocol in ("ec2", "query"):
            return sorted(parse_qsl(text, keep_blank_values=True))
        return json.loads(text) if text else None

    def check_output(self):
        answer = self.case["response"]
        mine = self.ask(answer)
        if "output" not in mine:
            raise Difference(f"{mine}; body {answer.get('body')}")
        wanted = self.case["result"]
        expect("output", of_driver(self.operation.output_shape, mine["output"], self.protocol), plain(wanted))

    def check_error(self):
        answer = self.case["response"]
        fault = self.ask(answer).get("fault")
        if not fault:
            raise Difference("no fault")
        # botocore has the former query protocol's code from a header; tenon has the body's.
        if "x-amzn-query-error" not in {name.lower() for name in answer.get("headers", {})}:
            expect("code", fault["code"], self.case.get("errorCode", ""))
        message = self.case.get("errorMessage") or self.case["error"].get("Message")
        expect("message", fault["message"], message or fault["message"])

    def ask(self, answer):
        return self.driver.ask(do="read", operation="defined", status=answer["status_code"],
                               headers=answer.get("headers", {}), body=answer.get("body", ""))


def check_operation(operation):
    path = operation.http.get("requestUri", "")
    for is_so, reason in ((operation.endpoint, "a prefix of the host"),
                          (operation.http_checksum_required or operation.http_checksum, "checksums"),
                          (operation.request_compression, "compressed requests"),
                          ("?" in path, "a query in the URL"), ("+}" in path, "a path of several segments")):
        if is_so:
            raise NotCovered(reason)


# Traits of shapes, and why a test with them is left out.
UNKNOWN_TRAITS = {
    "headers": "members in headers", "header": "members in headers", "querystring": "members in the URL's query",
    "statusCode": "the status as a member", "xmlAttribute": "attributes in XML",
}


class Shapes:
    """Descriptions of a model's shapes for the driver."""

    def __init__(self, protocol, is_input):
        self.protocol, self.is_input = protocol, is_input
        self.all, self.indexes = [], {}

    def empty(self):
        self.all.append({"kind": "structure", "members": {}})
        return len(self.all) - 1

    def add(self, shape):
        if shape is None:
            return self.empty()
        key = shape.name, json.dumps(shape.serialization, sort_keys=True)
        if key not in self.indexes:
            self.indexes[key] = len(self.all)
            self.all.append({})
            self.all[self.indexes[key]] = self.describe(shape)
        return self.indexes[key]

    def describe(self, shape):
        check_traits(shape)
        traits, kind = shape.serialization, KINDS[shape.type_name]
        if kind == "structure":
            return {"kind": kind, "members": {wire_name(self.protocol, self.is_input, name, member): self.add(member)
                                              for name, member in shape.members.items()}}
        described = {"kind": kind}
        if kind == "time" and traits.get("timestampFormat"):
            described["time_format"] = traits["timestampFormat"]
        if traits.get("flattened"):
            described["is_flat"] = True
        if kind == "list":
            described["element"] = self.add(shape.member)
            described["element_name"] = shape.member.serialization.get("name")
        if kind == "map":
            described["element"] = self.add(shape.value)
            described["key_name"] = shape.key.serialization.get("name")
            described["value_name"] = shape.value.serialization.get("name")
        return described

    def to_driver(self, shape, value):
        if shape is None or value is None:
            return {} if shape is None else None
        kind = shape.type_name
        if kind == "structure":
            return {wire_name(self.protocol, self.is_input, name, shape.members[name]):
                    self.to_driver(shape.members[name], inner) for name, inner in value.items()}
        if kind == "list":
            return [self.to_driver(shape.member, element) for element in value]
        if kind == "map":
            return {key: self.to_driver(shape.value, element) for key, element in value.items()}
        return base64.b64encode(value.encode()).decode() if kind == "blob" else value


def check_traits(shape):
    traits = shape.serialization
    location = traits.get("location")
    if location in UNKNOWN_TRAITS:
        raise NotCovered(UNKNOWN_TRAITS[location])
    if location == "uri" and shape.type_name != "string":
        raise NotCovered("members of the path that are no strings")
    for trait, reason in (("payload", "a member as the whole body"), ("xmlAttribute", "attributes in XML"),
                          ("jsonvalue", "JSON in headers")):
        if trait in traits and (trait != "jsonvalue" or location):
            raise NotCovered(reason)
    if getattr(shape, "is_document_type", False):
        raise NotCovered("documents of any shape")
    if getattr(shape, "event_stream_name", None) or traits.get("eventstream"):
        raise NotCovered("streams of events")


def of_driver(shape, value, protocol):
    """An output in the terms of the tests: botocore's names, times in seconds, blobs as text."""
    if shape is None:
        return {}
    kind = shape.type_name
    if kind == "structure":
        names = {wire_name(protocol, False, name, member): (name, member) for name, member in shape.members.items()}
        return {names[key][0]: of_driver(names[key][1], inner, protocol) for key, inner in value.items()}
    if kind == "list":
        return [of_driver(shape.member, element, protocol) for element in value]
    if kind == "map":
        return {key: of_driver(shape.value, element, protocol) for key, element in value.items()}
    if kind == "timestamp":
        return seconds_of(value)
    return base64.b64decode(value).decode() if kind == "blob" else value


def seconds_of(value):
    moment = parse_timestamp(value) if isinstance(value, str) else datetime.fromtimestamp(value, timezone.utc)
    return moment.timestamp()


def plain(value):
    """The expected result without nulls, which tenon has as absent."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items() if inner is not None}
    return [plain(element) for element in value if element is not None] if isinstance(value, list) else value


def plain_type(content_type):
    """A content type without its character set."""
    return (content_type or "").split(";")[0]


def expect(what, mine, wanted):
    if mine != wanted:
        raise Difference(f"{what}:\n    tenon    {mine}\n    expected {wanted}")
