// Karpenter's default settings. Reference lifecycle.md 7.4, 2.6.
#include "ctl/settings.h"

#include "base/time.h"

Settings settings_default(void) {
    return (Settings){
        .batch_idle_ns = NS_PER_S,
        .batch_max_ns = 10 * NS_PER_S,
        .preferences = PREFERENCES_RESPECT,
        .min_values = MIN_VALUES_STRICT,
        .search = {.effort = EFFORT_NORMAL, .deadline_ns = 5 * NS_PER_S},
        .launch_timeout_ns = 5 * NS_PER_MIN,
        .registration_timeout_ns = 15 * NS_PER_MIN,
        .node_class_group = SLICE("karpenter.k8s.aws"),
        .node_class_kind = SLICE("EC2NodeClass"),
        .node_class_label = SLICE("karpenter.k8s.aws/ec2nodeclass"),
        .disruption = true,
        .expiration_jitter_percent = 10,
        .expiration_lead_ns = 10 * NS_PER_MIN,
        .gate_reserved_capacity = true,
    };
}
