"""Who may call: signatures, their time and region, sessions and their ends."""

import pytest

from tests.aws.fake.support import Clients, ec2_form, refused, send

EXPIRED = {"ec2": "RequestExpired", "iam": "ExpiredToken", "ssm": "ExpiredTokenException", "eks": "ExpiredTokenException"}
CALLS = {"ec2": lambda aws: aws.ec2.describe_subnets(), "iam": lambda aws: aws.iam.list_instance_profiles(),
         "ssm": lambda aws: aws.ssm.get_parameter(Name="x"), "eks": lambda aws: aws.eks.describe_cluster(name="tenon"),
         "sqs": lambda aws: aws.sqs.get_queue_url(QueueName="tenon")}


@pytest.mark.parametrize("service, code, status", [
    ("ec2", "AuthFailure", 401), ("iam", "SignatureDoesNotMatch", 403), ("ssm", "InvalidSignatureException", 400),
    ("sqs", "InvalidSignatureException", 400), ("eks", "InvalidSignatureException", 403)])
def test_a_wrong_secret_is_refused(fake, service, code, status):
    with refused(code, status=status):
        CALLS[service](Clients(fake, secret="another"))


@pytest.mark.parametrize("service, code", [
    ("ec2", "AuthFailure"), ("iam", "InvalidClientTokenId"), ("ssm", "UnrecognizedClientException"),
    ("eks", "UnrecognizedClientException")])
def test_an_unknown_key_is_refused(fake, service, code):
    with refused(code):
        CALLS[service](Clients(fake, key="AKIAUNKNOWN"))


def test_an_unsigned_request_is_refused(fake):
    status, body = send(fake, "ec2", "Action=DescribeSubnets&Version=2016-11-15",
                        {"Content-Type": "application/x-www-form-urlencoded"}, sign=False)
    assert status == 400 and "AWSAccessKeyId" in body


def test_a_body_changed_after_signing_is_refused(fake):
    def tamper(request, **_):
        request.body = request.body.replace("DescribeSubnets", "DescribeRegions")

    ec2 = Clients(fake).ec2
    ec2.meta.events.register_last("before-send.ec2.*", tamper)
    with refused("AuthFailure"):
        ec2.describe_subnets()


@pytest.mark.parametrize("offset, service, code, words", [
    (600, "ec2", "RequestExpired", "expired"), (-600, "ec2", "AuthFailure", "validate"),
    (600, "iam", "SignatureDoesNotMatch", "Signature expired"),
    (-600, "iam", "SignatureDoesNotMatch", "not yet current"),
    (600, "ssm", "InvalidSignatureException", "Signature expired"),
    (-600, "eks", "InvalidSignatureException", "not yet current")])
def test_a_clock_that_is_ten_minutes_off_is_refused(fake, aws, offset, service, code, words):
    fake.control.clock(skew=offset)
    with refused(code, words):
        CALLS[service](aws)


def test_a_clock_that_is_four_minutes_off_passes_and_the_date_header_says_by_how_much(fake, aws):
    fake.control.clock(skew=240)
    reply = aws.ec2.describe_subnets()
    said = reply["ResponseMetadata"]["HTTPHeaders"]["date"]
    assert said.endswith("GMT") and reply["Subnets"]


def test_a_signature_for_another_service_or_region_is_refused(fake):
    body, headers = "Action=DescribeSubnets&Version=2016-11-15", {"Content-Type": "application/x-www-form-urlencoded"}
    assert send(fake, "iam", body, headers)[0] == 401
    assert send(fake, "ec2", body, headers, region="mars-1")[0] == 401
    assert send(fake, "ec2", body, headers)[0] == 200
    status, reply = send(fake, "iam", "Action=ListInstanceProfiles&Version=2010-05-08", headers, region="eu-west-1")
    assert status == 403 and "Credential should be scoped to a valid region, not 'eu-west-1'" in reply


def session(aws, seconds=900):
    keys = aws.sts.assume_role(RoleArn="arn:aws:iam::111122223333:role/KarpenterControllerRole-tenon",
                               RoleSessionName="test", DurationSeconds=seconds)["Credentials"]
    return keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"]


def test_a_session_works_with_its_token_alone(fake, aws):
    key, secret, token = session(aws)
    assert Clients(fake, None, key, secret, token).sts.get_caller_identity()["Arn"].endswith(
        ":assumed-role/KarpenterControllerRole-tenon/test")
    with refused("AuthFailure"):
        Clients(fake, None, key, secret).ec2.describe_subnets()
    with refused("InvalidClientTokenId"):
        Clients(fake, None, key, secret, token + "x").iam.list_instance_profiles()


@pytest.mark.parametrize("service", EXPIRED)
def test_a_session_ends(fake, aws, service):
    clients = Clients(fake, None, *session(aws))
    clients.ec2.describe_subnets()
    fake.control.expire_sessions()
    with refused(EXPIRED[service]):
        CALLS[service](clients)


def test_web_identity_needs_no_signature_but_a_token(fake, aws):
    arn = "arn:aws:iam::111122223333:role/KarpenterControllerRole-tenon"
    with refused("InvalidIdentityToken"):
        aws.sts.assume_role_with_web_identity(RoleArn=arn, RoleSessionName="pod", WebIdentityToken="nonsense")
    fake.control.web_token("a-token-of-a-pod")
    aws.sts.assume_role_with_web_identity(RoleArn=arn, RoleSessionName="pod", WebIdentityToken="a-token-of-a-pod")
    with refused("AccessDenied"):
        aws.sts.assume_role_with_web_identity(RoleArn=arn + "2", RoleSessionName="pod", WebIdentityToken="a-token-of-a-pod")
    fake.control.clock(advance=3601)
    with refused("ExpiredTokenException"):
        aws.sts.assume_role_with_web_identity(RoleArn=arn, RoleSessionName="pod", WebIdentityToken="a-token-of-a-pod")
    fake.control.deny(["sts:AssumeRoleWithWebIdentity"])
    with refused("AccessDenied", "anonymous"):
        aws.sts.assume_role_with_web_identity(RoleArn=arn, RoleSessionName="pod", WebIdentityToken="a-token-of-a-pod")
    call = fake.control.calls(action="AssumeRoleWithWebIdentity")[0]
    assert call["access_key"] == ""


def test_what_is_denied_is_denied_before_a_dry_run_succeeds(fake, aws):
    with refused("DryRunOperation", status=412):
        aws.ec2.describe_instance_types(DryRun=True)
    fake.control.deny(["ec2:Describe*", "iam:*", "eks:*", "ssm:*"])
    with refused("UnauthorizedOperation", "not authorized to perform: ec2:DescribeInstanceTypes", 403):
        aws.ec2.describe_instance_types(DryRun=True)
    with refused("AccessDenied", status=403):
        aws.iam.list_instance_profiles()
    with refused("AccessDeniedException"):
        aws.eks.describe_cluster(name="tenon")
    fake.control.deny([])
    aws.iam.list_instance_profiles()


def test_the_wrong_version_of_a_service_is_refused(fake):
    status, body = send(fake, "ec2", "Action=DescribeSubnets&Version=2014-01-01",
                        {"Content-Type": "application/x-www-form-urlencoded"})
    assert status == 400 and "NoSuchVersion" in body
    assert "InvalidAction" in ec2_form(fake, "DescribeNothing")[1]
    assert "NotPlayedByFake" in ec2_form(fake, "DescribeVpcs")[1]
