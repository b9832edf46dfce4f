"""The manifests of the first users as they published them, through kubectl and the webhooks to EC2: nodes of the families, sizes,
zones and capacity types that they ask for. Reference legacy.md 7, S1, S2, S4 and S5."""

import re
import subprocess
import time
from pathlib import Path

import pytest
import yaml

import things
from aws_world import Cloud
from bed.api import Api, wait_for
from bed.aws import NAME, ROLE
from bed.layout import free_ports
from bed.tenon import NAMESPACE, apply_definitions, kubectl, tenon_definitions
from bed.webhooks import webhook_service
from conftest import GATES, WORK

SEEDS = Path(__file__).resolve().parents[1] / "seeds"
REGION, KUBERNETES = "ap-northeast-2", "1.32"     # of the seeds; the last one that has images of AL2
ZONES = [f"{REGION}{zone}" for zone in "abc"]
OLD, PROVISIONER = "karpenter.sh/v1alpha5", "karpenter.sh/provisioner-name"
TYPE, ZONE, ARCH = "node.kubernetes.io/instance-type", "topology.kubernetes.io/zone", "kubernetes.io/arch"
CAPACITY, CATEGORY = "karpenter.sh/capacity-type", "karpenter.k8s.aws/instance-category"
GENERATION, HYPERVISOR = "karpenter.k8s.aws/instance-generation", "karpenter.k8s.aws/instance-hypervisor"
PROFILE_001, PROFILE_002 = "KarpenterNodeInstanceProfile-donggyu-eks", "KarpenterInstanceProfile"
DISK = {"VolumeSize": 30, "VolumeType": "gp3", "Iops": 3000, "Throughput": 125, "Encrypted": True, "DeleteOnTermination": True,
        "KmsKeyId": "arn:aws:kms:ap-northeast-2:558846430793:key/6f29df3a-fb94-48e4-b359-a88fb74ce78d"}
DEFAULTS_001 = [("kubernetes.io/os", "In", ["linux"]), (CAPACITY, "In", ["on-demand"])]
DEFAULTS_002 = [(CATEGORY, "In", ["c", "m", "r"]), (GENERATION, "Gt", ["2"])]


class SeedCloud(Cloud):
    """The users' accounts: subnets and groups with the tags that their manifests select, their instance profiles, their
    settings; EKS says which version it is."""

    def __init__(self, folder):
        self.port, = free_ports(1)
        self.subnets = {}       # of the first seed, by zone
        super().__init__(folder, GATES, flags={"kube-apiserver": ["--enable-aggregator-routing=true"]},
                         aws_flags=["--kubernetes", KUBERNETES], region=REGION)

    def prepare(self):
        for number, zone in enumerate(ZONES):
            made = [self.aws.control("add_subnet", zone=zone, cidr=f"10.{at + number}.0.0/20", tags=tags) for at, tags in (
                (100, {"environment": "donggyu-eks", "managed-by": "karpenter"}),
                (110, {"karpenter.sh/discovery": "bys-dev-eks-main"}),
                (120, {"environment": "donggyu-eks"}))]     # one of the two tags is not enough
            self.subnets[zone] = made[0]
        self.aws.control("add_group", name="nodes-001", tags={"Blueprint": "donggyu-eks"})
        self.aws.control("add_group", name="nodes-002", tags={"karpenter.sh/discovery": "bys-dev-eks-main"})
        for profile in (PROFILE_001, PROFILE_002):
            self.aws.control("add_profile", name=profile, role=ROLE)
        self.api.create(things.config_map("karpenter-global-settings", NAMESPACE, **{
            "aws.clusterName": NAME, "aws.defaultInstanceProfile": PROFILE_001}))
        apply_definitions(self.cluster, tenon_definitions("--legacy"))
        webhook_service(self.api, NAMESPACE, self.port)
        self.api = Api(self.cluster.layout.kubeconfig)      # knows the kinds that were installed

    def flags(self):
        return [*super().flags(), "--eks-control-plane", "--legacy-webhooks", "--webhook-port", self.port]

    def fleet(self, since):
        """The parameters of the last call of CreateFleet that was no dry run, of those after so many."""
        return [call for call in self.aws.calls("CreateFleet")[since:] if "DryRun" not in str(call.get("code"))][-1]["params"]

    def templates_of(self, fleet):
        """The launch templates that such a call names."""
        names = {one["LaunchTemplateSpecification"]["LaunchTemplateName"] for one in fleet["LaunchTemplateConfigs"]}
        return [one for one in self.aws.control("templates") if one["name"] in names]


