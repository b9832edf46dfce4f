// Writes of pods, workloads and statuses; and retries.
#include "sim/workloads/writing.h"

#include "sim/workloads/records.h"

enum { RETRY_FIRST_S = 1, RETRY_MAX_S = 1000, STATUS_EVERY_S = 1 };

const Value *workload_spec(const SimWorkload *workload) {
    return value_get_text(&workload->object, "spec");
}

Slice workload_name(const SimWorkload *workload) {
    return symbol_text(workload->workloads->symbols, workload->name);
}

Slice workload_ns(const SimWorkload *workload) {
    return symbol_text(workload->workloads->symbols, workload->ns);
}

int64_t workload_now(const SimWorkload *workload) {
    return world_now_ns(workload->workloads->world);
}

bool workload_is_waiting(const SimWorkload *workload) {
    return workload->expected_adds > 0 || workload->expected_deletes > 0;
}

// Waking.

static void ring(void *context) {
    workload_due(context);
}

static void ring_retry(void *context) {
    SimWorkload *workload = context;

    workload->retry = 0;
    workload_due(workload);
}

static void ring_status(void *context) {
    SimWorkload *workload = context;

    workload->status_alarm = 0;
    workload_due(workload);
}

void workload_retry(SimWorkload *workload) {
    int64_t delay_s = workload->failures < 10 ? RETRY_FIRST_S << workload->failures : RETRY_MAX_S;

    if (workload->retry)
        return;
    workload->failures++;
    workload->retry = world_alarm(workload->workloads->world,
                                  workload_now(workload) + (delay_s < RETRY_MAX_S ? delay_s : RETRY_MAX_S) * NS_PER_S,
                                  ring_retry, workload);
}

void workload_succeeded(SimWorkload *workload) {
    workload->failures = 0;
}

void workload_wake(SimWorkload *workload, Alarm *alarm, int64_t at_ns) {
    world_cancel(workload->workloads->world, *alarm);
    *alarm = world_alarm(workload->workloads->world, at_ns, ring, workload);
}

// Pods.

ErrCode workload_create_pod(SimWorkload *workload, const Value *pod, Value *ret_pod) {
    SimWorkloads *workloads = workload->workloads;
    KubeError error;
    ErrCode code =
        kube_create(workloads->kube, &workloads->scratch, CONTROLLER_MANAGER, KUBE_POD, pod, ret_pod, &error);

    if (code == OK)
        workload->expected_adds++;
    else if (error.reason != KUBE_REASON_ALREADY_EXISTS)
        workload_retry(workload);
    return code;
}

void workload_delete_pod(SimWorkload *workload, Handle handle) {
    SimWorkloads *workloads = workload->workloads;
    const Pod *pod = workload_pod(workload, handle);
    KubeDeletion deletion = {0};
    KubeRef ref;

    if (!pod || pod->deleting || workload_pod_note(workloads, handle)->asked)
        return;
    workload_pod_note(workloads, handle)->asked = true;
    ref = (KubeRef){KUBE_POD, symbol_text(workloads->symbols, pod->ns), symbol_text(workloads->symbols, pod->name)};
    deletion.uid = symbol_text(workloads->symbols, pod->uid);
    if (kube_remove(workloads->kube, ref, &deletion, NULL) == OK)
        workload->expected_deletes++;
}

// SimWorkloads.

static KubeRef ref_of(const SimWorkload *workload) {
    return (KubeRef){workload->kind, workload_ns(workload), workload_name(workload)};
}

ErrCode workload_patch(SimWorkload *workload, KubePart part, const Value *patch) {
    SimWorkloads *workloads = workload->workloads;
    Value written;
    KubeError error;
    ErrCode code = kube_patch(workloads->kube, &workloads->scratch, CONTROLLER_MANAGER, ref_of(workload), part,
                              &(KubePatch){.type = KUBE_PATCH_MERGE, .body = patch}, &written, &error);

    if (code == OK)
        workload_take(workloads, workload->kind, &written, false);
    else if (code != ERR_NOT_FOUND)
        workload_retry(workload);
    return code;
}

ErrCode workload_create(SimWorkload *owner, KubeKind kind, const Value *object, KubeError *error) {
    SimWorkloads *workloads = owner->workloads;
    Value written;
    ErrCode code = kube_create(workloads->kube, &workloads->scratch, CONTROLLER_MANAGER, kind, object, &written, error);

    if (code == OK)
        workload_take(workloads, kind, &written, false);
    return code;
}

void workload_delete(SimWorkload *workload) {
    KubeDeletion deletion = {.uid = symbol_text(workload->workloads->symbols, workload->uid),
                             .propagation = KUBE_PROPAGATION_BACKGROUND};

    kube_remove(workload->workloads->kube, ref_of(workload), &deletion, NULL);
}

// Statuses.

void workload_put_count(Arena *arena, Value *status, const char *key, int64_t count) {
    value_put(arena, status, slice_of(key), count ? value_int(arena, count) : value_null());
}

static const Value *find_condition(const SimWorkload *workload, const char *type) {
    const ValueList *conditions = read_list(value_get_text(&workload->object, "status"), "conditions");

    for (vec_each(const Value, condition, conditions)) {
        if (slice_eq_text(kube_text(condition, "type", NULL), type))
            return condition;
    }
    return NULL;
}

static void keep_member(Arena *arena, Value *to, const Value *from, const char *key) {
    const Value *value = value_get(from, slice_of(key));

    if (value)
        value_put(arena, to, slice_of(key), value_copy(arena, value));
}

void workload_keep_condition(const SimWorkload *workload, Arena *arena, Value *conditions, const char *type,
                             const char *status, const char *reason, const char *message) {
    const Value *before = find_condition(workload, type);
    Value *condition = add_condition(arena, conditions, type, status, reason, message, workload_now(workload));

    if (before && slice_eq_text(kube_text(before, "status", NULL), status))
        keep_member(arena, condition, before, "lastTransitionTime");
}

static bool differs(const Value *wanted, const Value *present) {
    for (vec_each(const ValueMember, member, &wanted->map)) {
        const Value *there = value_get(present, member->key);

        if (member->value.kind == VALUE_NULL ? there != NULL : !there || !value_eq(there, &member->value))
            return true;
    }
    return false;
}

void workload_write_status(SimWorkload *workload) {
    SimWorkloads *workloads = workload->workloads;
    Arena *arena = &workloads->scratch;
    int64_t now = workload_now(workload);
    Value patch = value_map(), *status;

    if (workload->status_alarm)
        return;
    if (now < workload->status_ns) {
        workload->status_alarm = world_alarm(workloads->world, workload->status_ns, ring_status, workload);
        return;
    }
    status = put_map(arena, &patch, "status");
    workload_kind(workload->kind)->status(workload, arena, status);
    if (!differs(status, value_get_text(&workload->object, "status")))
        return;
    workload->status_ns = now + STATUS_EVERY_S * NS_PER_S;
    workload_patch(workload, KUBE_STATUS, &patch);
}
