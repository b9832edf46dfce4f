"""What is in a region when it is first used: what a cluster of the getting-started guide of Karpenter has.

A VPC with a private subnet in each zone, groups, images of all families with their SSM parameters, the cluster, its queue
with the rules that fill it. Subnets and the nodes' group are tagged karpenter.sh/discovery: CLUSTER.
"""

import hashlib

from tests.aws.fake.services import eks, eventbridge, iam
from tests.aws.fake.services.ec2.capacity import Capacity
from tests.aws.fake.services.ec2.images import Image
from tests.aws.fake.services.ec2.network import Group, Subnet
from tests.aws.fake.services.sqs import Queue, sender_policy

EKS_OWNER, BOTTLEROCKET_OWNER, WINDOWS_OWNER = "602401143452", "092701018921", "801119661308"
# Releases of images, the newest last: version, day of creation, day of deprecation.
EKS_RELEASES = (("v20250819", "2025-08-19", "2026-08-19"), ("v20261005", "2026-10-05", "2028-10-05"),
                ("v20261102", "2026-11-02", "2028-11-02"))
BOTTLEROCKET_RELEASES = (("1.45.0", "2026-06-10", "2028-06-10"), ("1.50.0", "2026-10-20", "2028-10-20"))
WINDOWS_RELEASES = (("2026.10.13", "2026-10-13", "2028-10-13"),)
KUBERNETES = tuple(f"1.{minor}" for minor in range(30, 38))
AL2_LAST = 32       # minor version of Kubernetes


class Furniture:
    def __init__(self, fake):
        self.fake = fake

    def roles(self):
        cluster, world = self.fake.settings.cluster, self.fake.world
        for name in (f"KarpenterNodeRole-{cluster}", f"KarpenterControllerRole-{cluster}"):
            world.roles[name] = iam.Role(name, self.fake.new_iam_id("AROA"), self.fake.clock.now())
        world.roles[f"KarpenterNodeRole-{cluster}"].policies = set(map(iam.policy_arn, iam.NODE_POLICIES))

    def furnish(self, region):
        cluster, settings = self.fake.settings.cluster, self.fake.settings
        region.capacity = Capacity()
        self.network(region, cluster)
        for add in (self.al2023, self.al2, self.bottlerocket, self.windows):
            add(region)
        self.custom(region)
        region.clusters[cluster] = eks.make(region, cluster, settings.kubernetes, self.fake.clock.now(),
                                            settings.cluster_endpoint)
        region.queues[cluster] = Queue(cluster, f"{self.fake.url}/{region.account}/{cluster}", self.fake.clock,
                                       self.fake.lock, retention=300)
        region.queues[cluster].policy = sender_policy(region.arn("sqs", cluster))
        for name, (source, kind) in eventbridge.KARPENTER_EVENTS.items():
            eventbridge.make(region, f"{cluster}-{name}Rule", eventbridge.pattern_of(source, kind),
                             [region.arn("sqs", cluster)])

    def network(self, region, cluster):
        vpc = region.new_id("vpc")
        tags = {"karpenter.sh/discovery": cluster, f"kubernetes.io/cluster/{cluster}": "owned"}
        for number, (zone, zone_id) in enumerate(sorted(region.zones.items())):
            name = region.new_id("subnet")
            region.subnets[name] = Subnet(
                name, vpc, zone, zone_id, f"10.{number}.0.0/{self.fake.settings.subnet_bits}",
                region.arn("ec2", f"subnet/{name}"), {**tags, "Name": f"{cluster}-private-{zone}"})
        for name, own in (("default", {}), (f"{cluster}-node", tags), (f"{cluster}-cluster", {})):
            group = region.new_id("sg")
            region.groups[group] = Group(group, name, vpc, region.arn("ec2", f"security-group/{group}"),
                                         {**own, **({"Name": name} if own else {})})

    def add(self, region, name, owner, day, until, parameters, **about):
        """An image and the SSM parameters that name it. Its id is made of region and name."""
        image_id = "ami-0" + hashlib.sha256(f"{region.name}/{name}".encode()).hexdigest()[:16]
        region.images[image_id] = Image(image_id, name, owner, created=f"{day}T12:00:00.000Z",
                                        deprecated=f"{until}T12:00:00.000Z", **about)
        for path in parameters:
            region.parameters[path] = image_id

    def al2023(self, region):
        variants = (("x86_64", "standard"), ("x86_64", "nvidia"), ("x86_64", "neuron"), ("arm64", "standard"),
                    ("arm64", "nvidia"))
        for version in KUBERNETES:
            for arch, variant in variants:
                root = f"/aws/service/eks/optimized-ami/{version}/amazon-linux-2023/{arch}/{variant}"
                for release, day, until in EKS_RELEASES:
                    name = f"amazon-eks-node-al2023-{arch}-{variant}-{version}-{release}"
                    self.add(region, name, EKS_OWNER, day, until,
                             [f"{root}/{name}/image_id", f"{root}/recommended/image_id"], architecture=arch)

    def al2(self, region):
        kinds = (("amazon-linux-2", "amazon-eks-node", "x86_64"), ("amazon-linux-2-gpu", "amazon-eks-gpu-node", "x86_64"),
                 ("amazon-linux-2-arm64", "amazon-eks-arm64-node", "arm64"))
        for version in KUBERNETES:
            if int(version[2:]) > AL2_LAST:
                return
            for folder, prefix, arch in kinds:
                root = f"/aws/service/eks/optimized-ami/{version}/{folder}"
                for release, day, until in EKS_RELEASES:
                    name = f"{prefix}-{version}-{release}"
                    self.add(region, name, EKS_OWNER, day, until,
                             [f"{root}/{name}/image_id", f"{root}/recommended/image_id"], architecture=arch)

    def bottlerocket(self, region):
        for version in KUBERNETES:
            for variant in (f"aws-k8s-{version}", f"aws-k8s-{version}-nvidia"):
                for arch in ("x86_64", "arm64"):
                    root = f"/aws/service/bottlerocket/{variant}/{arch}"
                    for release, day, until in BOTTLEROCKET_RELEASES:
                        name = f"bottlerocket-{variant}-{arch}-v{release}-0fa4e000"
                        self.add(region, name, BOTTLEROCKET_OWNER, day, until,
                                 [f"{root}/{release}/image_id", f"{root}/latest/image_id"], architecture=arch,
                                 devices=("/dev/xvda", "/dev/xvdb"))

    def windows(self, region):
        for version in KUBERNETES:
            for year in ("2019", "2022", "2025"):
                for release, day, until in WINDOWS_RELEASES:
                    name = f"Windows_Server-{year}-English-Core-EKS_Optimized-{version}"
                    self.add(region, f"{name}-{release}", WINDOWS_OWNER, day, until,
                             [f"/aws/service/ami-windows-latest/{name}/image_id"], platform="windows",
                             devices=("/dev/sda1",))

    def custom(self, region):
        """The account's own images, for terms by name, tag and owner."""
        for arch in ("x86_64", "arm64"):
            self.add(region, f"own-{arch}", region.account, "2026-11-01", "2028-11-01", [], architecture=arch, alias=None,
                     public=False, tags={"team": "platform", "karpenter.sh/discovery": self.fake.settings.cluster})
