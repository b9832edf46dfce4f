// Settings of the controllers, with Karpenter's names and defaults (lifecycle.md 7.4). `tenon run` reads them from
// flags and the environment, scenarios from their head.
#pragma once

#include "disrupt/pass.h"

typedef struct {
    int64_t batch_idle_ns, batch_max_ns;
    PreferencePolicy preferences;
    MinValuesPolicy min_values;
    PlanSearch search;
    const DefaultSpread *default_spread; // or NULL
    int64_t launch_timeout_ns, registration_timeout_ns;
    Slice node_class_group, node_class_kind,
        node_class_label;        // the provider's NodeClass ("karpenter.k8s.aws", "EC2NodeClass", …)
    bool has_interruption_queue; // messages of the cloud are asked for
    bool looks_up_classes;       // NodeClasses name what the cloud has to look up
    bool disruption;             // voluntary disruption is on
    uint32_t expiration_jitter_percent;
    int64_t expiration_lead_ns;
    Consolidation consolidation;
    bool gate_static_capacity, gate_node_repair, gate_reboot, gate_reserved_capacity, gate_spot_to_spot;
    bool gate_pod_deletion_cost; // gate PodDeletionCostManagement
    bool planned_taint;          // nodes that are planned to go say PreferNoSchedule
    bool gate_terminate_first_drift, gate_terminate_first_repair;
    // Machines may be there and cannot be listed, so that their instances must not count as nobody's; set by any
    // thread. NULL: never.
    const atomic_bool *machines_are_hidden;
    bool omit_events; // events are not sent: dry run of the event recorder
} Settings;

Settings settings_default(void);
