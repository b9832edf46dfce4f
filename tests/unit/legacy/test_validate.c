// What the webhooks of 2023 refused, in their words. Reference legacy.md 2.2, 2.5 and 3.
#include "legacy/support/old.h"

#include "harness/test.h"

typedef struct {
    const char *name, *spec, *reply;
} Row;

#define BOTH(a, b)      "validation failed: expected exactly one, got both: " a ", " b
#define INVALID(text)   "validation failed: invalid value: " text
#define MISSING(path)   "validation failed: missing field(s): " path
#define REQUIRE(inside) "  requirements: [{" inside "}]\n"

// upstream: pkg/apis/v1alpha5/provisioner_validation.go, suite of v0.31
static Row provisioner_rows[] = {
    {"R039: weight and a taint without a value", "  weight: 50\n  taints: [{key: example.com/t, effect: NoSchedule}]\n",
     ""},
    {"R131: both provider and providerRef", "  provider: {subnetSelector: {a: b}, securityGroupSelector: {a: b}}\n",
     BOTH("spec.provider", "spec.providerRef")},
    {"R138: ttlSecondsAfterEmpty and consolidation", "  ttlSecondsAfterEmpty: 30\n  consolidation: {enabled: true}\n",
     BOTH("spec.consolidation.enabled", "spec.ttlSecondsAfterEmpty")},
    {"R138: ttlSecondsAfterEmpty and consolidation that is off",
     "  ttlSecondsAfterEmpty: 30\n  consolidation: {enabled: false}\n", ""},
    {"R138: zero is a TTL", "  ttlSecondsAfterEmpty: 0\n  consolidation: {enabled: true}\n",
     BOTH("spec.consolidation.enabled", "spec.ttlSecondsAfterEmpty")},
    {"R049 R050: negative TTLs", "  ttlSecondsAfterEmpty: -1\n  ttlSecondsUntilExpired: -5\n",
     INVALID("cannot be negative: spec.ttlSecondsAfterEmpty, spec.ttlSecondsUntilExpired")},
    {"R037: weight above 100", "  weight: 101\n", "validation failed: expected 1 <= 101 <= 100: spec.weight"},
    {"R037: weight 0", "  weight: 0\n", "validation failed: expected 1 <= 0 <= 100: spec.weight"},
    {"label of the Provisioner", "  labels: {karpenter.sh/provisioner-name: x}\n",
     "validation failed: invalid key name \"karpenter.sh/provisioner-name\": spec.labels\nrestricted"},
    {"R141: own labels", "  labels: {environment: e, managed-by: karpenter, Blueprint: e}\n", ""},
    {"R134: EKS's label", REQUIRE("key: eks.amazonaws.com/capacityType, operator: In, values: [ON_DEMAND]"), ""},
    {"R142: the taint of GPUs", "  taints: [{key: nvidia.com/gpu, value: \"true\", effect: NoSchedule}]\n", ""},
    {"an unknown effect", "  taints: [{key: a, effect: Never}]\n", INVALID("Never: spec.effect[0]")},
    {"a taint twice, the second time at startup",
     "  taints: [{key: a, effect: NoSchedule}]\n  startupTaints: [{key: a, value: b, effect: NoSchedule}]\n",
     "validation failed: duplicate taint Key/Effect pair a=NoSchedule: spec.taints[0]"},
    {"a taint with two effects", "  taints: [{key: a, effect: NoSchedule}, {key: a, effect: NoExecute}]\n", ""},
    {"requirement on the Provisioner", REQUIRE("key: karpenter.sh/provisioner-name, operator: Exists"),
     INVALID("karpenter.sh/provisioner-name is restricted: spec.requirements[0]")},
    {"R032: an unknown operator", REQUIRE("key: a, operator: Is, values: [b]"),
     INVALID("key a has an unsupported operator Is not in [DoesNotExist Exists Gt In Lt NotIn]: spec.requirements[0]")},
    {"R040: In without values", REQUIRE("key: a, operator: In"),
     INVALID("key a with operator In must have a value defined: spec.requirements[0]")},
    {"R041: Gt with two values", REQUIRE("key: a, operator: Gt, values: [\"1\", \"2\"]"),
     INVALID("key a with operator Gt must have a single positive integer value: spec.requirements[0]")},
    {"R041: Lt with a fraction", REQUIRE("key: a, operator: Lt, values: [\"1.5\"]"),
     INVALID("key a with operator Lt must have a single positive integer value: spec.requirements[0]")},
    {"R041: Gt 3", REQUIRE("key: karpenter.k8s.aws/instance-generation, operator: Gt, values: [\"3\"]"), ""},
    {"R090: keys of old", REQUIRE("key: beta.kubernetes.io/arch, operator: In, values: [arm64]"), ""},
    {"R090: an old key is judged as today's", REQUIRE("key: failure-domain.beta.kubernetes.io/zone, operator: In"),
     INVALID("key topology.kubernetes.io/zone with operator In must have a value defined: spec.requirements[0]")},
    {"two errors, sorted", "  weight: 101\n  consolidation: {enabled: true}\n  ttlSecondsAfterEmpty: -1\n",
     "validation failed: expected 1 <= 101 <= 100: spec.weight\nexpected exactly one, got both: "
     "spec.consolidation.enabled, spec.ttlSecondsAfterEmpty\ninvalid value: cannot be negative: "
     "spec.ttlSecondsAfterEmpty"},
    {"R052: the kubelet's grace period", "  kubeletConfiguration: {evictionMaxPodGracePeriod: 60}\n", ""},
    {"R033: a resource that cannot be reserved", "  kubeletConfiguration: {kubeReserved: {nvidia.com/gpu: 1}}\n",
     "validation failed: invalid key name \"nvidia.com/gpu\": spec.kubeletConfiguration.kubeReserved"},
    {"R033: a threshold above 100%", "  kubeletConfiguration: {evictionHard: {memory.available: 101%}}\n",
     INVALID("101%: spec.kubeletConfiguration.evictionHard[memory.available]")},
    {"R033: a soft threshold without its period", "  kubeletConfiguration: {evictionSoft: {memory.available: 5%}}\n",
     "validation failed: invalid key name \"memory.available\": spec.kubeletConfiguration.evictionSoft\n"
     "key does not have a matching evictionSoftGracePeriod"},
    {"R033: garbage collection",
     "  kubeletConfiguration: {imageGCHighThresholdPercent: 10, imageGCLowThresholdPercent: 20}\n",
     INVALID("10: spec.kubeletConfiguration.imageGCHighThresholdPercent\nimageGCHighThresholdPercent must be greater "
             "than imageGCLowThresholdPercent")},
};

