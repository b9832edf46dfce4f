// Namespaces, Services, PodDisruptionBudgets, RuntimeClasses and PriorityClasses.
#include "model/decode/amounts.h"
#include "model/decode/expressions.h"
#include "model/decode/schemas.h"
#include "model/decode/taints.h"

static const Field namespace_fields[] = {
    FIELD(Namespace, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
};
static const FieldTable namespace_table = FIELD_TABLE(Namespace, namespace_fields);

static ErrCode complete_namespace(Decoder *decoder, const Value *object, void *decoded, Err *err) {
    Namespace *namespace = decoded;

    (void)object, (void)err;
    labels_set(decoder->arena, &namespace->meta.labels, NAME_NAMESPACE_NAME_LABEL, namespace->meta.name);
    return OK;
}

const ObjectSchema namespace_schema = {&namespace_table, complete_namespace};

static const Field service_spec_fields[] = {
    FIELD_HAS(Service, selector, has_selector, "selector", FIELD_CUSTOM, .custom = decode_labels),
};
static const FieldTable service_spec_table = FIELD_TABLE(Service, service_spec_fields);
static const Field service_fields[] = {
    FIELD(Service, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("spec", service_spec_table, ),
};
static const FieldTable service_table = FIELD_TABLE(Service, service_fields);

const ObjectSchema service_schema = {&service_table, NULL};

static ErrCode decode_unhealthy_policy(Decoder *decoder, const Value *value, void *ret_always, Err *err) {
    static const char *const words[] = {"IfHealthyBudget", "AlwaysAllow"};
    size_t word;

    TRY(DECODE_WORD(decoder, value, words, &word, err));
    *(bool *)ret_always = word == 1;
    return OK;
}

static const Field budget_spec_fields[] = {
    FIELD_CUSTOM_WITH(PodDisruptionBudget, selector, "selector", decode_selector, ),
    FIELD_CUSTOM_WITH(PodDisruptionBudget, min_available, "minAvailable", decode_int_or_string, ),
    FIELD_CUSTOM_WITH(PodDisruptionBudget, max_unavailable, "maxUnavailable", decode_int_or_string, ),
    FIELD_CUSTOM_WITH(PodDisruptionBudget, always_allow_unhealthy, "unhealthyPodEvictionPolicy",
                      decode_unhealthy_policy, ),
};
static const FieldTable budget_spec_table = FIELD_TABLE(PodDisruptionBudget, budget_spec_fields);
static const Field budget_status_fields[] = {
    FIELD_HAS(PodDisruptionBudget, disruptions_allowed, has_status, "disruptionsAllowed", FIELD_INT32, ),
};
static const FieldTable budget_status_table = FIELD_TABLE(PodDisruptionBudget, budget_status_fields);
static const Field budget_fields[] = {
    FIELD(PodDisruptionBudget, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("spec", budget_spec_table, ),
    FIELD_FLAT("status", budget_status_table, ),
};
static const FieldTable budget_table = FIELD_TABLE(PodDisruptionBudget, budget_fields);

const ObjectSchema disruption_budget_schema = {&budget_table, NULL};

static const Field overhead_fields[] = {
    FIELD_CUSTOM_WITH(RuntimeClass, overhead, "podFixed", decode_requests, ),
};
static const FieldTable overhead_table = FIELD_TABLE(RuntimeClass, overhead_fields);
static const Field scheduling_fields[] = {
    FIELD_CUSTOM_WITH(RuntimeClass, node_selector, "nodeSelector", decode_labels, ),
    FIELD_CUSTOM_WITH(RuntimeClass, tolerations, "tolerations", decode_tolerations, ),
};
static const FieldTable scheduling_table = FIELD_TABLE(RuntimeClass, scheduling_fields);
static const Field runtime_fields[] = {
    FIELD(RuntimeClass, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("overhead", overhead_table, ),
    FIELD_FLAT("scheduling", scheduling_table, ),
};
static const FieldTable runtime_table = FIELD_TABLE(RuntimeClass, runtime_fields);

const ObjectSchema runtime_class_schema = {&runtime_table, NULL};

static const Field priority_fields[] = {
    FIELD(PriorityClass, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD(PriorityClass, value, "value", FIELD_INT32, ),
};
static const FieldTable priority_table = FIELD_TABLE(PriorityClass, priority_fields);

const ObjectSchema priority_class_schema = {&priority_table, NULL};
