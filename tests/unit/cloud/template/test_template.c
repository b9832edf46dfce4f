// What launch templates contain, and which ones a launch needs: upstream's area "launch templates"
// (pkg/providers/launchtemplate/suite_test.go). Reference aws.md 3.5; corrections of 1.15.
#include "base/buffer.h"
#include "cloud/aws/template/groups.h"
#include "cloud/aws/template/interfaces.h"
#include "cloud/aws/template/template_name.h"
#include "cloud/aws/userdata/node_identity.h"
#include "cloud/support/class.h"
#include "harness/test.h"
#include "net/base64.h"

// --- a template as lines "BlockDeviceMapping.1.Ebs.VolumeSize=30", in the order of its table

static void print_value(Arena *arena, Buffer *out, Slice path, const AwsShape *shape, const void *value);

static void print_items(Arena *arena, Buffer *out, Slice path, const AwsShape *shape, const AwsItems *items) {
    for (uint32_t i = 0; i < items->count; i++)
        print_value(arena, out, arena_printf(arena, "%.*s.%u", SLICE_ARG(path), i + 1), shape->element,
                    aws_items_at(shape, items, i));
}

static void print_structure(Arena *arena, Buffer *out, Slice path, const AwsShape *shape, const void *structure) {
    for (uint32_t i = 0; i < shape->member_count; i++) {
        const AwsMember *member = &shape->members[i];
        const void *field = (const char *)structure + member->offset;
        Slice name = arena_printf(arena, "%.*s%s%.*s", SLICE_ARG(path), path.len ? "." : "", SLICE_ARG(member->name));

        if (member->shape->kind == AWS_STRUCTURE)
            field = *(const void *const *)field;
        if (field)
            print_value(arena, out, name, member->shape, field);
    }
}

static void print_value(Arena *arena, Buffer *out, Slice path, const AwsShape *shape, const void *value) {
    switch (shape->kind) {
    case AWS_STRING:
        if (((const Slice *)value)->ptr)
            buffer_printf(out, "%.*s=%.*s\n", SLICE_ARG(path), SLICE_ARG(*(const Slice *)value));
        return;
    case AWS_BOOL:
        if (((const AwsBool *)value)->has)
            buffer_printf(out, "%.*s=%s\n", SLICE_ARG(path), ((const AwsBool *)value)->value ? "true" : "false");
        return;
    case AWS_INTEGER:
        if (((const AwsInteger *)value)->has)
            buffer_printf(out, "%.*s=%lld\n", SLICE_ARG(path), (long long)((const AwsInteger *)value)->value);
        return;
    case AWS_STRUCTURE:
        print_structure(arena, out, path, shape, value);
        return;
    case AWS_LIST:
        print_items(arena, out, path, shape, value);
        return;
    default:
        fail_msg("kind %d", (int)shape->kind);
    }
}

// --- the launch

enum {
    SPOT = 1,
    IPV6 = 2,
    NO_GATE = 4,
    RESERVED = 8,
    BLOCK = 16,
    INTERRUPTIBLE = 32,
    ISO = 64,
    GROUP = 128,
    EFA = 256,
    DEDICATED = 512,
    NO_OPTIONS = 1024
};

static TemplateFacts facts_of(TestClass *test, int with) {
    TemplateFacts facts = {.symbols = &test->symbols,
                           .class = &test->class,
                           .family = test->family,
                           .owner = {SLICE("c"), SLICE("pool"), SLICE("default")},
                           .region = with & ISO ? SLICE("us-iso-east-1") : SLICE("us-west-2"),
                           .cluster_endpoint = SLICE("https://c"),
                           .ca_bundle = SLICE("Y2EK"),
                           .service_cidr = SLICE("10.100.0.0/16"),
                           .dns_ip = with & IPV6 ? SLICE("fd00::a") : SLICE("10.100.0.10"),
                           .capacity_type = NAME_ON_DEMAND,
                           .tenancy = with & DEDICATED ? SLICE("dedicated") : SLICE("default"),
                           .reserved_capacity = !(with & NO_GATE)};

    if (with & SPOT)
        facts.capacity_type = NAME_SPOT;
    if (with & RESERVED)
        facts.capacity_type = NAME_RESERVED;
    if (with & GROUP) {
        facts.placement_group_id = SLICE("pg-1");
        facts.partition = (OptionalInt){3, true};
    }
    return facts;
}

