"""What is launched with both programs: an EC2NodeClass, a NodePool and a NodeClaim each, and what AWS has for it.

A set is a function of the world of AWS, so that it can make what it names there; it returns a Set. Its name is the name of
its objects. The NodeClaim is written by hand: what is compared is the provider, not the planner.
"""

from dataclasses import dataclass, field

CLUSTER = "e2e"
ROLE = f"KarpenterNodeRole-{CLUSTER}"
DISCOVERY = {"tags": {"karpenter.sh/discovery": CLUSTER}}
CAPACITY_TYPE, TYPE, ZONE, ARCH = ("karpenter.sh/capacity-type", "node.kubernetes.io/instance-type",
                                   "topology.kubernetes.io/zone", "kubernetes.io/arch")
FAMILY, CATEGORY = "karpenter.k8s.aws/instance-family", "karpenter.k8s.aws/instance-category"
TAINT = {"key": "team", "value": "a", "effect": "NoSchedule"}
SHELL = "#!/bin/bash\necho first\n"
MIME = """MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="BOUNDARY"

--BOUNDARY
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
echo of the user
--BOUNDARY
Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config: {imageGCHighThresholdPercent: 80}
--BOUNDARY--
"""
KMS = "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"


@dataclass
class Set:
    """Members of the class' spec beyond the usual ones (None: without it), of the claim, and of its requests."""

    spec: dict = field(default_factory=dict)
    needs: tuple = ()
    requests: dict = field(default_factory=lambda: {"cpu": "1"})
    claim: dict = field(default_factory=dict)
    labels: dict = field(default_factory=dict)
    annotations: dict = field(default_factory=dict)
    launches: bool = True       # else only the class is compared


def need(key, *values, operator="In", **more):
    return {"key": key, "operator": operator, "values": list(values), **more} if values else \
        {"key": key, "operator": operator, **more}


ON_DEMAND, SPOT = need(CAPACITY_TYPE, "on-demand"), need(CAPACITY_TYPE, "spot")
EITHER = need(CAPACITY_TYPE, "spot", "on-demand")
SMALL = need(TYPE, "m5.large", "m5.xlarge", "c5.large", "r5.large", "m6g.large")


SETS = {}


def a_set(make):
    SETS[make.__name__.replace("_", "-")] = make
    return make


def plain(name, *needs, spec=None, **more):
    """A set that AWS needs nothing for."""
    SETS[name] = lambda aws: Set(spec or {}, needs or (ON_DEMAND,), **more)


# --- which instances

plain("usual")
plain("spot", SPOT)
plain("either", EITHER)
plain("small-types", SMALL, ON_DEMAND)
plain("one-type", need(TYPE, "m5.large"), ON_DEMAND)
plain("one-zone", need(ZONE, "us-east-1b"), EITHER)
plain("arm", need(ARCH, "arm64"), SPOT)
plain("amd", need(ARCH, "amd64"), SPOT)
plain("gpu", need(FAMILY, "g5", "g4dn", "p3"), ON_DEMAND, requests={"cpu": "1", "nvidia.com/gpu": "1"})
plain("neuron", need(FAMILY, "inf2", "inf1", "trn1"), ON_DEMAND, requests={"cpu": "1", "aws.amazon.com/neuron": "1"})
plain("no-metal-where-others-are", need(FAMILY, "m5"), ON_DEMAND, requests={"cpu": "60"})
plain("metal", need("karpenter.k8s.aws/instance-size", "metal"), need(FAMILY, "m5", "c5"), ON_DEMAND)
plain("big", ON_DEMAND, requests={"cpu": "100", "memory": "300Gi"})
plain("local-disks", need(FAMILY, "m5d", "c5d", "r5d"), SPOT, spec={"instanceStorePolicy": "RAID0"})
plain("families-at-least", need(FAMILY, "m5", "c5", "r5", "m6i", minValues=3), SPOT)
plain("dedicated", need("karpenter.k8s.aws/instance-tenancy", "dedicated"), need(FAMILY, "m5"), ON_DEMAND)
plain("few-spot-types", need(TYPE, "m5.large", "c5.large"), SPOT)

# --- images and user data

plain("bottlerocket", SPOT, spec={"amiSelectorTerms": [{"alias": "bottlerocket@latest"}]})
plain("bottlerocket-version", SPOT, spec={"amiSelectorTerms": [{"alias": "bottlerocket@1.45.0"}]})
plain("bottlerocket-settings", ON_DEMAND,
      spec={"amiSelectorTerms": [{"alias": "bottlerocket@latest"}],
            "userData": '[settings.kubernetes]\nmax-pods = 20\nallowed-unsafe-sysctls = ["net.core.*"]\n'
                        '[settings.host-containers.admin]\nenabled = true\n',
            "kubelet": {"kubeReserved": {"cpu": "100m", "memory": "200Mi"}, "evictionHard": {"memory.available": "5%"}}})
