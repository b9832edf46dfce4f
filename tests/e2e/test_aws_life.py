"""The life of instances behind their NodeClaims: ended, interrupted, lost, found again."""

from aws_world import CLUSTER_TAG, NAME
from world import CAPACITY_TYPE, requirement


def one_node(ec2, **pool):
    ec2.pool(**pool)
    ec2.deploy("web", 1)
    ec2.running(1)
    claim, = ec2.launched(1)
    return claim


def test_a_claim_that_is_deleted_takes_its_instance_with_it(ec2):     # R076
    claim = one_node(ec2)
    ec2.scale({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": ec2.namespace}}, 0)
    ec2.api.delete(claim)
    ec2.gone(claim)
    assert ec2.instance_of(claim)["state"] in ("shutting-down", "terminated")
    ec2.ready_nodes(0)


def test_a_spot_interruption_replaces_the_node(ec2):     # R081
    claim = one_node(ec2, requirements=[requirement(CAPACITY_TYPE, "In", "spot")])
    ec2.aws.control("event", kind="spot_interruption", instance=ec2.instance_of(claim)["id"])
    ec2.gone(claim)
    ec2.wait(lambda: ec2.events(claim, "SpotInterrupted"), "an event says so")
    ec2.running(1)
    ec2.wait(lambda: ec2.aws.control("queue")["messages"] == 0, "the message is deleted")


def test_a_rebalance_recommendation_is_only_told(ec2):
    claim = one_node(ec2)
    ec2.aws.control("event", kind="rebalance", instance=ec2.instance_of(claim)["id"])
    ec2.event(claim, "SpotRebalanceRecommendation", "")
    assert not ec2.claim(claim["metadata"]["name"])["metadata"].get("deletionTimestamp")


def test_messages_that_nobody_understands_are_deleted(ec2):
    for body in ("", "no JSON", "{}", '{"version": "0", "source": "aws.ec2", "detail-type": "Unheard of"}', "[" * 5000):
        ec2.aws.control("put", body=body)
    ec2.wait(lambda: ec2.aws.control("queue")["messages"] == 0, "the queue is empty")


def test_an_instance_that_ends_by_itself_is_noticed(ec2):
    claim = one_node(ec2)
    ec2.aws.control("end", instance=ec2.instance_of(claim)["id"])
    ec2.wait(lambda: not ec2.claim(claim["metadata"]["name"]) or
             ec2.claim(claim["metadata"]["name"])["metadata"].get("deletionTimestamp"), "the claim goes", 180)
    ec2.running(1)


def test_an_instance_that_belongs_to_no_claim_is_ended(ec2):
    """As a launch leaves one whose process died, and whose claim was deleted meanwhile."""
    claim = one_node(ec2)
    instance = ec2.instance_of(claim)
    ec2.api.patch(claim, {"metadata": {"finalizers": []}})
    ec2.api.delete(claim)
    ec2.wait(lambda: ec2.instance_of(claim)["state"] in ("shutting-down", "terminated"), "the instance is ended", 180)
    assert instance["tags"][CLUSTER_TAG] == "owned" and instance["tags"]["eks:eks-cluster-name"] == NAME


def test_a_changed_class_makes_its_nodes_drift(ec2):
    claim = one_node(ec2)
    ec2.api.patch(ec2.class_now(), {"spec": {"tags": {"team": "other"}}})
    ec2.wait(lambda: next((each for each in ec2.claim(claim["metadata"]["name"])["status"]["conditions"]
                           if each["type"] == "Drifted" and each["status"] == "True"), {}).get("reason") == "NodeClassDrift",
             "the claim has drifted", 90)


def test_security_groups_that_changed_make_nodes_drift(ec2):
    claim = one_node(ec2)
    group = next(name for name, called in ec2.aws.control("state")["groups"].items() if called == f"{NAME}-cluster")
    ec2.api.patch(ec2.class_now(), {"spec": {"securityGroupSelectorTerms": [{"id": group}]}})
    ec2.wait(lambda: next((each for each in ec2.claim(claim["metadata"]["name"])["status"]["conditions"]
                           if each["type"] == "Drifted" and each["status"] == "True"), {}).get("reason") == "SecurityGroupDrift",
             "the claim has drifted", 90)
