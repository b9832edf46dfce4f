"""`tenon doctor` without files: a live cluster, and AWS behind it. What is missing is a line, never the end of it."""

import json
import os
import shlex
import subprocess

import pytest

from aws_world import NAME
from bed import rights
from bed.api import wait_for
from bed.tenon import NAMESPACE, apply_definitions, program, tenon_definitions
from conftest import is_ready
from faults import bind, role


def doctor(cluster, *words, environment=None, status=None):
    """The checks by id, and the exit status."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith("AWS_")}
    done = subprocess.run([program(), "doctor", "--kubeconfig", cluster.layout.kubeconfig, "-o", "json", *words],
                          env={**plain, "AWS_EC2_METADATA_DISABLED": "true", **(environment or {})}, capture_output=True,
                          text=True, timeout=120, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert done.stderr == ""
    checks = {check["id"]: check for check in json.loads(done.stdout)["checks"]}
    worst = any(check["status"] == "error" for check in checks.values())
    assert done.returncode == int(worst)
    assert status is None or done.returncode == status, done.stdout
    return checks


def texts(check):
    return [f"{finding.get('object', '')}: {finding['text']}" for finding in check["findings"]]


# --- the API server (R125: what is granted against what is needed)

def test_a_cluster_that_is_well(yard):
    checks = doctor(yard.cluster, status=0)
    assert {checks[each]["status"] for each in ("api-server", "definitions", "rights", "reads")} == {"ok"}
    assert checks["aws-calls"]["status"] == "skipped"     # no class of AWS's


def test_it_changes_nothing(yard):
    def picture():
        kinds = (("karpenter.sh/v1", "NodePool"), ("rbac.authorization.k8s.io/v1", "ClusterRole"), ("v1", "Node"))
        return [[(one["metadata"]["name"], one["metadata"]["resourceVersion"]) for one in yard.api.list(*kind)] for kind in kinds]
    before = picture()
    doctor(yard.cluster)
    assert picture() == before


def test_no_api_server_is_a_finding(yard, tmp_path):
    text = yard.cluster.layout.kubeconfig.read_text(encoding="utf-8")
    nowhere = tmp_path / "nowhere"
    nowhere.write_text(text.replace(yard.cluster.layout.url("kube-apiserver"), "https://127.0.0.1:1"), encoding="utf-8")
    checks = doctor(yard.cluster, "--kubeconfig", nowhere, status=1)
    assert checks["api-server"]["status"] == "error"
    assert checks["api-server"]["findings"][0]["fix"] == "kubectl cluster-info"
    assert checks["rights"]["status"] == "skipped"


def test_a_right_that_is_missing_and_the_command_that_grants_it(yard):
    user = f"{yard.namespace}-patient"
    yard.create(role(user, ("pods/eviction", "create"), ("nodes", "patch")))
    yard.create(bind(user, user))
    yard.create({**bind(user, "tenon", kind="Role"), "kind": "RoleBinding", "metadata": {"name": user, "namespace": NAMESPACE}})
    checks = doctor(yard.cluster, "--as", user, status=1)
    assert any("may not create pods/eviction" in text for text in texts(checks["rights"]))
    assert any("may not patch nodes" in text for text in texts(checks["rights"]))
    made = []
    for finding in checks["rights"]["findings"]:
        subprocess.run(finding["fix"], shell=True, env=yard.cluster.environment(), check=True, capture_output=True)
        made += [word for word in finding["fix"].split() if word.startswith("tenon-")]
    try:
        assert doctor(yard.cluster, "--as", user)["rights"]["status"] == "ok"
    finally:
        for name in set(made):
            for kind in ("clusterrole", "clusterrolebinding"):
                subprocess.run(["kubectl", "delete", kind, name], env=yard.cluster.environment(), check=False, capture_output=True)


def test_who_may_nothing_gets_a_line_for_each_thing(yard):
    checks = doctor(yard.cluster, "--as", "nobody", status=1)
    assert len(checks["rights"]["findings"]) > 10
    assert all(text.startswith("nobody: ") for text in texts(checks["rights"]))


def test_of_the_account_of_tenon_only_the_rights_are_looked_at(yard):
    """What it may not read (Deployments, ConfigMaps of others) is read as oneself, so that every check is complete."""
    mine, its = doctor(yard.cluster, status=0), doctor(yard.cluster, "--as", rights.USER, status=0)
    assert {its[each]["status"] for each in ("rights", "reads")} == {"ok"}
    assert {each: check["status"] for each, check in its.items()} == {each: check["status"] for each, check in mine.items()}


def test_an_account_has_the_rights_of_its_groups(yard):
    account = f"system:serviceaccount:{yard.namespace}:karpenter"
    name, group = f"{yard.namespace}-group", {"kind": "Group", "name": f"system:serviceaccounts:{yard.namespace}"}
    assert doctor(yard.cluster, "--as", account, status=1)["rights"]["status"] == "error"
    yard.create(role(name))
    yard.create({**bind(name, name), "subjects": [{**group, "apiGroup": "rbac.authorization.k8s.io"}]})
    assert not any("pods/eviction" in text for text in texts(doctor(yard.cluster, "--as", account)["rights"]))


def as_user(yard, tmp_path, user):
    """A kubeconfig whose user is that one."""
    config = json.loads(yard.cluster.layout.kubeconfig.read_text(encoding="utf-8"))
    config["users"][0]["user"]["as"] = user
    file = tmp_path / user
    file.write_text(json.dumps(config), encoding="utf-8")
    return "--kubeconfig", file


def test_a_read_that_is_denied_and_the_command_that_allows_it(yard, tmp_path):
    user = f"{yard.namespace}-reader"
    words = (*as_user(yard, tmp_path, user), "--as", rights.USER)
    findings = doctor(yard.cluster, *words)["reads"]["findings"]
    assert len(findings) == len({one["object"] for one in findings})
    assert {"nodes", "configmaps", "nodepools.karpenter.sh", "subjectaccessreviews.authorization.k8s.io"} <= {one["object"] for one in findings}
    made = [f"tenon-doctor-{one['object']}" for one in findings]
    try:
        for finding in findings:
            assert f"--user='{user}'" in finding["fix"]
            subprocess.run(finding["fix"], shell=True, env=yard.cluster.environment(), check=True, capture_output=True)
        checks = doctor(yard.cluster, *words, status=0)
        assert {checks[each]["status"] for each in ("rights", "reads")} == {"ok"}
    finally:
        for kind in ("clusterrole", "clusterrolebinding"):
            subprocess.run(["kubectl", "delete", kind, *made], env=yard.cluster.environment(), check=False, capture_output=True)


def test_a_kind_that_is_not_served_is_nothing_that_could_not_be_read(yard, tmp_path):
    served = {one["metadata"]["name"] for one in yard.api.list("apiextensions.k8s.io/v1", "CustomResourceDefinition")}
    findings = doctor(yard.cluster, *as_user(yard, tmp_path, f"{yard.namespace}-stranger"))["reads"]["findings"]
    kinds = {one["object"] for one in findings if "karpenter" in one["object"]}
    assert kinds and kinds <= served


POOLS = "nodepools.karpenter.sh"


def with_versions(yard, **versions):
    """The definition of NodePools in these versions, each with whether it is served; the first one is stored."""
    found = yard.api.get("apiextensions.k8s.io/v1", "CustomResourceDefinition", POOLS)
    shape = found["spec"]["versions"][0]
    found["spec"]["versions"] = [{**shape, "name": name, "served": served, "storage": name == next(iter(versions))}
                                 for name, served in versions.items()]
    yard.api.replace(found)


def of_pools(yard, status):
    """The one finding about their definition, once discovery tells what is served."""
    def look():
        found = [one for one in doctor(yard.cluster)["definitions"]["findings"] if one["object"] == POOLS]
        return found[0] if len(found) == 1 and status in found[0]["text"] else None
    return wait_for(look, 60, f"a finding that has {status}")


def run_fix(yard, finding):
    subprocess.run(finding["fix"], shell=True, env=yard.cluster.environment(), check=True, capture_output=True)


@pytest.fixture
def older(yard):
    """A cluster whose definition of NodePools a test may change."""
    yield yard
    with_versions(yard, v1=True, v1beta1=True)
    yard.api.patch(yard.api.get("apiextensions.k8s.io/v1", "CustomResourceDefinition", POOLS), {"status": {"storedVersions": ["v1"]}}, status=True)
    apply_definitions(yard.cluster, tenon_definitions())


def test_definitions_of_v1beta1_until_all_is_stored_as_v1(older):
    """As Karpenter goes to 1.0. After the command that is named at the end, tenon's definitions are taken, and all can be read."""
    pools = [older.pool_thing(name) for name in ("a", "b")]
    with_versions(older, v1beta1=True, v1=False)
    assert "Karpenter to 1.0" in of_pools(older, "served as v1beta1")["fix"]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [{**pool, "apiVersion": "karpenter.sh/v1beta1"} for pool in pools]})
    subprocess.run(["kubectl", "create", "-f", "-"], env=older.cluster.environment(), check=True, capture_output=True, input=text, text=True)
    with_versions(older, v1beta1=True, v1=True)
    assert "Karpenter to 1.0" in of_pools(older, "stored as v1beta1, as")["fix"]
    with_versions(older, v1=True, v1beta1=True)
    finding = of_pools(older, "may still be stored as v1beta1")
    assert finding["severity"] == "warning"
    run_fix(older, finding)
    assert doctor(older.cluster)["definitions"]["status"] == "ok"
    apply_definitions(older.cluster, tenon_definitions())
    for pool in pools:
        wait_for(lambda pool=pool: older.api.get("karpenter.sh/v1", "NodePool", pool["metadata"]["name"]), 60, "it can be read")
        older.api.delete(pool)