@pytest.fixture(scope="module", name="cloud")
def seed_cloud():
    running = SeedCloud(WORK / "old-seeds")
    running.start()
    wait_for(lambda: running.tenon.lines("serving webhooks"), what="webhooks")
    yield running
    end = running.stop()
    assert end.status == 0
    assert not end.stray


class Seed:
    """What a seed's objects have brought about."""

    def __init__(self, cloud, name):
        self.cloud, self.api, self.aws, self.name = cloud, cloud.api, cloud.aws, name

    def provisioner(self):
        return self.api.get(OLD, "Provisioner", self.name)

    def requirements(self):
        return [(row["key"], row["operator"], row["values"]) for row in self.provisioner()["spec"]["requirements"]]

    def machines(self):
        return [one for one in self.api.list(OLD, "Machine") if one["metadata"]["labels"].get(PROVISIONER) == self.name]

    def nodes(self, count):
        """Its nodes, once that many are initialized."""
        def look():
            found = self.api.list("v1", "Node", label_selector=f"{PROVISIONER}={self.name},karpenter.sh/initialized=true")
            return found if len(found) == count == len(self.machines()) else None
        return wait_for(look, 90, f"{count} nodes of {self.name} are initialized")

    def instances(self):
        ids = {one["status"]["providerID"].rsplit("/", 1)[1] for one in self.machines()}
        return [one for one in self.aws.instances() if one["id"] in ids]


@pytest.fixture
def apply(cloud):
    """A function that applies manifests of tests/seeds, or their text, with kubectl, and returns the Seed of a name. All goes at
    the end."""
    applied = []

    def do(name, *files, text=None):
        for file in files:
            # The API server may still be looking for the webhooks' endpoint.
            wait_for(lambda at=file: taken(cloud, at), 60, f"{file} is applied")
        if text:
            kubectl(cloud.cluster, "apply", "-f", "-", text=text.encode())
        applied.append(Seed(cloud, name))
        return applied[-1]

    yield do
    cloud.api.delete_all("apps/v1", "Deployment", "default")
    wait_for(lambda: not cloud.api.list("v1", "Pod", "default"), 60, "no pod is left")
    for seed in applied:
        kubectl(cloud.cluster, "delete", "provisioner", seed.name, "--ignore-not-found", "--wait=false")
        for machine in seed.machines():
            cloud.api.delete(machine)
        wait_for(lambda at=seed: not at.machines(), 90, "its Machines are gone")
    kubectl(cloud.cluster, "delete", "awsnodetemplates", "--all")


