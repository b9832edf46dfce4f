// EC2NodeClasses held to their definition: upstream's areas "nodeclass validation" and "api defaults"
// (pkg/apis/v1/ec2nodeclass_validation_cel_test.go, ec2nodeclass_defaults). Reference aws.md 1.1.
#include "cloud/aws/nodeclass/class_rules.h"
#include "cloud/aws/nodeclass/definition.h"
#include "harness/test.h"
#include "text/json.h"
#include "text/value_edit.h"
#include "text/yaml.h"

// The last one of two fields with one name counts: what a case says is written after the base.
static const char base[] = "spec:\n  role: node-role\n  amiSelectorTerms: [{alias: al2023@latest}]\n"
                           "  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: c}}]\n"
                           "  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: c}}]\n";

typedef struct {
    const char *name;
    const char *lines;
    const char *complaint; // all of them contain one with this; NULL: the object is valid
} Row;

static const Value *schema;
static Arena schema_arena;

static void read_schema(void) {
    schema = class_definition(&schema_arena);
}

static void free_schema(void) {
    arena_free(&schema_arena);
}

BEFORE_ALL(read_schema);
AFTER_ALL(free_schema);

static Value parse(Arena *arena, const char *lines) {
    ParseOptions options = {0};
    DocumentVec documents = {0};
    WarningVec warnings = {0};
    Slice text = arena_printf(arena, "%s%s", base, lines);
    Err err = {0};

    if (yaml_parse(arena, SLICE("class"), text, &options, &documents, &warnings, &err) != OK)
        fail_msg("%s", err.text);
    return value_copy(arena, &documents.items[0].root);
}

#define TAGS_OF_21                                                                                                     \
    "{a: b, c: d, e: f, g: h, i: j, k: l, m: m, o: p, q: r, s: t, u: v, w: x, y2: z, a1: b, a2: b, a3: b, a4: b, a5: " \
    "b, a6: b, a7: b, a8: b}"
#define EBS(members)             "  blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {" members "}}]\n"
#define SIZE(size)               EBS("volumeSize: " size)
#define CARD(card, device, type) "{networkCardIndex: " #card ", deviceIndex: " #device ", interfaceType: " type "}"
#define INTERFACES(list)         "  networkInterfaces: [" list "]\n"
#define AMI(terms)               "  amiSelectorTerms: [" terms "]\n"
#define FAMILY(family)           "  amiFamily: " family "\n"
#define METADATA(text)           "  metadataOptions: {" text "}\n"
#define TRACKING(text)           "  connectionTracking: {" text "}\n"
#define RESERVATION(t)           "  capacityReservationSelectorTerms: [" t "]\n"
#define PLACEMENT(text)          "  placementGroupSelector: {" text "}\n"
#define SUBNETS(terms)           "  subnetSelectorTerms: [" terms "]\n"
#define GROUPS(terms)            "  securityGroupSelectorTerms: [" terms "]\n"

static const char bad_size[] = "spec.blockDeviceMappings[0].ebs.volumeSize: Invalid value";
static const char no_subnet[] = "spec.subnetSelectorTerms: Invalid value: \"array\": expected at least one, got none, "
                                "['tags', 'id']";
static const char no_group[] = "expected at least one, got none, ['tags', 'id', 'name']";
static const char no_ami[] = "expected at least one, got none, ['tags', 'id', 'name', 'alias', 'ssmParameter']";
static const char ami_id_mixed[] =
    "'id' is mutually exclusive, cannot be set with a combination of other fields in amiSelectorTerms";
static const char ami_alias_mixed[] =
    "'alias' is mutually exclusive, cannot be set with a combination of other fields in amiSelectorTerms";
static const char no_primary[] = "networkInterfaces must include a primary interface with interfaceType='interface'";
static const char duplicate_interface[] = "networkInterfaces must not have duplicate networkCardIndex and deviceIndex "
                                          "pairs, and can have at most one efa device per network card";
static const char empty_tags[] = "empty tag keys or values aren't supported";

