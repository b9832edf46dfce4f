// The defaults of Karpenter's flags. Reference lifecycle.md 7.4, 2.6.
#include "ctl/settings.h"

#define SECOND_NS INT64_C(1000000000)

Settings settings_default(void) {
    return (Settings){
        .batch_idle_ns = SECOND_NS,
        .batch_max_ns = 10 * SECOND_NS,
        .preferences = PREFERENCES_RESPECT,
        .min_values = MIN_VALUES_STRICT,
        .search = {.effort = EFFORT_NORMAL},
        .launch_timeout_ns = 5 * 60 * SECOND_NS,
        .registration_timeout_ns = 15 * 60 * SECOND_NS,
        .node_class_group = SLICE("karpenter.k8s.aws"),
        .node_class_kind = SLICE("EC2NodeClass"),
        .node_class_label = SLICE("karpenter.k8s.aws/ec2nodeclass"),
        .gate_reserved_capacity = true,
    };
}
