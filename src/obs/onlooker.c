// Sorts what is told to the look_… files.
#include "obs/onlooker_parts.h"

#include "base/check.h"

#include <stdlib.h>

Onlooker *onlooker_new(Registry *registry, Slice provider) {
    Onlooker *onlooker = calloc(1, sizeof *onlooker);

    CHECK(onlooker, "out of memory");
    onlooker->registry = registry;
    onlooker->provider = provider;
    onlooker->pods = pod_memory_new();
    return onlooker;
}

void onlooker_begin(Onlooker *onlooker, const Symbols *symbols) {
    onlooker->symbols = *symbols;
    onlooker->unsynced_since_ns = 0;
    pod_memory_clear(onlooker->pods);
    table_free(&onlooker->given_up);
    onlooker->given_up = (Table){0};
}

void onlooker_free(Onlooker *onlooker) {
    if (!onlooker)
        return;
    pod_memory_free(onlooker->pods);
    table_free(&onlooker->given_up);
    free(onlooker);
}

PodMemory *onlooker_pods(Onlooker *onlooker) {
    return onlooker->pods;
}

void onlooker_changed(Onlooker *onlooker, const State *state, const StateChange *change, bool listing, int64_t now_ns) {
    Sight sight = {state, change, listing, now_ns};

    switch (change->kind) {
    case KUBE_POD:
        look_at_pod(onlooker, &sight);
        return;
    case KUBE_NODE:
        look_at_node(onlooker, &sight);
        break;
    case KUBE_NODE_CLAIM:
        look_at_claim(onlooker, &sight);
        break;
    case KUBE_NODE_POOL:
        look_at_pool(onlooker, &sight);
        break;
    default:
        break;
    }
    look_at_conditions(onlooker, &sight);
}

// --- calls and what came of them

static bool is_batch(const Intent *intents, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!intents[i].aside && !intent_is_aside(intents[i].type))
            return true;
    }
    return false;
}

static void count_call(Onlooker *onlooker, const char *controller, bool failed, int64_t took_ns, int64_t now_ns) {
    Registry *registry = onlooker->registry;
    Slice name = slice_of(controller);

    registry_add(registry, METRIC_RECONCILE, 1, WITH(name, failed ? SLICE("error") : SLICE("success")));
    if (failed)
        registry_add(registry, METRIC_RECONCILE_ERRORS, 1, WITH(name));
    registry_observe(registry, METRIC_RECONCILE_TIME, (double)took_ns / 1e9, now_ns, WITH(name));
    registry_observe(registry, METRIC_QUEUE_WORK, (double)took_ns / 1e9, now_ns, WITH(name));
}

// A call that intends a batch ends when that is told.
void onlooker_called(Onlooker *onlooker, const State *state, const char *controller, Key key, const Intent *intents,
                     uint32_t count, int64_t took_ns, int64_t now_ns) {
    for (uint32_t i = 0; i < count; i++) {
        if (intents[i].type == INTENT_EVENT)
            look_at_event(onlooker, key, &intents[i].event);
        if (intents[i].type == INTENT_SOLVE)
            registry_set(onlooker->registry, METRIC_SCHEDULER_QUEUE_DEPTH, state_pods_pending(state)->count,
                         WITH(slice_of(controller), SLICE("")));
    }
    if (!is_batch(intents, count))
        count_call(onlooker, controller, false, took_ns, now_ns);
}

static void take_answer(Onlooker *onlooker, const Answer *answer) {
    switch (answer->intent->type) {
    case INTENT_CREATE:
        look_at_creation(onlooker, answer);
        break;
    case INTENT_REMOVE:
        look_at_removal(onlooker, answer);
        break;
    case INTENT_EVICT:
        look_at_eviction(onlooker, answer);
        break;
    case INTENT_LAUNCH:
    case INTENT_TERMINATE:
    case INTENT_GET_INSTANCE:
    case INTENT_LIST_INSTANCES:
        look_at_cloud_answer(onlooker, answer);
        break;
    case INTENT_SOLVE:
        look_at_solve(onlooker, answer);
        break;
    default:
        break;
    }
}

void onlooker_told(Onlooker *onlooker, const State *state, const char *controller, Key key, const Intent *intents,
                   const Completion *completions, uint32_t count, int64_t now_ns) {
    int64_t took_ns = 0;
    bool failed = false;

    (void)key;
    for (uint32_t i = 0; i < count; i++) {
        Answer answer = {state, controller, &intents[i], &completions[i], now_ns};

        CHECK(intents[i].type == completions[i].type, "an answer to another intent");
        take_answer(onlooker, &answer);
        took_ns += completions[i].took_ns;
        failed |= completions[i].code != OK && completions[i].code != ERR_NOT_FOUND;
    }
    count_call(onlooker, controller, failed, took_ns, now_ns);
}

void onlooker_counts(Onlooker *onlooker, const EngineCounts *counts, bool synced, int64_t now_ns) {
    Registry *registry = onlooker->registry;

    if (synced)
        onlooker->unsynced_since_ns = 0;
    else if (!onlooker->unsynced_since_ns)
        onlooker->unsynced_since_ns = now_ns;
    registry_set(registry, METRIC_STATE_SYNCED, synced, WITHOUT_LABELS);
    registry_set(registry, METRIC_STATE_UNSYNCED_TIME,
                 synced ? 0 : seconds_between(onlooker->unsynced_since_ns, now_ns), WITHOUT_LABELS);
    registry_set(registry, METRIC_EVENTS_WRITTEN, (double)counts->events_written, WITHOUT_LABELS);
    registry_set(registry, METRIC_EVENTS_DROPPED, (double)counts->events_dropped, WITHOUT_LABELS);
    registry_set(registry, METRIC_ENGINE_TURNS, (double)counts->turns, WITHOUT_LABELS);
    registry_set(registry, METRIC_ENGINE_RELISTS, (double)counts->relists, WITHOUT_LABELS);
    registry_set(registry, METRIC_ENGINE_MAILBOX, counts->mailbox_depth, WITHOUT_LABELS);
    registry_set(registry, METRIC_ENGINE_JOBS, counts->jobs_running, WITHOUT_LABELS);
    registry_set(registry, METRIC_ENGINE_KEYS, counts->keys_waiting, WITHOUT_LABELS);
}