static const Row rows[] = {
    {"nodeclass validation: the least that is valid", "", NULL},
    {"nodeclass validation: role or profile: both", "  instanceProfile: p\n",
     "spec: Invalid value: \"object\": must specify exactly one of ['role', 'instanceProfile']"},
    {"nodeclass validation: role or profile: neither (R008)", "  role: null\n",
     "must specify exactly one of ['role', 'instanceProfile']"},
    {"nodeclass validation: role or profile: profile", "  role: null\n  instanceProfile: p\n", NULL},
    {"nodeclass validation: role: empty", "  role: ''\n", "spec.role: Invalid value: \"string\": role cannot be empty"},
    {"nodeclass validation: profile: empty", "  role: null\n  instanceProfile: ''\n",
     "spec.instanceProfile: Invalid value: \"string\": instanceProfile cannot be empty"},
    {"nodeclass validation: role: a number", "  role: 5\n",
     "spec.role: Invalid value: \"number\": must be of type string"},
    // user data
    {"nodeclass validation: user data: empty", "  userData: ''\n", NULL},
    {"nodeclass validation: user data: text", "  userData: '#!/bin/bash'\n", NULL},
    {"nodeclass validation: user data: a list", "  userData: [a]\n", "spec.userData: Invalid value: \"array\""},
    // tags
    {"nodeclass validation: tags: some", "  tags: {a: b, 'c/d': ''}\n", NULL},
    {"nodeclass validation: tags: empty key", "  tags: {'': b}\n",
     "spec.tags: Invalid value: \"object\": empty tag keys"},
    {"nodeclass validation: tags: cluster name", "  tags: {'eks:eks-cluster-name': c}\n",
     "tag contains a restricted tag matching eks:eks-cluster-name"},
    {"nodeclass validation: tags: cluster", "  tags: {kubernetes.io/cluster/c: owned}\n",
     "tag contains a restricted tag matching kubernetes.io/cluster/"},
    {"nodeclass validation: tags: cluster, by its prefix", "  tags: {kubernetes.io/clusters: x}\n",
     "tag contains a restricted tag matching kubernetes.io/cluster/"},
    {"nodeclass validation: tags: nodepool", "  tags: {karpenter.sh/nodepool: p}\n",
     "tag contains a restricted tag matching karpenter.sh/nodepool"},
    {"nodeclass validation: tags: nodeclaim", "  tags: {karpenter.sh/nodeclaim: p}\n",
     "tag contains a restricted tag matching karpenter.sh/nodeclaim"},
    {"nodeclass validation: tags: nodeclass", "  tags: {karpenter.k8s.aws/ec2nodeclass: p}\n",
     "tag contains a restricted tag matching karpenter.k8s.aws/ec2nodeclass"},
    {"nodeclass validation: tags: like a reserved one (R022)", "  tags: {karpenter.sh/custom-key: x, Name: 'no'}\n",
     NULL},
    {"nodeclass validation: tags: a value that is no text", "  tags: {a: 5}\n",
     "spec.tags.a: Invalid value: \"number\""},
    // subnets
    {"subnet selector: by tags (R015)", SUBNETS("{tags: {karpenter.sh/discovery: c}}"), NULL},
    {"subnet selector: by two tags (R144)", SUBNETS("{tags: {a: b, c: d}}"), NULL},
    {"subnet selector: by any key (R114)", SUBNETS("{tags: {Blueprint: donggyu-eks}}"), NULL},
    {"subnet selector: by id", SUBNETS("{id: subnet-12345749}"), NULL},
    {"subnet selector: any value", SUBNETS("{tags: {a: '*'}}"), NULL},
    {"subnet selector: absent", "  subnetSelectorTerms: null\n", "spec.subnetSelectorTerms: Required value"},
    {"subnet selector: no terms", SUBNETS(""), "subnetSelectorTerms cannot be empty"},
    {"subnet selector: an empty term", SUBNETS("{}"), no_subnet},
    {"subnet selector: an empty term among others", SUBNETS("{tags: {a: b}}, {}"), no_subnet},
    {"subnet selector: id and tags", SUBNETS("{id: subnet-1, tags: {a: b}}"),
     "'id' is mutually exclusive, cannot be set with a combination of other fields in a subnet selector term"},
    {"subnet selector: id and tags beside a good term", SUBNETS("{id: subnet-1, tags: {a: b}}, {id: subnet-2}"), NULL},
    {"subnet selector: empty key", SUBNETS("{tags: {'': b}}"), empty_tags},
    {"subnet selector: empty value", SUBNETS("{tags: {a: ''}}"), empty_tags},
    {"subnet selector: another id", SUBNETS("{id: sg-1}"), "should match 'subnet-[0-9a-z]+'"},
    {"subnet selector: an id with more around it", SUBNETS("{id: x-subnet-1-y}"), NULL},
    {"subnet selector: too many tags", SUBNETS("{tags: " TAGS_OF_21 "}"),
     "spec.subnetSelectorTerms[0].tags: Too many: 21: must have at most 20 properties"},
    // security groups
    {"security group selector: by tags (R016)", GROUPS("{tags: {a: b}}"), NULL},
    {"security group selector: by any key (R114)", GROUPS("{tags: {Blueprint: donggyu-eks}}"), NULL},
    {"security group selector: by id", GROUPS("{id: sg-12345749}"), NULL},
    {"security group selector: by name", GROUPS("{name: 'test-*'}"), NULL},
    {"security group selector: absent", "  securityGroupSelectorTerms: null\n",
     "spec.securityGroupSelectorTerms: Required value"},
    {"security group selector: no terms", GROUPS(""), "securityGroupSelectorTerms cannot be empty"},
    {"security group selector: an empty term", GROUPS("{}"), no_group},
    {"security group selector: an empty term among others", GROUPS("{name: a}, {}"), no_group},
    {"security group selector: id and tags", GROUPS("{id: sg-1, tags: {a: b}}"),
     "'id' is mutually exclusive, cannot be set with a combination of other fields in a security group selector term"},
    {"security group selector: id and name", GROUPS("{id: sg-1, name: a}"),
     "'id' is mutually exclusive, cannot be set with a combination of other fields in a security group selector term"},
    {"security group selector: name and tags", GROUPS("{name: a, tags: {a: b}}"),
     "'name' is mutually exclusive, cannot be set with a combination of other fields in a security group selector "
     "term"},
    {"security group selector: name and tags beside a good term", GROUPS("{name: a, tags: {a: b}}, {name: b}"), NULL},
    {"security group selector: empty value", GROUPS("{tags: {a: ''}}"), empty_tags},
    {"security group selector: another id", GROUPS("{id: subnet-1}"), "should match 'sg-[0-9a-z]+'"},
    // reservations
    {"capacity reservation selector: by tags", RESERVATION("{tags: {a: b}}"), NULL},
    {"capacity reservation selector: by id", RESERVATION("{id: cr-12345749}"), NULL},
    {"capacity reservation selector: by tags and owner", RESERVATION("{tags: {a: b}, ownerID: '012345678901'}"), NULL},
    {"capacity reservation selector: by criteria", RESERVATION("{instanceMatchCriteria: open}"), NULL},
    {"capacity reservation selector: owner alone", RESERVATION("{ownerID: '012345678901'}"),
     "expected at least one, got none, ['tags', 'id', 'instanceMatchCriteria']"},
    {"capacity reservation selector: an empty term", RESERVATION("{}"),
     "expected at least one, got none, ['tags', 'id', 'instanceMatchCriteria']"},
    {"capacity reservation selector: id and owner", RESERVATION("{id: cr-1, ownerID: '012345678901'}"),
     "'id' is mutually exclusive, cannot be set along with other fields in a capacity reservation selector term"},
    {"capacity reservation selector: id and tags", RESERVATION("{id: cr-1, tags: {a: b}}"),
     "'id' is mutually exclusive, cannot be set along with other fields in a capacity reservation selector term"},
    {"capacity reservation selector: id and tags beside a good term",
     RESERVATION("{id: cr-1, tags: {a: b}}, {id: cr-2}"), NULL},
    {"capacity reservation selector: another id", RESERVATION("{id: cr-A}"), "should match '^cr-[0-9a-z]+$'"},
    {"capacity reservation selector: short owner", RESERVATION("{tags: {a: b}, ownerID: '1234'}"),
     "should match '^[0-9]{12}$'"},
    {"capacity reservation selector: other criteria", RESERVATION("{instanceMatchCriteria: closed}"),
     "Unsupported value: \"closed\": supported values: \"open\", \"targeted\""},
    {"capacity reservation selector: empty value", RESERVATION("{tags: {a: ''}}"), empty_tags},
    // placement groups
    {"placement group selector: by name", PLACEMENT("name: group"), NULL},
    {"placement group selector: by id", PLACEMENT("id: pg-0123456789abcdef0"), NULL},
    {"placement group selector: neither", PLACEMENT(""), "expected at least one, got none, ['name', 'id']"},
    {"placement group selector: both", PLACEMENT("name: g, id: pg-1"), "'name' and 'id' are mutually exclusive"},
    {"placement group selector: empty name", PLACEMENT("name: ''"), "should be at least 1 chars long"},
    {"placement group selector: another id", PLACEMENT("id: pg-X"), "should match '^pg-[0-9a-z]+$'"},
    // images
    {"images: by id", FAMILY("AL2") AMI("{id: ami-12345749}"), NULL},
    {"images: by name", FAMILY("AL2") AMI("{name: 'eks-*'}"), NULL},
    {"images: by name and owner", FAMILY("AL2") AMI("{name: 'eks-*', owner: '123456789012'}"), NULL},
    {"images: by tags and owner", FAMILY("AL2") AMI("{tags: {a: b}, owner: self}"), NULL},
    {"images: by a parameter", FAMILY("AL2") AMI("{ssmParameter: /my/image}"), NULL},
    {"images: absent", "  amiSelectorTerms: null\n", "spec.amiSelectorTerms: Required value"},
    {"images: no terms", AMI(""), "spec.amiSelectorTerms: Invalid value: should have at least 1 items"},
    {"images: an empty term", FAMILY("AL2") AMI("{}"), no_ami},
    {"images: owner alone", FAMILY("AL2") AMI("{owner: self}"), no_ami},
    {"images: id and name", FAMILY("AL2") AMI("{id: ami-1, name: a}"), ami_id_mixed},
    {"images: id and tags", FAMILY("AL2") AMI("{id: ami-1, tags: {a: b}}"), ami_id_mixed},
    {"images: id and owner", FAMILY("AL2") AMI("{id: ami-1, owner: self}"), ami_id_mixed},
    {"images: id and tags beside a good term", FAMILY("AL2") AMI("{id: ami-1, tags: {a: b}}, {id: ami-2}"),
     ami_id_mixed},
    {"images: id and alias", AMI("{id: ami-1, alias: al2023@latest}"), ami_id_mixed},
    {"images: alias and name", AMI("{alias: al2023@latest, name: a}"), ami_alias_mixed},
    {"images: alias and tags", AMI("{alias: al2023@latest, tags: {a: b}}"), ami_alias_mixed},
    {"images: alias and owner", AMI("{alias: al2023@latest, owner: self}"), ami_alias_mixed},
    {"images: alias beside another term", AMI("{alias: al2023@latest}, {id: ami-1}"),
     "'alias' is mutually exclusive, cannot be set with a combination of other amiSelectorTerms"},
    {"images: two aliases", AMI("{alias: al2023@latest}, {alias: al2023@v1}"),
     "'alias' is mutually exclusive, cannot be set with a combination of other amiSelectorTerms"},
    {"images: another id", FAMILY("AL2") AMI("{id: i-1}"), "should match 'ami-[0-9a-z]+'"},
    {"images: empty tag value", FAMILY("AL2") AMI("{tags: {a: ''}}"), empty_tags},
    {"images: alias of a version", AMI("{alias: al2023@v20240807}"), NULL},
    {"images: alias of AL2 (R018)", AMI("{alias: al2@latest}"), NULL},
    {"images: alias of Bottlerocket", AMI("{alias: bottlerocket@v1.20.0}"), NULL},
    {"images: alias of Windows", AMI("{alias: windows2025@latest}"), NULL},
    {"images: alias of Windows with a version", AMI("{alias: windows2022@v1}"),
     "windows families may only specify version 'latest'"},
    {"images: alias without a version", AMI("{alias: al2023}"),
     "'alias' is improperly formatted, must match the format 'family@version'"},
    {"images: alias with an empty version", AMI("{alias: 'al2023@'}"),
     "'alias' is improperly formatted, must match the format 'family@version'"},
    {"images: alias without a family", AMI("{alias: '@latest'}"),
     "'alias' is improperly formatted, must match the format 'family@version'"},
    {"images: alias with a dash in its family", AMI("{alias: al-2023@latest}"),
     "'alias' is improperly formatted, must match the format 'family@version'"},
    {"images: alias of an unknown family", AMI("{alias: ubuntu@latest}"), "family is not supported"},
    {"images: alias in capitals", AMI("{alias: AL2023@latest}"), "family is not supported"},
    {"images: alias of Custom", AMI("{alias: custom@latest}"), "family is not supported"},
    {"images: alias of 30 characters", AMI("{alias: al2023@v2024080720240807202408}"), NULL},
    {"images: alias of 31 characters", AMI("{alias: al2023@v20240807202408072024080}"),
     "spec.amiSelectorTerms[0].alias: Too long: may not be more than 30 bytes"},
    // families
    {"families: none, and no alias", AMI("{id: ami-1}"),
     "must specify amiFamily if amiSelectorTerms does not contain an alias"},
    {"families: unknown", FAMILY("Ubuntu"), "spec.amiFamily: Unsupported value: \"Ubuntu\": supported values: \"AL2\""},
    {"families: AL2 with its alias", FAMILY("AL2") AMI("{alias: al2@latest}"), NULL},
    {"families: AL2023 with its alias", FAMILY("AL2023"), NULL},
    {"families: Custom with an alias", FAMILY("Custom"), NULL},
    {"families: another with AL2's alias", FAMILY("AL2023") AMI("{alias: al2@latest}"),
     "if set, amiFamily must be 'AL2' or 'Custom' when using an AL2 alias"},
    {"families: another with AL2023's alias", FAMILY("AL2"),
     "if set, amiFamily must be 'AL2023' or 'Custom' when using an AL2023 alias"},
    {"families: another with Bottlerocket's alias", FAMILY("AL2") AMI("{alias: bottlerocket@latest}"),
     "if set, amiFamily must be 'Bottlerocket' or 'Custom' when using a Bottlerocket alias"},
    {"families: another with Windows2019's alias", FAMILY("Windows2022") AMI("{alias: windows2019@latest}"),
     "if set, amiFamily must be 'Windows2019' or 'Custom' when using a Windows2019 alias"},
    {"families: another with Windows2022's alias", FAMILY("Windows2019") AMI("{alias: windows2022@latest}"),
     "if set, amiFamily must be 'Windows2022' or 'Custom' when using a Windows2022 alias"},
    {"families: another with Windows2025's alias", FAMILY("Windows2019") AMI("{alias: windows2025@latest}"),
     "if set, amiFamily must be 'Windows2025' or 'Custom' when using a Windows2025 alias"},
    {"families: one for each kind of term", FAMILY("Windows2025") AMI("{id: ami-1}, {name: a}"), NULL},
    // disks
    {"block devices: S4's root volume (R019 R020)",
     EBS("volumeSize: 30Gi, volumeType: gp3, iops: 3000, throughput: 125, deleteOnTermination: true, encrypted: true, "
         "kmsKeyID: 'arn:aws:kms:us-west-2:111122223333:key/1234abcd'"),
     NULL},
    {"block devices: a root volume",
     "  blockDeviceMappings: [{deviceName: a, rootVolume: true, ebs: {volumeSize: 1Gi}}]\n", NULL},
    {"block devices: two root volumes",
     "  blockDeviceMappings: [{rootVolume: true, ebs: {volumeSize: 1Gi}}, {rootVolume: true, ebs: {volumeSize: "
     "1Gi}}]\n",
     "must have only one blockDeviceMappings with rootVolume"},
    {"block devices: one root volume of two",
     "  blockDeviceMappings: [{rootVolume: true, ebs: {volumeSize: 1Gi}}, {rootVolume: false, ebs: {volumeSize: "
     "1Gi}}]\n",
     NULL},
    {"block devices: neither size nor snapshot", EBS("encrypted: true"), "snapshotID or volumeSize must be defined"},
    {"block devices: a snapshot alone", EBS("snapshotID: snap-1"), NULL},
    {"block devices: a rate without a snapshot", EBS("volumeSize: 1Gi, volumeInitializationRate: 100"),
     "snapshotID must be set when volumeInitializationRate is set"},
    {"block devices: a rate with an empty snapshot",
     EBS("volumeSize: 1Gi, snapshotID: '', volumeInitializationRate: 100"),
     "snapshotID must be set when volumeInitializationRate is set"},
    {"block devices: a rate with a snapshot", EBS("snapshotID: snap-1, volumeInitializationRate: 100"), NULL},
    {"block devices: a rate too small", EBS("snapshotID: snap-1, volumeInitializationRate: 99"),
     "should be greater than or equal to 100"},
    {"block devices: a rate too large", EBS("snapshotID: snap-1, volumeInitializationRate: 301"),
     "should be less than or equal to 300"},
    {"block devices: an unknown type", EBS("volumeSize: 1Gi, volumeType: gp4"), "Unsupported value: \"gp4\""},
    {"block devices: iops with a fraction", EBS("volumeSize: 1Gi, iops: 1.5"), "must be of type integer"},
    {"block devices: 1Gi", SIZE("1Gi"), NULL},
    {"block devices: 59000Gi", SIZE("59000Gi"), NULL},
    {"block devices: 59001Gi", SIZE("59001Gi"), bad_size},
    {"block devices: 64000G", SIZE("64000G"), NULL},
    {"block devices: 64001G", SIZE("64001G"), bad_size},
    {"block devices: 58Ti", SIZE("58Ti"), NULL},
    {"block devices: 18Ti, which upstream refuses", SIZE("18Ti"), NULL},
    {"block devices: 59Ti", SIZE("59Ti"), bad_size},
    {"block devices: 64T", SIZE("64T"), NULL},
    {"block devices: 65T", SIZE("65T"), bad_size},
    {"block devices: nothing", SIZE("0Gi"), bad_size},
    {"block devices: a unit alone", SIZE("Ti"), bad_size},
    {"block devices: a fraction", SIZE("1.5Gi"), bad_size},
    {"block devices: mebibytes", SIZE("100Mi"), bad_size},
    {"block devices: without a unit", SIZE("'100'"), bad_size},
    {"block devices: a number", SIZE("100"), "must be of type string"},
    // network interfaces
    {"network interfaces: none", INTERFACES(""), NULL},
    {"network interfaces: a primary one", INTERFACES(CARD(0, 0, "interface")), NULL},
    {"network interfaces: with EFA beside it", INTERFACES(CARD(0, 0, "interface") ", " CARD(0, 1, "efa-only")), NULL},
    {"network interfaces: no primary one", INTERFACES(CARD(1, 0, "interface")), no_primary},
    {"network interfaces: a primary one for EFA", INTERFACES(CARD(0, 0, "efa-only")), no_primary},
    {"network interfaces: a place taken twice", INTERFACES(CARD(0, 0, "interface") ", " CARD(0, 0, "efa-only")),
     duplicate_interface},
    {"network interfaces: two for EFA on one card",
     INTERFACES(CARD(0, 0, "interface") ", " CARD(1, 0, "efa-only") ", " CARD(1, 1, "efa-only")), duplicate_interface},
    {"network interfaces: two for EFA on two cards",
     INTERFACES(CARD(0, 0, "interface") ", " CARD(1, 1, "efa-only") ", " CARD(2, 1, "efa-only")), NULL},
    {"network interfaces: a negative card", INTERFACES(CARD(0, 0, "interface") ", " CARD(-1, 0, "interface")),
     "should be greater than or equal to 0"},
    {"network interfaces: an unknown type", INTERFACES(CARD(0, 0, "efa")), "Unsupported value: \"efa\""},
    {"network interfaces: a member missing", INTERFACES("{networkCardIndex: 0, deviceIndex: 0}"),
     "spec.networkInterfaces[0].interfaceType: Required value"},
    // metadata options
    {"metadata options: all",
     METADATA("httpEndpoint: disabled, httpProtocolIPv6: enabled, httpPutResponseHopLimit: 64, "
              "httpTokens: optional"),
     NULL},
    {"metadata options: unknown endpoint", METADATA("httpEndpoint: test"), "Unsupported value: \"test\""},
    {"metadata options: unknown protocol", METADATA("httpProtocolIPv6: test"), "Unsupported value: \"test\""},
    {"metadata options: unknown tokens", METADATA("httpTokens: test"), "supported values: \"required\", \"optional\""},
    {"metadata options: no hops", METADATA("httpPutResponseHopLimit: 0"), "should be greater than or equal to 1"},
    {"metadata options: negative hops", METADATA("httpPutResponseHopLimit: -5"),
     "should be greater than or equal to 1"},
    {"metadata options: too many hops", METADATA("httpPutResponseHopLimit: 65"), "should be less than or equal to 64"},
    // connection tracking
    {"connection tracking: all", TRACKING("tcpEstablishedTimeout: 432000, udpStreamTimeout: 180, udpTimeout: 60"),
     NULL},
    {"connection tracking: least", TRACKING("tcpEstablishedTimeout: 60, udpStreamTimeout: 60, udpTimeout: 30"), NULL},
    {"connection tracking: nothing", TRACKING(""),
     "at least one of tcpEstablishedTimeout, udpStreamTimeout, or udpTimeout must be set"},
    {"connection tracking: tcp too short", TRACKING("tcpEstablishedTimeout: 59"), "greater than or equal to 60"},
    {"connection tracking: tcp too long", TRACKING("tcpEstablishedTimeout: 432001"), "less than or equal to 432000"},
    {"connection tracking: stream too short", TRACKING("udpStreamTimeout: 59"), "greater than or equal to 60"},
    {"connection tracking: stream too long", TRACKING("udpStreamTimeout: 181"), "less than or equal to 180"},
    {"connection tracking: udp too short", TRACKING("udpTimeout: 29"), "greater than or equal to 30"},
    {"connection tracking: udp too long", TRACKING("udpTimeout: 61"), "less than or equal to 60"},
    // the rest
    {"nodeclass validation: storage policy", "  instanceStorePolicy: RAID0\n", NULL},
    {"nodeclass validation: storage policy: unknown", "  instanceStorePolicy: RAID1\n",
     "spec.instanceStorePolicy: Unsupported value: \"RAID1\": supported values: \"RAID0\""},
    {"nodeclass validation: prefixes", "  ipPrefixCount: 0\n", NULL},
    {"nodeclass validation: prefixes: negative", "  ipPrefixCount: -1\n", "should be greater than or equal to 0"},
    {"nodeclass validation: prefixes: over 32 bits", "  ipPrefixCount: 4294967296\n", "must be of type int32"},
    {"nodeclass validation: monitoring (R021)", "  detailedMonitoring: true\n", NULL},
    {"nodeclass validation: monitoring: a text", "  detailedMonitoring: 'true'\n", "must be of type boolean"},
    {"nodeclass validation: public address", "  associatePublicIPAddress: false\n", NULL},
    {"nodeclass validation: nested virtualization", "  cpuOptions: {nestedVirtualization: enabled}\n", NULL},
    {"nodeclass validation: nested virtualization: unknown", "  cpuOptions: {nestedVirtualization: on}\n",
     "spec.cpuOptions.nestedVirtualization: "},
    {"nodeclass validation: enclaves", "  enclaveOptions: {enabled: false}\n", NULL},
    {"nodeclass validation: enclaves: nothing said", "  enclaveOptions: {}\n",
     "spec.enclaveOptions.enabled: Required value"},
    {"nodeclass validation: kubelet, any field (R177)", "  kubelet: {maxPods: 20, whatever: {a: [b]}}\n", NULL},
    {"nodeclass validation: kubelet: no map", "  kubelet: [a]\n", "spec.kubelet: Invalid value: \"array\""},
    {"nodeclass validation: unknown members are ignored", "  whatever: 5\n", NULL},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static Slice joined(Arena *arena, const SliceVec *complaints) {
    Slice text = SLICE("");

    for (vec_each(const Slice, complaint, complaints))
        text = arena_printf(arena, "%.*s%.*s\n", SLICE_ARG(text), SLICE_ARG(*complaint));
    return text;
}

TEST_EACH(const Row, row, the_definition_judges, list_rows) {
    Arena arena = {0};
    Value object = parse(&arena, row->lines);
    SliceVec complaints = class_definition_check(&arena, schema, &object);
    Slice text = joined(&arena, &complaints);

    if (!row->complaint && complaints.count)
        fail_msg("%s: refused: %.*s", row->name, SLICE_ARG(text));
    if (row->complaint && !slice_contains(text, slice_of(row->complaint)))
        fail_msg("%s: got \"%.*s\"", row->name, SLICE_ARG(text));
    arena_free(&arena);
}

// --- completeness

static void each_rule(const Value *node, void (*tell)(Slice message)) {
    const Value *rules = value_get_text(node, "x-kubernetes-validations");

    for (uint32_t i = 0; rules && i < rules->list.count; i++)
        tell(value_get_text(&rules->list.items[i], "message")->text);
    for (uint32_t i = 0; node->kind == VALUE_MAP && i < node->map.count; i++)
        each_rule(&node->map.items[i].value, tell);
    for (uint32_t i = 0; node->kind == VALUE_LIST && i < node->list.count; i++)
        each_rule(&node->list.items[i], tell);
}

static void expect_function_and_row(Slice message) {
    bool has_row = false;

    assert_non_null(class_rule_find(message));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *complaint = rows[i].complaint;

        has_row |= complaint && strlen(complaint) > 10 &&
                   (slice_contains(slice_of(complaint), message) || slice_contains(message, slice_of(complaint)));
        if (complaint && strstr(complaint, "empty tag keys") && slice_contains(message, SLICE("empty tag keys")))
            has_row = true;
    }
    if (!has_row)
        fail_msg("no row breaks the rule \"%.*s\"", SLICE_ARG(message));
}

