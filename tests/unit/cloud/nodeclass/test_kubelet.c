// spec.kubelet as the controller judges it: upstream's area "nodeclass validation", kubelet
// (pkg/apis/v1/kubelet_validation_test.go). Reference aws.md 1.5.
#include "cloud/aws/nodeclass/kubelet_fields.h"
#include "cloud/aws/nodeclass/kubelet_rules.h"
#include "cloud/support/class.h"
#include "harness/test.h"

typedef struct {
    const char *name, *family, *yaml;
    const char *reason;  // NULL: nothing is wrong
    const char *message; // that it contains
} Row;

#define INVALID     "InvalidKubeletConfiguration"
#define UNSUPPORTED "UnsupportedKubeletConfiguration"

static const Row rows[] = {
    {"kubelet validation: nothing", "AL2", "{}", NULL, NULL},
    {"kubelet validation: unknown field", "AL2023", "{foo: 1}", INVALID, "unknown field \"foo\""},
    {"kubelet validation: a name in other case", "AL2023", "{maxpods: 1}", INVALID, "unknown field"},
    {"kubelet validation: taints", "AL2023", "{registerWithTaints: []}", INVALID, "registerWithTaints is set from"},
    {"kubelet validation: max pods", "AL2", "{maxPods: 110}", NULL, NULL},
    {"kubelet validation: max pods: none", "AL2", "{maxPods: 0}", NULL, NULL},
    {"kubelet validation: max pods: negative", "AL2", "{maxPods: -1}", INVALID, "maxPods: expected a number from 0"},
    {"kubelet validation: max pods: a fraction", "AL2", "{maxPods: 1.5}", INVALID, "maxPods: expected an integer"},
    {"kubelet validation: max pods: a list", "AL2", "{maxPods: [1]}", INVALID,
     "maxPods: expected an integer, got a list"},
    {"kubelet validation: max pods: an expression", "AL2", "{maxPods: 'max_pods / 2'}", "KubeletExpressionsDisabled",
     "maxPods is an expression"},
    {"kubelet validation: pods per core: negative", "AL2", "{podsPerCore: -2}", INVALID, "podsPerCore: expected"},
    {"kubelet validation: eviction hard", "AL2", "{evictionHard: {memory.available: 5%, nodefs.available: 10Gi}}", NULL,
     NULL},
    {"kubelet validation: eviction hard: all signals", "AL2",
     "{evictionHard: {memory.available: 5%, nodefs.available: 5%, nodefs.inodesFree: 5%, imagefs.available: 5%, "
     "imagefs.inodesFree: 5%, pid.available: 5%}}",
     NULL, NULL},
    {"kubelet validation: eviction hard: unknown signal", "AL2", "{evictionHard: {memory: 5%}}", INVALID,
     "evictionHard: unknown signal \"memory\""},
    {"kubelet validation: eviction hard: over 100%", "AL2", "{evictionHard: {memory.available: 110%}}", INVALID,
     "evictionHard[memory.available]: expected a percentage"},
    {"kubelet validation: eviction hard: 100%", "AL2", "{evictionHard: {memory.available: 100%}}", NULL, NULL},
    {"kubelet validation: eviction hard: a fraction", "AL2", "{evictionHard: {memory.available: 0.3%}}", NULL, NULL},
    {"kubelet validation: eviction hard: negative share", "AL2", "{evictionHard: {memory.available: -10%}}", INVALID,
     "evictionHard[memory.available]"},
    {"kubelet validation: eviction hard: negative amount", "AL2", "{evictionHard: {memory.available: -10Mi}}", INVALID,
     "evictionHard[memory.available]"},
    {"kubelet validation: eviction hard: no amount", "AL2", "{evictionHard: {memory.available: lots}}", INVALID,
     "evictionHard[memory.available]"},
    {"kubelet validation: eviction hard: a number", "AL2", "{evictionHard: {memory.available: 5}}", INVALID,
     "evictionHard: expected a map of strings"},
    {"kubelet validation: eviction soft", "AL2",
     "{evictionSoft: {memory.available: 5%}, evictionSoftGracePeriod: {memory.available: 2m}}", NULL, NULL},
    {"kubelet validation: eviction soft: unknown signal", "AL2",
     "{evictionSoft: {memory: 5%}, evictionSoftGracePeriod: {memory: 2m}}", INVALID, "evictionSoft: unknown signal"},
    {"kubelet validation: eviction soft: no grace period", "AL2", "{evictionSoft: {memory.available: 5%}}", INVALID,
     "evictionSoft[memory.available] has no matching evictionSoftGracePeriod"},
    {"kubelet validation: eviction soft: a grace period alone", "AL2",
     "{evictionSoftGracePeriod: {memory.available: 5m}}", INVALID,
     "evictionSoftGracePeriod[memory.available] has no matching evictionSoft"},
    {"kubelet validation: eviction soft: other keys", "AL2",
     "{evictionSoft: {memory.available: 5%}, evictionSoftGracePeriod: {nodefs.available: 5m}}", INVALID,
     "no matching evictionSoftGracePeriod"},
    {"kubelet validation: eviction soft: no duration", "AL2",
     "{evictionSoft: {memory.available: 5%}, evictionSoftGracePeriod: {memory.available: soon}}", INVALID,
     "evictionSoftGracePeriod[memory.available]: expected a duration"},
    {"kubelet validation: eviction soft: negative duration", "AL2",
     "{evictionSoft: {memory.available: 5%}, evictionSoftGracePeriod: {memory.available: -1m}}", INVALID,
     "evictionSoftGracePeriod[memory.available]: expected a duration"},
    {"kubelet validation: minimum reclaim: unknown signal", "AL2023", "{evictionMinimumReclaim: {disk: 5%}}", INVALID,
     "evictionMinimumReclaim: unknown signal"},
    {"kubelet validation: reserved", "AL2",
     "{kubeReserved: {cpu: 100m, memory: 1Gi, ephemeral-storage: 1Gi, pid: '100'}, systemReserved: {cpu: '1'}}", NULL,
     NULL},
    {"kubelet validation: kube reserved: pods", "AL2", "{kubeReserved: {pods: '2'}}", INVALID,
     "kubeReserved: unknown resource \"pods\""},
    {"kubelet validation: kube reserved: negative", "AL2", "{kubeReserved: {cpu: -10m}}", INVALID,
     "kubeReserved[cpu]: must not be negative"},
    {"kubelet validation: system reserved: unknown", "AL2", "{systemReserved: {gpu: '2'}}", INVALID,
     "systemReserved: unknown resource \"gpu\""},
    {"kubelet validation: system reserved: negative", "AL2", "{systemReserved: {memory: -1Gi}}", INVALID,
     "systemReserved[memory]: must not be negative"},
    {"kubelet validation: kube reserved: an expression", "AL2023", "{kubeReserved: {cpu: vcpus * 10}}",
     "KubeletExpressionsDisabled", "kubeReserved[cpu] is an expression, and the feature gate NodeClassCEL is off"},
    {"kubelet validation: system reserved: an expression", "AL2023", "{systemReserved: {memory: 'memory_mib / 10'}}",
     "KubeletExpressionsDisabled", "systemReserved[memory]"},
    {"kubelet validation: image collection", "AL2", "{imageGCHighThresholdPercent: 50, imageGCLowThresholdPercent: 10}",
     NULL, NULL},
    {"kubelet validation: image collection: low above high", "AL2",
     "{imageGCHighThresholdPercent: 50, imageGCLowThresholdPercent: 60}", INVALID,
     "imageGCHighThresholdPercent must be greater"},
    {"kubelet validation: image collection: equal", "AL2",
     "{imageGCHighThresholdPercent: 50, imageGCLowThresholdPercent: 50}", INVALID,
     "imageGCHighThresholdPercent must be greater"},
    {"kubelet validation: image collection: high over 100", "AL2", "{imageGCHighThresholdPercent: 101}", INVALID,
     "imageGCHighThresholdPercent: expected a number from 0 to 100"},
    {"kubelet validation: image collection: low negative", "AL2", "{imageGCLowThresholdPercent: -1}", INVALID,
     "imageGCLowThresholdPercent: expected a number from 0 to 100"},
    {"kubelet validation: grace period of pods: negative", "AL2", "{evictionMaxPodGracePeriod: -1}", INVALID,
     "evictionMaxPodGracePeriod: expected"},
    {"kubelet validation: quota: a text", "AL2", "{cpuCFSQuota: 'true'}", INVALID,
     "cpuCFSQuota: expected true or false"},
    {"kubelet validation: DNS: a text", "AL2", "{clusterDNS: 10.0.0.10}", INVALID,
     "clusterDNS: expected a list of strings"},
    {"kubelet validation: a duration", "AL2023", "{syncFrequency: 1m30s}", NULL, NULL},
    {"kubelet validation: no duration", "AL2023", "{syncFrequency: often}", INVALID,
     "syncFrequency: expected a duration"},
    {"kubelet validation: gates", "AL2023", "{featureGates: {A: true}}", NULL, NULL},
    {"kubelet validation: gates: texts", "AL2023", "{featureGates: {A: 'true'}}", INVALID,
     "featureGates: expected a map"},
    {"kubelet validation: an object", "AL2023", "{logging: {verbosity: 2}}", NULL, NULL},
    {"kubelet validation: an object: a text", "AL2023", "{logging: loud}", INVALID, "logging: expected a map"},
    {"kubelet validation: a list of objects", "AL2023", "{reservedMemory: [{numaNode: 0}]}", NULL, NULL},
    {"kubelet validation: a list of texts for objects", "AL2023", "{reservedMemory: [a]}", INVALID,
     "reservedMemory: expected a list of maps"},
    {"kubelet validation: a factor", "AL2023", "{memoryThrottlingFactor: 0.8}", NULL, NULL},
    {"kubelet validation: null", "AL2023", "{memoryThrottlingFactor: null, maxPods: null}", NULL, NULL},
    // families
    {"kubelet families: AL2023 takes any field", "AL2023", "{cpuManagerPolicy: static}", NULL, NULL},
    {"kubelet families: Custom takes any field", "Custom", "{cpuManagerPolicy: static}", NULL, NULL},
    {"kubelet families: AL2 takes twelve", "AL2", "{cpuManagerPolicy: static}", UNSUPPORTED,
     "cpuManagerPolicy cannot be set with the AMI family AL2"},
    {"kubelet families: Bottlerocket takes eleven", "Bottlerocket", "{cpuManagerPolicy: static}", UNSUPPORTED,
     "with the AMI family Bottlerocket"},
    {"kubelet families: Windows takes twelve", "Windows2022", "{cpuManagerPolicy: static}", UNSUPPORTED,
     "with the AMI family Windows2022"},
    {"kubelet families: pods per core on AL2", "AL2", "{podsPerCore: 2}", NULL, NULL},
    {"kubelet families: pods per core on Windows", "Windows2019", "{podsPerCore: 2}", NULL, NULL},
    {"kubelet families: pods per core on Bottlerocket", "Bottlerocket", "{podsPerCore: 2}", UNSUPPORTED,
     "podsPerCore cannot be set"},
    {"kubelet families: two addresses on AL2023", "AL2023", "{clusterDNS: [10.0.0.10, 10.0.0.11]}", NULL, NULL},
    {"kubelet families: two addresses on AL2", "AL2", "{clusterDNS: [10.0.0.10, 10.0.0.11]}", UNSUPPORTED,
     "clusterDNS can have one address"},
    {"kubelet families: two addresses on Bottlerocket", "Bottlerocket", "{clusterDNS: [10.0.0.10, 10.0.0.11]}",
     UNSUPPORTED, "clusterDNS can have one address"},
    {"kubelet families: one address on Windows", "Windows2025", "{clusterDNS: [10.0.0.10]}", NULL, NULL},
    {"kubelet families: all that are managed, on AL2", "AL2",
     "{clusterDNS: [10.0.0.10], maxPods: 20, podsPerCore: 2, systemReserved: {cpu: '1'}, kubeReserved: {cpu: '1'}, "
     "evictionHard: {memory.available: 5%}, evictionSoft: {memory.available: 10%}, evictionSoftGracePeriod: "
     "{memory.available: 1m}, evictionMaxPodGracePeriod: 60, imageGCHighThresholdPercent: 80, "
     "imageGCLowThresholdPercent: 50, cpuCFSQuota: false}",
     NULL, NULL},
};