def test_definitions_of_v1beta1_without_an_object(older):
    with_versions(older, v1beta1=True, v1=True)
    with_versions(older, v1=True, v1beta1=True)
    run_fix(older, of_pools(older, "may still be stored as v1beta1"))
    assert doctor(older.cluster)["definitions"]["status"] == "ok"


def hints_of(yard):
    return [finding for finding in doctor(yard.cluster)["topology-hints"]["findings"] if yard.namespace in finding.get("object", "")]


def test_topology_hints_that_cannot_be_made(yard):     # R166
    room = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    for zone in "ab":
        name = f"{yard.namespace}-{zone}"
        yard.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"topology.kubernetes.io/zone": zone}},
                     "status": {"capacity": room, "allocatable": room}})
        wait_for(lambda name=name: is_ready(yard.api.get("v1", "Node", name)), 90, f"{name} is ready")
    hinted = {"apiVersion": "v1", "kind": "Service", "spec": {"ports": [{"port": 80}]}, "metadata": {
        "name": "web", "namespace": yard.namespace, "annotations": {"service.kubernetes.io/topology-mode": "Auto"}}}
    yard.api.create(hinted)
    points = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4", "ports": [], "metadata": {
        "name": "web-1", "namespace": yard.namespace, "labels": {"kubernetes.io/service-name": "web"}}}
    points["endpoints"] = [{"addresses": ["10.9.9.1"], "zone": "a"}]
    yard.api.create(points)
    finding, = hints_of(yard)
    assert finding["text"].startswith("1 ready endpoints are too few")
    wanted = int(finding["fix"].split("--replicas=")[1])    # as many as the shares of the zones need, others' nodes among them
    points["endpoints"] = [{"addresses": [f"10.9.9.{number}"], "zone": "a"} for number in range(1, wanted + 1)]
    yard.api.replace(points)
    assert not hints_of(yard)
    yard.api.delete(hinted)