TEST(every_rule_of_the_definition_has_a_function_and_a_row_that_breaks_it) {
    each_rule(schema, expect_function_and_row);
    assert_null(class_rule_find(SLICE("no such rule")));
}

// --- defaults

static void assert_metadata(const char *lines, const char *wanted) {
    Arena arena = {0};
    Value object = parse(&arena, lines);
    Buffer text = {0};

    class_definition_default(&arena, schema, &object);
    json_print(&text, value_at(&object, "spec", "metadataOptions", NULL), false);
    buffer_append_char(&text, '\0');
    assert_string_equal(text.bytes, wanted);
    buffer_free(&text);
    arena_free(&arena);
}

TEST(api_defaults_metadata_options_are_set_whole) {
    assert_metadata("", "{\"httpEndpoint\":\"enabled\",\"httpProtocolIPv6\":\"disabled\","
                        "\"httpPutResponseHopLimit\":1,\"httpTokens\":\"required\"}");
}

TEST(api_defaults_metadata_options_are_set_one_by_one) {
    assert_metadata(METADATA("httpTokens: optional"),
                    "{\"httpTokens\":\"optional\",\"httpEndpoint\":\"enabled\",\"httpProtocolIPv6\":\"disabled\","
                    "\"httpPutResponseHopLimit\":1}");
}

TEST(api_defaults_of_a_reservation_in_the_status) {
    Arena arena = {0};
    Value object = parse(&arena, "status:\n  capacityReservations: [{id: cr-1}]\n");
    const Value *list;

    class_definition_default(&arena, schema, &object);
    list = value_at(&object, "status", "capacityReservations", NULL);
    assert_true(slice_eq_text(value_get_text(&list->list.items[0], "reservationType")->text, "default"));
    assert_true(slice_eq_text(value_get_text(&list->list.items[0], "state")->text, "active"));
    arena_free(&arena);
}

TEST(every_fault_of_the_structure_is_named_and_rules_wait_until_it_is_right) {
    Arena arena = {0};
    Value object = parse(&arena, "  role: ''\n  ipPrefixCount: -1\n  amiFamily: x\n");
    SliceVec complaints = class_definition_check(&arena, schema, &object);

    assert_int_equal(complaints.count, 2);
    assert_true(slice_starts_with(complaints.items[0], SLICE("spec.amiFamily: ")));
    assert_true(slice_starts_with(complaints.items[1], SLICE("spec.ipPrefixCount: ")));
    arena_free(&arena);
}