static void list_rows(TestCases *cases) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_case(cases, rows[i].name, (void *)(uintptr_t)&rows[i]);
}

TEST_EACH(const Row, row, the_controller_judges, list_rows) {
    Arena arena = {0};
    Value kubelet = test_yaml(&arena, row->yaml);
    KubeletFinding finding = kubelet_check(&arena, &kubelet, ami_family(slice_of(row->family)), false);

    if (!row->reason && finding.reason.len)
        fail_msg("%s: %.*s", row->name, SLICE_ARG(finding.message));
    if (row->reason && !slice_eq_text(finding.reason, row->reason))
        fail_msg("%s: got %.*s", row->name, SLICE_ARG(finding.reason));
    if (row->message && !slice_contains(finding.message, slice_of(row->message)))
        fail_msg("%s: got %.*s", row->name, SLICE_ARG(finding.message));
    arena_free(&arena);
}

TEST(expressions_are_refused_with_a_reason_when_the_gate_is_on) {
    Arena arena = {0};
    Value kubelet = test_yaml(&arena, "{maxPods: 'min(110, max_pods)'}");
    KubeletFinding finding = kubelet_check(&arena, &kubelet, ami_family(SLICE("AL2023")), true);

    assert_true(slice_eq_text(finding.reason, "KubeletExpressionInvalid"));
    arena_free(&arena);
}

TEST(absent_settings_are_fine_and_no_map_is_not) {
    Arena arena = {0};
    Value text = value_string(SLICE("x"));

    assert_int_equal(kubelet_check(&arena, NULL, ami_family(SLICE("AL2")), false).reason.len, 0);
    assert_true(slice_eq_text(kubelet_check(&arena, &text, ami_family(SLICE("AL2")), false).reason, INVALID));
    arena_free(&arena);
}

TEST(twelve_fields_are_managed) {
    static const char *const managed[] = {"clusterDNS",
                                          "maxPods",
                                          "podsPerCore",
                                          "systemReserved",
                                          "kubeReserved",
                                          "evictionHard",
                                          "evictionSoft",
                                          "evictionSoftGracePeriod",
                                          "evictionMaxPodGracePeriod",
                                          "imageGCHighThresholdPercent",
                                          "imageGCLowThresholdPercent",
                                          "cpuCFSQuota"};

    for (size_t i = 0; i < sizeof managed / sizeof *managed; i++)
        assert_true(kubelet_field(slice_of(managed[i]))->managed);
    assert_false(kubelet_field(SLICE("cpuManagerPolicy"))->managed);
    assert_null(kubelet_field(SLICE("")));
}
