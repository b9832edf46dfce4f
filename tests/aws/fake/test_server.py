"""The fake as a program, and how fast it is: counts decide, the times have room for a busy machine."""

import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from tests.aws.fake import Fake
from tests.aws.fake.support import Clients, World, ec2_form, ids

ROOT = Path(__file__).resolve().parents[3]


def test_the_program_prints_its_address_and_ends_when_told_to():
    words = [sys.executable, "-m", "tests.aws.fake", "--port", "0", "--cluster", "own", "--no-throttle"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        url = process.stdout.readline().strip()
        with urllib.request.urlopen(url + "/_fake/settings", b"{}", timeout=10) as reply:
            assert b'"cluster": "own"' in reply.read()
        process.terminate()
        assert process.wait(20) == 0 and process.stderr.read() == "" and process.stdout.read() == ""


def test_a_thousand_instances_from_twelve_fleets():
    with Fake() as fake:
        world = World(fake, Clients(fake))
        world.template()
        overrides = [world.override(f"m5.{size}", zone) for size in ("large", "xlarge", "2xlarge") for zone in world.subnets]
        began = time.monotonic()
        made = {one for _ in range(12) for one in ids(world.fleet(*overrides, count=84))}
        seconds = time.monotonic() - began
        assert len(made) == 1008 and len(fake.control.calls(action="CreateFleet", code="")) == 12
        assert seconds < 10, "0.1 s on an idle machine"


def test_pages_of_five_thousand_instances():
    with Fake(subnet_bits=16) as fake:
        world = World(fake, Clients(fake))
        world.launch(count=5000)
        began, found, more = time.monotonic(), [], {}
        while True:
            _, page = ec2_form(fake, "DescribeInstances", MaxResults="1000", **more)
            found += re.findall("<instanceId>(.*?)</instanceId>", page)
            token = re.search("<nextToken>(.*?)</nextToken>", page)
            if not token:
                break
            more = {"NextToken": token[1]}
        assert len(found) == len(set(found)) == 5000
        assert len(fake.control.calls(action="DescribeInstances")) == 5
        assert time.monotonic() - began < 20, "0.5 s on an idle machine"


def test_all_types_in_all_zones():
    with Fake(everywhere=True) as fake:
        ec2 = Clients(fake).ec2
        pages = list(ec2.get_paginator("describe_instance_type_offerings").paginate(
            LocationType="availability-zone", PaginationConfig={"PageSize": 1000}))
        assert sum(len(page["InstanceTypeOfferings"]) for page in pages) == 1395 * 6 and len(pages) == 9


def test_the_environment_is_all_that_a_client_needs(monkeypatch):
    import boto3
    with Fake() as fake:
        for name, value in fake.environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("AWS_DEFAULT_REGION", fake.settings.region)
        assert boto3.session.Session().client("ec2").describe_subnets()["Subnets"]
