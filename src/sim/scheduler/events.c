// Changes of objects: into the cache, and waking waiting pods.
//
// Changes are noted and handled when the scheduler reacts, each with the object's present version: several changes of
// one object become one.
#include "sim/scheduler/events.h"

#include "base/alloc.h"
#include "sim/scheduler/cache/index.h"
#include "sim/scheduler/extras.h"

static const uint32_t VOLUME_PLUGINS = PLUGIN_VOLUMES | PLUGIN_VOLUME_ZONE | PLUGIN_VOLUME_LIMITS | PLUGIN_NONE;

// In reverse: waking removes classes from the list.
static void wake_all(Scheduler *scheduler, uint32_t plugins) {
    for (uint32_t i = scheduler->queue.waiting_classes.count; i-- > 0;)
        scheduling_queue_wake_class(&scheduler->queue, scheduler->queue.waiting_classes.items[i], plugins,
                                    world_now_ns(scheduler->world));
}

static void wake_for_node(Scheduler *scheduler, const CacheNodeChange *change) {
    for (uint32_t i = scheduler->queue.waiting_classes.count; i-- > 0;) {
        uint32_t class_index = scheduler->queue.waiting_classes.items[i];

        scheduling_queue_wake_class(&scheduler->queue, class_index,
                                    cache_hint_node(scheduler->cache, class_index, change),
                                    world_now_ns(scheduler->world));
    }
}

void scheduler_wake_for_pod(Scheduler *scheduler, uint32_t slot, bool placed) {
    uint32_t other = cache_class_of(scheduler->cache, slot);

    for (uint32_t i = scheduler->queue.waiting_classes.count; i-- > 0;) {
        uint32_t class_index = scheduler->queue.waiting_classes.items[i];

        scheduling_queue_wake_class(&scheduler->queue, class_index,
                                    cache_hint_pod(scheduler->cache, class_index, other, placed),
                                    world_now_ns(scheduler->world));
    }
}

// --- pods

static bool is_on_node(const Scheduler *scheduler, uint32_t slot) {
    return scheduler->tickets[slot].known && cache_pod_node(scheduler->cache, slot) != CACHE_NONE;
}

static void drop(Scheduler *scheduler, uint32_t slot) {
    Ticket *ticket = &scheduler->tickets[slot];

    if (ticket->known && is_on_node(scheduler, slot))
        scheduler_wake_for_pod(scheduler, slot, false);
    if (ticket->binding)
        cache_list_remove(&scheduler->binding, slot);
    scheduling_queue_remove(&scheduler->queue, slot);
    if (ticket->known)
        cache_forget_pod(scheduler->cache, slot);
    *ticket = (Ticket){0};
}

// Reads the members that the State does not keep.
static bool read_extras(Scheduler *scheduler, const Pod *pod, CacheExtras *ret_extras) {
    KubeRef ref = {KUBE_POD, scheduler_text(scheduler, pod->ns), scheduler_text(scheduler, pod->name)};
    Value object;

    if (kube_get(world_kube(scheduler->world), &scheduler->arena, ref, &object, NULL) != OK)
        return false;
    *ret_extras = cache_extras_read(&scheduler->arena, world_symbols(scheduler->world), &object);
    return true;
}

static bool is_to_be_scheduled(const Pod *pod) {
    return pod->node_name == NAME_EMPTY && !pod_is_terminal(pod) && !pod->deleting && !pod->spec->has_scheduling_gates;
}

