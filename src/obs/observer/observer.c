// MetricsObserver: dispatch to the files of each subject.
#include "obs/observer/parts.h"

#include "base/alloc.h"
#include "base/check.h"

MetricsObserver *metrics_observer_new(Registry *registry, Slice provider) {
    MetricsObserver *metrics_observer = NEW(MetricsObserver);

    metrics_observer->registry = registry;
    metrics_observer->provider = provider;
    metrics_observer->pods = pod_memory_new();
    return metrics_observer;
}

void metrics_observer_begin(MetricsObserver *metrics_observer, const Symbols *symbols) {
    metrics_observer->symbols = *symbols;
    metrics_observer->unsynced_since = (Mono){0};
    pod_memory_clear(metrics_observer->pods);
    table_free(&metrics_observer->given_up);
    metrics_observer->given_up = (Table){0};
}

void metrics_observer_free(MetricsObserver *metrics_observer) {
    if (!metrics_observer)
        return;
    pod_memory_free(metrics_observer->pods);
    table_free(&metrics_observer->given_up);
    free(metrics_observer);
}

PodMemory *metrics_observer_pods(MetricsObserver *metrics_observer) {
    return metrics_observer->pods;
}

void metrics_observer_changed(MetricsObserver *metrics_observer, const State *state, const StateChange *change,
                              bool listing, Moment at) {
    Sight sight = {state, change, listing, at};

    switch (change->kind) {
    case KUBE_POD:
        look_at_pod(metrics_observer, &sight);
        return;
    case KUBE_NODE:
        look_at_node(metrics_observer, &sight);
        break;
    case KUBE_NODE_CLAIM:
        look_at_claim(metrics_observer, &sight);
        break;
    case KUBE_NODE_POOL:
        look_at_pool(metrics_observer, &sight);
        break;
    default:
        break;
    }
    look_at_conditions(metrics_observer, &sight);
}

// --- calls and completions

static bool is_batch(const Intent *intents, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!intents[i].aside && !intent_is_aside(intents[i].type))
            return true;
    }
    return false;
}

static void count_call(MetricsObserver *metrics_observer, const char *controller, bool failed, int64_t took_ns,
                       Mono now) {
    Registry *registry = metrics_observer->registry;
    Slice name = slice_of(controller);

    registry_add(registry, METRIC_RECONCILE, 1, WITH(name, failed ? SLICE("error") : SLICE("success")));
    if (failed)
        registry_add(registry, METRIC_RECONCILE_ERRORS, 1, WITH(name));
    registry_observe(registry, METRIC_RECONCILE_TIME, ns_to_s(took_ns), now, WITH(name));
    registry_observe(registry, METRIC_QUEUE_WORK, ns_to_s(took_ns), now, WITH(name));
}

// A call with a batch ends when the batch completes.
void metrics_observer_called(MetricsObserver *metrics_observer, const State *state, const char *controller, Key key,
                             const Intent *intents, uint32_t count, int64_t took_ns, Moment at) {
    for (uint32_t i = 0; i < count; i++) {
        if (intents[i].type == INTENT_EVENT)
            look_at_event(metrics_observer, key, &intents[i].event);
        if (intents[i].type == INTENT_SOLVE)
            registry_set(metrics_observer->registry, METRIC_SCHEDULER_QUEUE_DEPTH, state_pods_pending(state)->count,
                         WITH(slice_of(controller), SLICE("")));
    }
    if (!is_batch(intents, count))
        count_call(metrics_observer, controller, false, took_ns, at.now);
}

static void take_answer(MetricsObserver *metrics_observer, const Answer *answer) {
    switch (answer->intent->type) {
    case INTENT_CREATE:
        look_at_creation(metrics_observer, answer);
        break;
    case INTENT_REMOVE:
        look_at_removal(metrics_observer, answer);
        break;
    case INTENT_EVICT:
        look_at_eviction(metrics_observer, answer);
        break;
    case INTENT_LAUNCH:
    case INTENT_TERMINATE:
    case INTENT_REBOOT:
    case INTENT_GET_INSTANCE:
    case INTENT_LIST_INSTANCES:
    case INTENT_CHECK_DRIFT: // and not the queue of messages, which is no call of Karpenter's cloud provider
        look_at_cloud_answer(metrics_observer, answer);
        break;
    case INTENT_RECEIVE:
        look_at_messages(metrics_observer, answer);
        break;
    case INTENT_SETTLE:
        look_at_settlement(metrics_observer, answer);
        break;
    case INTENT_REFRESH:
        look_at_news(metrics_observer, answer);
        break;
    case INTENT_SOLVE:
        look_at_solve(metrics_observer, answer);
        break;
    case INTENT_DISRUPT:
        look_at_disruption(metrics_observer, answer);
        break;
    case INTENT_REBOOTED:
        look_at_reboot(metrics_observer, answer);
        break;
    case INTENT_PATCH:
        look_at_patch(metrics_observer, answer);
        break;
    case INTENT_COSTED:
        look_at_costs(metrics_observer, answer);
        break;
    case INTENT_STEP:
        look_at_command(metrics_observer, answer);
        break;
    default:
        break;
    }
}

void metrics_observer_told(MetricsObserver *metrics_observer, const State *state, const char *controller, Key key,
                           const Intent *intents, const Completion *completions, uint32_t count, Moment at) {
    int64_t took_ns = 0;
    bool failed = false;

    (void)key;
    for (uint32_t i = 0; i < count; i++) {
        Answer answer = {state, controller, &intents[i], &completions[i], at};

        CHECK(intents[i].type == completions[i].type, "an answer to another intent");
        take_answer(metrics_observer, &answer);
        took_ns += completions[i].took_ns;
        failed |= completions[i].code != OK && completions[i].code != ERR_NOT_FOUND;
    }
    count_call(metrics_observer, controller, failed, took_ns, at.now);
}

void metrics_observer_counts(MetricsObserver *metrics_observer, const EngineCounts *counts, bool synced, Moment at) {
    Registry *registry = metrics_observer->registry;

    if (synced)
        metrics_observer->unsynced_since = (Mono){0};
    else if (!mono_is_set(metrics_observer->unsynced_since))
        metrics_observer->unsynced_since = at.now;
    registry_set(registry, METRIC_STATE_SYNCED, synced, WITHOUT_LABELS);
    registry_set(registry, METRIC_STATE_UNSYNCED_TIME,
                 synced ? 0 : ns_to_s(mono_since(at.now, metrics_observer->unsynced_since)), WITHOUT_LABELS);
    registry_set(registry, METRIC_EVENTS_WRITTEN, (double)counts->events_written, WITHOUT_LABELS);
    registry_set(registry, METRIC_EVENTS_DROPPED, (double)counts->events_dropped, WITHOUT_LABELS);
    registry_set(registry, METRIC_ENGINE_TURNS, (double)counts->turns, WITHOUT_LABELS);
    registry_set(registry, METRIC_ENGINE_RELISTS, (double)counts->relists, WITHOUT_LABELS);
    registry_set(registry, METRIC_ENGINE_MAILBOX, counts->mailbox_depth, WITHOUT_LABELS);
    registry_set(registry, METRIC_ENGINE_JOBS, counts->jobs_running, WITHOUT_LABELS);
    registry_set(registry, METRIC_CLOCK_AHEAD, ns_to_s(counts->clock_ahead_ns), WITHOUT_LABELS);
    registry_set(registry, METRIC_ENGINE_KEYS, counts->keys_waiting, WITHOUT_LABELS);
}
