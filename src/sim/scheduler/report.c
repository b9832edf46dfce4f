// Writes of the scheduler: conditions, nominations, and deletions of victims.
#include "sim/scheduler/report.h"

#include "text/duration.h"
#include "text/value_edit.h"

static const char MANAGER[] = "kube-scheduler";

static KubeRef ref_of(const Scheduler *scheduler, const Pod *pod) {
    return (KubeRef){KUBE_POD, scheduler_text(scheduler, pod->ns), scheduler_text(scheduler, pod->name)};
}

static Value condition(Scheduler *scheduler, const char *type, const char *status, const char *reason, Slice message,
                       int64_t since_ns) {
    Arena *arena = &scheduler->arena;
    Value value = value_map();

    value_put(arena, &value, SLICE("type"), value_string(slice_of(type)));
    value_put(arena, &value, SLICE("status"), value_string(slice_of(status)));
    value_put(arena, &value, SLICE("reason"), value_string(slice_of(reason)));
    value_put(arena, &value, SLICE("message"), value_string(message));
    value_put(arena, &value, SLICE("lastProbeTime"), value_null());
    value_put(arena, &value, SLICE("lastTransitionTime"), value_string(time_print(arena, since_ns)));
    return value;
}

// A strategic merge patch of the status: conditions are merged by type.
static void write_status(Scheduler *scheduler, const Pod *pod, Value *condition_or_null, const Value *nomination) {
    Arena *arena = &scheduler->arena;
    Value body = value_map(), conditions = value_list();
    Value *status = value_make(arena, &body, "status", NULL);
    KubePatch patch = {.type = KUBE_PATCH_STRATEGIC, .body = &body};
    KubeError error = {0};
    ErrCode code;

    if (condition_or_null) {
        value_append(arena, &conditions, *condition_or_null);
        value_put(arena, status, SLICE("conditions"), conditions);
    }
    if (nomination)
        value_put(arena, status, SLICE("nominatedNodeName"), *nomination);
    code = kube_patch(world_kube(scheduler->world), arena, slice_of(MANAGER), ref_of(scheduler, pod), KUBE_STATUS,
                      &patch, NULL, &error);
    CHECK(code == OK || code == ERR_NOT_FOUND || code == ERR_CONFLICT, "condition of a pod: %s", error.err.text);
}

void scheduler_report_failure(Scheduler *scheduler, uint32_t slot, const char *reason, Slice message) {
    Ticket *ticket = &scheduler->tickets[slot];
    const Pod *pod = scheduler_pod(scheduler, slot);
    uint64_t said = hash_combine(slice_hash(message), slice_hash(slice_of(reason)));
    Value value;

    if (ticket->is_false && ticket->said == said)
        return; // as the real one: unchanged conditions are not written
    if (!ticket->is_false)
        ticket->since_ns = world_now_ns(scheduler->world);
    ticket->is_false = true;
    ticket->said = said;
    value = condition(scheduler, "PodScheduled", "False", reason, message, ticket->since_ns);
    write_status(scheduler, pod, &value, NULL);
}

void scheduler_report_nomination(Scheduler *scheduler, uint32_t slot, Symbol node) {
    Ticket *ticket = &scheduler->tickets[slot];
    Value value = node == NAME_EMPTY ? value_null() : value_string(scheduler_text(scheduler, node));

    if (node == NAME_EMPTY && !ticket->has_nomination)
        return;
    ticket->has_nomination = node != NAME_EMPTY;
    write_status(scheduler, scheduler_pod(scheduler, slot), NULL, &value);
}

void scheduler_delete_victim(Scheduler *scheduler, uint32_t slot) {
    const Pod *pod = scheduler_pod(scheduler, slot);
    Value value = condition(scheduler, "DisruptionTarget", "True", "PreemptionByScheduler",
                            SLICE("default-scheduler: preempting to accommodate a higher priority pod"),
                            world_now_ns(scheduler->world));
    KubeDeletion deletion = {.uid = scheduler_text(scheduler, pod->uid)};
    KubeError error = {0};
    ErrCode code;

    if (pod->deleting)
        return;
    write_status(scheduler, pod, &value, NULL);
    code = kube_remove(world_kube(scheduler->world), ref_of(scheduler, pod), &deletion, &error);
    CHECK(code == OK || code == ERR_NOT_FOUND || code == ERR_CONFLICT, "deleting a victim: %s", error.err.text);
}
