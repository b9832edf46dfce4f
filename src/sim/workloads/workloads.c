// The component: watches in, records kept, due ones looked at.
//
// Sinks and observers only note; everything is written from react. SimWorkloads are looked at in the order in which
// they became due, so equal histories stay equal.
#include "sim/workloads/workload.h"

#include "base/alloc.h"

// Owners first, so that a watch that begins tells them before what they own.
static const SimWorkloadKind *const kinds[WORKLOAD_KINDS] = {&deployment_kind, &replica_set_kind, &stateful_set_kind,
                                                             &daemon_set_kind, &job_kind};

const SimWorkloadKind *workload_kind(KubeKind kind) {
    for (size_t i = 0; i < WORKLOAD_KINDS; i++) {
        if (kinds[i]->kind == kind)
            return kinds[i];
    }
    CHECK(false, "kind %u is no workload", (unsigned)kind);
    return NULL;
}

SimWorkload *workload_at(SimWorkloads *workloads, uint32_t slot) {
    return slot < workloads->slots.count ? workloads->slots.items[slot] : NULL;
}

SimWorkload *workload_find(SimWorkloads *workloads, Symbol uid) {
    return workload_at(workloads, u64_map_get(&workloads->by_uid, uid));
}

void workload_due(SimWorkload *workload) {
    if (workload->due)
        return;
    workload->due = true;
    vec_push(&workload->workloads->arena, &workload->workloads->due, workload->slot);
}

void workload_owner_due(SimWorkload *workload) {
    SimWorkload *owner = workload->owner ? workload_find(workload->workloads, workload->owner) : NULL;

    if (owner)
        workload_due(owner);
}

PodNote *workload_pod_note(SimWorkloads *workloads, Handle pod) {
    if (pod.index >= workloads->note_capacity) {
        uint32_t before = workloads->note_capacity;

        GROW(workloads->notes, workloads->note_capacity, pod.index + 1);
        for (uint32_t i = before; i < workloads->note_capacity; i++)
            workloads->notes[i] = (PodNote){.place = SLOT_NONE};
    }
    return &workloads->notes[pod.index];
}

// Counting.

bool sim_pod_is_active(const Pod *pod) {
    return !pod->deleting && !pod_is_terminal(pod);
}

static void count_pod(PodCounts *counts, const Pod *pod, int sign) {
    uint32_t one = (uint32_t)sign; // wraps to −1

    if (pod->phase == POD_SUCCEEDED)
        counts->succeeded += one;
    else if (pod->phase == POD_FAILED)
        counts->failed += one;
    else if (pod->deleting)
        counts->terminating += one;
    else
        counts->active += one;
    if (sim_pod_is_active(pod) && pod->ready)
        counts->ready += one;
}

static SimWorkload *controller_of(SimWorkloads *workloads, const Pod *pod) {
    const OwnerReference *owner = pod ? pod_controller(pod) : NULL;

    return owner ? workload_find(workloads, owner->uid) : NULL;
}

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

// A pod that took the place of another of its name while nobody was told: that one is gone, this one is new.
static void observe_replacement(SimWorkloads *workloads, const StateChange *change) {
    StateChange gone = *change, new = *change;

    gone.after = NULL;
    new.before = NULL;
    observe_pod(workloads, &gone);
    observe_pod(workloads, &new);
}

