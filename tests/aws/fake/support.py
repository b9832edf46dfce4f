"""What the fake's tests share: boto3's clients, requests written by hand, launches."""

import json
import urllib.error
import urllib.request
from contextlib import contextmanager
from urllib.parse import urlencode

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

CONFIG = Config(retries={"total_max_attempts": 1}, read_timeout=20, parameter_validation=False)
EC2_VERSION = "2016-11-15"


class Clients:
    """Clients of one fake by service: aws.ec2; aws.arc_zonal_shift."""

    def __init__(self, fake, region=None, key=None, secret=None, token=None):
        self._about = {"region_name": region or fake.settings.region, "endpoint_url": fake.url, "config": CONFIG,
                       "aws_access_key_id": key or fake.settings.access_key,
                       "aws_secret_access_key": secret or fake.settings.secret, "aws_session_token": token}

    def __getattr__(self, name):
        region = {"iam": "us-east-1", "pricing": "us-east-1"}.get(name, self._about["region_name"])
        client = boto3.client(name.replace("_", "-"), **{**self._about, "region_name": region})
        setattr(self, name, client)
        return client


@contextmanager
def refused(code, message=None, status=None):
    """The block must be refused with this code, a message that contains this text, and this status."""
    with pytest.raises(ClientError) as caught:
        yield caught
    error, about = caught.value.response["Error"], caught.value.response["ResponseMetadata"]
    assert error["Code"] == code, caught.value
    assert message is None or message in error["Message"], caught.value
    assert status is None or about["HTTPStatusCode"] == status, caught.value


def send(fake, service, body, headers=None, method="POST", path="/", secret=None, region=None, sign=True):
    """(status, body) of a request written by hand, signed by botocore."""
    request = AWSRequest(method=method, url=fake.url + path, data=body, headers=headers or {})
    if sign:
        keys = Credentials(fake.settings.access_key, secret or fake.settings.secret)
        SigV4Auth(keys, service, region or fake.settings.region).add_auth(request)
    plain = urllib.request.Request(fake.url + path, request.data and request.body, dict(request.headers), method=method)
    try:
        with urllib.request.urlopen(plain, timeout=20) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def form(fake, service, version, action, **more):
    """(status, body) of a form: what boto3 would not send. A name's `__` is a dot: Filter__1__Name."""
    pairs = {"Action": action, "Version": version, **{key.replace("__", "."): value for key, value in more.items()}}
    return send(fake, service, urlencode(pairs), {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"})


def ec2_form(fake, action, **more):
    return form(fake, "ec2", EC2_VERSION, action, **more)


def control(fake, method, **arguments):
    """What POST /_fake/METHOD answers."""
    request = urllib.request.Request(f"{fake.url}/_fake/{method}", json.dumps(arguments).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=20) as reply:
        return json.loads(reply.read())


def key_values(tags):
    return [{"Key": key, "Value": value} for key, value in tags.items()]


class World:
    """Launches with a template made for them."""

    def __init__(self, fake, aws):
        self.fake, self.aws, self.ec2 = fake, aws, aws.ec2
        state = fake.control.state()
        self.subnets = {about["zone"]: name for name, about in state["subnets"].items()}
        self.group = next(name for name, called in state["groups"].items() if called.endswith("-node"))
        self.image = self.parameter("/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/"
                                    "image_id")

    def parameter(self, name):
        return self.aws.ssm.get_parameter(Name=name)["Parameter"]["Value"]

    def template(self, name="karpenter.k8s.aws/1", **data):
        """A template like Karpenter's; its name."""
        data = {"ImageId": self.image, "NetworkInterfaces": [{"DeviceIndex": 0, "Groups": [self.group]}], **data}
        self.ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData=data)
        return name

    def override(self, name, zone="us-east-1a", **more):
        return {"InstanceType": name, "SubnetId": self.subnets[zone], "AvailabilityZone": zone, **more}

    def fleet(self, *overrides, template=None, count=1, kind="on-demand", strategy=None, configs=None, **more):
        """The reply of CreateFleet: of one template and these overrides, or of `configs`."""
        options = {"spot": "SpotOptions", "on-demand": "OnDemandOptions"}.get(kind)
        if strategy:
            more[options] = {"AllocationStrategy": strategy}
        if configs is None:
            name = template or (self.template() if not self.fake.control.templates() else "karpenter.k8s.aws/1")
            configs = [(name, overrides)]
        return self.ec2.create_fleet(
            Type="instant", TargetCapacitySpecification={"TotalTargetCapacity": count, "DefaultTargetCapacityType": kind},
            LaunchTemplateConfigs=[{"LaunchTemplateSpecification": {"LaunchTemplateName": name, "Version": "$Latest"},
                                    "Overrides": list(wanted)} for name, wanted in configs], **more)

    def launch(self, name="m5.large", zone="us-east-1a", count=1, **more):
        """Ids of new instances."""
        return ids(self.fleet(self.override(name, zone), count=count, **more))

    def describe(self, *wanted, **more):
        reply = self.ec2.describe_instances(**({"InstanceIds": list(wanted)} if wanted else {}), **more)
        return [one for launch in reply["Reservations"] for one in launch["Instances"]]


def ids(fleet):
    return [one for part in fleet["Instances"] for one in part["InstanceIds"]]


def pools(fleet):
    """{(type, zone): count} of a fleet's instances."""
    return {(part["InstanceType"], part["LaunchTemplateAndOverrides"]["Overrides"]["AvailabilityZone"]):
            len(part["InstanceIds"]) for part in fleet["Instances"]}


def errors(fleet):
    """[(code, type)] of a fleet's errors."""
    return [(one["ErrorCode"], one["LaunchTemplateAndOverrides"]["Overrides"]["InstanceType"]) for one in fleet["Errors"]]
