"""tenon's client of AWS against the fake, which verifies signatures and is strict about everything else."""

import time

import pytest

from tests.aws.client.client import Client, check_silence, keys
from tests.aws.fake import strangers

ROLE = "arn:aws:iam::111122223333:role/KarpenterControllerRole-tenon"
REGION = {"AWS_REGION": "us-east-1"}


def callers(fake, action):
    """The access keys that called it, in order."""
    return [call["access_key"] for call in fake.control.calls(action=action)]


# --- calls

CALLS = {
    "DescribeSubnets": {}, "DescribeInstanceTypes": {"MaxResults": 5}, "GetParameter": {
        "Name": "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id"},
    "DescribeCluster": {"name": "tenon"}, "ListInstanceProfiles": {}, "GetQueueUrl": {"QueueName": "tenon"},
    "GetProducts": {"ServiceCode": "AmazonEC2", "MaxResults": 1},
    "GetManagedResource": {"resourceIdentifier": "arn:aws:eks:us-east-1:111122223333:cluster/tenon"},
}


@pytest.mark.parametrize("operation", CALLS)
def test_each_service_takes_the_signature(fake, operation):
    with Client(fake, **REGION, **keys(fake)) as client:
        assert client.open() == {"source": "environment", "region": "us-east-1"}
        reply = client.call(operation, CALLS[operation])
        assert "error" not in reply or reply["kind"] == "not found", reply
    call = fake.control.calls(action=operation)[0]
    assert call["user_agent"] == "tenon-test" and call["attempt"] == "attempt=1; max=3"


def test_a_queue_of_elasticmq_is_read(fake):
    with strangers.elasticmq() as other, Client(fake, **REGION, **keys(fake), AWS_ENDPOINT_URL_SQS=other.url) as client:
        url = {"QueueUrl": other.sqs.create_queue(QueueName="tenon")["QueueUrl"]}
        client.open()
        assert client.output("GetQueueUrl", {"QueueName": "tenon"})["QueueUrl"].endswith("/tenon")
        assert client.call("GetQueueUrl", {"QueueName": "nobody"})["kind"] == "not found"
        other.sqs.send_message(**url, MessageBody='{"detail-type": "\u00fc"}')
        (message,) = client.output("ReceiveMessage", {**url, "MaxNumberOfMessages": 10, "WaitTimeSeconds": 5})["Messages"]
        assert message["Body"] == '{"detail-type": "\u00fc"}'
        assert "error" not in client.call("DeleteMessage", {**url, "ReceiptHandle": message["ReceiptHandle"]})
        left = other.sqs.get_queue_attributes(**url, AttributeNames=["All"])["Attributes"]
        assert (left["ApproximateNumberOfMessages"], left["ApproximateNumberOfMessagesNotVisible"]) == ("0", "0")


def test_a_wrong_secret_is_no_matter_of_retries(fake):
    with Client(fake, **REGION, **{**keys(fake), "AWS_SECRET_ACCESS_KEY": "another"}) as client:
        client.open()
        reply = client.call("DescribeSubnets")
        assert reply["kind"] == "untrusted" and reply["attempts"] == 1 and "AuthFailure" in reply["error"]


def test_faults_have_kinds(fake):
    with Client(fake, **REGION, **keys(fake)) as client:
        client.open()
        gone = client.call("TerminateInstances", {"InstanceId": ["i-0123456789abcdef0"]})
        assert (gone["kind"], gone["fault"]) == ("not found", "InvalidInstanceID.NotFound")
        assert client.call("DescribeInstanceTypes", {"DryRun": True})["kind"] == "dry run"
        fake.control.deny(["ec2:*"])
        assert client.call("DescribeInstanceTypes", {"DryRun": True})["kind"] == "denied"


def test_pages_are_followed_to_the_end(fake):
    with Client(fake, **REGION, **keys(fake)) as client:
        client.open()
        reply = client.ask(do="pages", operation="DescribeInstanceTypes", input={"MaxResults": 100})
        assert reply["kind"] == "fine" and reply["pages"] == len(fake.control.calls(action="DescribeInstanceTypes")) > 5


# --- retries

def test_throttled_calls_come_through(fake):
    fake.control.fault("error", action="ec2:DescribeSubnets", code="RequestLimitExceeded", status=503, times=1)
    with Client(fake, **REGION, **keys(fake)) as client:
        client.open()
        reply = client.call("DescribeSubnets")
        assert reply["kind"] == "fine" and reply["attempts"] == 2


