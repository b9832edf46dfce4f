// The table of rules, and helpers for defaults.
#include "sim/api/rules/rules.h"

#include "text/value_edit.h"

static const char *const pod_fields[] = {
    "spec.nodeName", "spec.restartPolicy", "spec.schedulerName",       "spec.serviceAccountName",
    "status.phase",  "status.podIP",       "status.nominatedNodeName", NULL};
static const char *const node_fields[] = {"spec.unschedulable", NULL};
static const char *const namespace_fields[] = {"status.phase", NULL};
static const char *const event_fields[] = {"involvedObject.kind",
                                           "involvedObject.namespace",
                                           "involvedObject.name",
                                           "involvedObject.uid",
                                           "reason",
                                           "type",
                                           "reportingComponent",
                                           NULL};

#define CUSTOM_KIND .has_generation = true

static const KindRules rules[KUBE_KIND_COUNT] = {
    [KUBE_NAMESPACE] = {.name = NAME_LABEL,
                        .unconditional_update = true,
                        .fields = namespace_fields,
                        .defaults = namespace_defaults,
                        .prepare = namespace_prepare},
    [KUBE_NODE] = {.unconditional_update = true,
                   .status_on_create = true,
                   .fields = node_fields,
                   .defaults = node_defaults,
                   .prepare = node_prepare,
                   .validate = node_validate},
    [KUBE_POD] = {.has_generation = true,
                  .unconditional_update = true,
                  .fields = pod_fields,
                  .defaults = pod_defaults,
                  .prepare = pod_prepare,
                  .validate = pod_validate},
    [KUBE_SERVICE] = {.name = NAME_LABEL, .unconditional_update = true, .create_on_update = true},
    [KUBE_EVENT] = {.unconditional_update = true,
                    .create_on_update = true,
                    .fields = event_fields,
                    .validate = event_validate},
    [KUBE_PERSISTENT_VOLUME] = {.unconditional_update = true, .defaults = volume_defaults, .prepare = volume_prepare},
    [KUBE_PERSISTENT_VOLUME_CLAIM] = {.unconditional_update = true,
                                      .defaults = volume_defaults,
                                      .prepare = volume_prepare,
                                      .validate = volume_claim_validate},
    [KUBE_STORAGE_CLASS] = {.unconditional_update = true,
                            .defaults = storage_class_defaults,
                            .validate = storage_class_validate},
    [KUBE_DEPLOYMENT] = {.has_generation = true,
                         .unconditional_update = true,
                         .defaults = deployment_defaults,
                         .validate = workload_validate},
    [KUBE_REPLICA_SET] = {.has_generation = true,
                          .unconditional_update = true,
                          .defaults = replica_set_defaults,
                          .prepare = count_prepare,
                          .validate = workload_validate},
    [KUBE_STATEFUL_SET] = {.has_generation = true,
                           .unconditional_update = true,
                           .defaults = stateful_set_defaults,
                           .prepare = count_prepare,
                           .validate = workload_validate},
    [KUBE_DAEMON_SET] = {.has_generation = true,
                         .unconditional_update = true,
                         .defaults = daemon_set_defaults,
                         .prepare = count_prepare,
                         .validate = workload_validate},
    [KUBE_JOB] = {.has_generation = true,
                  .unconditional_update = true,
                  .orphans_by_default = true,
                  .defaults = job_defaults,
                  .prepare = job_prepare,
                  .validate = job_validate},
    [KUBE_POD_DISRUPTION_BUDGET] = {.has_generation = true, .prepare = count_prepare, .validate = budget_validate},
    [KUBE_LEASE] = {.create_on_update = true},
    [KUBE_PRIORITY_CLASS] = {.unconditional_update = true},
    [KUBE_RUNTIME_CLASS] = {.create_on_update = true},
    [KUBE_RESOURCE_SLICE] = {.has_generation = true, .unconditional_update = true},
    [KUBE_RESOURCE_CLAIM] = {.unconditional_update = true},
    [KUBE_NODE_POOL] = {CUSTOM_KIND, .defaults = node_pool_defaults, .validate = node_pool_validate},
    [KUBE_NODE_CLAIM] = {CUSTOM_KIND, .defaults = node_claim_defaults, .validate = node_claim_validate},
    [KUBE_NODE_OVERLAY] = {CUSTOM_KIND, .validate = node_overlay_validate},
    [KUBE_EC2_NODE_CLASS] = {CUSTOM_KIND, .validate = node_class_validate},
    [KUBE_KWOK_NODE_CLASS] = {CUSTOM_KIND, .defaults = kwok_class_defaults, .validate = node_class_validate},
    [KUBE_CAPACITY_BUFFER] = {CUSTOM_KIND, .defaults = capacity_buffer_defaults, .validate = capacity_buffer_validate},
    [KUBE_PROVISIONER] = {CUSTOM_KIND, .defaults = old_defaults, .validate = provisioner_validate},
    [KUBE_MACHINE] = {CUSTOM_KIND, .defaults = old_defaults, .validate = machine_validate},
    [KUBE_AWS_NODE_TEMPLATE] = {CUSTOM_KIND, .defaults = old_defaults, .validate = node_template_validate},
    [KUBE_CONFIG_MAP] = {.unconditional_update = true, .create_on_update = true},
    [KUBE_SECRET] = {.unconditional_update = true, .create_on_update = true},
    [KUBE_MUTATING_WEBHOOKS] = {.has_generation = true, .unconditional_update = true},
    [KUBE_VALIDATING_WEBHOOKS] = {.has_generation = true, .unconditional_update = true},
};

const KindRules *rules_of(KubeKind kind) {
    return &rules[kind];
}

void default_text(Arena *arena, Value *map, const char *key, const char *text) {
    if (!value_find(map, slice_of(key)))
        value_put(arena, map, slice_of(key), value_string(slice_of(text)));
}

void default_int(Arena *arena, Value *map, const char *key, int64_t number) {
    if (!value_find(map, slice_of(key)))
        value_put(arena, map, slice_of(key), value_int(arena, number));
}

bool member_eq(const Value *a, const Value *b, const char *key) {
    const Value *one = value_get(a, slice_of(key)), *other = value_get(b, slice_of(key));

    return one && other ? value_eq(one, other) : one == other;
}
