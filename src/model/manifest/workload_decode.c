// Deployments, ReplicaSets, ReplicationControllers, StatefulSets, Jobs and DaemonSets as templates of pods.
#include "model/manifest/workload_decode.h"

#include "model/decode/expressions.h"

#include <inttypes.h>

const char *workload_kind_text(WorkloadKind kind) {
    static const char *const texts[] = {
        [WORKLOAD_DEPLOYMENT] = "Deployment",
        [WORKLOAD_REPLICA_SET] = "ReplicaSet",
        [WORKLOAD_REPLICATION_CONTROLLER] = "ReplicationController",
        [WORKLOAD_STATEFUL_SET] = "StatefulSet",
        [WORKLOAD_JOB] = "Job",
        [WORKLOAD_DAEMON_SET] = "DaemonSet",
    };

    return texts[kind];
}

typedef struct {
    Workload workload;
    const Value *selector, *template;
    bool has_replicas, has_parallelism, has_completions, suspended;
    int64_t replicas, parallelism, completions;
    ConditionVec conditions;
} WorkloadRecord;

static const Field ordinals_fields[] = {
    FIELD(WorkloadRecord, workload.first_ordinal, "start", FIELD_INT64, ),
};
static const FieldTable ordinals_table = FIELD_TABLE(WorkloadRecord, ordinals_fields);

static const Field claim_spec_fields[] = {
    FIELD_HAS(ClaimTemplate, storage_class, has_storage_class, "storageClassName", FIELD_SYMBOL, ),
};
static const FieldTable claim_spec_table = FIELD_TABLE(ClaimTemplate, claim_spec_fields);
static const Field claim_fields[] = {
    FIELD(ClaimTemplate, meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("spec", claim_spec_table, ),
};
static const FieldTable claim_table = FIELD_TABLE(ClaimTemplate, claim_fields);

static const Field spec_fields[] = {
    FIELD_HAS(WorkloadRecord, replicas, has_replicas, "replicas", FIELD_INT64, ),
    FIELD_HAS(WorkloadRecord, parallelism, has_parallelism, "parallelism", FIELD_INT64, ),
    FIELD_HAS(WorkloadRecord, completions, has_completions, "completions", FIELD_INT64, ),
    FIELD(WorkloadRecord, suspended, "suspend", FIELD_BOOL, ),
    FIELD_FLAT("ordinals", ordinals_table, ),
    FIELD(WorkloadRecord, selector, "selector", FIELD_VALUE, ),
    FIELD(WorkloadRecord, template, "template", FIELD_VALUE, .required = true),
    FIELD(WorkloadRecord, workload.claims, "volumeClaimTemplates", FIELD_LIST, .table = &claim_table),
};
static const FieldTable spec_table = FIELD_TABLE(WorkloadRecord, spec_fields);

static const Field status_fields[] = {
    FIELD(WorkloadRecord, conditions, "conditions", FIELD_LIST, .table = &condition_table),
};
static const FieldTable status_table = FIELD_TABLE(WorkloadRecord, status_fields);

static const Field workload_fields[] = {
    FIELD(WorkloadRecord, workload.meta, "metadata", FIELD_OBJECT, .table = &object_meta_table, .required = true),
    FIELD_FLAT("spec", spec_table, .required = true),
    FIELD_FLAT("status", status_table, ),
};
static const FieldTable workload_table = FIELD_TABLE(WorkloadRecord, workload_fields);

// The template.

static const Field template_meta_fields[] = {
    FIELD_CUSTOM_WITH(Workload, pod_labels, "labels", decode_labels, ),
    FIELD_CUSTOM_WITH(Workload, pod_annotations, "annotations", decode_pod_annotations, ),
};
static const FieldTable template_meta_table = FIELD_TABLE(Workload, template_meta_fields);
static ErrCode decode_template(ManifestReader *reader, const Value *template, Workload *workload, Err *err) {
    Decoder *decoder = &reader->decoder;
    const Value *meta = value_get_text(template, "metadata"), *spec = value_get_text(template, "spec");
    PodSpecSource source = {.spec = spec};

    TRY(decode_expect(decoder, template, VALUE_MAP, err));
    decode_enter(decoder, SLICE("metadata"));
    if (meta && meta->kind != VALUE_NULL)
        TRY(decode_object(decoder, meta, &template_meta_table, workload, err));
    decode_leave(decoder);
    decode_enter(decoder, SLICE("spec"));
    if (!spec || spec->kind == VALUE_NULL)
        return decode_fail(decoder, template, err, "required");
    TRY(pod_spec_intern(reader, &source, &workload->pod_spec, err));
    decode_leave(decoder);
    workload->template_print = value_fingerprint(&reader->state->scratch, template);
    return OK;
}

// Number of pods.

static ErrCode check_count(Decoder *decoder, const Value *spec, const char *name, int64_t count, Err *err) {
    if (count >= 0 && count <= WORKLOAD_PODS_MAX)
        return OK;
    decode_enter(decoder, slice_of(name));
    return decode_fail(decoder, value_get(spec, slice_of(name)), err, "expected 0 to %d, got %" PRId64,
                       WORKLOAD_PODS_MAX, count);
}

static bool is_finished(const WorkloadRecord *record, const Symbols *symbols) {
    static const Slice ends[] = {SLICE_INIT("Complete"), SLICE_INIT("Failed")};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const Condition *condition = condition_get(&record->conditions, symbols, ends[i]);

        if (condition && slice_eq_text(symbol_text(symbols, condition->status), "True"))
            return true;
    }
    return false;
}