def test_a_call_may_be_told_not_to_retry(fake):
    fake.control.fault("error", action="ec2:DescribeSubnets", code="RequestLimitExceeded", status=503)
    with Client(fake, **REGION, **keys(fake)) as client:
        client.open()
        reply = client.call("DescribeSubnets", attempts=1)
        assert reply["kind"] == "throttled" and reply["attempts"] == 1 and not reply["may_be_done"]


@pytest.mark.parametrize("effect", ["lose", "cut", "drop"])
def test_lost_replies_are_asked_for_again(fake, effect):
    fake.control.fault(effect, action="ec2:DescribeSubnets", times=1)
    with Client(fake, **REGION, **keys(fake)) as client:
        client.open()
        reply = client.call("DescribeSubnets")
        assert reply["kind"] == "fine" and reply["attempts"] == 2


def test_a_deadline_ends_a_call(fake):
    fake.control.fault("delay", action="ec2:DescribeSubnets", seconds=3)
    with Client(fake, **REGION, **keys(fake)) as client:
        client.open()
        began = time.monotonic()
        reply = client.call("DescribeSubnets", timeout_ms=300)
        assert reply["code"] == "timed out" and reply["may_be_done"] and time.monotonic() - began < 2


def test_calls_end_when_the_client_is_stopped(fake):
    fake.control.fault("delay", action="ec2:DescribeSubnets", seconds=5)
    with Client(fake, **REGION, **keys(fake)) as client:
        client.open()
        client.ask(do="end", within_ms=300)
        began = time.monotonic()
        reply = client.call("DescribeSubnets")
        assert "stopped" in reply["error"] and reply["may_be_done"] and reply["attempts"] == 1
        assert 0.2 < time.monotonic() - began < 3
        assert "stopped" in client.call("DescribeSubnets")["error"]


# --- the clock

@pytest.mark.parametrize("operation", ["DescribeSubnets", "ListInstanceProfiles", "GetParameter", "DescribeCluster"])
@pytest.mark.parametrize("skew", [600, -600])
def test_a_clock_ten_minutes_off_is_mended(fake, operation, skew):
    fake.control.clock(skew=skew)
    with Client(fake, **REGION, **keys(fake)) as client:
        client.open()
        reply = client.call(operation, CALLS[operation])
        assert reply["kind"] == "fine" and reply["attempts"] == 2
        assert abs(client.ask(do="skew")["skew_ns"] / 1e9 - skew) < 3
        assert client.call(operation, CALLS[operation])["attempts"] == 1


# --- credentials

def web_identity(fake, path, token="web-identity-token-of-a-pod"):
    path.write_text(token)
    fake.control.web_token(token)
    return {"AWS_WEB_IDENTITY_TOKEN_FILE": path, "AWS_ROLE_ARN": ROLE, **REGION}


def test_web_identity(fake, tmp_path):
    with Client(fake, **web_identity(fake, tmp_path / "token")) as client:
        assert client.open()["source"] == "web identity"
        assert client.output("DescribeSubnets")["subnetSet"]
        assert client.output("DescribeSubnets")["subnetSet"]
    assert len(fake.control.calls(action="AssumeRoleWithWebIdentity")) == 1
    assert callers(fake, "DescribeSubnets")[0].startswith("ASIA")


def test_the_token_file_is_read_anew(fake, tmp_path):
    path = tmp_path / "token"
    fake.control.settings(session_seconds=2)
    with Client(fake, **web_identity(fake, path)) as client:
        client.open()
        assert client.output("DescribeSubnets")["subnetSet"]
        fake.world.web_tokens["web-identity-token-of-a-pod"] = 0
        path.write_text("the-next-token-of-the-pod")
        fake.control.web_token("the-next-token-of-the-pod")
        time.sleep(2.1)
        assert client.output("DescribeSubnets")["subnetSet"]
    assert len(fake.control.calls(action="AssumeRoleWithWebIdentity")) == 2


def test_a_refused_web_identity_names_the_code_and_no_token(fake, tmp_path):
    with Client(fake, **web_identity(fake, tmp_path / "token")) as client:
        client.open()
        fake.world.web_tokens.clear()
        reply = client.call("DescribeSubnets")
        assert "credentials (web identity)" in reply["error"] and "InvalidIdentityToken" in reply["error"]
        assert "web-identity-token" not in reply["error"]


