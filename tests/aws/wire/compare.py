#!/usr/bin/env python3
"""Compares what tenon puts on the wire, and reads from it, with botocore's serialisers and parsers.

    tests/aws/wire/python.sh tests/aws/wire/compare.py DRIVER [--cases 200] [--seed 1] [--one CHECK:OPERATION:CASE]

What is compared for every operation of tenon's is in README.md. A difference is printed with its case, which --one runs
alone. The last line is "N passed, N failed".
"""

import argparse
import glob
import json
import os
import random
import sys
from urllib.parse import parse_qsl

from botocore import parsers, serialize, xform_name
from botocore.awsrequest import HeadersDict

import endpoints
import protocol_tests
import signatures
from answers import write_answer, write_fault
from draw import Draw
from model import Driver, Pairing, all_paths, data_name, load_service, paginator_tokens, paths

SHOWN_MAX = 10
TESTS = os.environ["BOTOCORE_TESTS"]


class Difference(Exception):
    """What one has and the other has not."""


class Subject:
    """An operation on both sides."""

    def __init__(self, driver, described):
        self.driver, self.described = driver, described
        self.name, self.protocol = described["name"], described["protocol"]
        self.model = load_service(described["service"]).operation_model(self.name)
        self.input = Pairing(self.protocol, True)
        self.output = Pairing(self.protocol, False)
        self.output_table = described["output"] or {"kind": "structure", "members": {}}
        self.parser = parsers.create_parser(self.protocol)
        self.missed = {("input", path) for path in all_paths(described["input"])}
        self.missed |= {("output", path) for path in all_paths(self.output_table)}

    def check_tables(self, _random):
        """tenon's tables are a part of botocore's model, and its service is found and signed as botocore has it."""
        metadata = self.model.service_model.metadata
        mine = self.described
        expect("endpoint prefix", mine["endpoint_prefix"], metadata["endpointPrefix"])
        expect("signing name", mine["signing_name"], self.model.service_model.signing_name)
        expect("version", mine["api_version"], metadata["apiVersion"])
        expect("protocol", mine["protocol"], metadata["protocol"])
        expect("unsigned", mine["is_unsigned"], self.model.auth_type == "none")
        problems = list(self.input.problems(self.model.input_shape, mine["input"]))
        if mine["output"]:
            problems += self.output.problems(self.model.output_shape, mine["output"])
        expect("members that botocore does not have", problems, [])

    def check_paging(self, _random):
        """What has pages of botocore's paginators has them of tenon's."""
        expect("tokens", self.described.get("paging"), paginator_tokens(self.described["service"], self.name))

    def check_request(self, random_):
        """A random input makes the request that botocore makes."""
        shape = self.model.input_shape
        wanted = set(self.input.wanted(shape, self.described["input"]))
        draw = Draw(random_, lambda name, member, parent, depth: 0.7 if (parent.name, name) in wanted else 0)
        value = self.complete(self.input.restrict(shape, self.described["input"], draw.value(shape)))
        given = self.input.to_driver(shape, self.described["input"], value)
        self.missed -= {("input", path) for path in paths(self.described["input"], given)}
        mine = self.driver.ask(do="write", operation=self.name, input=given)
        if "error" in mine:
            raise Difference(f"tenon: {mine['error']}; input {value}")
        theirs = serialize.create_serializer(self.protocol, include_validation=False).serialize_to_request(
            value, self.model)
        expect("method", mine["method"], theirs["method"])
        expect("path", mine["path"], theirs["url_path"])
        expect("headers", lower(mine["headers"]), lower(theirs["headers"]))
        compare_bodies(mine["body"], theirs["body"], self.protocol)

    def complete(self, value):
        """The input with the members that its path needs."""
        for name, member in self.model.input_shape.members.items():
            if member.serialization.get("location") == "uri" and not value.get(name):
                value[name] = "arn:aws:eks:a/b c"
        return value

    def check_answer(self, random_):
        """A random answer is read as botocore reads it."""
        body, headers = self.draw_answer(random_, "r-1")
        self.compare_answer(body, body, headers)

    def draw_answer(self, random_, request_id):
        """An answer with most of what tenon reads, and little of everything else, which it has to skip."""
        shape = self.model.output_shape
        wanted = set(self.output.wanted(shape, self.output_table)) if shape else set()
        draw = Draw(random_, lambda name, member, parent, depth: 0.8 if (parent.name, name) in wanted
                    else 0.15 if depth < 5 else 0)
        return write_answer(random_, self.model, draw.value(shape) if shape else {}, request_id)

    def compare_answer(self, what, body, headers):
        shape = self.model.output_shape
        mine = self.driver.ask(do="read", operation=self.name, status=200, headers=headers, body=body)
        if "output" not in mine:
            raise Difference(f"tenon: {mine}; {what}")
        self.missed -= {("output", path) for path in paths(self.output_table, mine["output"])}
        theirs = self.parser.parse(response(200, headers, body), shape)
        expect(what, self.output.of_driver(self.output_table, mine["output"]),
               self.output.of_botocore(shape, self.output_table, theirs) if shape else {})

    def check_recorded(self, _random):
        """Answers that botocore's tests have of the real services are read as botocore reads them. Returns how many."""
        name = f"{data_name(self.described['service'])}-{xform_name(self.name, '-')}"
        files = sorted(glob.glob(os.path.join(TESTS, "unit/response_parsing/xml/responses", name + "[.#]*xml")))
        for path in files:
            with open(path, encoding="utf-8") as file:
                self.compare_answer(path, file.read(), {})
        return len(files)

    def check_fault(self, random_):
        """A fault is read as botocore reads it."""
        body, headers, code, message = write_fault(random_, self.model, "r-2")
        status = random_.choice([400, 403, 412, 500, 503])
        mine = self.driver.ask(do="read", operation=self.name, status=status, headers=headers, body=body)
        theirs = self.parser.parse(response(status, headers, body), self.model.output_shape)
        error = theirs["Error"]
        expect("fault", mine.get("fault"),
               {"status": status, "code": code, "message": message, "request_id": "r-2"})
        # botocore gives the code of the former query protocol where there is one.
        expect("botocore's code", error.get("QueryErrorCode", error["Code"]), code)
        expect("botocore's message", error["Message"] or "", message)
        expect("botocore's request id", theirs["ResponseMetadata"]["RequestId"], "r-2")

    def check_cut(self, random_):
        """An answer that is cut off is an error, not a shorter list."""
        if not self.described["output"] and self.protocol not in ("ec2", "query"):
            return 0  # tenon does not look at the body
        body, headers = self.draw_answer(random_, "r-3")
        cut = body[:random_.randrange(len(body.rstrip()))]
        mine = self.driver.ask(do="read", operation=self.name, status=200, headers=headers, body=cut)
        if "error" not in mine:
            raise Difference(f"read: {cut}")


    def check_reach(self, _random):
        """The random cases had every member of tenon's tables."""
        expect("members that no case had", sorted(self.missed), [])