# --- AWS

def on_aws(ec2, *words, environment=None, status=None):
    return doctor(ec2.cloud.cluster, *words, environment={**ec2.aws.environment(), **(environment or {})}, status=status)


def of_class(ec2, check):
    return [text for text in texts(check) if ec2.namespace in text]


def test_aws_that_is_well(ec2):
    ec2.node_class()
    checks = on_aws(ec2, "--interruption-queue", NAME)
    for each in ("aws-calls", "queue", "queue-policy", "queue-key", "queue-rules", "node-policies", "subnets", "security-groups", "free-addresses", "selectors"):
        assert checks[each]["status"] == "ok", checks[each]


def test_tags_that_nothing_has(ec2):     # R182
    ec2.node_class(ready=False, subnetSelectorTerms=[{"tags": {"no": "such"}}], securityGroupSelectorTerms=[{"tags": {"no": "such"}}])
    checks = on_aws(ec2, status=1)
    assert of_class(ec2, checks["subnets"])
    assert of_class(ec2, checks["security-groups"])


def test_an_instance_profile_that_is_not_there(ec2):
    ec2.node_class(ready=False, role=None, instanceProfile=f"{ec2.namespace}-none")
    found = of_class(ec2, on_aws(ec2, status=1)["instance-profiles"])
    assert found == [f"EC2NodeClass {ec2.namespace}: AWS has no instance profile {ec2.namespace}-none"]


