// Life cycle of a pod on its node: accepted, started, running, restarted, ended, stopped.
//
// A pod has at most one alarm, for its next transition. Its behaviour (annotations, restart policy) is read once, when
// its node accepts it.
#include "sim/kubelet/pod_life.h"

#include "sim/kubelet/attach.h"
#include "sim/kubelet/context.h"
#include "sim/kubelet/machines.h"
#include "sim/kubelet/pod_collector.h"
#include "sim/kubelet/pod_status.h"
#include "sim/kubelet/records.h"
#include "sim/kubelet/taint_eviction.h"

#include <stdlib.h>

enum { CRASH_FIRST_S = 10, CRASH_MAX_S = 300 };

void kubelet_pod_forget(KubeletPod *record) {
    SimKubelets *kubelets = record->kubelets;

    if (!kubelets)
        return;
    kubelets_cancel(kubelets, &record->alarm);
    kubelet_eviction_cancel(record);
    kubelet_volumes_release(record);
    record->stage = POD_STAGE_OVER;
}

static const Pod *pod_of(const KubeletPod *record) {
    return state_pod(record->kubelets->state, record->handle);
}

static const Node *node_of(const SimKubelets *kubelets, const Pod *pod, Handle *ret_handle) {
    *ret_handle = state_find(kubelets->state, KUBE_NODE, NAME_EMPTY, pod->node_name);
    return state_node(kubelets->state, *ret_handle);
}

// Whether a live kubelet serves the pod.
static bool is_served(const KubeletPod *record, const Pod *pod) {
    Handle handle;
    const Node *node = pod ? node_of(record->kubelets, pod, &handle) : NULL;

    return node && kubelet_node_is_served(record->kubelets, node);
}

// Containers that end by themselves.

static void run(KubeletPod *record, const Pod *pod);

static void end_for_good(KubeletPod *record, const Pod *pod) {
    record->stage = POD_STAGE_OVER;
    record->kubelets->counts.pods_ended++;
    kubelet_pod_write_over(record->kubelets, record, pod, !record->fails);
}

static void ring_restarted(void *context) {
    KubeletPod *record = context;
    const Pod *pod = pod_of(record);
    ArenaMark mark = arena_mark(&record->kubelets->scratch);

    record->alarm = 0;
    if (is_served(record, pod))
        run(record, pod);
    arena_rewind(&record->kubelets->scratch, mark);
}

static void restart(KubeletPod *record, const Pod *pod) {
    SimKubelets *kubelets = record->kubelets;
    int64_t wait_s = record->restarts < 5 ? (int64_t)CRASH_FIRST_S << record->restarts : CRASH_MAX_S;

    record->restarts++;
    record->stage = POD_STAGE_RESTARTING;
    kubelets->counts.pods_restarted++;
    kubelet_pod_write_crashed(kubelets, record, pod);
    kubelets_alarm(kubelets, &record->alarm, kubelets_now(kubelets) + wait_s * NS_PER_S, ring_restarted, record);
}

static void ring_ended(void *context) {
    KubeletPod *record = context;
    const Pod *pod = pod_of(record);
    ArenaMark mark = arena_mark(&record->kubelets->scratch);

    record->alarm = 0;
    if (is_served(record, pod)) {
        if (record->always || (record->on_failure && record->fails))
            restart(record, pod);
        else
            end_for_good(record, pod);
    }
    arena_rewind(&record->kubelets->scratch, mark);
}

// Starting.

static void arm_end(KubeletPod *record) {
    SimKubelets *kubelets = record->kubelets;

    record->stage = POD_STAGE_RUNNING;
    if (!record->ends)
        return;
    if (record->run_ns < 0)
        record->run_ns = kubelets_draw(&kubelets->pod_random, kubelets->config.job_run, 30000, 120000);
    kubelets_alarm(kubelets, &record->alarm, kubelets_now(kubelets) + record->run_ns, ring_ended, record);
}

static void run(KubeletPod *record, const Pod *pod) {
    record->kubelets->counts.pods_started += record->restarts == 0;
    kubelet_pod_write_running(record->kubelets, record, pod);
    arm_end(record);
}

static void ring_started(void *context) {
    KubeletPod *record = context;
    const Pod *pod = pod_of(record);
    ArenaMark mark = arena_mark(&record->kubelets->scratch);

    record->alarm = 0;
    if (is_served(record, pod))
        run(record, pod);
    arena_rewind(&record->kubelets->scratch, mark);
}

static void read_behaviour(KubeletPod *record, const Pod *pod) {
    SimKubelets *kubelets = record->kubelets;
    const Value *annotations;
    Value object;
    Slice policy, exit_code;

    record->start_ns = record->run_ns = record->stop_ns = -1;
    record->accepted_ns = kubelets_now(kubelets);
    if (kube_get(kubelets->kube, &kubelets->scratch, kubelet_pod_ref(kubelets, pod), &object, NULL) != OK)
        return;
    annotations = value_at(&object, "metadata", "annotations", NULL);
    policy = kube_text(&object, "spec", "restartPolicy", NULL);
    exit_code = kube_text(annotations, "sim.tenon.sh/exit-code", NULL);
    record->always = slice_eq_text(policy, "Always");
    record->on_failure = slice_eq_text(policy, "OnFailure");
    record->start_ns = read_seconds(annotations, "sim.tenon.sh/start-seconds");
    record->run_ns = read_seconds(annotations, "sim.tenon.sh/run-seconds");
    record->stop_ns = read_seconds(annotations, "sim.tenon.sh/stop-seconds");
    record->fails = exit_code.len && !slice_eq_text(exit_code, "0");
    record->ends = !record->always || record->run_ns >= 0;
    if (pod->started_ns)
        record->accepted_ns = pod->started_ns;
}