static void list_provisioners(TestCases *cases) {
    for (size_t i = 0; i < sizeof provisioner_rows / sizeof *provisioner_rows; i++)
        test_case(cases, provisioner_rows[i].name, &provisioner_rows[i]);
}

TEST_EACH(Row, row, a_provisioner_is_judged_in_the_old_words, list_provisioners) {
    OldTest test = {0};

    assert_string_equal(old_test_provisioner_reply(&test, row->spec), row->reply);
    arena_free(&test.arena);
}

#define SELECTORS "  subnetSelector: {a: b}\n  securityGroupSelector: {a: b}\n"

// upstream: pkg/apis/v1alpha1/provider_validation.go
static Row template_rows[] = {
    {"R014 R015 R016: selectors are enough", SELECTORS, ""},
    {"R015: no selectors", "  amiFamily: AL2\n",
     MISSING("spec.provider.securityGroupSelector, spec.provider.subnetSelector")},
    {"R015: an empty value", "  subnetSelector: {a: \"\"}\n  securityGroupSelector: {a: b}\n",
     "validation failed: invalid value: \"\": spec.provider.subnetSelector['a']"},
    {"R018: an unknown family", SELECTORS "  amiFamily: AL3\n",
     INVALID("AL3 not in AL2, Bottlerocket, Ubuntu, Custom, Windows2019, Windows2022: spec.provider.amiFamily")},
    {"Custom without images", SELECTORS "  amiFamily: Custom\n", MISSING("spec.amiSelector")},
    {"a launch template instead of groups", "  subnetSelector: {a: b}\n  launchTemplate: mine\n", ""},
    {"a launch template and what it has itself", SELECTORS "  launchTemplate: mine\n  userData: x\n",
     "validation failed: expected exactly one, got both: spec.launchTemplate, spec.provider.launchTemplate, "
     "spec.provider.securityGroupSelector, spec.userData"},
    {"R019: a device without a size", SELECTORS "  blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {iops: 1}}]\n",
     MISSING("spec.provider.blockDeviceMappings[0].ebs.volumeSize")},
    {"R019: a device of 65 T", SELECTORS "  blockDeviceMappings: [{deviceName: a, ebs: {volumeSize: 65T}}]\n",
     "validation failed: expected 1G <= 65T <= 64T: spec.provider.blockDeviceMappings[0].ebs.volumeSize"},
    {"R019: a device beyond 63 bits", SELECTORS "  blockDeviceMappings: [{deviceName: a, ebs: {volumeSize: 99E}}]\n",
     "validation failed: expected 1G <= 99E <= 64T: spec.provider.blockDeviceMappings[0].ebs.volumeSize"},
    {"hops", SELECTORS "  metadataOptions: {httpPutResponseHopLimit: 65}\n",
     "validation failed: expected 1 <= 65 <= 64: spec.provider.metadataOptions.httpPutResponseHopLimit"},
    {"ids and tags", "  subnetSelector: {aws-ids: subnet-1, a: b}\n  securityGroupSelector: {a: b}\n",
     "validation failed: \"aws-ids\" filter is mutually exclusive, cannot be set with a combination of other filters "
     "in: spec.provider.subnetSelector"},
    {"R022: tags", SELECTORS "  tags: {Name: node, auto-delete: \"no\"}\n", ""},
    {"a tag of Karpenter's", SELECTORS "  tags: {karpenter.sh/managed-by: me}\n",
     "validation failed: invalid key name \"karpenter.sh/managed-by\": spec.provider.tags\nrestricted"},
};

