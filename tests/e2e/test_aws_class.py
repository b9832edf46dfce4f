"""EC2NodeClasses: what is looked up for them, what is wrong with them, and their end."""

from aws_world import CLUSTER_TAG, EC2, EC2_CLASS, NAME, condition


def test_a_class_finds_all_that_it_names(ec2):
    ec2.node_class()
    status = ec2.class_now()["status"]
    assert {one["id"] for one in status["subnets"]} == set(ec2.aws.control("state")["subnets"])
    assert [one["name"] for one in status["securityGroups"]] == [f"{NAME}-node"]
    assert any("al2023" in one["name"] and "x86_64" in one["name"] for one in status["amis"])
    assert status["instanceProfile"]
    assert condition(ec2.class_now(), "ValidationSucceeded") == "True"


def test_its_instance_profile_has_the_role_and_says_whose_it_is(ec2):
    ec2.node_class()
    profile = ec2.aws.control("state")["profiles"][ec2.class_now()["status"]["instanceProfile"]]
    assert profile["role"] == f"KarpenterNodeRole-{NAME}"
    assert profile["tags"]["karpenter.k8s.aws/ec2nodeclass"] == ec2.namespace
    assert profile["tags"][CLUSTER_TAG] == "owned"


def test_subnets_that_are_not_there(ec2):     # R113
    ec2.node_class(ready=False, subnetSelectorTerms=[{"tags": {"no": "such"}}])
    ec2.refused("SubnetsReady", "SubnetsNotFound")
    assert condition(ec2.class_now(), "Ready") == "False"


def test_security_groups_that_are_not_there(ec2):     # R113
    ec2.node_class(ready=False, securityGroupSelectorTerms=[{"tags": {"no": "such"}}])
    ec2.refused("SecurityGroupsReady", "SecurityGroupsNotFound")


def test_images_that_are_not_there(ec2):
    ec2.node_class(ready=False, amiSelectorTerms=[{"id": "ami-0123456789abcdef0"}], amiFamily="AL2023")
    ec2.refused("AMIsReady", "AMINotFound")


def test_a_role_that_is_not_there(ec2):
    ec2.node_class(ready=False, role="nobody")
    ec2.wait(lambda: condition(ec2.class_now(), "InstanceProfileReady") in ("False", "Unknown"), "the profile is not ready")
    assert condition(ec2.class_now(), "Ready") != "True"


def test_tags_that_tenon_sets_itself_are_refused_by_the_api_server_or_by_the_class(ec2):
    try:
        ec2.node_class(ready=False, tags={"karpenter.sh/nodepool": "mine"})
    except Exception as error:
        assert "tag" in str(error)
        return
    ec2.refused("ValidationSucceeded", "TagValidationFailed")


def test_a_launch_that_is_not_allowed_is_said_before_any(ec2):
    ec2.aws.control("deny", patterns=["ec2:CreateFleet"])
    ec2.node_class(ready=False)
    message = ec2.refused("ValidationSucceeded", "CreateFleetAuthCheckFailed")
    assert message
    assert condition(ec2.class_now(), "Ready") == "False"


def test_a_pool_of_a_class_that_is_not_ready_gets_no_nodes(ec2):
    ec2.node_class(ready=False, subnetSelectorTerms=[{"tags": {"no": "such"}}])
    ec2.pool(ready=False)
    ec2.wait(lambda: condition(ec2.pool_now(), "NodeClassReady") == "False", "the pool says so")
    ec2.deploy("web", 1)
    ec2.waiting(1)
    assert not ec2.claims()


def test_a_class_has_its_hash(ec2):
    ec2.node_class()
    ec2.wait(lambda: "karpenter.k8s.aws/ec2nodeclass-hash" in ec2.class_now()["metadata"].get("annotations", {}), "the hash")
    assert ec2.class_now()["metadata"]["annotations"]["karpenter.k8s.aws/ec2nodeclass-hash-version"] == "v6"


def test_the_end_of_a_class_takes_what_was_made_for_it(ec2):
    made = ec2.node_class()
    profile = ec2.class_now()["status"]["instanceProfile"]
    ec2.api.delete(made)
    ec2.gone(made)
    assert profile not in ec2.aws.control("state")["profiles"]
    assert not ec2.templates()


def test_a_class_in_use_waits_for_its_claims(ec2):
    ec2.pool()
    ec2.deploy("web", 1)
    claim, = ec2.launched(1)
    ec2.api.delete({"apiVersion": EC2, "kind": EC2_CLASS, "metadata": {"name": ec2.namespace}})
    ec2.event(ec2.class_now(), "WaitingOnNodeClaimTermination", claim["metadata"]["name"])
    assert ec2.instances()
