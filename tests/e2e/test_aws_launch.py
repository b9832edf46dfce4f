"""Pods that get instances of EC2: what is asked of it, what the machines are told, what the NodeClaims say."""

import base64

import yaml

from aws_world import CLUSTER_TAG, NAME, condition, requirement
from bed.aws import nodeadm
from world import CAPACITY_TYPE, TYPE, ZONE

SPREAD = {"topologyKey": ZONE, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}}}


def test_a_pod_runs_on_an_instance(ec2):
    ec2.pool()
    ec2.deploy("web", 1)
    ec2.running(1)
    claim, = ec2.launched(1)
    instance = ec2.instance_of(claim)
    labels = claim["metadata"]["labels"]
    assert labels[TYPE] == instance["type"] and labels[ZONE] == instance["zone"]
    assert labels["karpenter.k8s.aws/instance-family"] == instance["type"].split(".")[0]
    assert claim["status"]["imageID"].startswith("ami-")
    ec2.wait(lambda: condition(ec2.claim(claim["metadata"]["name"]), "Initialized") == "True", "the claim is initialized")


def test_an_instance_says_whose_it_is(ec2):
    ec2.pool()
    ec2.deploy("web", 1)
    claim, = ec2.launched(1)
    tags = ec2.instance_of(claim)["tags"]
    assert tags[CLUSTER_TAG] == "owned" and tags["karpenter.sh/nodepool"] == ec2.namespace
    assert tags["eks:eks-cluster-name"] == NAME
    ec2.wait(lambda: ec2.instance_of(claim)["tags"].get("karpenter.sh/nodeclaim") == claim["metadata"]["name"],
             "the instance is named after the claim")
    assert ec2.instance_of(claim)["tags"]["Name"] == ec2.claim(claim["metadata"]["name"])["status"]["nodeName"]


def test_spot_is_taken_where_it_is_cheaper_and_allowed(ec2):
    ec2.pool(requirements=[requirement(CAPACITY_TYPE, "In", "spot", "on-demand")])
    ec2.deploy("web", 1)
    claim, = ec2.launched(1)
    assert ec2.instance_of(claim)["lifecycle"] == "spot"
    assert claim["metadata"]["labels"][CAPACITY_TYPE] == "spot"


def test_on_demand_is_taken_where_nothing_else_is_allowed(ec2):
    ec2.pool(requirements=[requirement(CAPACITY_TYPE, "In", "on-demand")])
    ec2.deploy("web", 1)
    claim, = ec2.launched(1)
    assert ec2.instance_of(claim)["lifecycle"] != "spot"


def test_pods_spread_over_zones(ec2):
    ec2.pool()
    ec2.deploy("web", 3, topologySpreadConstraints=[SPREAD])
    ec2.running(3)
    assert len({one["zone"] for one in ec2.instances()}) == 3


def test_without_spot_capacity_the_pod_gets_an_ordinary_instance(ec2):
    ec2.aws.control("capacity", offering="spot:*", left=0)
    try:
        ec2.pool(requirements=[requirement(CAPACITY_TYPE, "In", "spot", "on-demand"), requirement(TYPE, "In", "m5.large", "c5.large")])
        ec2.deploy("web", 1)
        claim, = ec2.launched(1)
        assert claim["metadata"]["labels"][CAPACITY_TYPE] == "on-demand"
    finally:
        ec2.aws.control("capacity", offering="spot:*", left=None)


def test_without_any_capacity_the_claim_goes_and_says_so(ec2):
    ec2.aws.control("capacity", offering="*:m6i.large:*", left=0)
    try:
        ec2.pool(requirements=[requirement(TYPE, "In", "m6i.large")])
        ec2.deploy("web", 1)
        ec2.waiting(1)
        ec2.wait(lambda: [event for event in ec2.api.list("v1", "Event", "default")
                          if event["reason"] == "InsufficientCapacityError" and ec2.namespace in event["involvedObject"]["name"]],
                 "an event says that there is no capacity")
        assert not ec2.instances()
    finally:
        ec2.aws.control("capacity", offering="*:m6i.large:*", left=None)