static TemplateKey key_of(int with) {
    TemplateKey key = {.image_id = SLICE("ami-1"), .max_pods = 29, .efa_count = with & EFA ? 2 : 0};

    if (with & RESERVED)
        key.reservation = (TemplateReservation){
            SLICE("cr-1"), with & BLOCK ? SLICE("capacity-block") : SLICE("default"), (with & INTERRUPTIBLE) != 0};
    return key;
}

#define STATUS                                                                                                         \
    "status:\n  instanceProfile: profile-1\n  securityGroups: [{id: sg-2}, {id: sg-1}]\n  subnets: [{id: subnet-1, "   \
    "zone: us-east-1a}]\n"
#define DEVICES(list)           "  blockDeviceMappings: [" list "]\n"
#define EBS(members)            DEVICES("{deviceName: /dev/xvda, ebs: {" members "}}")
#define ALIAS(alias)            "  amiSelectorTerms: [{alias: " alias "}]\n"
#define NICS(list)              "  networkInterfaces: [" list "]\n"
#define NIC(card, device, type) "{networkCardIndex: " #card ", deviceIndex: " #device ", interfaceType: " type "}"
#define PRIMARY                 NIC(0, 0, "interface")

typedef struct {
    const char *name, *lines;
    int with;
    const char *present; // lines, each whole
    const char *absent;  // the start of a line that must not be there; NULL: none
} Row;

