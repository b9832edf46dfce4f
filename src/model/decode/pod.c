// Decoding of pods, except their spec.
#include "model/decode/pod.h"

// Whether tenon reads the annotation: pods often have hundreds of bytes of others.
static bool is_read(Slice key) {
    return slice_starts_with(key, SLICE("karpenter.sh/")) || slice_starts_with(key, SLICE("tenon.sh/surge")) ||
           slice_eq_text(key, "kubernetes.io/config.mirror") ||
           slice_eq_text(key, "controller.kubernetes.io/pod-deletion-cost") ||
           slice_eq_text(key, "tenon.sh/pod-deletion-cost");
}

ErrCode decode_pod_annotations(Decoder *decoder, const Value *value, void *ret_labels, Err *err) {
    Labels *annotations = ret_labels;

    TRY(decode_expect(decoder, value, VALUE_MAP, err));
    for (vec_each(const ValueMember, member, &value->map)) {
        if (!is_read(member->key) || member->value.kind == VALUE_NULL)
            continue;
        decode_enter(decoder, member->key);
        TRY(decode_expect(decoder, &member->value, VALUE_STRING, err));
        decode_leave(decoder);
        labels_set(decoder->arena, annotations, symbol_intern(decoder->symbols, member->key),
                   symbol_intern(decoder->symbols, member->value.text));
    }
    return OK;
}

static const Field pod_meta_fields[] = {
    FIELD(PodRecord, pod.ns, "namespace", FIELD_SYMBOL, ),
    FIELD(PodRecord, pod.name, "name", FIELD_SYMBOL, ),
    FIELD(PodRecord, pod.uid, "uid", FIELD_SYMBOL, ),
    FIELD(PodRecord, pod.created_ns, "creationTimestamp", FIELD_TIME, ),
    FIELD_HAS(PodRecord, pod.deleted_ns, pod.deleting, "deletionTimestamp", FIELD_TIME, ),
    FIELD_CUSTOM_WITH(PodRecord, pod.revision, "resourceVersion", decode_revision, ),
    FIELD_CUSTOM_WITH(PodRecord, pod.labels, "labels", decode_labels, ),
    FIELD_CUSTOM_WITH(PodRecord, pod.annotations, "annotations", decode_pod_annotations, ),
    FIELD(PodRecord, pod.owners, "ownerReferences", FIELD_LIST, .table = &owner_reference_table),
};
static const FieldTable pod_meta_table = FIELD_TABLE(PodRecord, pod_meta_fields);

static const Field pod_spec_fields[] = {
    FIELD(PodRecord, pod.node_name, "nodeName", FIELD_SYMBOL, ),
    FIELD(PodRecord, pod.priority, "priority", FIELD_INT32, ),
    FIELD(PodRecord, grace_s, "terminationGracePeriodSeconds", FIELD_INT64, ),
};
static const FieldTable pod_spec_table = FIELD_TABLE(PodRecord, pod_spec_fields);

static ErrCode decode_phase(Decoder *decoder, const Value *value, void *ret_phase, Err *err) {
    static const char *const words[] = {
        [POD_PENDING] = "Pending", [POD_RUNNING] = "Running", [POD_SUCCEEDED] = "Succeeded",
        [POD_FAILED] = "Failed",   [POD_UNKNOWN] = "Unknown",
    };
    size_t word;

    if (value->kind == VALUE_STRING && value->text.len == 0)
        return OK;
    TRY(DECODE_WORD(decoder, value, words, &word, err));
    *(PodPhase *)ret_phase = (PodPhase)word;
    return OK;
}

typedef struct {
    Slice type, status, reason;
} PodCondition;

static const Field pod_condition_fields[] = {
    FIELD(PodCondition, type, "type", FIELD_STRING, ),
    FIELD(PodCondition, status, "status", FIELD_STRING, ),
    FIELD(PodCondition, reason, "reason", FIELD_STRING, ),
};
static const FieldTable pod_condition_table = FIELD_TABLE(PodCondition, pod_condition_fields);

static void read_condition(PodRecord *record, const PodCondition *condition) {
    if (slice_eq_text(condition->type, "Ready")) {
        record->pod.ready = slice_eq_text(condition->status, "True");
        record->pod.unready = slice_eq_text(condition->status, "False");
    } else if (slice_eq_text(condition->type, "PodScheduled")) {
        record->pod.gated |= slice_eq_text(condition->reason, "SchedulingGated");
        record->pod.unschedulable = slice_eq_text(condition->reason, "Unschedulable");
    } else if (slice_eq_text(condition->type, "PodResizePending")) {
        record->source.resize_infeasible = slice_eq_text(condition->reason, "Infeasible");
    }
}

// Decodes the conditions into a few flags; their texts are not kept.
static ErrCode decode_pod_conditions(Decoder *decoder, const Value *value, void *ret_record, Err *err) {
    ArenaMark mark = arena_mark(decoder->arena);

    TRY(decode_expect(decoder, value, VALUE_LIST, err));
    for (uint32_t i = 0; i < value->list.count; i++) {
        PodCondition condition = {0};

        decode_enter_index(decoder, i);
        TRY(decode_object(decoder, &value->list.items[i], &pod_condition_table, &condition, err));
        decode_leave(decoder);
        read_condition(ret_record, &condition);
    }
    arena_rewind(decoder->arena, mark);
    return OK;
}

static const Field pod_status_fields[] = {
    FIELD_CUSTOM_WITH(PodRecord, pod.phase, "phase", decode_phase, ),
    FIELD(PodRecord, pod.nominated_node_name, "nominatedNodeName", FIELD_SYMBOL, ),
    FIELD(PodRecord, pod.started_ns, "startTime", FIELD_TIME, ),
    {.name = "conditions", .kind = FIELD_CUSTOM, .has_offset = SIZE_MAX, .custom = decode_pod_conditions},
    FIELD(PodRecord, source.container_statuses, "containerStatuses", FIELD_VALUE, ),
    FIELD(PodRecord, source.init_container_statuses, "initContainerStatuses", FIELD_VALUE, ),
};
static const FieldTable pod_status_table = FIELD_TABLE(PodRecord, pod_status_fields);

static const Field pod_fields[] = {
    FIELD_FLAT("metadata", pod_meta_table, .required = true),
    FIELD_FLAT("spec", pod_spec_table, .required = true),
    FIELD_FLAT("status", pod_status_table, ),
};
static const FieldTable pod_table = FIELD_TABLE(PodRecord, pod_fields);

static bool is_of_daemon(const Decoder *decoder, const Pod *pod) {
    const OwnerReference *owner = pod_controller(pod);

    return owner && slice_eq_text(symbol_text(decoder->symbols, owner->kind), "DaemonSet");
}

ErrCode pod_decode(Decoder *decoder, const Value *object, PodRecord *ret_record, Err *err) {
    PodRecord record = {.grace_s = 30}; // the API server's default

    TRY(decode_object(decoder, object, &pod_table, &record, err));
    record.source.spec = value_get_text(object, "spec");
    record.pod.grace_s = record.grace_s < INT32_MAX ? (int32_t)record.grace_s : INT32_MAX;
    record.pod.line = object->line;
    record.pod.of_daemon = is_of_daemon(decoder, &record.pod);
    *ret_record = record;
    return OK;
}
