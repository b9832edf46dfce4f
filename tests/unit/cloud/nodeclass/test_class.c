// EC2NodeClasses decoded whole, their tags, and their status as it is written: upstream's areas "api", "nodeclass
// status", "tags". Reference aws.md 1.1, 1.2, 3.4.
#include "cloud/aws/nodeclass/class_status.h"
#include "cloud/aws/nodeclass/class_tags.h"
#include "cloud/support/class.h"
#include "harness/test.h"
#include "text/json.h"

static void assert_text(Slice got, const char *wanted) {
    if (!slice_eq_text(got, wanted))
        fail_msg("got \"%.*s\", wanted \"%s\"", SLICE_ARG(got), wanted);
}

// S4 of the seeds, as EC2NodeClass v1 (R019 R020 R021 R022).
static const char seed[] =
    "  amiSelectorTerms: [{alias: al2@latest}]\n  tags: {Name: karpenter-node, intent: 'no'}\n"
    "  detailedMonitoring: true\n  userData: |\n    #!/bin/bash\n  associatePublicIPAddress: false\n  ipPrefixCount: "
    "2\n"
    "  blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 30Gi, volumeType: gp3, iops: 3000, throughput: "
    "125, deleteOnTermination: true, encrypted: true, kmsKeyID: 'arn:aws:kms:us-west-2:1:key/2', snapshotID: snap-1, "
    "volumeInitializationRate: 100}}]\n"
    "  placementGroupSelector: {name: group}\n  context: ctx\n  kubelet: {maxPods: 20, clusterDNS: [10.0.0.10]}\n"
    "  connectionTracking: {tcpEstablishedTimeout: 300, udpTimeout: 45}\n"
    "  cpuOptions: {nestedVirtualization: disabled}\n  enclaveOptions: {enabled: false}\n"
    "  capacityReservationSelectorTerms: [{ownerID: '012345678901', instanceMatchCriteria: open}]\n"
    "status:\n  subnets: [{id: subnet-2, zone: us-west-2b, zoneID: usw2-az2}, {id: subnet-1, zone: us-west-2a}]\n"
    "  securityGroups: [{id: sg-2, name: b}, {id: sg-1}]\n  instanceProfile: profile-1\n"
    "  amis: [{id: ami-1, name: one, deprecated: true, requirements: [{key: kubernetes.io/arch, operator: In, values: "
    "[amd64]}, {key: karpenter.k8s.aws/instance-gpu-count, operator: Exists}]}]\n"
    "  capacityReservations: [{id: cr-2, availabilityZone: us-west-2a, instanceType: m5.large, instanceMatchCriteria: "
    "open, ownerID: '012345678901', endTime: '2026-12-01T00:00:00Z', interruptible: true}, {id: cr-1, "
    "availabilityZone: us-west-2b, instanceType: c5.large, instanceMatchCriteria: targeted, ownerID: '012345678901', "
    "reservationType: capacity-block, state: expiring}]\n";

TEST(api_the_whole_spec_is_decoded) {
    TestClass *test = test_class(seed);
    const Ec2LaunchSpec *launch = &test->class.launch;
    const BlockDeviceMapping *device = &test->class.block_devices.items[0];

    assert_text(launch->ami_terms.items[0].alias, "al2@latest");
    assert_text(launch->subnet_terms.items[0].tags.items[0].key, "karpenter.sh/discovery");
    assert_text(launch->security_group_terms.items[0].tags.items[0].value, "c");
    assert_text(launch->reservation_terms.items[0].owner_id, "012345678901");
    assert_text(launch->reservation_terms.items[0].match_criteria, "open");
    assert_text(launch->role, "node-role");
    assert_int_equal(launch->instance_profile.len, 0);
    assert_text(launch->tags.items[0].key, "Name");
    assert_text(launch->tags.items[1].value, "no");
    assert_true(launch->detailed_monitoring);
    assert_text(launch->user_data, "#!/bin/bash\n");
    assert_true(launch->associate_public_ip.has && !launch->associate_public_ip.value);
    assert_int_equal(launch->ip_prefix_count.value, 2);
    assert_text(launch->placement_group.name, "group");
    assert_text(launch->context, "ctx");
    assert_non_null(value_get_text(launch->kubelet, "clusterDNS"));
    assert_int_equal(launch->connection_tracking.tcp_established_timeout.value, 300);
    assert_false(launch->connection_tracking.udp_stream_timeout.has);
    assert_text(launch->nested_virtualization, "disabled");
    assert_false(test->class.nested_virtualization);
    assert_true(launch->enclaves.has && !launch->enclaves.value);
    assert_text(device->volume_size, "30Gi");
    assert_text(device->volume_type, "gp3");
    assert_text(device->kms_key_id, "arn:aws:kms:us-west-2:1:key/2");
    assert_text(device->snapshot_id, "snap-1");
    assert_int_equal(device->iops.value, 3000);
    assert_int_equal(device->throughput.value, 125);
    assert_int_equal(device->volume_initialization_rate.value, 100);
    assert_true(device->has_ebs && device->encrypted.value && device->delete_on_termination.value);
    test_class_free(test);
}