def test_a_queue_that_is_not_there(ec2):     # R084
    ec2.node_class()
    checks = on_aws(ec2, "--interruption-queue", "no-such", status=1)
    assert texts(checks["queue"])[0].startswith("no-such: the interruption queue is not there")


def attributes_to_set(finding, url):
    """Those of the queue that the remedy's command sets."""
    words = shlex.split(finding["fix"])
    assert words[:5] == ["aws", "sqs", "set-queue-attributes", "--queue-url", url]
    return json.loads(words[-1])


def test_a_policy_that_lets_nobody_send(ec2):     # R084
    ec2.node_class()
    queue = f"{ec2.namespace}-events"
    url = ec2.aws.control("add_queue", name=queue, policy="")
    (finding,) = on_aws(ec2, "--interruption-queue", queue, status=1)["queue-policy"]["findings"]
    assert finding["severity"] == "warning"
    ec2.aws.control("add_queue", name=queue, policy=attributes_to_set(finding, url)["Policy"])
    assert on_aws(ec2, "--interruption-queue", queue, status=1)["queue-policy"]["status"] == "ok"


def test_a_key_that_eventbridge_may_not_use(ec2):     # R084
    ec2.node_class()
    queue = f"{ec2.namespace}-keyed"
    url = ec2.aws.control("add_queue", name=queue, key="alias/aws/sqs")
    (finding,) = on_aws(ec2, "--interruption-queue", queue, status=1)["queue-key"]["findings"]
    assert finding["severity"] == "error"
    assert attributes_to_set(finding, url) == {"KmsMasterKeyId": "", "SqsManagedSseEnabled": "true"}
    ec2.aws.control("add_queue", name=queue)
    assert on_aws(ec2, "--interruption-queue", queue, status=1)["queue-key"]["status"] == "ok"


def test_rules_that_nobody_made(ec2):     # R084
    ec2.node_class()
    queue = f"{ec2.namespace}-events"
    ec2.aws.control("add_queue", name=queue)
    ec2.aws.control("add_rule", name=f"{queue}-1", pattern={"source": ["aws.health"]}, queue=queue)
    ec2.aws.control("add_rule", name=f"{queue}-2", pattern={"detail-type": ["EC2 Instance Rebalance Recommendation"]}, queue=queue)
    ec2.aws.control("add_rule", name=f"{queue}-3", pattern={"source": ["aws.s3"]}, queue=queue)
    checks = on_aws(ec2, "--interruption-queue", queue, status=1)
    found = {finding["text"].split(":")[0]: finding for finding in checks["queue-rules"]["findings"]}
    assert set(found) == {f"no rule of EventBridge sends it {kind}" for kind in (
        "EC2 Spot Instance Interruption Warning", "EC2 Instance State-change Notification",
        "EC2 Capacity Reservation Instance Interruption Warning")}
    spot = found["no rule of EventBridge sends it EC2 Spot Instance Interruption Warning"]
    assert spot["severity"] == "error"
    put_rule, put_targets = [shlex.split(command) for command in spot["fix"].split(" && ")]
    pattern = json.loads(put_rule[put_rule.index("--event-pattern") + 1])
    assert pattern == {"source": ["aws.ec2"], "detail-type": ["EC2 Spot Instance Interruption Warning"]}
    assert put_targets[-1] == f"Id={queue},Arn=arn:aws:sqs:us-east-1:111122223333:{queue}"
    ec2.aws.control("add_rule", name=put_rule[put_rule.index("--name") + 1], pattern={"source": ["aws.ec2"]}, queue=queue)
    assert on_aws(ec2, "--interruption-queue", queue)["queue-rules"]["status"] == "ok"