plain("windows", ON_DEMAND, need(ARCH, "amd64"), need(FAMILY, "m5", "c5"), need("kubernetes.io/os", "windows"),
      spec={"amiSelectorTerms": [{"alias": "windows2022@latest"}]})
plain("al2023-version", ON_DEMAND, spec={"amiSelectorTerms": [{"alias": "al2023@v20261005"}]})
plain("al2-by-name", ON_DEMAND, spec={"amiFamily": "AL2", "amiSelectorTerms": [{"name": "own-*"}],
                                      "kubelet": {"maxPods": 30, "systemReserved": {"cpu": "50m"}}})
plain("custom", ON_DEMAND, spec={"amiFamily": "Custom", "amiSelectorTerms": [{"tags": {"team": "platform"}}], "userData": SHELL})
plain("shell", ON_DEMAND, spec={"userData": SHELL})
plain("mime", ON_DEMAND, spec={"userData": MIME})
plain("by-parameter", ON_DEMAND, need(ARCH, "amd64"), spec={
    "amiFamily": "AL2023", "amiSelectorTerms": [{"ssmParameter": "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/"
                                                                 "x86_64/standard/recommended/image_id"}]})
plain("labels-and-taints", ON_DEMAND, labels={"colour": "blue", "example.com/team": "a"},
      claim={"taints": [TAINT], "startupTaints": [{"key": "early", "effect": "NoExecute"}]})
plain("kubelet", ON_DEMAND, spec={"kubelet": {
    "maxPods": 42, "podsPerCore": 10, "systemReserved": {"cpu": "100m", "memory": "100Mi"},
    "kubeReserved": {"cpu": "200m", "ephemeral-storage": "1Gi"}, "evictionHard": {"memory.available": "5%", "nodefs.available": "10%"},
    "evictionSoft": {"memory.available": "10%"}, "evictionSoftGracePeriod": {"memory.available": "1m0s"},
    "evictionMaxPodGracePeriod": 60, "imageGCHighThresholdPercent": 85, "imageGCLowThresholdPercent": 70,
    "cpuCFSQuota": False, "clusterDNS": ["10.0.0.99"]}})
plain("bottlerocket-taints", ON_DEMAND, labels={"colour": "blue"}, claim={"taints": [TAINT]},
      spec={"amiSelectorTerms": [{"alias": "bottlerocket@latest"}], "kubelet": {"maxPods": 42}})

# --- disks, network, options

plain("disk", ON_DEMAND, spec={"blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {
    "volumeSize": "100Gi", "volumeType": "gp3", "encrypted": True, "iops": 4000, "throughput": 200, "kmsKeyID": KMS,
    "deleteOnTermination": True}}]})
plain("odd-disk", ON_DEMAND, spec={"blockDeviceMappings": [
    {"deviceName": "/dev/xvda", "rootVolume": True, "ebs": {"volumeSize": "20G", "volumeType": "io1", "iops": 1000}},
    {"deviceName": "/dev/xvdb", "ebs": {"volumeSize": "1Ti", "snapshotID": "snap-0123456789abcdef0", "encrypted": False}}]})
plain("bottlerocket-disks", ON_DEMAND, spec={"amiSelectorTerms": [{"alias": "bottlerocket@latest"}], "blockDeviceMappings": [
    {"deviceName": "/dev/xvda", "ebs": {"volumeSize": "4Gi", "volumeType": "gp3", "encrypted": True}},
    {"deviceName": "/dev/xvdb", "rootVolume": True, "ebs": {"volumeSize": "50Gi", "volumeType": "gp3", "encrypted": True}}]})
plain("metadata", ON_DEMAND, spec={"metadataOptions": {"httpEndpoint": "enabled", "httpProtocolIPv6": "enabled",
                                                       "httpPutResponseHopLimit": 3, "httpTokens": "optional"}})
plain("monitoring", ON_DEMAND, spec={"detailedMonitoring": True, "context": "a-context"})
plain("public", ON_DEMAND, spec={"associatePublicIPAddress": True})
plain("not-public", ON_DEMAND, spec={"associatePublicIPAddress": False})
plain("tags", SPOT, spec={"tags": {"team": "shop", "Name": "of-the-user", "cost/center": "4711"}})
plain("prefixes", ON_DEMAND, SMALL, spec={"ipPrefixCount": 2})
plain("tracking", ON_DEMAND, spec={"connectionTracking": {"tcpEstablishedTimeout": 600, "udpStreamTimeout": 90,
                                                          "udpTimeout": 45}})
