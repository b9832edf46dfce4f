"""Clients that others wrote read all replies: boto3 every call, the AWS SDK for JavaScript every call of EC2."""

import inspect
import json
import subprocess
from pathlib import Path

import pytest

from tests.aws.fake import Fake
from tests.aws.fake.handlers import HANDLERS
from tests.aws.fake.support import Clients
from tests.aws.fake.tour import play, plain


class ControlOnRecord:
    """A control that keeps what is told to it, in the order of the calls."""

    def __init__(self, control, sent):
        self._control, self._sent = control, sent

    def __getattr__(self, name):
        method = getattr(self._control, name)

        def told(*args, **kwargs):
            if name not in ("state", "instances"):
                self._sent.append(("control", [name, dict(zip(inspect.signature(method).parameters, args), **kwargs)]))
            return method(*args, **kwargs)
        return told


@pytest.fixture
def toured():
    """(the calls that boto3 made with their replies, the steps of EC2 for another client)."""
    with Fake(throttle=False) as fake:
        steps, aws = [], Clients(fake)
        fake.control = ControlOnRecord(fake.control, steps)
        original = aws.ec2._make_api_call
        aws.ec2._make_api_call = lambda operation, params: steps.append((operation, params)) or original(operation, params)
        yield play(fake, aws), steps


def test_boto3_reads_every_call(toured):
    sent, _ = toured
    assert {(service, operation) for service, operation, _, _ in sent} == HANDLERS.keys()
    refused = [(operation, reply["refused"]) for _, operation, _, reply in sent if "refused" in reply]
    assert refused == [
        ("DescribeInstanceTypes", "DryRunOperation"),
        ("CreateLaunchTemplate", "InvalidLaunchTemplateName.AlreadyExistsException"),
        ("DescribeLaunchTemplates", "InvalidLaunchTemplateName.NotFoundException"), ("RunInstances", "DryRunOperation"),
        ("TerminateInstances", "InvalidInstanceID.NotFound"), ("DeleteLaunchTemplate", "InvalidLaunchTemplateId.NotFound")]


def test_the_javascript_sdk_reads_the_same(toured):
    sent, steps = toured
    with Fake(throttle=False) as fake:
        program = Path(__file__).with_name("tour.mjs")
        done = subprocess.run(
            ["node", program, fake.url, fake.settings.access_key, fake.settings.secret], input=json.dumps(steps),
            capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        agents = {call["user_agent"].split("/")[0] for call in fake.control.calls()}
    assert agents == {"aws-sdk-js"}
    wanted = [(operation, plain(reply)) for service, operation, _, reply in sent if service == "ec2"]
    found = json.loads(done.stdout)
    assert len(found) == len(wanted) > 25
    for (operation, boto3), javascript in zip(wanted, found):
        assert plain(javascript) == boto3, operation
