// Binding a pod to its chosen node; if it has volumes that wait for a consumer, after these are bound.
#include "sim/scheduler/bind.h"

#include "sim/scheduler/cache/index.h"
#include "sim/scheduler/events.h"
#include "sim/scheduler/report.h"
#include "text/value_edit.h"

static const char MANAGER[] = "kube-scheduler";
static const int64_t BINDING_MAX_NS = 10 * NS_PER_MIN;

static void take_back(Scheduler *scheduler, uint32_t slot, const char *message) {
    cache_unassume(scheduler->cache, slot);
    scheduler_report_failure(scheduler, slot, "SchedulerError", slice_of(message));
    scheduler_report_nomination(scheduler, slot, NAME_EMPTY);
    line_retry(&scheduler->queue, slot, world_now_ns(scheduler->world));
}

static void bind(Scheduler *scheduler, uint32_t slot) {
    const Pod *pod = scheduler_pod(scheduler, slot);
    Symbol node = cache_node_name(scheduler->cache, cache_pod_node(scheduler->cache, slot));
    KubeRef ref = {KUBE_POD, scheduler_text(scheduler, pod->ns), scheduler_text(scheduler, pod->name)};
    KubeError error = {0};
    ErrCode code = kube_bind(world_kube(scheduler->world), ref, scheduler_text(scheduler, pod->uid),
                             scheduler_text(scheduler, node), &error);

    CHECK(code == OK || code == ERR_CONFLICT || code == ERR_NOT_FOUND, "binding: %s", error.err.text);
    if (code == OK)
        scheduler_wake_for_pod(scheduler, slot, true);
    else if (code == ERR_CONFLICT)
        take_back(scheduler, slot, error.err.text);
    else
        cache_unassume(scheduler->cache, slot); // its removal will be delivered
}

static Slice selected_node(Scheduler *scheduler, Symbol ns, Symbol claim) {
    const State *state = world_state(scheduler->world);
    const PersistentVolumeClaim *found =
        state_persistent_volume_claim(state, state_find(state, KUBE_PERSISTENT_VOLUME_CLAIM, ns, claim));
    Symbol key = symbol_intern(world_symbols(scheduler->world), SLICE("volume.kubernetes.io/selected-node"));
    Symbol node = found ? labels_get(&found->meta.annotations, key) : INDEX_NONE;

    return node == INDEX_NONE ? (Slice){0} : scheduler_text(scheduler, node);
}

static void select_node(Scheduler *scheduler, Symbol ns, Symbol claim, Slice node) {
    Value patch = value_map();

    if (slice_eq(selected_node(scheduler, ns, claim), node))
        return;
    value_put(&scheduler->arena, value_make(&scheduler->arena, &patch, "metadata", "annotations", NULL),
              SLICE("volume.kubernetes.io/selected-node"), value_string(node));
    world_patch(scheduler->world, MANAGER, KUBE_PERSISTENT_VOLUME_CLAIM, scheduler_text(scheduler, ns),
                scheduler_text(scheduler, claim), KUBE_OBJECT, &patch);
}

// Nominates the pod for the node that its volumes are provisioned for, so that its room is reserved (KEP-5278).
static void wait_for_volumes(Scheduler *scheduler, uint32_t slot) {
    const Pod *pod = scheduler_pod(scheduler, slot);
    Symbol node = cache_node_name(scheduler->cache, cache_pod_node(scheduler->cache, slot));
    SymbolVec claims = {0};

    scheduler_report_nomination(scheduler, slot, node);
    cache_claims_to_bind(scheduler->cache, slot, &scheduler->arena, &claims);
    for (uint32_t i = 0; i < claims.count; i++)
        select_node(scheduler, pod->ns, claims.items[i], scheduler_text(scheduler, node));
    scheduler->tickets[slot].binding = true;
    scheduler->tickets[slot].binding_until_ns = world_now_ns(scheduler->world) + BINDING_MAX_NS;
    cache_list_add(&scheduler->binding, slot);
    scheduler->claims_changed = true;
}

int64_t scheduler_binding_until(const Scheduler *scheduler) {
    return scheduler->binding.count ? scheduler->tickets[scheduler->binding.items[0]].binding_until_ns : INT64_MAX;
}

void scheduler_place(Scheduler *scheduler, uint32_t slot, const CacheResult *result) {
    cache_nominate(scheduler->cache, slot, CACHE_NONE);
    cache_assume(scheduler->cache, slot, result->node);
    if (result->waits_for_volumes)
        wait_for_volumes(scheduler, slot);
    else
        bind(scheduler, slot);
}

static bool node_is_given_up(Scheduler *scheduler, uint32_t slot, const SymbolVec *claims) {
    const Pod *pod = scheduler_pod(scheduler, slot);
    Slice node = scheduler_text(scheduler, cache_node_name(scheduler->cache, cache_pod_node(scheduler->cache, slot)));

    for (uint32_t i = 0; i < claims->count; i++) {
        if (!slice_eq(selected_node(scheduler, pod->ns, claims->items[i]), node))
            return true;
    }
    return false;
}

// Handles a pod that waits for its volumes; returns whether it no longer waits.
static bool settle_binding(Scheduler *scheduler, uint32_t slot) {
    SymbolVec claims = {0};
    const char *failed = NULL;

    cache_claims_to_bind(scheduler->cache, slot, &scheduler->arena, &claims);
    if (claims.count && world_now_ns(scheduler->world) >= scheduler->tickets[slot].binding_until_ns)
        failed = "binding volumes: context deadline exceeded";
    else if (claims.count && node_is_given_up(scheduler, slot, &claims))
        failed = "binding volumes: pod does not match node any more";
    else if (claims.count)
        return false;
    scheduler->tickets[slot].binding = false;
    cache_list_remove(&scheduler->binding, slot);
    if (failed)
        take_back(scheduler, slot, failed);
    else
        bind(scheduler, slot);
    return true;
}

bool scheduler_bind_waiting(Scheduler *scheduler) {
    bool any = false;

    if (!scheduler->claims_changed && world_now_ns(scheduler->world) < scheduler_binding_until(scheduler))
        return false;
    scheduler->claims_changed = false;
    for (uint32_t i = scheduler->binding.count; i-- > 0;) {
        ArenaMark mark = arena_mark(&scheduler->arena);

        any |= settle_binding(scheduler, scheduler->binding.items[i]);
        arena_rewind(&scheduler->arena, mark);
    }
    return any;
}
