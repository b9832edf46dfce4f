"""Launch templates: names, data, client tokens, and who finds them."""

import base64

import pytest

from tests.aws.fake.support import key_values, refused

DATA = {"ImageId": "ami-0123", "UserData": base64.b64encode(b"#!/bin/sh").decode()}


def tagged(**tags):
    return [{"ResourceType": "launch-template", "Tags": key_values({key.replace("__", "/"): v for key, v in tags.items()})}]


def test_a_template_is_made_found_and_deleted(fake, aws):
    made = aws.ec2.create_launch_template(LaunchTemplateName="karpenter.k8s.aws/123", LaunchTemplateData=DATA,
                                          TagSpecifications=tagged(cluster="tenon"))["LaunchTemplate"]
    assert made["LaunchTemplateId"].startswith("lt-") and made["LatestVersionNumber"] == 1
    wanted = [{"Name": "tag:cluster", "Values": ["tenon"]}]
    for ask in ({"LaunchTemplateNames": ["karpenter.k8s.aws/123"]}, {"Filters": wanted, "MaxResults": 200},
                {"LaunchTemplateIds": [made["LaunchTemplateId"]]}):
        assert aws.ec2.describe_launch_templates(**ask)["LaunchTemplates"] == [made]
    (version,) = aws.ec2.describe_launch_template_versions(LaunchTemplateName="karpenter.k8s.aws/123")[
        "LaunchTemplateVersions"]
    assert version["LaunchTemplateData"] == DATA
    assert fake.control.templates()[0]["data"] == DATA
    aws.ec2.delete_launch_template(LaunchTemplateId=made["LaunchTemplateId"])
    assert not aws.ec2.describe_launch_templates()["LaunchTemplates"]


def test_what_is_not_there_has_the_code_of_how_it_was_named(aws):
    with refused("InvalidLaunchTemplateName.NotFoundException", status=400):
        aws.ec2.describe_launch_templates(LaunchTemplateNames=["nobody"])
    with refused("InvalidLaunchTemplateName.NotFoundException"):
        aws.ec2.delete_launch_template(LaunchTemplateName="nobody")
    with refused("InvalidLaunchTemplateId.NotFound"):
        aws.ec2.delete_launch_template(LaunchTemplateId="lt-0123456789abcdef0")
    with refused("InvalidLaunchTemplateId.NotFound"):
        aws.ec2.describe_launch_templates(LaunchTemplateIds=["lt-0123456789abcdef0"])
    with refused("InvalidLaunchTemplateId.Malformed"):
        aws.ec2.describe_launch_templates(LaunchTemplateIds=["x"])


def test_names_are_unique_and_of_a_form(aws):
    aws.ec2.create_launch_template(LaunchTemplateName="one", LaunchTemplateData=DATA)
    with refused("InvalidLaunchTemplateName.AlreadyExistsException", "Launch template name already in use."):
        aws.ec2.create_launch_template(LaunchTemplateName="one", LaunchTemplateData=DATA)
    with refused("InvalidLaunchTemplateName.MalformedException"):
        aws.ec2.create_launch_template(LaunchTemplateName="a space", LaunchTemplateData=DATA)


def test_a_client_token_makes_one_template(aws):
    ask = {"LaunchTemplateName": "one", "LaunchTemplateData": DATA, "ClientToken": "token-1"}
    assert aws.ec2.create_launch_template(**ask)["LaunchTemplate"] == aws.ec2.create_launch_template(**ask)["LaunchTemplate"]
    with refused("IdempotentParameterMismatch"):
        aws.ec2.create_launch_template(**{**ask, "LaunchTemplateName": "two"})


def test_a_dry_run_makes_nothing(aws):
    with refused("DryRunOperation"):
        aws.ec2.create_launch_template(LaunchTemplateName="one", LaunchTemplateData=DATA, DryRun=True)
    assert not aws.ec2.describe_launch_templates()["LaunchTemplates"]


def test_user_data_has_a_limit(aws):
    for size in (16384, 16385):
        data = {"UserData": base64.b64encode(b"x" * size).decode()}
        if size == 16384:
            aws.ec2.create_launch_template(LaunchTemplateName="fits", LaunchTemplateData=data)
        else:
            with refused("InvalidUserData.Malformed", "User data is limited to 16384 bytes"):
                aws.ec2.create_launch_template(LaunchTemplateName="does-not", LaunchTemplateData=data)
    with refused("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data."):
        aws.ec2.create_launch_template(LaunchTemplateName="plain", LaunchTemplateData={"UserData": "#!/bin/sh"})


@pytest.mark.parametrize("tags, code", [
    ([("a", "1"), ("a", "2")], "InvalidParameterValue"), ([("aws:a", "1")], "InvalidParameterValue"),
    ([(f"key-{number}", "") for number in range(51)], "TagLimitExceeded"), ([("k" * 129, "")], "InvalidParameterValue")])
def test_tags_are_checked(aws, tags, code):
    specification = [{"ResourceType": "launch-template", "Tags": [{"Key": key, "Value": value} for key, value in tags]}]
    with refused(code):
        aws.ec2.create_launch_template(LaunchTemplateName="one", LaunchTemplateData=DATA, TagSpecifications=specification)


def test_pages_of_templates_go_on(aws):
    for number in range(17):
        aws.ec2.create_launch_template(LaunchTemplateName=f"template-{number}", LaunchTemplateData=DATA)
    pages = list(aws.ec2.get_paginator("describe_launch_templates").paginate(PaginationConfig={"PageSize": 5}))
    assert [len(page["LaunchTemplates"]) for page in pages] == [5, 5, 5, 2]
    assert len(aws.ec2.describe_launch_templates()["LaunchTemplates"]) == 17
