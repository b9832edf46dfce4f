"""IMDSv2 and the credentials of pods: by hand, and by botocore's own fetchers."""

import json
import threading
import urllib.error
import urllib.request

import pytest
from botocore.credentials import ContainerProvider, InstanceMetadataProvider
from botocore.utils import ContainerMetadataFetcher, IMDSRegionProvider, InstanceMetadataFetcher
from botocore.session import Session

from tests.aws.fake.support import Clients, refused


def get(fake, path, method="GET", timeout=5, **headers):
    """(status, body)"""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(fake.url + path, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def new_token(fake, seconds=300, **more):
    return get(fake, "/latest/api/token", "PUT", X_aws_ec2_metadata_token_ttl_seconds=str(seconds), **more)


def test_pages_need_a_token_that_lives(fake):
    assert get(fake, "/latest/meta-data/instance-id")[0] == 401
    status, token = new_token(fake)
    assert status == 200
    headers = {"X_aws_ec2_metadata_token": token}
    document = json.loads(get(fake, "/latest/dynamic/instance-identity/document", **headers)[1])
    assert document["region"] == "us-east-1" and document["accountId"] == "111122223333"
    assert get(fake, "/latest/meta-data/iam/security-credentials/", **headers)[1] == "KarpenterNodeRole-tenon"
    assert get(fake, "/latest/meta-data/nonsense", **headers)[0] == 404
    fake.control.clock(advance=301)
    assert get(fake, "/latest/meta-data/instance-id", **headers)[0] == 401
    _, token = new_token(fake)
    fake.control.expire_metadata_tokens()
    assert get(fake, "/latest/meta-data/instance-id", X_aws_ec2_metadata_token=token)[0] == 401


@pytest.mark.parametrize("seconds", ["0", "21601", "x"])
def test_a_token_has_bounds(fake, seconds):
    assert new_token(fake, seconds)[0] == 400


def test_a_token_is_not_for_who_comes_through_a_proxy_or_without_put(fake):
    assert new_token(fake, X_Forwarded_For="10.0.0.1")[0] == 403
    assert get(fake, "/latest/api/token")[0] == 405


def test_beyond_the_hop_limit_no_token_arrives(fake):
    fake.control.metadata(hop_limit=1, hops=2)
    with pytest.raises(OSError):
        get(fake, "/latest/api/token", "PUT", timeout=0.5, X_aws_ec2_metadata_token_ttl_seconds="300")
    fake.control.metadata(hop_limit=2)
    assert new_token(fake)[0] == 200


def test_botocore_reads_the_roles_credentials_and_calls_with_them(fake):
    config = {"ec2_metadata_service_endpoint": fake.url + "/", "ec2_metadata_v1_disabled": True}
    keys = InstanceMetadataProvider(InstanceMetadataFetcher(config=config, timeout=5)).load().get_frozen_credentials()
    clients = Clients(fake, None, keys.access_key, keys.secret_key, keys.token)
    assert clients.sts.get_caller_identity()["Arn"].endswith("assumed-role/KarpenterNodeRole-tenon/metadata")
    fake.control.expire_sessions()
    with refused("ExpiredToken"):
        clients.sts.get_caller_identity()


def test_botocore_reads_the_region(fake, monkeypatch):
    monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", fake.url + "/")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "false")
    monkeypatch.delenv("AWS_REGION", raising=False)
    assert IMDSRegionProvider(Session()).provide() == "us-east-1"


def test_roles_credentials_expire_as_they_are_told_to(fake):
    fake.control.settings(session_seconds=60)
    _, token = new_token(fake)

    def keys():
        path = "/latest/meta-data/iam/security-credentials/KarpenterNodeRole-tenon"
        return json.loads(get(fake, path, X_aws_ec2_metadata_token=token)[1])

    first = keys()
    assert first["Code"] == "Success" and keys()["AccessKeyId"] == first["AccessKeyId"]
    fake.control.clock(advance=40)
    second = keys()
    assert second["AccessKeyId"] != first["AccessKeyId"] and second["Expiration"] > first["Expiration"]


def test_pods_get_credentials_for_their_token(fake):
    assert get(fake, "/v1/credentials")[0] == 401
    assert get(fake, "/v1/credentials", Authorization="wrong")[0] == 401
    environment = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": fake.url + "/v1/credentials",
                   "AWS_CONTAINER_AUTHORIZATION_TOKEN": "pod-identity-token"}
    keys = ContainerProvider(environment, ContainerMetadataFetcher()).load().get_frozen_credentials()
    clients = Clients(fake, None, keys.access_key, keys.secret_key, keys.token)
    assert "KarpenterControllerRole-tenon" in clients.sts.get_caller_identity()["Arn"]
    fake.control.metadata(pod_tokens=["another"])
    assert get(fake, "/v1/credentials", Authorization="pod-identity-token")[0] == 401


def test_a_service_that_is_switched_off_does_not_answer(fake):
    fake.control.metadata(enabled=False)
    with pytest.raises(OSError):
        get(fake, "/latest/meta-data/", timeout=0.5)
    assert threading.active_count() < 50
