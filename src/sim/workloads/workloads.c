// The workloads component: watches, records, and handling of due workloads.
//
// Sinks and observers only note; react does all writing. Workloads are handled in the order in which they became due,
// so equal histories stay equal.
#include "base/alloc.h"
#include "sim/workloads/daemon_set.h"
#include "sim/workloads/records.h"

// Counting.

static void meet_expectations(SimWorkload *workload, const Pod *before, const Pod *after) {
    if (!before && workload->expected_adds)
        workload->expected_adds--;
    if (before && !before->deleting && (!after || after->deleting) && workload->expected_deletes)
        workload->expected_deletes--;
}

static void note_readiness(SimWorkloads *workloads, const StateChange *change) {
    const Pod *before = change->before, *after = change->after;
    PodNote *note = workload_pod_note(workloads, change->handle);

    if (!before)
        *note = (PodNote){.place = SLOT_NONE};
    if (after && after->ready && !(before && before->ready))
        note->ready_ns = world_now_ns(workloads->world) / NS_PER_S * NS_PER_S;
}

static void observe_pod(SimWorkloads *workloads, const StateChange *change);

// Handles a pod that replaced another one of its name without an event in between: the old one is gone, this one is
// new.
static void observe_replacement(SimWorkloads *workloads, const StateChange *change) {
    StateChange gone = *change, new = *change;

    gone.after = NULL;
    new.before = NULL;
    observe_pod(workloads, &gone);
    observe_pod(workloads, &new);
}

static void observe_pod(SimWorkloads *workloads, const StateChange *change) {
    const Pod *before = change->before, *after = change->after;
    SimWorkload *left = workload_of_pod(workloads, before), *now = workload_of_pod(workloads, after);
    SimWorkload *workload = now ? now : left;

    if (before && after && before->uid != after->uid) {
        observe_replacement(workloads, change);
        return;
    }
    note_readiness(workloads, change);
    if (left)
        workload_count_pod(&left->pods, before, -1);
    if (now)
        workload_count_pod(&now->pods, after, 1);
    if (left && left != now)
        workload_due(left);
    if (!workload)
        return;
    meet_expectations(workload, before, after);
    if (workload_kind(workload->kind)->pod)
        workload_kind(workload->kind)->pod(workload, change);
    workload_due(workload);
    workload_owner_due(workload);
}

static void workloads_observe(void *self, const StateChange *change) {
    SimWorkloads *workloads = self;

    if (change->kind == KUBE_POD)
        observe_pod(workloads, change);
    else if (change->kind == KUBE_NODE || change->kind == KUBE_DAEMON_SET)
        daemon_sets_observe(workloads, change);
}

// Watches.

static bool take_event(void *context, const KubeEvent *event) {
    WorkloadWatch *watch = context;

    if (event->type == KUBE_ENDED) {
        watch->ended = true;
        watch->gone = event->error->err.code == ERR_GONE;
        return true;
    }
    watch->told = event->revision;
    if (event->object)
        workload_take(watch->workloads, event->kind, event->object, event->type == KUBE_DELETED);
    return true;
}

static ErrCode start_watch(WorkloadWatch *watch) {
    return kube_watch(watch->workloads->kube, &(KubeWatchRequest){.kind = watch->kind->kind, .revision = watch->told},
                      (KubeSink){take_event, watch}, &watch->watch, NULL);
}

static bool is_listed(const SimWorkload *workload, const KubeList *list) {
    Slice uid = symbol_text(workload->workloads->symbols, workload->uid);

    for (vec_each(const Value, object, &list->items)) {
        if (slice_eq(kube_uid(object), uid))
            return true;
    }
    return false;
}

// Lists again after a gap: removes missing workloads, and takes over the others as if they had been delivered.
static void list_anew(WorkloadWatch *watch) {
    SimWorkloads *workloads = watch->workloads;
    Arena arena = {0};
    KubeList list;

    CHECK(kube_list(workloads->kube, &arena, &(KubeListRequest){.kind = watch->kind->kind}, &list, NULL) == OK);
    for (uint32_t i = 0; i < workloads->slots.count; i++) {
        SimWorkload *workload = workloads->slots.items[i];

        if (workload && workload->kind == watch->kind->kind && !is_listed(workload, &list))
            workload_take(workloads, workload->kind, &workload->object, true);
    }
    for (vec_each(const Value, object, &list.items))
        workload_take(workloads, watch->kind->kind, object, false);
    watch->told = list.revision;
    arena_free(&arena);
}

// Clears the expectations after a gap in the mirror's events: it is unknown which awaited events will come.
static void expect_nothing(SimWorkloads *workloads) {
    for (vec_each(SimWorkload *const, slot, &workloads->slots)) {
        if (!*slot)
            continue;
        (*slot)->expected_adds = (*slot)->expected_deletes = 0;
        workload_due(*slot);
    }
}

static bool repair_watches(SimWorkloads *workloads) {
    bool any = false;

    for (size_t i = 0; i < WORKLOAD_KINDS; i++) {
        WorkloadWatch *watch = &workloads->watches[i];

        if (!watch->ended)
            continue;
        any = true;
        kube_unwatch(workloads->kube, watch->watch);
        if (watch->gone || start_watch(watch) != OK) {
            list_anew(watch);
            CHECK(start_watch(watch) == OK, "a watch that begins at a list cannot be too old");
        }
        watch->ended = watch->gone = false;
    }
    if (any)
        expect_nothing(workloads);
    return any;
}

// Working.

static bool workloads_react(void *self) {
    SimWorkloads *workloads = self;
    bool repaired = repair_watches(workloads);
    U32Vec due = workloads->due;

    workloads->due = workloads->working;
    workloads->due.count = 0;
    workloads->working = due;
    for (uint32_t i = 0; i < due.count; i++) {
        SimWorkload *workload = workload_at(workloads, due.items[i]);
        ArenaMark mark = arena_mark(&workloads->scratch);

        if (!workload)
            continue;
        workload->due = false;
        workload_kind(workload->kind)->sync(workload);
        arena_rewind(&workloads->scratch, mark);
    }
    return repaired || due.count > 0;
}

static void free_workloads(void *self) {
    SimWorkloads *workloads = self;

    for (size_t i = 0; i < WORKLOAD_KINDS; i++)
        kube_unwatch(workloads->kube, workloads->watches[i].watch);
    for (uint32_t i = 0; i < workloads->slots.count; i++) {
        if (workloads->slots.items[i])
            workload_drop(workloads->slots.items[i]);
    }
    free(workloads->notes);
    arena_free(&workloads->scratch);
    arena_free(&workloads->arena);
    free(workloads);
}

void sim_workloads_add(World *world) {
    static const ComponentTable table = {
        .name = "workloads", .observe = workloads_observe, .react = workloads_react, .free = free_workloads};
    SimWorkloads *workloads = NEW(SimWorkloads);

    workloads->world = world;
    workloads->state = world_state(world);
    workloads->symbols = world_symbols(world);
    workloads->kube = world_kube(world);
    for (size_t i = 0; i < WORKLOAD_KINDS; i++) {
        workloads->watches[i] = (WorkloadWatch){.workloads = workloads, .kind = workload_kinds[i]};
        CHECK(start_watch(&workloads->watches[i]) == OK, "a new watch cannot fail");
    }
    world_add(world, &table, workloads);
}
