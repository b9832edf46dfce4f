"""Many launches at once, with all of tenon between a NodeClaim and AWS: how many instances there are, and what was asked.

Times are measured by bench/aws/burst.py; here a machine may be busy. Then claims reach tenon's engine in drops, so that the
number of calls depends on how long it takes, in a way that is promised: full fleets, and one a second beyond them.
"""

import time

import pytest

from tests.aws.engine.tenon import Tenon, refused
from tests.aws.fake import Fake

ROLE = "arn:aws:iam::111122223333:role/KarpenterControllerRole-tenon"
BURST = 1000
FLEETS_MOST = 12


@pytest.fixture
def fake():
    """One that throttles as EC2 does by default."""
    with Fake(subnet_bits=16) as one:
        yield one


def alive(fake):
    return [one for one in fake.control.instances() if one["state"] in ("pending", "running")]


def most_calls(fleets, burst):
    """Of each action, of those that may be so many fleets when nobody is slow."""
    last = max(call["time"] for call in burst["calls"])
    return fleets + int(last - burst["first_intent"]) + 1


def check_few(burst):
    """What a burst leads to is not a call for each instance: neither fleets, nor what follows them."""
    passed = [call["action"] for call in burst["calls"] if call["code"] != "RequestLimitExceeded"]
    assert passed.count("CreateFleet") <= most_calls(FLEETS_MOST, burst), passed
    assert len(passed) <= 2 * most_calls(FLEETS_MOST, burst), passed


def test_a_burst_is_as_many_instances_from_few_fleets(fake):
    with Tenon(fake) as tenon:
        before = len(alive(fake))
        burst = tenon.launch(BURST)
        tenon.rest()
    assert burst["intents"] == BURST
    assert len(alive(fake)) - before == BURST
    assert not [call for call in fake.control.calls() if call["code"] == "RequestLimitExceeded"]
    check_few(burst)


def test_a_refused_launch_costs_one_call_more_and_no_others(fake):
    """So with 30 % refused there are 1 / 0.7 = 1.43 times as many calls."""
    with Tenon(fake) as tenon:
        before = len(alive(fake))
        fake.control.fault("error", action="ec2:*", share=0.3, code="RequestLimitExceeded", status=503)
        burst = tenon.launch(BURST)
        tenon.rest()
    assert len(alive(fake)) - before == BURST
    assert refused(burst)
    check_few(burst)


@pytest.mark.parametrize("effect", ["lose", "cut", "drop"])
def test_answers_that_are_lost_in_a_burst(fake, effect):
    with Tenon(fake) as tenon:
        before = len(alive(fake))
        fake.control.fault(effect, action="ec2:CreateFleet", times=5)
        tenon.launch(300)
        tenon.rest()
    assert len(alive(fake)) - before == 300


def test_sessions_that_end_in_a_burst(fake, tmp_path):
    token = tmp_path / "token"
    token.write_text("the-web-identity-token-of-a-pod")
    fake.control.web_token(token.read_text())
    environment = {"AWS_ENDPOINT_URL": fake.url, "AWS_REGION": "us-east-1", "AWS_ROLE_ARN": ROLE,
                   "AWS_WEB_IDENTITY_TOKEN_FILE": token}
    with Tenon(fake, environment=environment) as tenon:
        before = len(alive(fake))
        renewals = len(fake.control.calls(action="AssumeRoleWithWebIdentity"))
        fake.control.fault("delay", action="ec2:CreateFleet", seconds=0.1)
        tenon.ask(BURST)
        time.sleep(0.3)
        fake.control.expire_sessions()
        tenon.answer()
        tenon.rest()
    assert len(alive(fake)) - before == BURST
    assert len(fake.control.calls(action="AssumeRoleWithWebIdentity")) == renewals + 1


@pytest.mark.parametrize("skew", [600, -600])
def test_a_clock_that_jumps_by_ten_minutes_before_a_burst(fake, skew):
    with Tenon(fake) as tenon:
        before = len(alive(fake))
        fake.control.clock(skew=skew)
        burst = tenon.launch(300)
        tenon.rest()
    assert len(alive(fake)) - before == 300
    check_few(burst)