def test_machines_are_told_labels_taints_and_settings(ec2):
    ec2.node_class(kubelet={"maxPods": 42, "systemReserved": {"cpu": "100m"}})
    taint = {"key": "team", "value": "a", "effect": "NoSchedule"}
    ec2.pool(template={"taints": [taint], "startupTaints": [{"key": "early", "effect": "NoExecute"}]},
             labels={"colour": "blue"})
    ec2.deploy("web", 1, tolerations=[{"operator": "Exists"}])
    claim, = ec2.launched(1)
    config, flags = nodeadm(ec2.aws.control("machine", instance=ec2.instance_of(claim)["id"])["user_data"])
    assert config["maxPods"] == 42 and config["systemReserved"] == {"cpu": "100m"}
    assert config["clusterDNS"] == ["10.0.0.10"]
    assert {one["key"] for one in config["registerWithTaints"]} >= {"team", "early", "karpenter.sh/unregistered"}
    assert any("colour=blue" in flag and f"karpenter.sh/nodepool={ec2.namespace}" in flag for flag in flags)


def test_the_users_own_user_data_comes_first(ec2):
    ec2.node_class(userData="#!/bin/bash\necho hello from the user\n")
    ec2.pool()
    ec2.deploy("web", 1)
    claim, = ec2.launched(1)
    text = ec2.aws.control("machine", instance=ec2.instance_of(claim)["id"])["user_data"]
    assert 0 < text.index("hello from the user") < text.index("node.eks.aws/v1alpha1")


def test_disks_metadata_and_monitoring_are_as_the_class_says(ec2):
    disk = {"deviceName": "/dev/xvda", "ebs": {"volumeSize": "100Gi", "volumeType": "gp3", "encrypted": True, "iops": 4000,
                                               "kmsKeyID": "arn:aws:kms:us-east-1:111122223333:key/1234abcd", "deleteOnTermination": True}}
    ec2.node_class(blockDeviceMappings=[disk], detailedMonitoring=True, tags={"team": "shop"},
                   metadataOptions={"httpEndpoint": "enabled", "httpTokens": "required", "httpPutResponseHopLimit": 2,
                                    "httpProtocolIPv6": "disabled"})
    ec2.pool()
    ec2.deploy("web", 1)
    claim, = ec2.launched(1)
    data = ec2.templates()[0]["data"]
    ebs = data["BlockDeviceMappings"][0]["Ebs"]
    assert (ebs["VolumeSize"], ebs["VolumeType"], ebs["Iops"], ebs["Encrypted"]) == (100, "gp3", 4000, True)
    assert ebs["KmsKeyId"].endswith("key/1234abcd")
    assert data["Monitoring"]["Enabled"] is True
    assert data["MetadataOptions"]["HttpPutResponseHopLimit"] == 2
    assert ec2.instance_of(claim)["tags"]["team"] == "shop"


def test_the_template_has_the_machines_network(ec2):
    ec2.pool()
    ec2.deploy("web", 1)
    ec2.launched(1)
    data = ec2.templates()[0]["data"]
    groups = {one["id"] for one in ec2.class_now()["status"]["securityGroups"]}
    assert set(data["NetworkInterfaces"][0]["Groups"]) == groups
    assert base64.b64decode(data["UserData"])
    assert data["IamInstanceProfile"]["Name"] == ec2.class_now()["status"]["instanceProfile"]


def test_a_claim_names_the_launch_that_its_instance_is_of(ec2):
    ec2.pool()
    ec2.deploy("web", 1)
    claim, = ec2.launched(1)
    token, rank, *_ = claim["metadata"]["annotations"]["tenon.sh/launch"].split("/")
    assert ec2.instance_of(claim)["tags"]["tenon.sh/launch"] == token
    assert rank == "0"


def test_forty_pods_that_keep_apart_get_forty_instances_by_few_calls(ec2, report):
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}}]}}
    ec2.deploy("web", 40, affinity=apart)
    ec2.waiting(40)
    ec2.pool()
    ec2.launched(40)
    assert len(ec2.instances()) == 40
    assert len({one["id"] for one in ec2.instances()}) == 40
    fleets = len(ec2.fleets())
    report(f"aws: 40 claims, {fleets} fleets")
    assert fleets <= 12


def test_the_node_class_is_written_on_the_claim(ec2):
    ec2.pool()
    ec2.deploy("web", 1)
    claim, = ec2.launched(1)
    annotations = ec2.class_now()["metadata"]["annotations"]
    for key in ("karpenter.k8s.aws/ec2nodeclass-hash", "karpenter.k8s.aws/ec2nodeclass-hash-version"):
        assert claim["metadata"]["annotations"][key] == annotations[key]
    assert yaml.safe_dump(claim["spec"]["nodeClassRef"])
