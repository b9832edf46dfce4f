// Old objects decoded field by field, and members that they do not have.
#include "legacy/support/old.h"

#include "harness/test.h"

#define HEAD(kind, version) "apiVersion: " version "\nkind: " kind "\nmetadata: {name: x}\n"
#define PROVISIONER         HEAD("Provisioner", "karpenter.sh/v1alpha5")
#define TEMPLATE            HEAD("AWSNodeTemplate", "karpenter.k8s.aws/v1alpha1")

static void assert_text(Slice text, const char *expected) {
    if (!slice_eq_text(text, expected))
        fail_msg("expected \"%s\", got \"%.*s\"", expected, SLICE_ARG(text));
}

TEST(a_provisioner_is_read_field_by_field) {
    OldTest test = {0};
    OldProvisioner it = {0};

    old_test_decode(&test,
                    PROVISIONER
                    "spec:\n"
                    "  annotations: {a: b}\n  labels: {c: d, e: }\n"
                    "  taints: [{key: k, value: v, effect: NoSchedule}]\n"
                    "  startupTaints: [{key: s, effect: NoExecute}]\n"
                    "  requirements: [{key: r, operator: In, values: [\"1\", \"2\"]}]\n"
                    "  kubeletConfiguration: {clusterDNS: [10.0.0.10], containerRuntime: containerd, maxPods: 20,\n"
                    "    podsPerCore: 2, systemReserved: {cpu: 1}, kubeReserved: {memory: 1Gi}, cpuCFSQuota: false,\n"
                    "    evictionHard: {memory.available: 5%}, evictionMaxPodGracePeriod: 60}\n"
                    "  providerRef: {name: t}\n  ttlSecondsAfterEmpty: 0\n  ttlSecondsUntilExpired: 2592000\n"
                    "  limits: {resources: {cpu: 10, memory: 20Gi, nvidia.com/gpu: \"16\"}}\n  weight: 7\n"
                    "  consolidation: {enabled: true}\nstatus: {resources: {cpu: \"3\"}}\n",
                    OLD_PROVISIONER, &it);
    assert_text(it.name, "x");
    assert_text(text_map_get_text(&it.annotations, "a")->value, "b");
    assert_text(text_map_get_text(&it.labels, "e")->value, "");
    assert_text(it.taints.items[0].effect, "NoSchedule");
    assert_text(it.startup_taints.items[0].key, "s");
    assert_text(it.requirements.items[0].values.items[1], "2");
    assert_text(it.kubelet->cluster_dns.items[0], "10.0.0.10");
    assert_text(it.kubelet->container_runtime, "containerd");
    assert_true(it.kubelet->has_max_pods && it.kubelet->max_pods == 20 && it.kubelet->pods_per_core == 2);
    assert_true(it.kubelet->has_cpu_cfs_quota && !it.kubelet->cpu_cfs_quota && !it.kubelet->has_image_gc_low);
    assert_text(text_map_get_text(&it.kubelet->system_reserved, "cpu")->value, "1");
    assert_int_equal(it.kubelet->eviction_max_pod_grace_period, 60);
    assert_text(it.reference->name, "t");
    assert_true(it.has_ttl_after_empty && it.ttl_after_empty_s == 0 && it.ttl_until_expired_s == 2592000);
    assert_text(text_map_get_text(&it.limits, "nvidia.com/gpu")->value, "16"); // R137
    assert_true(it.has_limits && it.weight == 7 && it.consolidates && !it.provider);
    assert_text(text_map_get_text(&it.used, "cpu")->value, "3");
    arena_free(&test.arena);
}