TEST(api_absent_members_are_absent) {
    TestClass *test = test_class("  blockDeviceMappings: [{deviceName: a}]\n");
    const Ec2LaunchSpec *launch = &test->class.launch;

    assert_false(launch->associate_public_ip.has || launch->ip_prefix_count.has || launch->enclaves.has);
    assert_null(launch->kubelet);
    assert_false(test->class.block_devices.items[0].has_ebs);
    assert_false(test->class.block_devices.items[0].encrypted.has);
    assert_true(launch->has_metadata_options); // by default
    assert_text(launch->metadata_options.http_tokens, "required");
    assert_int_equal(launch->metadata_options.hop_limit.value, 1);
    test_class_free(test);
}

TEST(nodeclass_status_is_decoded_and_written_in_its_order) {
    TestClass *test = test_class(seed);
    Value patch = class_status_patch(&test->arena, &test->symbols, &test->class);
    Buffer text = {0};

    assert_true(test->class.found.amis.items[0].deprecated);
    json_print(&text, &patch, false);
    buffer_append_char(&text, '\0');
    assert_string_equal(
        text.bytes,
        "{\"status\":{\"subnets\":[{\"id\":\"subnet-2\",\"zone\":\"us-west-2b\",\"zoneID\":\"usw2-az2\"},{\"id\":"
        "\"subnet-1\",\"zone\":\"us-west-2a\"}],\"securityGroups\":[{\"id\":\"sg-1\"},{\"id\":\"sg-2\",\"name\":\"b\"}]"
        ","
        "\"capacityReservations\":[{\"availabilityZone\":\"us-west-2b\",\"id\":\"cr-1\",\"instanceMatchCriteria\":"
        "\"targeted\",\"instanceType\":\"c5.large\",\"interruptible\":false,\"ownerID\":\"012345678901\","
        "\"reservationType\":\"capacity-"
        "block\","
        "\"state\":\"expiring\"},{\"availabilityZone\":\"us-west-2a\",\"endTime\":\"2026-12-01T00:00:00Z\",\"id\":"
        "\"cr-2\",\"instanceMatchCriteria\":\"open\",\"instanceType\":\"m5.large\",\"interruptible\":true,\"ownerID\":"
        "\"012345678901\",\"reservationType\":\"default\",\"state\":\"active\"}],\"amis\":[{\"id\":\"ami-1\",\"name\":"
        "\"one\",\"deprecated\":true,\"requirements\":[{\"key\":\"kubernetes.io/arch\",\"operator\":\"In\",\"values\":["
        "\"amd64\"]},{\"key\":\"karpenter.k8s.aws/instance-gpu-count\",\"operator\":\"Exists\"}]}],\"instanceProfile\":"
        "\"profile-1\"}}");
    buffer_free(&text);
    test_class_free(test);
}

TEST(nodeclass_status_what_is_gone_is_removed) {
    TestClass *test = test_class("");
    Value patch = class_status_patch(&test->arena, &test->symbols, &test->class);
    const Value *status = value_get_text(&patch, "status");

    assert_int_equal(status->map.count, 5);
    for (vec_each(const ValueMember, member, &status->map))
        assert_int_equal(member->value.kind, VALUE_NULL);
    test_class_free(test);
}