def test_a_rule_that_is_disabled(ec2):     # R084
    ec2.node_class()
    queue = f"{ec2.namespace}-events"
    ec2.aws.control("add_queue", name=queue)
    ec2.aws.control("add_rule", name=f"{queue}-all", pattern={"source": [{"prefix": "aws."}]}, queue=queue, state="DISABLED")
    checks = on_aws(ec2, "--interruption-queue", queue, status=1)
    assert {finding["fix"] for finding in checks["queue-rules"]["findings"]} == {f"aws events enable-rule --name '{queue}-all'"}
    assert len(checks["queue-rules"]["findings"]) == 5


def test_a_role_that_is_not_there(ec2):     # R120
    ec2.node_class(ready=False, role=f"{ec2.namespace}-none")
    found = of_class(ec2, on_aws(ec2, status=1)["node-policies"])
    assert found == [f"EC2NodeClass {ec2.namespace}: AWS has no role {ec2.namespace}-none"]


def test_policies_that_a_role_has_not(ec2):     # R120
    role = f"{ec2.namespace}-nodes"
    ec2.aws.control("add_role", name=role, path="/nodes/", policies=["AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy"])
    ec2.aws.control("add_profile", name=role, role=role)
    ec2.node_class(ready=False, role=None, instanceProfile=role)
    findings = [one for one in on_aws(ec2)["node-policies"]["findings"] if ec2.namespace in one["object"]]
    policy = "arn:aws:iam::aws:policy/"
    assert [(one["severity"], one["fix"].split(policy)[1]) for one in findings] == [
        ("warning", "AmazonEC2ContainerRegistryPullOnly"), ("warning", "AmazonSSMManagedInstanceCore")]
    assert findings[0]["text"].endswith("it has: AmazonEKSWorkerNodePolicy, AmazonEKS_CNI_Policy")


def test_what_the_doctor_alone_asks_is_no_right_of_the_controller(ec2):     # R084 R120 R125
    ec2.node_class()
    ec2.aws.control("deny", patterns=["events:*", "iam:ListAttachedRolePolicies", "sqs:GetQueueAttributes"])
    checks = on_aws(ec2, "--interruption-queue", NAME)
    assert checks["aws-calls"]["status"] == "ok"
    for each, action in (("queue-rules", "events:ListRuleNamesByTarget"), ("node-policies", "iam:ListAttachedRolePolicies"),
                         ("queue-policy", "sqs:GetQueueAttributes")):
        assert checks[each]["status"] == "warning"
        assert checks[each]["findings"][0]["fix"] == f"allow {action} to whoever runs tenon doctor; the controller does not need it"


def test_actions_that_are_denied_are_named(ec2):     # R084 R125
    ec2.node_class()
    ec2.aws.control("deny", patterns=["sqs:*", "ec2:DescribeSpotPriceHistory", "pricing:GetProducts"])
    checks = on_aws(ec2, "--interruption-queue", NAME, status=1)
    named = {finding["object"] for finding in checks["aws-calls"]["findings"]}
    assert named == {"sqs:GetQueueUrl", "ec2:DescribeSpotPriceHistory", "pricing:GetProducts"}
    assert checks["prices"]["status"] == "warning"
    assert checks["subnets"]["status"] == "ok"


def test_an_aws_that_does_not_answer_is_a_finding(ec2):
    ec2.node_class()
    checks = on_aws(ec2, environment={"AWS_ENDPOINT_URL": "http://127.0.0.1:1"})
    assert checks["aws-calls"]["status"] == "warning"
    assert "AWS cannot be asked" in checks["aws-calls"]["findings"][0]["text"]
    assert checks["subnets"]["status"] == "skipped"


def test_no_region_is_a_finding(ec2):
    ec2.node_class()
    checks = doctor(ec2.cloud.cluster)
    assert checks["aws-calls"]["findings"][0]["object"] == "region"
    assert checks["rights"]["status"] == "ok"