TEST(a_node_template_is_read_field_by_field) {
    OldTest test = {0};
    OldNodeTemplate it = {0};
    const OldDisk *disk;

    old_test_decode(&test,
                    TEMPLATE
                    "spec: {amiFamily: AL2, context: c, instanceProfile: p, subnetSelector: {a: b},\n"
                    "  securityGroupSelector: {c: d}, tags: {auto-delete: \"no\"}, launchTemplate: l,\n"
                    "  metadataOptions: {httpTokens: optional, httpPutResponseHopLimit: 3},\n"
                    "  blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 30Gi, volumeType: gp3,\n"
                    "    iops: 3000, throughput: 125, encrypted: true, deleteOnTermination: false,\n"
                    "    kmsKeyID: key, snapshotID: s}}], userData: u, amiSelector: {e: f},\n"
                    "  detailedMonitoring: true}\n",
                    OLD_NODE_TEMPLATE, &it);
    assert_text(it.aws.ami_family, "AL2");
    assert_text(it.aws.context, "c");
    assert_text(it.aws.instance_profile, "p");
    assert_text(text_map_get_text(&it.aws.tags, "auto-delete")->value, "no"); // R022
    assert_text(it.aws.launch_template, "l");
    assert_true(it.aws.metadata_options->has_hop_limit && it.aws.metadata_options->hop_limit == 3);
    disk = it.aws.devices.items[0].ebs; // R019, R020
    assert_text(disk->volume_size, "30Gi");
    assert_true(disk->iops == 3000 && disk->throughput == 125 && disk->encrypted && disk->has_delete_on_termination);
    assert_false(disk->delete_on_termination);
    assert_text(disk->kms_key_id, "key");
    assert_true(it.aws.has_user_data && it.aws.detailed_monitoring); // R021
    assert_text(text_map_get_text(&it.aws.ami_selector, "e")->value, "f");
    arena_free(&test.arena);
}

TEST(a_machine_is_read_field_by_field) {
    OldTest test = {0};
    OldMachine it = {0};

    old_test_decode(
        &test,
        HEAD("Machine",
             "karpenter.sh/v1alpha5") "spec: {requirements: [{key: a, operator: Exists}], "
                                      "resources: {requests: {cpu: 1475m}}, taints: [{key: t}],\n"
                                      "  machineTemplateRef: {name: t}, kubelet: {maxPods: 4}}\n"
                                      "status: {nodeName: node, providerID: 'aws:///z/i', capacity: {cpu: 2}, "
                                      "allocatable: {cpu: 1930m}, conditions: []}\n",
        OLD_MACHINE, &it);
    assert_text(it.requirements.items[0].operator, "Exists");
    assert_text(text_map_get_text(&it.requests, "cpu")->value, "1475m");
    assert_text(it.reference->name, "t");
    assert_text(it.node_name, "node");
    assert_text(it.provider_id, "aws:///z/i");
    assert_text(text_map_get_text(&it.allocatable, "cpu")->value, "1930m");
    assert_int_equal(it.kubelet->max_pods, 4);
    assert_int_equal(it.taints.count, 1);
    arena_free(&test.arena);
}

typedef struct {
    const char *name, *yaml, *error;
} Row;

static Row rows[] = {
    {"a number for a text", TEMPLATE "spec: {amiFamily: 2}\n",
     "spec.amiFamily: expected string, got number; quote it (old.yaml:4, AWSNodeTemplate x)"},
    {"a text for a number", PROVISIONER "spec: {ttlSecondsAfterEmpty: \"30\"}\n",
     "spec.ttlSecondsAfterEmpty: expected number, got string (old.yaml:4, Provisioner x)"},
    {"a boolean as a tag", TEMPLATE "spec:\n  tags: {auto-delete: no}\n",
     "spec.tags.auto-delete: expected string, got bool; quote it (old.yaml:5, AWSNodeTemplate x)"},
    {"a limit that is no quantity", PROVISIONER "spec: {limits: {resources: {cpu: many}}}\n",
     "spec.limits.resources.cpu: expected a quantity such as \"500m\" or \"2Gi\", got \"many\" (old.yaml:4, "
     "Provisioner x)"},
    {"a value that is a number", PROVISIONER "spec: {requirements: [{key: a, operator: Gt, values: [3]}]}\n",
     "spec.requirements[0].values[0]: expected string, got number; quote it (old.yaml:4, Provisioner x)"},
    {"a requirement without an operator", PROVISIONER "spec: {requirements: [{key: a}]}\n",
     "spec.requirements[0].operator: required (old.yaml:4, Provisioner x)"},
    {"R131: a member that an inline provider does not have", PROVISIONER "spec: {provider: {userData: x}}\n",
     "spec.provider: unknown field \"userData\" (old.yaml:4, Provisioner x)"},
    {"a NodePool of v1beta1 without a class",
     HEAD("NodePool", "karpenter.sh/v1beta1") "spec: {template: {spec: {requirements: []}}}\n",
     "spec.template.spec.nodeClassRef: required (old.yaml:4, NodePool x)"},
    {"an EC2NodeClass of v1beta1 without a family",
     HEAD("EC2NodeClass", "karpenter.k8s.aws/v1beta1") "spec: {role: r}\n",
     "spec.amiFamily: required (old.yaml:4, EC2NodeClass x)"},
};

