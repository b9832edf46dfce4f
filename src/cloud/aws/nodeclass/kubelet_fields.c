// The table of the kubelet's fields.
#include "cloud/aws/nodeclass/kubelet_fields.h"

#include "text/duration.h"

#define FIELD(kind_, name_)                                                                                            \
    { SLICE_INIT(name_), KUBELET_##kind_, false }
#define MANAGED(kind_, name_)                                                                                          \
    { SLICE_INIT(name_), KUBELET_##kind_, true }

static const KubeletField fields[] = {
    FIELD(TEXT, "apiVersion"),
    FIELD(TEXT, "kind"),
    FIELD(BOOL, "enableServer"),
    FIELD(TEXT, "staticPodPath"),
    FIELD(TEXT, "podLogsDir"),
    FIELD(DURATION, "syncFrequency"),
    FIELD(DURATION, "fileCheckFrequency"),
    FIELD(DURATION, "httpCheckFrequency"),
    FIELD(TEXT, "staticPodURL"),
    FIELD(OBJECT, "staticPodURLHeader"),
    FIELD(TEXT, "address"),
    FIELD(INT, "port"),
    FIELD(INT, "readOnlyPort"),
    FIELD(TEXT, "tlsCertFile"),
    FIELD(TEXT, "tlsPrivateKeyFile"),
    FIELD(TEXTS, "tlsCipherSuites"),
    FIELD(TEXTS, "tlsCurvePreferences"),
    FIELD(TEXT, "tlsMinVersion"),
    FIELD(BOOL, "rotateCertificates"),
    FIELD(BOOL, "serverTLSBootstrap"),
    FIELD(OBJECT, "authentication"),
    FIELD(OBJECT, "authorization"),
    FIELD(INT, "registryPullQPS"),
    FIELD(INT, "registryBurst"),
    FIELD(TEXT, "imagePullCredentialsVerificationPolicy"),
    FIELD(TEXTS, "preloadedImagesVerificationAllowlist"),
    FIELD(INT, "eventRecordQPS"),
    FIELD(INT, "eventBurst"),
    FIELD(BOOL, "enableDebuggingHandlers"),
    FIELD(BOOL, "enableContentionProfiling"),
    FIELD(INT, "healthzPort"),
    FIELD(TEXT, "healthzBindAddress"),
    FIELD(INT, "oomScoreAdj"),
    FIELD(TEXT, "clusterDomain"),
    MANAGED(TEXTS, "clusterDNS"),
    FIELD(DURATION, "streamingConnectionIdleTimeout"),
    FIELD(DURATION, "nodeStatusUpdateFrequency"),
    FIELD(DURATION, "nodeStatusReportFrequency"),
    FIELD(INT, "nodeLeaseDurationSeconds"),
    FIELD(DURATION, "imageMinimumGCAge"),
    FIELD(DURATION, "imageMaximumGCAge"),
    MANAGED(INT, "imageGCHighThresholdPercent"),
    MANAGED(INT, "imageGCLowThresholdPercent"),
    FIELD(DURATION, "volumeStatsAggPeriod"),
    FIELD(TEXT, "kubeletCgroups"),
    FIELD(TEXT, "systemCgroups"),
    FIELD(TEXT, "cgroupRoot"),
    FIELD(BOOL, "cgroupsPerQOS"),
    FIELD(TEXT, "cgroupDriver"),
    FIELD(TEXT, "cpuManagerPolicy"),
    FIELD(BOOL, "singleProcessOOMKill"),
    FIELD(TEXT_MAP, "cpuManagerPolicyOptions"),
    FIELD(DURATION, "cpuManagerReconcilePeriod"),
    FIELD(TEXT, "memoryManagerPolicy"),
    FIELD(TEXT, "topologyManagerPolicy"),
    FIELD(TEXT, "topologyManagerScope"),
    FIELD(TEXT_MAP, "topologyManagerPolicyOptions"),
    FIELD(TEXT_MAP, "qosReserved"),
    FIELD(DURATION, "runtimeRequestTimeout"),
    FIELD(TEXT, "hairpinMode"),
    MANAGED(INT, "maxPods"),
    FIELD(TEXT, "podCIDR"),
    FIELD(INT, "podPidsLimit"),
    FIELD(TEXT, "resolvConf"),
    FIELD(BOOL, "runOnce"),
    MANAGED(BOOL, "cpuCFSQuota"),
    FIELD(DURATION, "cpuCFSQuotaPeriod"),
    FIELD(INT, "nodeStatusMaxImages"),
    FIELD(INT, "maxOpenFiles"),
    FIELD(TEXT, "contentType"),
    FIELD(INT, "kubeAPIQPS"),
    FIELD(INT, "kubeAPIBurst"),
    FIELD(BOOL, "serializeImagePulls"),
    FIELD(INT, "maxParallelImagePulls"),
    MANAGED(TEXT_MAP, "evictionHard"),
    MANAGED(TEXT_MAP, "evictionSoft"),
    MANAGED(TEXT_MAP, "evictionSoftGracePeriod"),
    FIELD(DURATION, "evictionPressureTransitionPeriod"),
    MANAGED(INT, "evictionMaxPodGracePeriod"),
    FIELD(TEXT_MAP, "evictionMinimumReclaim"),
    FIELD(BOOL, "mergeDefaultEvictionSettings"),
    MANAGED(INT, "podsPerCore"),
    FIELD(BOOL, "enableControllerAttachDetach"),
    FIELD(BOOL, "protectKernelDefaults"),
    FIELD(BOOL, "makeIPTablesUtilChains"),
    FIELD(INT, "iptablesMasqueradeBit"),
    FIELD(INT, "iptablesDropBit"),
    FIELD(BOOL_MAP, "featureGates"),
    FIELD(BOOL, "failSwapOn"),
    FIELD(OBJECT, "memorySwap"),
    FIELD(TEXT, "containerLogMaxSize"),
    FIELD(INT, "containerLogMaxFiles"),
    FIELD(INT, "containerLogMaxWorkers"),
    FIELD(DURATION, "containerLogMonitorInterval"),
    FIELD(TEXT, "configMapAndSecretChangeDetectionStrategy"),
    MANAGED(TEXT_MAP, "systemReserved"),
    MANAGED(TEXT_MAP, "kubeReserved"),
    FIELD(TEXT, "reservedSystemCPUs"),
    FIELD(TEXT, "showHiddenMetricsForVersion"),
    FIELD(TEXT, "systemReservedCgroup"),
    FIELD(TEXT, "kubeReservedCgroup"),
    FIELD(TEXTS, "enforceNodeAllocatable"),
    FIELD(TEXTS, "allowedUnsafeSysctls"),
    FIELD(TEXT, "volumePluginDir"),
    FIELD(TEXT, "providerID"),
    FIELD(BOOL, "kernelMemcgNotification"),
    FIELD(OBJECT, "logging"),
    FIELD(BOOL, "enableSystemLogHandler"),
    FIELD(BOOL, "enableSystemLogQuery"),
    FIELD(DURATION, "shutdownGracePeriod"),
    FIELD(DURATION, "shutdownGracePeriodCriticalPods"),
    FIELD(LIST, "shutdownGracePeriodByPodPriority"),
    FIELD(OBJECT, "crashLoopBackOff"),
    FIELD(LIST, "reservedMemory"),
    FIELD(BOOL, "enableProfilingHandler"),
    FIELD(BOOL, "enableDebugFlagsHandler"),
    FIELD(BOOL, "seccompDefault"),
    FIELD(NUMBER, "memoryThrottlingFactor"),
    FIELD(TEXT, "memoryReservationPolicy"),
    FIELD(LIST, "registerWithTaints"),
    FIELD(BOOL, "registerNode"),
    FIELD(OBJECT, "tracing"),
    FIELD(BOOL, "localStorageCapacityIsolation"),
    FIELD(TEXT, "containerRuntimeEndpoint"),
    FIELD(TEXT, "imageServiceEndpoint"),
    FIELD(BOOL, "failCgroupV1"),
    FIELD(OBJECT, "userNamespaces"),
};

const KubeletField *kubelet_field(Slice name) {
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (slice_eq(fields[i].name, name))
            return &fields[i];
    }
    return NULL;
}

static bool list_is_of(const Value *value, ValueKind kind) {
    if (value->kind != VALUE_LIST)
        return false;
    for (vec_each(const Value, element, &value->list)) {
        if (element->kind != kind)
            return false;
    }
    return true;
}

static bool map_is_of(const Value *value, ValueKind kind) {
    if (value->kind != VALUE_MAP)
        return false;
    for (vec_each(const ValueMember, member, &value->map)) {
        if (member->value.kind != kind && member->value.kind != VALUE_NULL)
            return false;
    }
    return true;
}

static const char *unless(bool right, const char *expected) {
    return right ? NULL : expected;
}

const char *kubelet_field_mismatch(const KubeletField *field, const Value *value) {
    int64_t integer;

    if (value->kind == VALUE_NULL)
        return NULL;
    switch (field->kind) {
    case KUBELET_TEXT:
        return unless(value->kind == VALUE_STRING, "expected a string");
    case KUBELET_BOOL:
        return unless(value->kind == VALUE_BOOL, "expected true or false");
    case KUBELET_INT:
        return unless(value->kind == VALUE_NUMBER && value_to_int64(value, &integer) &&
                          slice_find(value->text, '.') < 0,
                      "expected an integer");
    case KUBELET_NUMBER:
        return unless(value->kind == VALUE_NUMBER, "expected a number");
    case KUBELET_DURATION:
        return unless(value->kind == VALUE_STRING && duration_parse(value->text, &integer, NULL) == OK,
                      "expected a duration like \"1m30s\"");
    case KUBELET_TEXTS:
        return unless(list_is_of(value, VALUE_STRING), "expected a list of strings");
    case KUBELET_TEXT_MAP:
        return unless(map_is_of(value, VALUE_STRING), "expected a map of strings");
    case KUBELET_BOOL_MAP:
        return unless(map_is_of(value, VALUE_BOOL), "expected a map of true and false");
    case KUBELET_OBJECT:
        return unless(value->kind == VALUE_MAP, "expected a map");
    case KUBELET_LIST:
        return unless(list_is_of(value, VALUE_MAP), "expected a list of maps");
    }
    CHECK(false, "a field of no kind");
    return NULL;
}