static void start(KubeletPod *record) {
    SimKubelets *kubelets = record->kubelets;

    record->stage = POD_STAGE_STARTING;
    if (record->start_ns < 0)
        record->start_ns = kubelets_draw(&kubelets->pod_random, kubelets->config.pod_start, 1000, 6000);
    kubelets_alarm(kubelets, &record->alarm, kubelets_now(kubelets) + record->start_ns, ring_started, record);
}

static void wait_for_volumes(KubeletPod *record, const Pod *pod) {
    SimKubelets *kubelets = record->kubelets;
    VolumesState volumes = kubelet_volumes_attach(kubelets, record, pod);

    if (volumes == VOLUMES_ATTACHED) {
        start(record);
        return;
    }
    record->stage = POD_STAGE_WAITING;
    if (volumes == VOLUMES_BLOCKED)
        vec_push(&kubelets->arena, &kubelets->waiting_pods, record->handle);
}

// Accepts a pod. One that is running already was applied by hand, or was started in an earlier life of its kubelet.
static void accept(KubeletPod *record, const Pod *pod) {
    SimKubelets *kubelets = record->kubelets;

    read_behaviour(record, pod);
    if (pod->phase == POD_RUNNING) {
        kubelet_volumes_attach(kubelets, record, pod);
        arm_end(record);
        return;
    }
    if (kubelets->config.reports_creating)
        kubelet_pod_write_creating(kubelets, record, pod);
    wait_for_volumes(record, pod);
}

// Stopping.

static void ring_stopped(void *context) {
    KubeletPod *record = context;
    const Pod *pod = pod_of(record);

    record->alarm = 0;
    if (!is_served(record, pod)) {
        record->stop_at_ns = 0; // stopping begins again when the kubelet is back
        return;
    }
    record->kubelets->counts.pods_stopped++;
    kubelet_pod_remove(record->kubelets, pod);
}

static void stop(KubeletPod *record, const Pod *pod) {
    SimKubelets *kubelets = record->kubelets;
    int64_t now = kubelets_now(kubelets), at_ns = record->stop_at_ns;

    if (record->stage < POD_STAGE_RUNNING) {
        at_ns = now; // it has not started yet
    } else if (!at_ns) {
        if (record->stop_ns < 0)
            record->stop_ns = kubelets_draw(&kubelets->pod_random, kubelets->config.pod_stop, 500, 3000);
        at_ns = now + record->stop_ns;
    }
    if (at_ns > pod->deleted_ns)
        at_ns = pod->deleted_ns;
    if (at_ns < now)
        at_ns = now;
    if (record->stage == POD_STAGE_STOPPING && at_ns == record->stop_at_ns && record->alarm)
        return;
    record->stage = POD_STAGE_STOPPING;
    record->stop_at_ns = at_ns;
    kubelets_alarm(kubelets, &record->alarm, at_ns, ring_stopped, record);
}

// Does what a dead kubelet has missed.
static void catch_up(KubeletPod *record, const Pod *pod) {
    if (record->stage == POD_STAGE_STARTING && !record->alarm)
        start(record);
    else if (record->stage == POD_STAGE_RESTARTING && !record->alarm)
        run(record, pod);
    else if (record->stage == POD_STAGE_RUNNING && record->ends && !record->alarm)
        ring_ended(record);
    else if (record->stage == POD_STAGE_RUNNING && !pod->ready)
        kubelet_pod_write_ready(record->kubelets, pod, true);
}

static void tend_served(KubeletPod *record, const Pod *pod, bool lost) {
    if (pod_is_terminal(pod)) {
        if (record->stage != POD_STAGE_OVER)
            kubelets_cancel(record->kubelets, &record->alarm);
        record->stage = POD_STAGE_OVER;
        kubelet_volumes_release(record);
        if (pod->deleting)
            kubelet_pod_remove(record->kubelets, pod);
        return;
    }
    if (record->stage == POD_STAGE_OVER)
        return; // its end was written and not seen yet
    if (record->stage == POD_STAGE_NONE && (!pod->deleting || pod->phase == POD_RUNNING))
        accept(record, pod);
    if (pod->deleting)
        stop(record, pod);
    else if (record->stage == POD_STAGE_WAITING)
        wait_for_volumes(record, pod);
    else if (!lost)
        catch_up(record, pod);
}

void kubelet_pod_tend(SimKubelets *kubelets, Handle handle) {
    KubeletPod *record = kubelet_pod_record(kubelets, handle);
    const Pod *pod = state_pod(kubelets->state, handle);
    const Node *node;
    Handle where;
    bool lost;

    if (!pod->node_name)
        return;
    node = node_of(kubelets, pod, &where);
    if (!node) {
        kubelet_ghost_tend(kubelets, pod->node_name);
        return;
    }
    lost = kubelet_node_note(kubelets, where)->lost;
    if (lost && pod->ready && !pod_is_terminal(pod))
        kubelet_pod_write_ready(kubelets, pod, false);
    kubelet_eviction_tend(kubelets, record, pod, node);
    if (kubelet_node_is_served(kubelets, node))
        tend_served(record, pod, lost);
}