static void list_errors(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, &rows[i]);
}

TEST_EACH(Row, row, an_error_names_place_and_expectation, list_errors) {
    OldTest test = {0};

    assert_string_equal(old_test_error(&test, row->yaml), row->error);
    arena_free(&test.arena);
}

TEST(a_kind_is_old_by_group_version_and_name) {
    OldTest test = {0};
    Value v1 = old_test_parse(&test, HEAD("NodePool", "karpenter.sh/v1"));
    Value other = old_test_parse(&test, HEAD("Machine", "cluster.x-k8s.io/v1alpha5"));
    Value text = old_test_parse(&test, "Provisioner");

    assert_int_equal(old_kind_of(&v1), OLD_KINDS);
    assert_int_equal(old_kind_of(&other), OLD_KINDS);
    assert_int_equal(old_kind_of(&text), OLD_KINDS);
    arena_free(&test.arena);
}

TEST(too_many_values_are_refused) {
    OldTest test = {0};
    Slice list = SLICE("a");
    Slice yaml;

    for (int i = 0; i < 1000; i++)
        list = arena_printf(&test.arena, "%.*s,a", SLICE_ARG(list));
    yaml = arena_printf(&test.arena, PROVISIONER "spec: {requirements: [{key: a, operator: In, values: [%.*s]}]}\n",
                        SLICE_ARG(list));
    assert_string_equal(old_test_error(&test, arena_text(&test.arena, yaml)),
                        "spec.requirements[0].values: expected at most 1000 members, got 1001 (old.yaml:4, "
                        "Provisioner x)");
    arena_free(&test.arena);
}

// Strangers.

TEST(members_that_the_kind_does_not_have_are_found_and_left_out) {
    OldTest test = {0};
    OldStrangerVec strangers = {0};
    Value pruned, object = old_test_parse(&test, PROVISIONER "spec:\n"
                                                             "  consolidation:\n"
                                                             "    enabled: true\n"
                                                             "    ttlSecondsUntilExpired: 2592000\n" // R139
                                                             "  taint: []\n"
                                                             "  requirements: [{key: a, operator: Exists, foo: 1}]\n"
                                                             "  provider: {userData: kept}\n"
                                                             "status: {anything: kept}\n");

    pruned = old_prune(&test.arena, OLD_PROVISIONER, &object, &strangers);
    assert_int_equal(strangers.count, 3);
    assert_text(strangers.items[0].path, "spec.consolidation.ttlSecondsUntilExpired");
    assert_text(strangers.items[0].meant, "spec.ttlSecondsUntilExpired");
    assert_int_equal(strangers.items[0].line, 7);
    assert_text(strangers.items[1].path, "spec.taint");
    assert_text(strangers.items[1].meant, "taints");
    assert_text(strangers.items[2].path, "spec.requirements[0].foo");
    assert_text(strangers.items[2].meant, "");
    assert_null(value_at(&pruned, "spec", "consolidation", "ttlSecondsUntilExpired", NULL));
    assert_non_null(value_at(&pruned, "spec", "provider", "userData", NULL));
    assert_non_null(value_at(&pruned, "status", "anything", NULL));
    assert_non_null(value_at(&object, "spec", "taint", NULL));
    arena_free(&test.arena);
}