plain("nested", ON_DEMAND, need(FAMILY, "c8i", "m8i", "m5"), spec={"cpuOptions": {"nestedVirtualization": "enabled"}})
plain("enclaves", ON_DEMAND, need(FAMILY, "m5", "c5", "t3"), spec={"enclaveOptions": {"enabled": True}})
plain("efa", ON_DEMAND, need(FAMILY, "c5n", "p4d", "c6in"), requests={"cpu": "1", "vpc.amazonaws.com/efa": "1"})
plain("interfaces", ON_DEMAND, need(TYPE, "c5n.18xlarge", "c6in.32xlarge"), spec={"networkInterfaces": [
    {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"},
    {"networkCardIndex": 0, "deviceIndex": 1, "interfaceType": "efa-only"}]})


@a_set
def one_subnet(aws):
    subnet = sorted(aws.control("state")["subnets"])[0]
    return Set({"subnetSelectorTerms": [{"id": subnet}]}, (SPOT,))


@a_set
def two_subnets_in_a_zone(aws):
    aws.control("add_subnet", zone="us-east-1a", cidr="10.90.0.0/24", tags={"pair": "yes"})
    aws.control("add_subnet", zone="us-east-1a", cidr="10.91.0.0/20", tags={"pair": "yes"})
    return Set({"subnetSelectorTerms": [{"tags": {"pair": "yes"}}]}, (ON_DEMAND,))


@a_set
def groups_by_name_and_id(aws):
    ident = next(name for name, called in aws.control("state")["groups"].items() if called == f"{CLUSTER}-cluster")
    return Set({"securityGroupSelectorTerms": [{"id": ident}, {"name": f"{CLUSTER}-node"}]}, (ON_DEMAND,))


@a_set
def own_profile(aws):
    aws.control("add_profile", name="made-by-hand", role=ROLE)
    return Set({"role": None, "instanceProfile": "made-by-hand"}, (ON_DEMAND,))


@a_set
def image_by_id_and_a_newer_one(aws):
    old = aws.control("add_image", name="mine-old", owner="self-made", created="2026-01-01T00:00:00.000Z", tags={"mine": "yes"})
    aws.control("add_image", name="mine-new", owner="self-made", created="2026-05-01T00:00:00.000Z", tags={"mine": "yes"})
    assert old
    return Set({"amiFamily": "AL2023", "amiSelectorTerms": [{"tags": {"mine": "yes"}}]}, (ON_DEMAND, need(ARCH, "amd64")))


@a_set
def cluster_placement_group(aws):
    aws.control("add_placement_group", name="near", strategy="cluster")
    return Set({"placementGroupSelector": {"name": "near"}}, (ON_DEMAND, need(FAMILY, "c5n", "m5n", "c6i"), need(ZONE, "us-east-1a")))


@a_set
def spread_placement_group(aws):
    aws.control("add_placement_group", name="apart", strategy="spread")
    return Set({"placementGroupSelector": {"name": "apart"}}, (ON_DEMAND, SMALL))


def reserved(aws, **about):
    return aws.control("add_reservation", type="m5.xlarge", zone="us-east-1a", count=3, tags={"for": "peer"}, **about)


@a_set
def reservation(aws):
    ident = reserved(aws)
    return Set({"capacityReservationSelectorTerms": [{"id": ident}]},
               (need(CAPACITY_TYPE, "reserved"), need(TYPE, "m5.xlarge", "m5.large")))


@a_set
def open_reservation(aws):
    ident = reserved(aws, match="open")
    return Set({"capacityReservationSelectorTerms": [{"id": ident}]}, (need(CAPACITY_TYPE, "reserved", "on-demand"), need(FAMILY, "m5")))


@a_set
def full_reservation(aws):
    ident = aws.control("add_reservation", type="r5.xlarge", zone="us-east-1a", count=1, used=1)
    return Set({"capacityReservationSelectorTerms": [{"id": ident}]}, (need(CAPACITY_TYPE, "reserved", "on-demand"), need(TYPE, "r5.xlarge")))


# --- classes that are not ready

NO = {"tags": {"no": "such"}}
plain("no-subnets", spec={"subnetSelectorTerms": [NO]}, launches=False)
plain("no-groups", spec={"securityGroupSelectorTerms": [NO]}, launches=False)
plain("no-images", spec={"amiFamily": "AL2023", "amiSelectorTerms": [{"id": "ami-0123456789abcdef0"}]}, launches=False)
plain("no-role", spec={"role": "nobody"}, launches=False)
plain("al2-is-over", spec={"amiSelectorTerms": [{"alias": "al2@latest"}]}, launches=False)
plain("bad-kubelet", spec={"kubelet": {"noSuchField": 1}}, launches=False)
plain("no-placement-group", spec={"placementGroupSelector": {"name": "nowhere"}}, launches=False)
