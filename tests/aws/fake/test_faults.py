"""What tests do to the fake: injected faults, throttling, the record of calls, the control over HTTP."""

import time
import urllib.error
import urllib.request

import pytest
from botocore.exceptions import BotoCoreError

from tests.aws.fake import Fake
from tests.aws.fake.support import Clients, World, control, refused


def test_errors_by_share_are_the_same_in_each_run():
    def run():
        with Fake(throttle=False, seed=7) as fake:
            aws, codes = Clients(fake), []
            fake.control.fault("error", action="ec2:DescribeSubnets", share=0.3, code="RequestLimitExceeded", status=503,
                               message="Request limit exceeded.")
            for _ in range(60):
                try:
                    aws.ec2.describe_subnets()
                    codes.append("ok")
                except aws.ec2.exceptions.ClientError as error:
                    codes.append(error.response["Error"]["Code"])
            return codes

    first = run()
    assert first == run() and 8 < first.count("RequestLimitExceeded") < 30


def test_an_error_a_few_times_and_of_any_service(fake, aws):
    fake.control.fault("error", action="iam:*", times=2, code="ServiceFailure", status=500)
    for _ in range(2):
        with refused("ServiceFailure", status=500):
            aws.iam.list_instance_profiles()
    aws.iam.list_instance_profiles()
    assert fake.control.faults()[0]["done"] == 2
    fake.control.heal()
    assert not fake.control.faults()


@pytest.mark.parametrize("effect, happened", [("lose", 1), ("cut", 1), ("drop", 0)])
def test_replies_are_lost_after_or_before_the_effect(fake, world, effect, happened):
    world.template()
    number = fake.control.fault(effect, action="ec2:CreateFleet", times=1)
    with pytest.raises(BotoCoreError):
        world.launch(ClientToken="token-1")
    assert len(fake.control.instances()) == happened
    assert len(world.launch(ClientToken="token-1")) == 1, "the token finds what happened"
    assert len(fake.control.instances()) == 1
    fake.control.heal(number)


def test_latency(fake, aws):
    fake.control.fault("delay", action="ec2:DescribeSubnets", seconds=0.3)
    began = time.monotonic()
    aws.ec2.describe_subnets()
    assert time.monotonic() - began >= 0.3
    with pytest.raises(ValueError):
        fake.control.fault("explode")


def test_the_buckets_are_those_of_ec2():
    with Fake() as fake:
        aws, now = Clients(fake), [0.0]
        fake.throttle._clock = lambda: now[0]
        world = World(fake, aws)
        world.template()
        for _ in range(50 - 0):
            world.launch()
        with refused("RequestLimitExceeded", "Request limit exceeded.", 503):
            world.launch()
        aws.ec2.describe_subnets()      # each action has its own bucket
        now[0] += 1
        for _ in range(5):
            world.launch()
        with refused("RequestLimitExceeded"):
            world.launch()
        assert len(fake.control.instances()) == 55


def test_unfiltered_lists_have_a_smaller_bucket():
    with Fake() as fake:
        aws = Clients(fake)
        fake.throttle._clock = lambda: 0.0
        for _ in range(50):
            aws.ec2.describe_instances()
        with refused("RequestLimitExceeded"):
            aws.ec2.describe_instances()
        for _ in range(100):
            aws.ec2.describe_instances(MaxResults=5)
        with refused("RequestLimitExceeded"):
            aws.ec2.describe_instances(MaxResults=5)


def test_limits_can_be_set_and_reset():
    with Fake() as fake:
        aws = Clients(fake)
        fake.control.throttle(action="DescribeSubnets", size=1, rate=0)
        aws.ec2.describe_subnets()
        with refused("RequestLimitExceeded"):
            aws.ec2.describe_subnets()
        fake.control.throttle()
        aws.ec2.describe_subnets()
        fake.control.throttle(enabled=False)
        for _ in range(120):
            aws.ec2.describe_subnets()


def test_ending_many_instances_takes_tokens_for_each():
    with Fake(subnet_bits=16) as fake:
        aws = Clients(fake)
        fake.throttle._clock = lambda: 0.0
        all_of_them = World(fake, aws).launch(count=1001)
        with refused("RequestLimitExceeded"):
            aws.ec2.terminate_instances(InstanceIds=all_of_them)
        aws.ec2.terminate_instances(InstanceIds=all_of_them[:1000])


def test_all_calls_are_recorded(fake, aws, world):
    (one,) = world.launch(ClientToken="token-1")
    with refused("InvalidInstanceID.NotFound"):
        aws.ec2.terminate_instances(InstanceIds=["i-0123"])
    template, fleet, failed = fake.control.calls(service="ec2")
    assert (template["action"], fleet["action"]) == ("CreateLaunchTemplate", "CreateFleet")
    assert fleet["params"]["ClientToken"] == "token-1" and fleet["status"] == 200 and fleet["region"] == "us-east-1"
    assert fleet["access_key"] == fake.settings.access_key and "Boto3" in fleet["user_agent"]
    assert (failed["code"], failed["status"]) == ("InvalidInstanceID.NotFound", 400)
    assert fake.control.calls(since=failed["number"]) == []
    assert {"service": "ec2", "action": "CreateFleet", "code": "ok", "count": 1} in fake.control.totals()
    assert 'fake_aws_calls_total{service="ec2",action="CreateFleet",code="ok"} 1\n' in fake.control.metrics()
    fake.control.forget_calls()
    assert not fake.control.calls() and one


def fetch(url):
    with urllib.request.urlopen(url, timeout=10) as reply:
        return reply.read().decode()


def test_the_same_over_http(fake, aws):
    assert control(fake, "capacity", offering="spot:*", left=0) is None
    assert fake.world.region("us-east-1").capacity.room("spot", "m5.large", "us-east-1a") == 0
    assert control(fake, "clock", skew=30) == {"skew": 30, "ahead": 0}
    assert control(fake, "add_image", name="mine", owner="self").startswith("ami-")
    aws.ec2.describe_subnets()
    assert '"DescribeSubnets"' in fetch(fake.url + "/_fake/calls?action=DescribeSubnets&since=0")
    assert "fake_aws_calls_total" in fetch(fake.url + "/_fake/metrics")
    assert fetch(fake.url + "/_fake/instances") == "[]"


@pytest.mark.parametrize("method, arguments", [
    ("nonsense", {}), ("_region", {}), ("capacity", {"nonsense": 1}), ("timing", {"nonsense": 1}),
    ("settings", {"port": 1}), ("event", {"kind": "nonsense", "instance": "i-1"}), ("end", {"instance": "i-1"})])
def test_wrong_controls_are_refused(fake, method, arguments):
    with pytest.raises(urllib.error.HTTPError) as caught:
        control(fake, method, **arguments)
    assert caught.value.code in (400, 404) and "error" in caught.value.read().decode()
    with pytest.raises(urllib.error.HTTPError):
        fetch(fake.url + "/_fake/heal")


def test_what_is_never_said(fake, aws):
    """Secrets are in no record that a test could print."""
    aws.sts.assume_role(RoleArn="arn:aws:iam::111122223333:role/KarpenterControllerRole-tenon", RoleSessionName="test")
    text = fetch(fake.url + "/_fake/calls") + str(control(fake, "settings"))
    assert fake.settings.secret not in text
    assert all(identity.token not in text for identity in fake.identities._by_key.values() if identity.token)