static void count_job_pods(WorkloadRecord *record, const Symbols *symbols) {
    Workload *job = &record->workload;

    job->completions = record->has_completions ? record->completions : -1;
    job->pods_wanted = record->has_parallelism ? record->parallelism : 1;
    if (!record->has_completions && !record->has_parallelism)
        job->completions = 1;
    if (record->suspended || is_finished(record, symbols))
        job->pods_wanted = 0;
}

static ErrCode count_pods(Decoder *decoder, const Value *spec, WorkloadRecord *record, Err *err) {
    Workload *workload = &record->workload;

    TRY(check_count(decoder, spec, "replicas", record->replicas, err));
    TRY(check_count(decoder, spec, "parallelism", record->parallelism, err));
    if (record->completions < 0)
        TRY(check_count(decoder, spec, "completions", record->completions, err));
    if (workload->first_ordinal < 0 || workload->first_ordinal > INT32_MAX)
        return decode_fail(decoder, value_at(spec, "ordinals", "start", NULL), err,
                           "ordinals.start: expected 0 to %" PRId32 ", got %" PRId64, INT32_MAX,
                           workload->first_ordinal);

    if (workload->kind == WORKLOAD_JOB)
        count_job_pods(record, decoder->symbols);
    else
        workload->pods_wanted = record->has_replicas ? record->replicas : 1;
    if (workload->meta.deleting)
        workload->pods_wanted = 0;
    return OK;
}

static ErrCode decode_workload_selector(Decoder *decoder, const Value *value, Workload *workload, Err *err) {
    if (!value || workload->kind == WORKLOAD_JOB)
        return OK;
    decode_enter(decoder, SLICE("selector"));
    if (workload->kind == WORKLOAD_REPLICATION_CONTROLLER)
        TRY(decode_map_selector(decoder, value, &workload->selector, err));
    else
        TRY(decode_selector(decoder, value, &workload->selector, err));
    decode_leave(decoder);
    return OK;
}

ErrCode workload_decode(ManifestReader *reader, WorkloadKind kind, const Value *object, Workload *ret_workload,
                        Err *err) {
    Decoder *decoder = &reader->decoder;
    WorkloadRecord record = {.workload.kind = kind};

    TRY(decode_object(decoder, object, &workload_table, &record, err));
    decode_enter(decoder, SLICE("spec"));
    TRY(count_pods(decoder, value_get_text(object, "spec"), &record, err));
    TRY(decode_workload_selector(decoder, record.selector, &record.workload, err));
    decode_enter(decoder, SLICE("template"));
    TRY(decode_template(reader, record.template, &record.workload, err));
    decode_leave(decoder);
    decode_leave(decoder);
    *ret_workload = record.workload;
    return OK;
}