static void list_templates(TestCases *cases) {
    for (size_t i = 0; i < sizeof template_rows / sizeof *template_rows; i++)
        test_case(cases, template_rows[i].name, &template_rows[i]);
}

TEST_EACH(Row, row, a_node_template_is_judged_in_the_old_words, list_templates) {
    OldTest test = {0};

    assert_string_equal(old_test_template_reply(&test, row->spec), row->reply);
    arena_free(&test.arena);
}

TEST(a_restricted_domain_is_one_that_ends_like_it) {
    static const char *const restricted[] = {"foo.k8s.io/a", "xk8s.io/a", "kubernetes.io/hostname",
                                             "karpenter.k8s.aws/instance-color", "karpenter.sh/emptiness-timestamp"};
    static const char *const taken[] = {"kops.k8s.io/a", "node.kubernetes.io/a", "node-restriction.kubernetes.io/a",
                                        "karpenter.k8s.aws/instance-pods", "kubernetes.io"};
    OldTest test = {0};

    for (size_t i = 0; i < sizeof restricted / sizeof *restricted; i++) {
        Slice spec = arena_printf(&test.arena, "  requirements: [{key: %s, operator: Exists}]\n", restricted[i]);
        Slice begin = arena_printf(&test.arena,
                                   "validation failed: invalid value: label %s is restricted; specify a well known "
                                   "label: [karpenter.k8s.aws/instance-accelerator-count ",
                                   restricted[i]);
        Slice reply = slice_of(old_test_provisioner_reply(&test, arena_text(&test.arena, spec)));

        assert_true(slice_starts_with(reply, begin));
        assert_true(slice_ends_with(reply, SLICE(": [k8s.io karpenter.k8s.aws karpenter.sh kubernetes.io]: "
                                                 "spec.requirements[0]")));
    }
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        Slice spec = arena_printf(&test.arena, "  labels: {%s: \"8\"}\n", taken[i]);

        assert_string_equal(old_test_provisioner_reply(&test, arena_text(&test.arena, spec)), "");
    }
    arena_free(&test.arena);
}

// Defaults.

static const char *defaulted(OldTest *test, const char *requirements) {
    OldProvisioner provisioner = {0};
    Slice text = SLICE("");
    uint32_t added;
    Slice yaml = arena_printf(&test->arena,
                              "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: p}\nspec: "
                              "{requirements: [%s]}\n",
                              requirements);

    old_test_decode(test, arena_text(&test->arena, yaml), OLD_PROVISIONER, &provisioner);
    added = provisioner_default(&test->arena, &provisioner);
    for (uint32_t i = provisioner.requirements.count - added; i < provisioner.requirements.count; i++) {
        const OldRequirement *requirement = &provisioner.requirements.items[i];

        text = arena_printf(&test->arena, "%.*s%.*s %.*s", SLICE_ARG(text), SLICE_ARG(requirement->key),
                            SLICE_ARG(requirement->operator));
        for (vec_each(const Slice, value, &requirement->values))
            text = arena_printf(&test->arena, "%.*s %.*s", SLICE_ARG(text), SLICE_ARG(*value));
        text = arena_printf(&test->arena, "%.*s\n", SLICE_ARG(text));
    }
    return arena_text(&test->arena, text);
}

// upstream: aws pkg/apis/v1alpha5/provisioner_defaults.go. R044 R046 R132, scenario S1
TEST(missing_requirements_are_added_in_order) {
    OldTest test = {0};

    assert_string_equal(defaulted(&test, ""),
                        "kubernetes.io/os In linux\nkubernetes.io/arch In amd64\nkarpenter.sh/capacity-type In "
                        "on-demand\nkarpenter.k8s.aws/instance-category In c m r\n"
                        "karpenter.k8s.aws/instance-generation Gt 2\n");
    assert_string_equal(defaulted(&test, "{key: node.kubernetes.io/instance-type, operator: In, values: [t4g.medium]}, "
                                         "{key: kubernetes.io/arch, operator: In, values: [arm64]}"),
                        "kubernetes.io/os In linux\nkarpenter.sh/capacity-type In on-demand\n");
    assert_string_equal(defaulted(&test, "{key: karpenter.k8s.aws/instance-generation, operator: Gt, values: [\"3\"]}, "
                                         "{key: beta.kubernetes.io/arch, operator: Exists}, "
                                         "{key: karpenter.sh/capacity-type, operator: Exists}"),
                        "kubernetes.io/os In linux\n");
    arena_free(&test.arena);
}