static const Row rows[] = {
    {"launch templates: image and profile (R008 R110)", "", 0, "ImageId=ami-1\nIamInstanceProfile.Name=profile-1\n",
     NULL},
    {"launch templates: monitoring is off", "", 0, "Monitoring.Enabled=false\n", NULL},
    {"launch templates: monitoring is on (R021)", "  detailedMonitoring: true\n", 0, "Monitoring.Enabled=true\n", NULL},
    {"launch templates: monitoring is off by the user", "  detailedMonitoring: false\n", 0,
     "Monitoring.Enabled=false\n", NULL},
    {"launch templates: enclaves are off", "", 0, "EnclaveOptions.Enabled=false\n", NULL},
    {"launch templates: enclaves are on", "  enclaveOptions: {enabled: true}\n", 0, "EnclaveOptions.Enabled=true\n",
     NULL},
    {"launch templates: enclaves are off by the user", "  enclaveOptions: {enabled: false}\n", 0,
     "EnclaveOptions.Enabled=false\n", NULL},
    {"launch templates: nothing is said of nested virtualization", "", 0, "", "CpuOptions"},
    {"launch templates: nested virtualization is on", "  cpuOptions: {nestedVirtualization: enabled}\n", 0,
     "CpuOptions.NestedVirtualization=enabled\n", NULL},
    {"launch templates: nested virtualization is off", "  cpuOptions: {nestedVirtualization: disabled}\n", 0,
     "CpuOptions.NestedVirtualization=disabled\n", NULL},
    // metadata
    {"launch templates: metadata: defaults of the API", "", 0,
     "MetadataOptions.HttpEndpoint=enabled\nMetadataOptions.HttpProtocolIpv6=disabled\n"
     "MetadataOptions.HttpPutResponseHopLimit=1\nMetadataOptions.HttpTokens=required\n"
     "MetadataOptions.InstanceMetadataTags=disabled\n",
     NULL},
    {"launch templates: metadata: of the user",
     "  metadataOptions: {httpEndpoint: disabled, httpProtocolIPv6: enabled, httpPutResponseHopLimit: 5, httpTokens: "
     "optional}\n",
     0,
     "MetadataOptions.HttpEndpoint=disabled\nMetadataOptions.HttpProtocolIpv6=enabled\n"
     "MetadataOptions.HttpPutResponseHopLimit=5\nMetadataOptions.HttpTokens=optional\n",
     NULL},
    {"launch templates: metadata: regions without IPv6", "  metadataOptions: {httpProtocolIPv6: enabled}\n", ISO,
     "MetadataOptions.HttpEndpoint=enabled\n", "MetadataOptions.HttpProtocolIpv6"},
    {"launch templates: metadata: without any options", "", NO_OPTIONS,
     "MetadataOptions.HttpEndpoint=disabled\nMetadataOptions.HttpProtocolIpv6=disabled\n"
     "MetadataOptions.HttpPutResponseHopLimit=2\nMetadataOptions.HttpTokens=required\n",
     NULL},
    {"launch templates: metadata: without any options, with IPv6", "", NO_OPTIONS | IPV6,
     "MetadataOptions.HttpProtocolIpv6=enabled\n", NULL},
    // disks
    {"launch templates: disks: of AL2 (R019)", ALIAS("al2@latest"), 0,
     "BlockDeviceMapping.1.DeviceName=/dev/xvda\nBlockDeviceMapping.1.Ebs.Encrypted=true\n"
     "BlockDeviceMapping.1.Ebs.VolumeSize=20\nBlockDeviceMapping.1.Ebs.VolumeType=gp3\n",
     "BlockDeviceMapping.2"},
    {"launch templates: disks: of AL2023", "", 0, "BlockDeviceMapping.1.Ebs.VolumeSize=20\n",
     "BlockDeviceMapping.1.Ebs.DeleteOnTermination"},
    {"launch templates: disks: of Bottlerocket", ALIAS("bottlerocket@latest"), 0,
     "BlockDeviceMapping.1.DeviceName=/dev/xvda\nBlockDeviceMapping.1.Ebs.VolumeSize=6\n"
     "BlockDeviceMapping.2.DeviceName=/dev/xvdb\nBlockDeviceMapping.2.Ebs.VolumeSize=20\n"
     "BlockDeviceMapping.2.Ebs.VolumeType=gp3\nBlockDeviceMapping.2.Ebs.Encrypted=true\n",
     NULL},
    {"launch templates: disks: of Windows", ALIAS("windows2022@latest"), 0,
     "BlockDeviceMapping.1.DeviceName=/dev/sda1\nBlockDeviceMapping.1.Ebs.VolumeSize=50\n", "BlockDeviceMapping.2"},
    {"launch templates: disks: of Custom", "  amiFamily: Custom\n  amiSelectorTerms: [{id: ami-1}]\n", 0, "",
     "BlockDeviceMapping"},
    {"launch templates: disks: S4's (R019 R020)",
     EBS("volumeSize: 30Gi, volumeType: gp3, iops: 3000, throughput: 125, deleteOnTermination: true, encrypted: true, "
         "kmsKeyID: 'arn:aws:kms:us-west-2:1:key/2'"),
     0,
     "BlockDeviceMapping.1.DeviceName=/dev/xvda\nBlockDeviceMapping.1.Ebs.DeleteOnTermination=true\n"
     "BlockDeviceMapping.1.Ebs.Encrypted=true\nBlockDeviceMapping.1.Ebs.Iops=3000\n"
     "BlockDeviceMapping.1.Ebs.KmsKeyId=arn:aws:kms:us-west-2:1:key/2\nBlockDeviceMapping.1.Ebs.Throughput=125\n"
     "BlockDeviceMapping.1.Ebs.VolumeSize=30\nBlockDeviceMapping.1.Ebs.VolumeType=gp3\n",
     "BlockDeviceMapping.2"},
    {"launch templates: disks: two",
     DEVICES("{deviceName: a, ebs: {volumeSize: 1Gi}}, {deviceName: b, ebs: {volumeSize: "
             "2Gi}}"),
     0, "BlockDeviceMapping.1.DeviceName=a\nBlockDeviceMapping.2.Ebs.VolumeSize=2\n", NULL},
    {"launch templates: disks: what is not given is left out", EBS("volumeSize: 1Gi"), 0,
     "BlockDeviceMapping.1.Ebs.VolumeSize=1\n", "BlockDeviceMapping.1.Ebs.VolumeType"},
    {"launch templates: disks: no operations is left out", EBS("volumeSize: 1Gi, iops: 0"), 0, "",
     "BlockDeviceMapping.1.Ebs.Iops"},
    {"launch templates: disks: no throughput is left out", EBS("volumeSize: 1Gi, throughput: 0"), 0, "",
     "BlockDeviceMapping.1.Ebs.Throughput"},
    {"launch templates: disks: false is said", EBS("volumeSize: 1Gi, encrypted: false, deleteOnTermination: false"), 0,
     "BlockDeviceMapping.1.Ebs.Encrypted=false\nBlockDeviceMapping.1.Ebs.DeleteOnTermination=false\n", NULL},
    {"launch templates: disks: a snapshot", EBS("snapshotID: snap-1, volumeInitializationRate: 200"), 0,
     "BlockDeviceMapping.1.Ebs.SnapshotId=snap-1\nBlockDeviceMapping.1.Ebs.VolumeInitializationRate=200\n",
     "BlockDeviceMapping.1.Ebs.VolumeSize"},
    {"launch templates: disks: gigabytes are rounded up", EBS("volumeSize: 30G"), 0,
     "BlockDeviceMapping.1.Ebs.VolumeSize=28\n", NULL},
    {"launch templates: disks: terabytes are rounded up", EBS("volumeSize: 2T"), 0,
     "BlockDeviceMapping.1.Ebs.VolumeSize=1863\n", NULL},
    {"launch templates: disks: tebibytes", EBS("volumeSize: 1Ti"), 0, "BlockDeviceMapping.1.Ebs.VolumeSize=1024\n",
     NULL},
    {"launch templates: disks: a device alone", DEVICES("{deviceName: a}"), 0, "BlockDeviceMapping.1.DeviceName=a\n",
     "BlockDeviceMapping.1.Ebs"},
    // interfaces
    {"launch templates: interfaces: one, with all groups (R016)", "", 0,
     "NetworkInterface.1.DeviceIndex=0\nNetworkInterface.1.SecurityGroupId.1=sg-1\n"
     "NetworkInterface.1.SecurityGroupId.2=sg-2\n",
     "NetworkInterface.2"},
    {"launch templates: interfaces: nothing is said of addresses", "", 0, "",
     "NetworkInterface.1.AssociatePublicIpAddress"},
    {"launch templates: interfaces: a public address", "  associatePublicIPAddress: true\n", 0,
     "NetworkInterface.1.AssociatePublicIpAddress=true\n", NULL},
    {"launch templates: interfaces: no public address", "  associatePublicIPAddress: false\n", 0,
     "NetworkInterface.1.AssociatePublicIpAddress=false\n", NULL},
    {"launch templates: interfaces: prefixes", "  ipPrefixCount: 3\n", 0, "NetworkInterface.1.Ipv4PrefixCount=3\n",
     "NetworkInterface.1.Ipv6PrefixCount"},
    {"launch templates: interfaces: no prefixes", "  ipPrefixCount: 0\n", 0, "NetworkInterface.1.Ipv4PrefixCount=0\n",
     NULL},
    {"launch templates: interfaces: IPv6", "", IPV6,
     "NetworkInterface.1.Ipv6AddressCount=1\nNetworkInterface.1.PrimaryIpv6=true\n",
     "NetworkInterface.1.Ipv4PrefixCount"},
    {"launch templates: interfaces: IPv6 with prefixes", "  ipPrefixCount: 2\n", IPV6,
     "NetworkInterface.1.Ipv6PrefixCount=2\n", "NetworkInterface.1.Ipv4PrefixCount"},
    {"launch templates: interfaces: IPv4 has none of IPv6", "", 0, "", "NetworkInterface.1.PrimaryIpv6"},
    {"launch templates: interfaces: connection tracking",
     "  connectionTracking: {tcpEstablishedTimeout: 300, udpTimeout: 45}\n", 0,
     "NetworkInterface.1.ConnectionTrackingSpecification.TcpEstablishedTimeout=300\n"
     "NetworkInterface.1.ConnectionTrackingSpecification.UdpTimeout=45\n",
     "NetworkInterface.1.ConnectionTrackingSpecification.UdpStreamTimeout"},
    {"launch templates: interfaces: for EFA", "", EFA,
     "NetworkInterface.1.DeviceIndex=0\nNetworkInterface.1.NetworkCardIndex=0\nNetworkInterface.1.InterfaceType=efa\n"
     "NetworkInterface.2.DeviceIndex=1\nNetworkInterface.2.NetworkCardIndex=1\nNetworkInterface.2.InterfaceType=efa\n"
     "NetworkInterface.2.SecurityGroupId.2=sg-2\n",
     "NetworkInterface.3"},
    {"launch templates: interfaces: for EFA with prefixes, tracking and IPv6",
     "  ipPrefixCount: 1\n  connectionTracking: {udpTimeout: 45}\n", EFA | IPV6,
     "NetworkInterface.2.Ipv6PrefixCount=1\nNetworkInterface.2.PrimaryIpv6=true\n"
     "NetworkInterface.2.ConnectionTrackingSpecification.UdpTimeout=45\n",
     NULL},
    {"launch templates: interfaces: of the user", NICS(PRIMARY ", " NIC(1, 1, "efa-only")), 0,
     "NetworkInterface.1.InterfaceType=interface\nNetworkInterface.1.NetworkCardIndex=0\n"
     "NetworkInterface.2.InterfaceType=efa-only\nNetworkInterface.2.NetworkCardIndex=1\n"
     "NetworkInterface.2.DeviceIndex=1\nNetworkInterface.2.SecurityGroupId.1=sg-1\n",
     NULL},
    {"launch templates: interfaces: of the user, before EFA", NICS(PRIMARY), EFA,
     "NetworkInterface.1.InterfaceType=interface\n", "NetworkInterface.2"},
    {"launch templates: interfaces: EFA alone has no addresses",
     "  ipPrefixCount: 1\n  associatePublicIPAddress: true\n" NICS(PRIMARY ", " NIC(0, 1, "efa-only")), IPV6,
     "NetworkInterface.1.AssociatePublicIpAddress=true\nNetworkInterface.1.PrimaryIpv6=true\n"
     "NetworkInterface.1.Ipv6PrefixCount=1\n",
     "NetworkInterface.2.AssociatePublicIpAddress"},
    {"launch templates: interfaces: EFA alone tracks nothing",
     "  connectionTracking: {udpTimeout: 45}\n" NICS(PRIMARY ", " NIC(0, 1, "efa-only")), 0,
     "NetworkInterface.1.ConnectionTrackingSpecification.UdpTimeout=45\n",
     "NetworkInterface.2.ConnectionTrackingSpecification"},
    // placement
    {"launch templates: placement: default tenancy", "", 0, "Placement.Tenancy=default\n", "Placement.GroupId"},
    {"launch templates: placement: dedicated tenancy", "", DEDICATED, "Placement.Tenancy=dedicated\n",
     "Placement.PartitionNumber"},
    {"launch templates: placement: a group and partition", "", GROUP,
     "Placement.GroupId=pg-1\nPlacement.PartitionNumber=3\n", NULL},
    // reservations
    {"launch templates: reservations: none is taken", "", 0,
     "CapacityReservationSpecification.CapacityReservationPreference=none\n",
     "CapacityReservationSpecification.CapacityReservationTarget"},
    {"launch templates: reservations: none is taken by spot", "", SPOT,
     "CapacityReservationSpecification.CapacityReservationPreference=none\n", "InstanceMarketOptions"},
    {"launch templates: reservations: nothing is said without the gate", "", NO_GATE, "",
     "CapacityReservationSpecification"},
    {"launch templates: reservations: one", "", RESERVED,
     "CapacityReservationSpecification.CapacityReservationPreference=capacity-reservations-only\n"
     "CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId=cr-1\n",
     "InstanceMarketOptions"},
    {"launch templates: reservations: a capacity block", "", RESERVED | BLOCK,
     "InstanceMarketOptions.MarketType=capacity-block\n", NULL},
    {"launch templates: reservations: an interruptible one", "", RESERVED | INTERRUPTIBLE,
     "InstanceMarketOptions.MarketType=interruptible-capacity-reservation\n", NULL},
    // tags
    {"launch templates: tags: of interfaces (R022 R145)", "  tags: {Name: karpenter, b: 'no'}\n", 0,
     "TagSpecification.1.ResourceType=network-interface\nTagSpecification.1.Tag.1.key=Name\n"
     "TagSpecification.1.Tag.1.value=karpenter\nTagSpecification.1.Tag.2.value=no\n"
     "TagSpecification.1.Tag.3.key=eks:eks-cluster-name\nTagSpecification.1.Tag.4.value=default\n"
     "TagSpecification.1.Tag.5.value=pool\nTagSpecification.1.Tag.6.key=kubernetes.io/cluster/c\n",
     "TagSpecification.2"},
    {"launch templates: tags: of spot requests (R046)", "", SPOT,
     "TagSpecification.2.ResourceType=spot-instances-request\n", "TagSpecification.3"},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

static Ec2CreateLaunchTemplateInput write(TestClass *test, int with) {
    TemplateFacts facts = facts_of(test, with);
    TemplateKey key = key_of(with);
    Ec2CreateLaunchTemplateInput input;
    size_t bytes;
    Err err = {0};

    if (template_write(&test->arena, &facts, &key, &input, &bytes, &err) != OK)
        fail_msg("%s", err.text);
    return input;
}

// Whether the text has a line that is, or begins with, what is given.
static bool has_line(Slice text, Slice line) {
    while (text.len) {
        ptrdiff_t end = slice_find(text, '\n');

        if (slice_starts_with(text, line))
            return true;
        text = slice_from(text, (size_t)end + 1);
    }
    return false;
}

static void assert_lines(const char *name, Slice text, Slice lines) {
    while (lines.len) {
        Slice line = slice_first(lines, (size_t)slice_find(lines, '\n') + 1);

        if (!has_line(text, line))
            fail_msg("%s: no %.*s in\n%.*s", name, SLICE_ARG(line), SLICE_ARG(text));
        lines = slice_from(lines, line.len);
    }
}

TEST_EACH(const Row, row, templates_contain, list_rows) {
    Arena arena = {0};
    TestClass *test = test_class(arena_printf(&arena, "%s%s", row->lines, STATUS).ptr);
    Ec2CreateLaunchTemplateInput input;
    Buffer out = {0};

    if (row->with & NO_OPTIONS)
        test->class.launch.has_metadata_options = false;
    input = write(test, row->with);
    print_structure(&arena, &out, SLICE(""), &shape_of_Ec2LaunchTemplateData, input.launch_template_data);
    assert_lines(row->name, buffer_slice(&out), slice_of(row->present));
    if (row->absent && has_line(buffer_slice(&out), slice_of(row->absent)))
        fail_msg("%s: %s in\n%.*s", row->name, row->absent, SLICE_ARG(buffer_slice(&out)));
    buffer_free(&out);
    test_class_free(test);
    arena_free(&arena);
}

TEST(launch_templates_have_the_tags_of_the_class_themselves) {
    TestClass *test = test_class(STATUS);
    Ec2CreateLaunchTemplateInput input = write(test, 0);

    assert_int_equal(input.tag_specifications.count, 1);
    assert_true(slice_eq_text(input.tag_specifications.items[0].resource_type, "launch-template"));
    assert_int_equal(input.tag_specifications.items[0].tags.count, 4);
    assert_null(input.client_token.ptr);
    test_class_free(test);
}

TEST(launch_templates_have_their_user_data_in_base64) {
    TestClass *test = test_class("  amiFamily: Custom\n  amiSelectorTerms: [{id: ami-1}]\n  userData: hello\n" STATUS);
    TemplateFacts facts = facts_of(test, 0);
    TemplateKey key = key_of(0);
    Ec2CreateLaunchTemplateInput input;
    size_t bytes = 0;

    assert_int_equal(template_write(&test->arena, &facts, &key, &input, &bytes, NULL), OK);
    assert_true(slice_eq_text(input.launch_template_data->user_data, "aGVsbG8="));
    assert_int_equal(bytes, 5);
    test_class_free(test);
}

TEST(launch_templates_without_user_data_say_nothing_of_it) {
    TestClass *test = test_class("  amiFamily: Custom\n  amiSelectorTerms: [{id: ami-1}]\n" STATUS);

    assert_null(write(test, 0).launch_template_data->user_data.ptr);
    test_class_free(test);
}

TEST(launch_templates_a_broken_toml_fails_the_launch) {
    TestClass *test = test_class(ALIAS("bottlerocket@latest") "  userData: '[broken'\n" STATUS);
    TemplateFacts facts = facts_of(test, 0);
    TemplateKey key = key_of(0);
    Ec2CreateLaunchTemplateInput input;
    size_t bytes;
    Err err = {0};

    assert_int_equal(template_write(&test->arena, &facts, &key, &input, &bytes, &err), ERR_INVALID);
    assert_true(slice_starts_with(slice_of(err.text), SLICE("spec.userData: TOML, line 1: ")));
    test_class_free(test);
}

// --- names

static Slice name_of(const char *lines, int with, int64_t max_pods, const char *class_name) {
    static char text[64];
    Arena arena = {0};
    TestClass *test = test_class(arena_printf(&arena, "%s%s", lines, STATUS).ptr);
    TemplateFacts facts = facts_of(test, with);
    TemplateKey key = key_of(with);
    Ec2CreateLaunchTemplateInput input;
    size_t bytes;

    key.max_pods = max_pods;
    facts.owner.node_class = slice_of(class_name);
    assert_int_equal(template_write(&test->arena, &facts, &key, &input, &bytes, NULL), OK);
    assert_true(input.launch_template_name.len < sizeof text);
    memcpy(text, input.launch_template_name.ptr, input.launch_template_name.len);
    text[input.launch_template_name.len] = '\0';
    test_class_free(test);
    arena_free(&arena);
    return slice_of(text);
}

TEST(launch_templates_names_are_the_prefix_and_a_number) {
    Slice name = name_of("", 0, 29, "default");

    assert_true(slice_starts_with(name, SLICE("karpenter.k8s.aws/")));
    for (size_t i = strlen("karpenter.k8s.aws/"); i < name.len; i++)
        assert_true(name.ptr[i] >= '0' && name.ptr[i] <= '9');
}

typedef struct {
    const char *name, *lines;
    int with;
    int64_t max_pods;
    const char *class_name;
    bool same;
} NameRow;

static const NameRow name_rows[] = {
    {"launch templates: names: the same again", "", 0, 29, "default", true},
    {"launch templates: names: what launches do not need", "  ipPrefixCount: null\n  context: x\n", 0, 29, "default",
     true},
    {"launch templates: names: another class", "", 0, 29, "other", false},
    {"launch templates: names: another number of pods", "", 0, 30, "default", false},
    {"launch templates: names: spot", "", SPOT, 29, "default", false},
    {"launch templates: names: a reservation", "", RESERVED, 29, "default", false},
    {"launch templates: names: EFA", "", EFA, 29, "default", false},
    {"launch templates: names: another tag", "  tags: {a: b}\n", 0, 29, "default", false},
    {"launch templates: names: other user data", "  userData: x\n", 0, 29, "default", false},
    {"launch templates: names: another disk", EBS("volumeSize: 21Gi"), 0, 29, "default", false},
    {"launch templates: names: an address that is refused", "  associatePublicIPAddress: false\n", 0, 29, "default",
     false},
    {"launch templates: names: monitoring", "  detailedMonitoring: true\n", 0, 29, "default", false},
};

static void list_names(TestCases *cases) {
    for (size_t i = 0; i < sizeof name_rows / sizeof *name_rows; i++)
        test_case(cases, name_rows[i].name, (void *)(uintptr_t)&name_rows[i]);
}

TEST_EACH(const NameRow, row, names_follow_the_content, list_names) {
    Arena arena = {0};
    Slice base = arena_slice(&arena, name_of("", 0, 29, "default"));
    Slice name = name_of(row->lines, row->with, row->max_pods, row->class_name);

    assert_int_equal(slice_eq(base, name), row->same);
    arena_free(&arena);
}

// --- groups

#define ARCH_IMAGES                                                                                                    \
    "  amis: [{id: ami-amd, requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}, {id: ami-arm, " \
    "requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}]}]\n"
#define TWO_RESERVATIONS                                                                                               \
    "  capacityReservations: [{id: cr-1, availabilityZone: us-east-1a, instanceType: m5.large, "                       \
    "instanceMatchCriteria: "                                                                                          \
    "open, ownerID: '012345678901'}, {id: cr-2, availabilityZone: us-east-1a, instanceType: m5.large, "                \
    "instanceMatchCriteria: open, ownerID: '012345678901', reservationType: capacity-block, interruptible: true}]\n"

static Slice print_groups(TestClass *test, const TemplateGroupVec *groups) {
    Slice text = SLICE("");

    for (vec_each(const TemplateGroup, group, groups)) {
        text = arena_printf(&test->arena, "%.*s%.*s/%lld/%u%s%.*s:", SLICE_ARG(text), SLICE_ARG(group->key.image_id),
                            (long long)group->key.max_pods, group->key.efa_count,
                            group->key.reservation.id.len ? "/" : "", SLICE_ARG(group->key.reservation.id));
        for (vec_each(const InstanceType *const, type, &group->types))
            text = arena_printf(&test->arena, "%.*s %.*s", SLICE_ARG(text),
                                SLICE_ARG(symbol_text(&test->symbols, (*type)->name)));
        text = arena_printf(&test->arena, "%.*s; ", SLICE_ARG(text));
    }
    return text;
}

static void assert_groups(TestClass *test, const char *const *names, Symbol capacity_type, bool efa,
                          const char *wanted) {
    TemplateGrouping grouping = {&test->symbols, &test->class, capacity_type, efa};
    InstanceTypeRefVec types = {0};
    TemplateGroupVec groups;

    for (; *names; names++)
        vec_push(&test->arena, &types, test_type(test, *names));
    groups = template_groups(&test->arena, &grouping, &types);
    assert_string_equal(arena_text(&test->arena, print_groups(test, &groups)), wanted);
}

#define TYPES(...)                                                                                                     \
    (const char *const[]) {                                                                                            \
        __VA_ARGS__, NULL                                                                                              \
    }

TEST(launch_templates_one_for_each_image_and_number_of_pods) {
    TestClass *test = test_class(STATUS ARCH_IMAGES);

    assert_groups(test, TYPES("m5.large", "m6g.large", "c5.large", "m5.xlarge"), NAME_SPOT, false,
                  "ami-amd/29/0: m5.large c5.large; ami-arm/29/0: m6g.large; ami-amd/58/0: m5.xlarge; ");
    test_class_free(test);
}

TEST(launch_templates_one_when_the_user_says_how_many_pods) {
    TestClass *test = test_class("  kubelet: {maxPods: 40}\n" STATUS ARCH_IMAGES);

    assert_groups(test, TYPES("m5.large", "m5.xlarge"), NAME_ON_DEMAND, false, "ami-amd/40/0: m5.large m5.xlarge; ");
    test_class_free(test);
}

TEST(launch_templates_types_without_an_image_are_left_out) {
    TestClass *test = test_class(STATUS "  amis: [{id: ami-arm, requirements: [{key: kubernetes.io/arch, operator: In, "
                                        "values: [arm64]}]}]\n");

    assert_groups(test, TYPES("m5.large", "m6g.large"), NAME_SPOT, false, "ami-arm/29/0: m6g.large; ");
    assert_groups(test, TYPES("m5.large"), NAME_SPOT, false, "");
    test_class_free(test);
}

TEST(launch_templates_one_for_each_number_of_efa_interfaces_when_asked_for) {
    TestClass *test = test_class("  kubelet: {maxPods: 40}\n" STATUS ARCH_IMAGES);

    assert_groups(test, TYPES("m5.large", "p4d.24xlarge", "c5n.18xlarge"), NAME_ON_DEMAND, true,
                  "ami-amd/40/0: m5.large; ami-amd/40/4: p4d.24xlarge; ami-amd/40/1: c5n.18xlarge; ");
    assert_groups(test, TYPES("m5.large", "p4d.24xlarge"), NAME_ON_DEMAND, false,
                  "ami-amd/40/0: m5.large p4d.24xlarge; ");
    test_class_free(test);
}

TEST(launch_templates_one_for_each_reservation) {
    TestClass *test = test_class(STATUS ARCH_IMAGES TWO_RESERVATIONS);
    InstanceType *type;
    TemplateGrouping grouping = {&test->symbols, &test->class, NAME_RESERVED, false};
    InstanceTypeRefVec types = {0};
    TemplateGroupVec groups;

    for (vec_each(CapacityReservation, reservation, &test->class.reservations))
        reservation->available_count = 1;
    type = test_type(test, "m5.large");
    vec_push(&test->arena, &types, type);
    groups = template_groups(&test->arena, &grouping, &types);
    assert_string_equal(arena_text(&test->arena, print_groups(test, &groups)),
                        "ami-amd/29/0/cr-1: m5.large; ami-amd/29/0/cr-2: m5.large; ");
    assert_true(slice_eq_text(groups.items[1].key.reservation.type, "capacity-block"));
    assert_true(groups.items[1].key.reservation.interruptible);
    assert_false(groups.items[0].key.reservation.interruptible);
    test_class_free(test);
}

TEST(launch_templates_a_full_reservation_has_none) {
    TestClass *test = test_class(STATUS ARCH_IMAGES TWO_RESERVATIONS);

    assert_groups(test, TYPES("m5.large"), NAME_RESERVED, false, "");
    test_class_free(test);
}

TEST(ipv6_is_told_by_the_address_of_kube_dns) {
    assert_true(template_is_ipv6(SLICE("fd4b:121b:812b::a")));
    assert_false(template_is_ipv6(SLICE("10.100.0.10")));
    assert_false(template_is_ipv6(SLICE("")));
    assert_false(template_is_ipv6(SLICE("0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000")));
}