TEST(nodeclass_status_has_seven_conditions_under_ready) {
    assert_int_equal(CLASS_CONDITION_COUNT, 7);
    assert_string_equal(class_conditions[CLASS_CONDITION_AMIS], "AMIsReady");
    assert_string_equal(class_conditions[CLASS_CONDITION_RESERVATIONS], "CapacityReservationsReady");
}

// --- tags

typedef struct {
    const char *name, *key;
    bool refused;
} TagRow;

static const TagRow tag_rows[] = {
    {"tags: any key", "a", false},
    {"tags: Name (R022)", "Name", false},
    {"tags: a cluster", "kubernetes.io/cluster/my-cluster_1", true},
    {"tags: a cluster without a name", "kubernetes.io/cluster/", false},
    {"tags: a cluster's name with a dot", "kubernetes.io/cluster/a.b", false},
    {"tags: a cluster's name that begins with a dash", "kubernetes.io/cluster/-a", false},
    {"tags: nodepool", "karpenter.sh/nodepool", true},
    {"tags: nodeclaim", "karpenter.sh/nodeclaim", true},
    {"tags: nodeclass", "karpenter.k8s.aws/ec2nodeclass", true},
    {"tags: cluster name", "eks:eks-cluster-name", true},
    {"tags: like the nodepool's", "karpenter.sh/nodepool2", false},
};

static void list_tags(TestCases *cases) {
    for (size_t i = 0; i < sizeof tag_rows / sizeof *tag_rows; i++)
        test_case(cases, tag_rows[i].name, (void *)(uintptr_t)&tag_rows[i]);
}

TEST_EACH(const TagRow, row, reserved_tags_are_refused, list_tags) {
    Arena arena = {0};
    TextEntry tag = {slice_of(row->key), SLICE("x")};
    Slice complaint = class_tags_complaint(&arena, &(TextEntryVec){&tag, 1, 1});

    assert_int_equal(complaint.len > 0, row->refused);
    assert_true(!row->refused || slice_contains(complaint, tag.key));
    arena_free(&arena);
}

TEST(tags_are_the_users_and_ours_sorted_and_ours_win) {
    Arena arena = {0};
    TextEntry given[] = {{SLICE("karpenter.sh/nodepool"), SLICE("other")}, {SLICE("Name"), SLICE("n")}};
    Ec2Owner owner = {SLICE("c"), SLICE("pool"), SLICE("default")};
    Ec2TagVec tags = class_tags(&arena, &(TextEntryVec){given, 2, 2}, &owner);
    Slice text = SLICE("");

    for (vec_each(const Ec2Tag, tag, &tags))
        text = arena_printf(&arena, "%.*s%.*s=%.*s ", SLICE_ARG(text), SLICE_ARG(tag->key), SLICE_ARG(tag->value));
    assert_text(text, "Name=n eks:eks-cluster-name=c karpenter.k8s.aws/ec2nodeclass=default "
                      "karpenter.sh/nodepool=pool kubernetes.io/cluster/c=owned ");
    arena_free(&arena);
}

// Reference legacy.md 4: what Karpenter v0.31 knows its instances by.
TEST(instances_of_a_provisioner_have_the_tags_of_2023_too) {
    Arena arena = {0};
    Ec2TagVec tags =
        class_tags(&arena, &(TextEntryVec){0}, &(Ec2Owner){SLICE("c"), SLICE("provisioner/p"), SLICE("default")});

    assert_text(tags.items[2].key, "karpenter.sh/managed-by");
    assert_text(tags.items[2].value, "c");
    assert_text(tags.items[3].value, "provisioner/p");
    assert_text(tags.items[4].key, "karpenter.sh/provisioner-name");
    assert_text(tags.items[4].value, "p");
    arena_free(&arena);
}

TEST(tags_of_a_test_of_rights_have_an_empty_pool) {
    Arena arena = {0};
    Ec2TagVec tags = class_tags(&arena, &(TextEntryVec){0}, &(Ec2Owner){SLICE("c"), {0}, SLICE("default")});

    assert_text(tags.items[2].key, "karpenter.sh/nodepool");
    assert_non_null(tags.items[2].value.ptr); // sent, though empty
    arena_free(&arena);
}
