// The scheduler component: handles changes, makes as many attempts as its rate allows, and sleeps until the next.
#include "sim/scheduler/scheduler.h"

#include "base/alloc.h"
#include "sim/scheduler/bind.h"
#include "sim/scheduler/cache/index.h"
#include "sim/scheduler/events.h"
#include "sim/scheduler/report.h"

#include <stdlib.h>

enum { CYCLES_PER_S = 200, TICKS_PER_S = 50 };

static bool is_of_interest(KubeKind kind) {
    switch (kind) {
    case KUBE_POD:
    case KUBE_NODE:
    case KUBE_NAMESPACE:
    case KUBE_SERVICE:
    case KUBE_PERSISTENT_VOLUME:
    case KUBE_PERSISTENT_VOLUME_CLAIM:
    case KUBE_STORAGE_CLASS:
    case KUBE_CSI_NODE:
    case KUBE_VOLUME_ATTACHMENT:
        return true;
    default:
        return false;
    }
}

static void scheduler_observe(void *self, const StateChange *change) {
    Scheduler *scheduler = self;

    if (!is_of_interest(change->kind))
        return;
    GROW(scheduler->changes, scheduler->change_capacity, scheduler->change_count + 1);
    scheduler->changes[scheduler->change_count++] =
        (SeenChange){change->kind, change->handle, change->ns, change->name};
}

static void make_room(Scheduler *scheduler, uint32_t slot, const CacheResult *result) {
    cache_nominate(scheduler->cache, slot, result->nominated);
    scheduler_report_nomination(scheduler, slot, cache_node_name(scheduler->cache, result->nominated));
    for (uint32_t i = 0; i < result->victims.count; i++)
        scheduler_delete_victim(scheduler, result->victims.items[i]);
}

static void do_cycle(Scheduler *scheduler, uint32_t slot) {
    CacheResult result = cache_attempt(scheduler->cache, slot);

    if (result.node != CACHE_NONE) {
        scheduler_place(scheduler, slot, &result);
        return;
    }
    scheduler_report_failure(scheduler, slot, "Unschedulable", result.message);
    scheduling_queue_wait(&scheduler->queue, slot, result.plugins, world_now_ns(scheduler->world));
    if (result.nominated != CACHE_NONE) {
        make_room(scheduler, slot, &result);
    } else if (result.clear_nomination) {
        cache_nominate(scheduler->cache, slot, CACHE_NONE);
        scheduler_report_nomination(scheduler, slot, NAME_EMPTY);
    }
}

// Makes the attempts of one tick; fewer after a pod that must wait for its volumes, whose claims others may share.
static bool do_cycles(Scheduler *scheduler) {
    uint32_t done = 0;

    while (done < scheduler->batch) {
        uint32_t slot = scheduling_queue_take(&scheduler->queue), waiting = scheduler->binding.count;
        ArenaMark mark = arena_mark(&scheduler->arena);

        if (slot == CACHE_NONE)
            break;
        do_cycle(scheduler, slot);
        arena_rewind(&scheduler->arena, mark);
        done++;
        if (scheduler->binding.count != waiting)
            break;
    }
    scheduler->free_ns = world_now_ns(scheduler->world) + done * scheduler->cycle_ns;
    return done > 0;
}

static void ring(void *context) {
    Scheduler *scheduler = context;

    scheduler->alarm = 0;
    scheduler->alarm_ns = INT64_MAX;
}

static int64_t scheduler_next_ns(const Scheduler *scheduler) {
    int64_t next = scheduling_queue_next_ns(&scheduler->queue);

    if (scheduler->queue.active.count || scheduler->queue.backoff.count)
        next = scheduler->free_ns;
    if (scheduler_binding_until(scheduler) < next)
        next = scheduler_binding_until(scheduler);
    return next;
}

static void set_alarm(Scheduler *scheduler) {
    int64_t next = scheduler_next_ns(scheduler), now = world_now_ns(scheduler->world);

    next = next <= now ? now + 1 : next;
    if (next == scheduler->alarm_ns || (next == INT64_MAX && scheduler->alarm == 0))
        return;
    world_cancel(scheduler->world, scheduler->alarm);
    scheduler->alarm = next == INT64_MAX ? 0 : world_alarm(scheduler->world, next, ring, scheduler);
    scheduler->alarm_ns = next;
}

static bool scheduler_react(void *self) {
    Scheduler *scheduler = self;
    int64_t now_ns = world_now_ns(scheduler->world);
    bool active = scheduler_take_changes(scheduler);

    active |= scheduler_bind_waiting(scheduler);
    active |= line_flush(&scheduler->queue, now_ns);
    if (scheduler->free_ns <= now_ns)
        active |= do_cycles(scheduler);
    set_alarm(scheduler);
    return active;
}

static void scheduler_free(void *self) {
    Scheduler *scheduler = self;

    cache_free(scheduler->cache);
    scheduling_queue_free(&scheduler->queue);
    free(scheduler->tickets);
    free(scheduler->changes);
    free(scheduler->binding.items);
    arena_free(&scheduler->arena);
    free(scheduler);
}

// Adds the objects that exist at the start.
static void look_around(Scheduler *scheduler) {
    const State *state = world_state(scheduler->world);

    for (unsigned kind = 0; kind < KUBE_KIND_COUNT; kind++) {
        Handle at = HANDLE_NONE;

        if (!is_of_interest((KubeKind)kind))
            continue;
        while ((at = state_next(state, (KubeKind)kind, at)).generation) {
            Symbol name = kind == KUBE_NODE ? state_node(state, at)->meta.name : NAME_EMPTY;

            scheduler_observe(scheduler, &(StateChange){.kind = (KubeKind)kind, .handle = at, .name = name});
        }
    }
}

void sim_scheduler_add(World *world, const SimSchedulerConfig *config) {
    static const ComponentTable table = {"kube-scheduler", scheduler_observe, scheduler_react, scheduler_free};
    Scheduler *scheduler = NEW(Scheduler);
    uint32_t pace = config && config->cycles_per_s ? config->cycles_per_s : CYCLES_PER_S;
    CacheSources sources;

    scheduler->world = world;
    scheduler->alarm_ns = INT64_MAX;
    scheduler->cycle_ns = NS_PER_S / pace;
    scheduler->batch = pace / TICKS_PER_S ? pace / TICKS_PER_S : 1;
    sources = cache_sources_of_state(&scheduler->sources, world_state(world));
    scheduler->cache = cache_new(world_symbols(world), &sources, world_random(world, "kube-scheduler"));
    if (config) {
        cache_set_nodes_to_score(scheduler->cache, config->nodes_to_score);
        cache_set_name_taints(scheduler->cache, config->name_taints);
    }
    scheduling_queue_init(&scheduler->queue);
    look_around(scheduler);
    world_add(world, &table, scheduler);
}