def taken(cloud, file):
    done = subprocess.run(["kubectl", "apply", "-f", SEEDS / file], env=cloud.cluster.environment(), capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0 or "failed calling webhook" in done.stderr, done.stderr
    return done.returncode == 0


def lasts(question, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert question()
        time.sleep(0.2)


def inflate(cloud, replicas, cpu, memory="64Mi", **spec):
    """The Deployment that guides to Karpenter try it with."""
    thing = things.deployment("inflate", "default", replicas, cpu, **spec)
    thing["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]["memory"] = memory
    return cloud.api.create(thing)


def running(cloud, count):
    def look():
        found = [pod for pod in cloud.api.list("v1", "Pod", "default") if pod["status"].get("phase") == "Running"]
        return found if len(found) == count else None
    return wait_for(look, 90, f"{count} pods run")


def test_S1_R131_the_first_seed_gets_nodes_of_graviton(cloud, apply):
    """R016, R117, R131 to R135, R141, R143, R144, R145: from kubectl's call to the instance."""
    seed = apply("provisioner", "001-provisioner.yaml")
    written = yaml.safe_load((SEEDS / "001-provisioner.yaml").read_text(encoding="utf-8"))["spec"]["requirements"]
    assert seed.requirements() == [(row["key"], row["operator"], row["values"]) for row in written] + DEFAULTS_001
    since = len(cloud.aws.calls("CreateFleet"))
    inflate(cloud, 1, "500m", "512Mi")
    running(cloud, 1)
    node, = seed.nodes(1)
    labels = node["metadata"]["labels"]
    assert (labels[TYPE], labels[CAPACITY], labels[ARCH]) == ("t4g.medium", "on-demand", "arm64")
    assert labels[ZONE] in ZONES
    assert {key: labels.get(key) for key in ("environment", "managed-by", "Blueprint", "eks.amazonaws.com/capacityType")} == {
        "environment": "donggyu-eks", "managed-by": "karpenter", "Blueprint": "donggyu-eks",
        "eks.amazonaws.com/capacityType": "ON_DEMAND"}
    fleet = cloud.fleet(since)
    assert fleet["OnDemandOptions"]["AllocationStrategy"] == "lowest-price"
    assert fleet["TargetCapacitySpecification"]["DefaultTargetCapacityType"] == "on-demand"
    overrides = [one for config in fleet["LaunchTemplateConfigs"] for one in config["Overrides"]]
    assert {one["InstanceType"] for one in overrides} == {"t4g.medium"}
    assert {one["AvailabilityZone"]: one["SubnetId"] for one in overrides} == cloud.subnets     # those with both tags
    for made in fleet["TagSpecifications"]:
        tags = {tag["Key"]: tag["Value"] for tag in made["Tags"]}
        assert (tags["Blueprint"], tags[f"kubernetes.io/cluster/{NAME}"]) == ("donggyu-eks", "owned"), made["ResourceType"]
        assert (tags[PROVISIONER], tags["karpenter.sh/managed-by"]) == ("provisioner", NAME), made["ResourceType"]
    template, = cloud.templates_of(fleet)
    assert template["tags"]["Blueprint"] == "donggyu-eks"
    assert template["data"]["IamInstanceProfile"]["Name"] == PROFILE_001
    machine = cloud.aws.control("machine", instance=seed.instances()[0]["id"])
    assert (machine["architecture"], machine["image"]) == ("arm64", template["data"]["ImageId"])
    assert "/etc/eks/bootstrap.sh" in machine["user_data"]


def test_R023_the_log_tells_what_was_launched(cloud, apply):
    """R023, R024, R027, R029: level and fields of the messages of a launch; R060: the kubelet's Node stands."""
    at = cloud.tenon.process.log.stat().st_size
    seed = apply("provisioner", "001-provisioner.yaml")
    inflate(cloud, 1, "500m")
    running(cloud, 1)
    node, = seed.nodes(1)
    lines = cloud.tenon.lines(since=at)

    def told(pattern):
        found = [line for line in lines if re.fullmatch(pattern, line["message"])]
        assert found, pattern
        return found[0]
    plan, launch = told(r"computed new (nodeclaim|machine)\(s\) to fit pod\(s\)"), told("launched (nodeclaim|machine)")
    assert (plan["level"], plan["pods"], plan.get("nodeclaims", plan.get("machines"))) == ("INFO", 1, 1)
    assert launch["level"] == "INFO" and launch["provider-id"] == node["spec"]["providerID"]
    assert (launch["instance-type"], launch["capacity-type"]) == ("t4g.medium", "on-demand")
    assert launch["zone"] == node["metadata"]["labels"][ZONE]
    made = [line for line in cloud.tenon.lines("created launch template")]
    assert {line["level"] for line in made} == {"DEBUG"} and all(line["subject"] for line in made)
    assert all(line["message"] and line["commit"] and line["logger"] and line["time"].endswith("Z") for line in lines)
    cloud.api.patch(node, {"metadata": {"labels": {"managed-by": "somebody-else"}}})
    wait_for(lambda: "MachineInitialized" in str(seed.machines()[0]["status"]["conditions"]), what="the Machine is initialized")
    cloud.api.patch(seed.machines()[0], {"metadata": {"annotations": {"e2e.example/look": "again"}}})
    lasts(lambda: seed.nodes(1)[0]["metadata"]["labels"]["managed-by"] == "somebody-else", 3)


def test_S2_R136_the_first_seeds_limits_are_five_nodes(cloud, apply):
    """R048: the sixth pod waits."""
    seed = apply("provisioner", "001-provisioner.yaml")
    deployment = inflate(cloud, 5, "1500m")
    running(cloud, 5)
    assert {node["metadata"]["labels"][TYPE] for node in seed.nodes(5)} == {"t4g.medium"}
    cloud.api.patch(deployment, {"spec": {"replicas": 6}})
    told = wait_for(lambda: [event["message"] for event in cloud.api.list("v1", "Event", "default")
                             if event["involvedObject"]["name"].startswith("inflate-") and "limits" in event["message"]],
                    60, "a pod is told why")
    assert "exceed limits" in told[0]


def test_S4_S5_R043_the_second_seed_gets_spot_in_its_two_zones(cloud, apply):
    """R014, R016, R017, R019 to R022, R045, R046, R047: of the two lists of requirements the
    last one counts, and the webhook adds the rest."""
    seed = apply("karpenter-default", "002-provisioner.yaml", "002-awsnodetemplate.yaml")
    assert seed.requirements()[-2:] == DEFAULTS_002
    since, made = len(cloud.aws.calls("CreateFleet")), len(cloud.aws.calls("CreateLaunchTemplate"))
    pods = inflate(cloud, 2, "1475m", "1686Mi", topologySpreadConstraints=things.spread("inflate"))
    running(cloud, 2)
    for labels in (node["metadata"]["labels"] for node in seed.nodes(2)):
        assert labels[CAPACITY] == "spot" and labels[ARCH] in ("amd64", "arm64")
        assert labels[CATEGORY] in ("c", "m", "r") and int(labels[GENERATION]) > 2
    assert sorted(node["metadata"]["labels"][ZONE] for node in seed.nodes(2)) == [ZONES[0], ZONES[2]]
    for instance in seed.instances():
        assert (instance["tags"]["Name"], instance["tags"]["auto-delete"]) == ("karpenter-eks-main/karpenter-default", "no")
    for template in cloud.templates_of(cloud.fleet(since)):
        data = template["data"]
        assert data["IamInstanceProfile"]["Name"] == PROFILE_002        # not that of the settings
        assert data["Monitoring"]["Enabled"] is True
        disk, = data["BlockDeviceMappings"]
        assert disk["DeviceName"] == "/dev/xvda" and disk["Ebs"] == DISK
        assert (data["MetadataOptions"]["HttpPutResponseHopLimit"], data["MetadataOptions"]["HttpTokens"]) == (2, "required")
    # What the next launch shares with the first is not made again.
    launches = len(cloud.aws.calls("CreateFleet"))
    cloud.api.patch(pods, {"spec": {"replicas": 4}})
    running(cloud, 4)
    assert len(cloud.aws.calls("CreateFleet")) > launches
    names = [call["params"]["LaunchTemplateName"] for call in cloud.aws.calls("CreateLaunchTemplate")[made:]
             if "DryRun" not in str(call.get("code"))]
    assert names and len(names) == len(set(names))


def test_S5_R042_the_second_seeds_lists_merged_by_hand(cloud, apply):
    """R040, R041, R042: categories c, m, r and t, later than the third generation, and nothing that runs on Xen."""
    text = (SEEDS / "002-provisioner.yaml").read_text(encoding="utf-8")
    first, second, third = text.split("  requirements:\n")
    seed = apply("karpenter-default", "002-awsnodetemplate.yaml", text=f"{first}  requirements:\n{second}{third}")
    assert len(seed.requirements()) == 7
    inflate(cloud, 1, "1475m", "1686Mi")
    running(cloud, 1)
    node, = seed.nodes(1)
    labels = node["metadata"]["labels"]
    assert labels[CATEGORY] in ("c", "m", "r", "t") and int(labels[GENERATION]) > 3
    assert labels[HYPERVISOR] == "nitro"
