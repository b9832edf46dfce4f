// ReplicaSets: keep the number of pods that spec.replicas demands.
#include "sim/workloads/replica_set.h"

#include "sim/workloads/pod_ranks.h"
#include "sim/workloads/records.h"
#include "sim/workloads/template.h"
#include "sim/workloads/writing.h"

#include <stdlib.h>

enum { BURST = 500 }; // most pods created or deleted in one step

static int64_t annotation(const SimWorkload *set, const char *key) {
    Slice text = kube_text(&set->object, "metadata", "annotations", key, NULL);
    int64_t number;

    return slice_to_int64(text, &number) ? number : -1;
}

static void read_set(SimWorkload *set) {
    const Value *spec = workload_spec(set);
    ReplicaSetPart *part = &set->replica_set;

    part->replicas = read_int(spec, "replicas", 1);
    part->min_ready_s = read_int(spec, "minReadySeconds", 0);
    part->desired = annotation(set, "deployment.kubernetes.io/desired-replicas");
    part->most = annotation(set, "deployment.kubernetes.io/max-replicas");
    part->revision = annotation(set, "deployment.kubernetes.io/revision");
}

uint32_t workload_available(SimWorkload *workload, int64_t min_ready_s, Alarm *alarm) {
    int64_t now = workload_now(workload), next = INT64_MAX;
    uint32_t available = 0;

    if (min_ready_s == 0)
        return workload->pods.ready;
    for (vec_each(const Handle, handle, workload_pods(workload))) {
        const Pod *pod = workload_pod(workload, *handle);
        int64_t at = workload_pod_note(workload->workloads, *handle)->ready_ns + min_ready_s * NS_PER_S;

        if (!sim_pod_is_active(pod) || !pod->ready)
            continue;
        available += at <= now;
        if (at > now && at < next)
            next = at;
    }
    world_cancel(workload->workloads->world, *alarm);
    *alarm = 0;
    if (next != INT64_MAX)
        workload_wake(workload, alarm, next);
    return available;
}

static void create_pods(SimWorkload *set, int64_t count) {
    Arena *arena = &set->workloads->scratch;
    Value pod = workload_template_pod(set, arena, value_get_text(workload_spec(set), "template"));
    Value *meta = value_find_text(&pod, "metadata");

    put_text(arena, meta, "generateName", arena_printf(arena, "%.*s-", SLICE_ARG(workload_name(set))));
    for (int64_t i = 0; i < count && i < BURST; i++) {
        ArenaMark mark = arena_mark(arena);
        ErrCode code = workload_create_pod(set, &pod, NULL);

        arena_rewind(arena, mark);
        if (code != OK)
            return;
    }
    workload_succeeded(set);
}

static void delete_pods(SimWorkload *set, int64_t count) {
    HandleVec pods = {0};

    workload_rank_pods(set, &set->workloads->scratch, &pods);
    for (uint32_t i = 0; i < pods.count && i < count && i < BURST; i++)
        workload_delete_pod(set, pods.items[i]);
}

static void sync_set(SimWorkload *set) {
    int64_t surplus = (int64_t)set->pods.active - set->replica_set.replicas;

    if (!set->deleting && !workload_is_waiting(set)) {
        if (surplus < 0)
            create_pods(set, -surplus);
        else if (surplus > 0)
            delete_pods(set, surplus);
    }
    workload_write_status(set);
}

static void status_of_set(SimWorkload *set, Arena *arena, Value *status) {
    put_int(arena, status, "replicas", set->pods.active);
    workload_put_count(arena, status, "fullyLabeledReplicas", set->pods.active);
    workload_put_count(arena, status, "readyReplicas", set->pods.ready);
    workload_put_count(arena, status, "availableReplicas",
                       workload_available(set, set->replica_set.min_ready_s, &set->replica_set.available));
    workload_put_count(arena, status, "terminatingReplicas", set->pods.terminating);
    put_int(arena, status, "observedGeneration", set->generation);
}

static void free_set(SimWorkload *set) {
    world_cancel(set->workloads->world, set->replica_set.available);
}

const SimWorkloadKind replica_set_kind = {KUBE_REPLICA_SET, read_set, sync_set, status_of_set, NULL, free_set};