def test_pod_identity_with_a_token_that_rotates(fake, tmp_path):
    path = tmp_path / "token"
    path.write_text("pod-identity-token\n")
    fake.control.settings(session_seconds=2)
    with Client(fake, **REGION, AWS_CONTAINER_CREDENTIALS_FULL_URI=fake.url + "/v1/credentials",
                AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=path) as client:
        assert client.open()["source"] == "container"
        assert client.output("DescribeSubnets")["subnetSet"]
        fake.control.metadata(pod_tokens=["the-next-pod-token"])
        path.write_text("the-next-pod-token")
        time.sleep(2.1)
        assert client.output("DescribeSubnets")["subnetSet"]
        fake.control.metadata(pod_tokens=["one-that-nobody-has"])
        time.sleep(2.1)
        assert "401" in client.call("DescribeSubnets")["error"]


def test_the_instances_role_and_region(fake):
    with Client(fake) as client:
        assert client.open() == {"source": "metadata of the instance", "region": "us-east-1"}
        assert client.output("DescribeSubnets")["subnetSet"]
        fake.control.expire_metadata_tokens()
        fake.control.expire_sessions()
        fake.metadata._sessions.clear()
        assert client.output("DescribeSubnets")["subnetSet"]
    assert len(set(callers(fake, "DescribeSubnets"))) == 2


def test_a_hop_limit_of_one_is_named(fake):
    fake.control.metadata(hop_limit=1, hops=2)
    with Client(fake, **REGION, AWS_METADATA_SERVICE_TIMEOUT=1) as client:
        client.open()
        began = time.monotonic()
        reply = client.call("DescribeSubnets")
        assert "hop limit" in reply["error"] and time.monotonic() - began < 3


def test_without_region_the_error_says_what_to_set(fake):
    with Client(fake, **keys(fake), AWS_EC2_METADATA_DISABLED="true") as client:
        assert "AWS_REGION" in client.open()["error"]


def test_a_profile_takes_a_role_with_the_keys_of_another(fake, tmp_path):
    (tmp_path / "config").write_text(f"[profile work]\nregion = us-west-2\nrole_arn = {ROLE}\nsource_profile = base\n"
                                     "services = mine\n[services mine]\nec2 =\n  endpoint_url = http://127.0.0.1:9\n"
                                     f"[profile base]\nregion = us-east-1\n")
    (tmp_path / "credentials").write_text(f"[base]\naws_access_key_id = {fake.settings.access_key}\n"
                                          f"aws_secret_access_key = {fake.settings.secret}\n")
    with Client(fake, AWS_PROFILE="work", AWS_CONFIG_FILE=tmp_path / "config",
                AWS_SHARED_CREDENTIALS_FILE=tmp_path / "credentials") as client:
        assert client.open() == {"source": "role", "region": "us-west-2"}
        assert client.output("DescribeSubnets") is not None
    call = fake.control.calls(action="AssumeRole")[0]
    assert call["access_key"] == fake.settings.access_key and call["region"] == "us-west-2"
    assert callers(fake, "DescribeSubnets")[0].startswith("ASIA")


# --- expiry

def test_credentials_that_end_in_a_burst(fake, tmp_path):
    """Each call of 16 threads succeeds although all sessions end in the middle, without a storm of renewals."""
    with Client(fake, **web_identity(fake, tmp_path / "token")) as client:
        client.open()
        fake.control.fault("delay", action="ec2:*", seconds=0.01)
        assert client.burst("DescribeSubnets", 16, 3)["failed"] == 0
        fake.control.expire_sessions()
        reply = client.burst("DescribeSubnets", 16, 3)
        assert reply["failed"] == 0, reply
        assert reply["attempts"] <= 16 * 3 + 16
    assert len(fake.control.calls(action="AssumeRoleWithWebIdentity")) == 2


def test_old_credentials_are_used_as_long_as_they_hold(fake, tmp_path):
    """STS does not answer when they are due: nobody notices."""
    fake.control.settings(session_seconds=6)
    with Client(fake, **web_identity(fake, tmp_path / "token"), AWS_MAX_ATTEMPTS=1) as client:
        client.open()
        assert client.output("DescribeSubnets")["subnetSet"]
        fake.control.fault("error", action="sts:*", code="ServiceUnavailable", status=503)
        time.sleep(3.5)
        assert client.output("DescribeSubnets")["subnetSet"]
        asked = len(fake.control.calls(action="AssumeRoleWithWebIdentity"))
        assert asked == 2
        time.sleep(3)
        assert "credentials (web identity)" in client.call("DescribeSubnets")["error"]
        fake.control.heal()
        time.sleep(1.1)
        assert client.output("DescribeSubnets")["subnetSet"]


# --- the search for secrets itself

def test_the_search_for_secrets_finds_them(fake):
    with pytest.raises(AssertionError, match="a secret was said"):
        check_silence(fake, f"log: secret={fake.settings.secret}")