static void take_unbound(Scheduler *scheduler, uint32_t slot, const Pod *pod) {
    Ticket *ticket = &scheduler->tickets[slot];
    bool changed = !ticket->known || cache_is_relabelled(scheduler->cache, slot, pod) ||
                   cache_is_respecified(scheduler->cache, slot, pod);
    CacheExtras extras;

    if (ticket->foreign || (!changed && ticket->queued) || ticket->binding)
        return;
    if (!read_extras(scheduler, pod, &extras))
        return;
    ticket->foreign = extras.foreign;
    if (ticket->foreign)
        return;
    scheduling_queue_remove(&scheduler->queue, slot);
    cache_apply_pod(scheduler->cache, slot, pod, &extras);
    ticket = &scheduler->tickets[slot];
    ticket->known = ticket->queued = true;
    if (pod->nominated_node_name != NAME_EMPTY && !ticket->has_nomination)
        cache_nominate(scheduler->cache, slot, cache_find_node(scheduler->cache, pod->nominated_node_name));
    scheduling_queue_add(&scheduler->queue, slot, cache_class_of(scheduler->cache, slot), pod->priority,
                         world_now_ns(scheduler->world));
}

static void take_bound(Scheduler *scheduler, uint32_t slot, const Pod *pod) {
    Ticket *ticket = &scheduler->tickets[slot];
    bool was_there = is_on_node(scheduler, slot), was_deleting = cache_pod_is_deleting(scheduler->cache, slot);
    bool is_there = pod->node_name != NAME_EMPTY && !pod_is_terminal(pod);
    bool relabelled = ticket->known && cache_is_relabelled(scheduler->cache, slot, pod);
    CacheExtras extras;

    scheduling_queue_remove(&scheduler->queue, slot);
    if (ticket->binding)
        cache_list_remove(&scheduler->binding, slot);
    ticket->binding = ticket->queued = false;
    if (was_there && (!is_there || relabelled))
        scheduler_wake_for_pod(scheduler, slot, false);
    if (is_there || ticket->known) {
        relabelled = relabelled && read_extras(scheduler, pod, &extras);
        cache_apply_pod(scheduler->cache, slot, pod, relabelled ? &extras : NULL);
        ticket->known = true;
    }
    if (is_there && (!was_there || relabelled || was_deleting != pod->deleting))
        scheduler_wake_for_pod(scheduler, slot, true);
}

static void take_pod(Scheduler *scheduler, Handle handle) {
    const Pod *pod = state_pod(world_state(scheduler->world), handle);
    uint32_t slot = handle.index;

    GROW(scheduler->tickets, scheduler->ticket_capacity, slot + 1);
    if (scheduler->tickets[slot].handle.generation && (!handle_eq(scheduler->tickets[slot].handle, handle) || !pod))
        drop(scheduler, slot);
    if (!pod)
        return;
    scheduler->tickets[slot].handle = handle;
    if (is_to_be_scheduled(pod))
        take_unbound(scheduler, slot, pod);
    else if (pod->node_name != NAME_EMPTY || scheduler->tickets[slot].known)
        take_bound(scheduler, slot, pod);
}

// --- the rest

static void take_node(Scheduler *scheduler, const SeenChange *seen) {
    CacheNodeChange change =
        cache_apply_node(scheduler->cache, seen->name, state_node(world_state(scheduler->world), seen->handle));

    if (change.node != CACHE_NONE)
        wake_for_node(scheduler, &change);
}

static void take(Scheduler *scheduler, const SeenChange *seen) {
    switch (seen->kind) {
    case KUBE_POD:
        return take_pod(scheduler, seen->handle);
    case KUBE_NODE:
        return take_node(scheduler, seen);
    case KUBE_NAMESPACE:
        cache_apply_namespace(scheduler->cache, seen->name);
        return wake_all(scheduler, PLUGIN_AFFINITY);
    case KUBE_SERVICE:
        return cache_services_changed(scheduler->cache);
    default:
        scheduler->claims_changed = true;
        cache_touch(scheduler->cache);
        return wake_all(scheduler, VOLUME_PLUGINS);
    }
}

bool scheduler_take_changes(Scheduler *scheduler) {
    uint32_t count = scheduler->change_count;

    for (uint32_t i = 0; i < count; i++) {
        ArenaMark mark = arena_mark(&scheduler->arena);

        take(scheduler, &scheduler->changes[i]);
        arena_rewind(&scheduler->arena, mark);
    }
    scheduler->change_count = 0;
    return count > 0;
}