CHECKS = {"tables": (Subject.check_tables, False), "paging": (Subject.check_paging, False),
          "request": (Subject.check_request, True), "answer": (Subject.check_answer, True),
          "recorded answer": (Subject.check_recorded, False), "fault": (Subject.check_fault, True), "cut answer": (Subject.check_cut, True),
          "reach": (Subject.check_reach, False)}


def measure(subjects):
    """How quickly a page of 100 instance types is read, as large as EC2's, and how much memory it takes then."""
    subject = next(subject for subject in subjects if subject.name == "DescribeInstanceTypes")
    shape = subject.model.output_shape
    random_ = random.Random(1)
    page = {"InstanceTypes": []}
    while len(page["InstanceTypes"]) < 100:
        page["InstanceTypes"].append(Draw(random_, lambda *_: 0.55).value(shape.members["InstanceTypes"].member))
    body, _ = write_answer(random_, subject.model, page, "r-4")
    found = subject.driver.ask(do="measure", operation=subject.name, status=200, body=body)
    print(f"100 instance types: {len(body.encode())} bytes of XML in {found['ns'] / 1e6:.2f} ms, "
          f"{len(body.encode()) / found['ns'] * 1e3:.0f} MB/s; {found['bytes']} bytes in memory")


def response(status, headers, body):
    return {"status_code": status, "headers": HeadersDict(headers), "body": body.encode(), "context": {}}


def expect(what, mine, theirs):
    if mine != theirs:
        raise Difference(f"{what}:\n    tenon    {mine}\n    expected {theirs}")


def lower(headers):
    return {name.lower(): value for name, value in headers.items()}


def compare_bodies(mine, theirs, protocol):
    if protocol in ("ec2", "query"):
        pairs = parse_qsl(mine, keep_blank_values=True, strict_parsing=True)
        expect("parameters that are there twice", len(pairs), len(dict(pairs)))
        expect("parameters", {name: as_number(value, theirs.get(name)) for name, value in pairs},
               {name: value if isinstance(value, float) else str(value) for name, value in theirs.items()})
    else:
        expect("body", json.loads(mine) if mine else None, json.loads(theirs) if theirs else None)


def as_number(text, like):
    """Real numbers have several spellings."""
    return float(text) if isinstance(like, float) else text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("driver")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--one", metavar="CHECK:OPERATION:CASE", help="run one case, and show all of its difference")
    options = parser.parse_args()
    driver = Driver(options.driver)
    subjects = [Subject(driver, described) for described in driver.ask(do="describe")]
    counts = {}
    for check, (method, is_random) in CHECKS.items():
        counts[check] = [0, 0]
        for subject in subjects:
            for case in range(options.cases if is_random else 1):
                name = f"{check}:{subject.name}:{case}"
                if not options.one or options.one == name:
                    run(method, subject, name, options, counts[check])
    if not options.one:
        counts["protocol tests"] = protocol_tests.run(driver, os.path.join(TESTS, "unit", "protocols"))
        counts["signatures"] = signatures.run(driver, os.path.join(TESTS, "unit", "auth", "aws4_testsuite"), options)
        counts["endpoints"] = endpoints.run(driver, os.path.join(TESTS, "functional", "endpoint-rules"))
        measure(subjects)
    driver.close()
    print(f"seed {options.seed}, {options.cases} cases of each operation")
    for check, (passed, failed) in counts.items():
        print(f"{check:16} {passed:6} alike {failed:6} not")
    print(f"{sum(passed for passed, _ in counts.values())} passed, {sum(failed for _, failed in counts.values())} failed")
    sys.exit(any(failed for _, failed in counts.values()))


def run(method, subject, name, options, count):
    try:
        compared = method(subject, random.Random(f"{options.seed}:{name}"))
        count[0] += 1 if compared is None else compared
    except Difference as difference:
        count[1] += 1
        if count[1] <= SHOWN_MAX:
            print(f"{name}: {difference}" if options.one else f"{name}: {str(difference)[:1500]}")


if __name__ == "__main__":
    main()