static void observe_pod(SimWorkloads *workloads, const StateChange *change) {
    const Pod *before = change->before, *after = change->after;
    SimWorkload *left = controller_of(workloads, before), *now = controller_of(workloads, after);
    SimWorkload *workload = now ? now : left;

    if (before && after && before->uid != after->uid) {
        observe_replacement(workloads, change);
        return;
    }
    note_readiness(workloads, change);
    if (left)
        count_pod(&left->pods, before, -1);
    if (now)
        count_pod(&now->pods, after, 1);
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

// Records.

static void count_present_pods(SimWorkload *workload) {
    const HandleVec *pods = workload_pods(workload);

    for (vec_each(const Handle, handle, pods)) {
        const Pod *pod = workload_pod(workload, *handle);

        if (controller_of(workload->workloads, pod) == workload)
            count_pod(&workload->pods, pod, 1);
    }
}

static Symbol controller_uid(Symbols *symbols, const Value *object) {
    const ValueList *owners = read_list(value_get_text(object, "metadata"), "ownerReferences");

    for (vec_each(const Value, owner, owners)) {
        if (read_bool(owner, "controller"))
            return symbol_intern(symbols, kube_text(owner, "uid", NULL));
    }
    return SYMBOL_EMPTY;
}

// ReplicaSets and their Deployment find each other, whoever is seen first.
static void join_deployment(SimWorkload *set) {
    SimWorkloads *workloads = set->workloads;
    SimWorkload *owner = set->owner ? workload_find(workloads, set->owner) : NULL;

    if (owner && owner->kind == KUBE_DEPLOYMENT)
        deployment_note_set(owner, set);
    else if (set->owner)
        vec_push(&workloads->arena, &workloads->ownerless_sets, set->slot);
}

static void find_sets(SimWorkload *deployment) {
    SimWorkloads *workloads = deployment->workloads;
    U32Vec waiting = workloads->ownerless_sets;

    workloads->ownerless_sets = (U32Vec){0};
    for (vec_each(const uint32_t, slot, &waiting)) {
        SimWorkload *set = workload_at(workloads, *slot);

        if (set)
            join_deployment(set);
    }
}

static SimWorkload *add_record(SimWorkloads *workloads, KubeKind kind, const Value *object) {
    SimWorkload *workload = NEW(SimWorkload);

    workload->workloads = workloads;
    workload->slot = workloads->slots.count;
    workload->kind = kind;
    workload->ns = symbol_intern(workloads->symbols, kube_namespace(object));
    workload->name = symbol_intern(workloads->symbols, kube_name(object));
    workload->uid = symbol_intern(workloads->symbols, kube_uid(object));
    workload->created_ns = read_time(value_get_text(object, "metadata"), "creationTimestamp");
    vec_push(&workloads->arena, &workloads->slots, workload);
    if (kind == KUBE_DAEMON_SET)
        vec_push(&workloads->arena, &workloads->daemon_sets, workload->slot);
    u64_map_put(&workloads->arena, &workloads->by_uid, workload->uid, workload->slot);
    count_present_pods(workload);
    if (kind == KUBE_DEPLOYMENT)
        find_sets(workload);
    return workload;
}

static void drop_record(SimWorkload *workload) {
    SimWorkloads *workloads = workload->workloads;
    Alarm alarms[] = {workload->retry, workload->status_alarm};

    for (size_t i = 0; i < sizeof alarms / sizeof *alarms; i++)
        world_cancel(workloads->world, alarms[i]);
    if (workload_kind(workload->kind)->free)
        workload_kind(workload->kind)->free(workload);
    workloads->slots.items[workload->slot] = NULL;
    arena_free(&workload->arena);
    free(workload);
}

void workload_take(SimWorkloads *workloads, KubeKind kind, const Value *object, bool removed) {
    SimWorkload *workload = workload_find(workloads, symbol_intern(workloads->symbols, kube_uid(object)));
    KubeRevision revision = kube_revision(object);

    if (removed) {
        if (!workload)
            return;
        workload_owner_due(workload);
        drop_record(workload);
        return;
    }
    if (!workload)
        workload = add_record(workloads, kind, object);
    else if (revision <= workload->revision)
        return;
    arena_free(&workload->arena);
    workload->arena = (Arena){0};
    workload->object = value_copy(&workload->arena, object);
    workload->revision = revision;
    workload->generation = kube_generation(object);
    workload->deleting = kube_is_deleting(object);
    workload->owner = controller_uid(workloads->symbols, object);
    if (kind == KUBE_REPLICA_SET)
        join_deployment(workload);
    workload_kind(kind)->read(workload);
    workload_due(workload);
    workload_owner_due(workload);
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

// What went while nobody was told goes; the rest is taken as if it had been told.
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

// After a gap in what the mirror was told, nobody knows which of the awaited events will come.
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
            drop_record(workloads->slots.items[i]);
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
        workloads->watches[i] = (WorkloadWatch){.workloads = workloads, .kind = kinds[i]};
        CHECK(start_watch(&workloads->watches[i]) == OK, "a new watch cannot fail");
    }
    world_add(world, &table, workloads);
}
