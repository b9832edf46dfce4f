// Writes of pod statuses: one strategic merge patch per transition.
//
// Statuses contain what Kubernetes' controllers and tenon read: phase, start time, conditions; containers only when
// they were restarted.
#include "sim/kubelet/pod_status.h"

#include "sim/kubelet/context.h"

static void patch_status(SimKubelets *kubelets, Slice manager, const Pod *pod, const Value *patch) {
    kubelets_patch(kubelets, manager, kubelet_pod_ref(kubelets, pod), KUBE_STATUS, patch);
}

static void add_readiness(SimKubelets *kubelets, Value *conditions, bool ready, const char *reason) {
    int64_t now = kubelets_now(kubelets);
    const char *status = ready ? "True" : "False";

    add_condition(&kubelets->scratch, conditions, "Ready", status, reason, "", now);
    add_condition(&kubelets->scratch, conditions, "ContainersReady", status, reason, "", now);
}

// Begins the status of a patch. Its conditions are filled before other members are added, which may move them.
static Value *start_patch(SimKubelets *kubelets, Value *patch, Value **ret_conditions) {
    Value *status;

    *patch = value_map();
    status = put_map(&kubelets->scratch, patch, "status");
    *ret_conditions = put_list(&kubelets->scratch, status, "conditions");
    return status;
}

void kubelet_pod_write_creating(SimKubelets *kubelets, const KubeletPod *record, const Pod *pod) {
    Arena *arena = &kubelets->scratch;
    Value patch, *conditions, *status = start_patch(kubelets, &patch, &conditions);

    add_condition(arena, conditions, "Initialized", "True", "", "", record->accepted_ns);
    add_readiness(kubelets, conditions, false, "ContainersNotReady");
    put_time(arena, status, "startTime", record->accepted_ns);
    patch_status(kubelets, KUBELET, pod, &patch);
}

// Writes container statuses: all containers have the same number of restarts. `waiting`: why they do not run; NULL:
// they do.
static void put_containers(SimKubelets *kubelets, const KubeletPod *record, const Pod *pod, Value *status,
                           const char *waiting) {
    Arena *arena = &kubelets->scratch;
    Value object, *statuses;

    if (kube_get(kubelets->kube, arena, kubelet_pod_ref(kubelets, pod), &object, NULL) != OK)
        return;
    statuses = put_list(arena, status, "containerStatuses");
    for (vec_each(const Value, container, read_list(value_get_text(&object, "spec"), "containers"))) {
        Value *one = add_map(arena, statuses), *state;

        put_text(arena, one, "name", kube_text(container, "name", NULL));
        put_bool(arena, one, "ready", !waiting);
        put_int(arena, one, "restartCount", record->restarts);
        state = put_map(arena, one, "state");
        if (waiting)
            put_text(arena, put_map(arena, state, "waiting"), "reason", slice_of(waiting));
        else
            put_time(arena, put_map(arena, state, "running"), "startedAt", kubelets_now(kubelets));
    }
}

void kubelet_pod_write_running(SimKubelets *kubelets, const KubeletPod *record, const Pod *pod) {
    Arena *arena = &kubelets->scratch;
    Value patch, *conditions, *status = start_patch(kubelets, &patch, &conditions);

    add_condition(arena, conditions, "Initialized", "True", "", "", record->accepted_ns);
    add_readiness(kubelets, conditions, true, "");
    put_text(arena, status, "phase", SLICE("Running"));
    put_time(arena, status, "startTime", record->accepted_ns);
    if (record->restarts)
        put_containers(kubelets, record, pod, status, NULL);
    patch_status(kubelets, KUBELET, pod, &patch);
}

void kubelet_pod_write_ready(SimKubelets *kubelets, const Pod *pod, bool ready) {
    Value patch, *conditions;

    start_patch(kubelets, &patch, &conditions);
    add_condition(&kubelets->scratch, conditions, "Ready", ready ? "True" : "False", "", "", kubelets_now(kubelets));
    patch_status(kubelets, ready ? KUBELET : CONTROLLER_MANAGER, pod, &patch);
}

void kubelet_pod_write_over(SimKubelets *kubelets, const KubeletPod *record, const Pod *pod, bool succeeded) {
    Arena *arena = &kubelets->scratch;
    Value patch, *conditions, *status = start_patch(kubelets, &patch, &conditions);

    (void)record;
    add_readiness(kubelets, conditions, false, succeeded ? "PodCompleted" : "PodFailed");
    put_text(arena, status, "phase", succeeded ? SLICE("Succeeded") : SLICE("Failed"));
    patch_status(kubelets, KUBELET, pod, &patch);
}

void kubelet_pod_write_crashed(SimKubelets *kubelets, const KubeletPod *record, const Pod *pod) {
    Value patch, *conditions, *status = start_patch(kubelets, &patch, &conditions);

    add_readiness(kubelets, conditions, false, "ContainersNotReady");
    put_containers(kubelets, record, pod, status, "CrashLoopBackOff");
    patch_status(kubelets, KUBELET, pod, &patch);
}

void kubelet_pod_write_target(SimKubelets *kubelets, const Pod *pod, const char *reason, const char *message) {
    Value patch, *conditions;

    start_patch(kubelets, &patch, &conditions);
    add_condition(&kubelets->scratch, conditions, "DisruptionTarget", "True", reason, message, kubelets_now(kubelets));
    patch_status(kubelets, CONTROLLER_MANAGER, pod, &patch);
}

void kubelet_pod_write_collected(SimKubelets *kubelets, const Pod *pod) {
    Value patch, *conditions, *status = start_patch(kubelets, &patch, &conditions);

    if (pod_is_terminal(pod))
        return;
    add_condition(&kubelets->scratch, conditions, "DisruptionTarget", "True", "DeletionByPodGC",
                  "PodGC: node no longer exists", kubelets_now(kubelets));
    put_text(&kubelets->scratch, status, "phase", SLICE("Failed"));
    patch_status(kubelets, CONTROLLER_MANAGER, pod, &patch);
}

void kubelet_pod_remove(SimKubelets *kubelets, const Pod *pod) {
    KubeDeletion deletion = {.uid = kubelets_text(kubelets, pod->uid), .has_grace = true};

    kube_remove(kubelets->kube, kubelet_pod_ref(kubelets, pod), &deletion, NULL);
}
