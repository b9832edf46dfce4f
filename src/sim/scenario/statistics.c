// Observing and counting.
#include "sim/scenario/statistics.h"

#include "base/alloc.h"
#include "model/names.h"
#include "model/pod_predicates.h"

#include <stdlib.h>

typedef Vec(int64_t) Times;

struct RunStatistics {
    World *world;
    Arena arena;
    Times to_bind, to_run;
    Population now;
    RunCounts counts;
    int64_t counted_ns; // node_ns is right up to this time
};

// --- pods

static bool is_users(const Pod *pod) {
    return !pod_is_daemon(pod) && !pod_is_mirror(pod);
}

// Adds a pod to the population.
static void count_pod(RunStatistics *statistics, const Pod *pod, uint32_t one) {
    if (!pod || pod_is_terminal(pod))
        return;
    statistics->now.pods += one;
    if (pod->node_name == SYMBOL_EMPTY)
        statistics->now.pending += one;
    if (pod->phase == POD_RUNNING)
        statistics->now.running += one;
}

static bool node_is_leaving(const RunStatistics *statistics, Symbol node_name) {
    const State *state = world_state(statistics->world);
    Handle handle = state_find(state, KUBE_NODE, SYMBOL_EMPTY, node_name);

    return !handle.generation || state_node_is_deleting(state, handle);
}

// Counts a pod as disrupted if it fails or is deleted while its node is being deleted.
static void note_end(RunStatistics *statistics, const Pod *before, const Pod *after) {
    bool ended = after && pod_is_terminal(after);

    if (!before || pod_is_terminal(before) || (after && !ended))
        return;
    if (!(ended && after->phase == POD_SUCCEEDED) && before->node_name != SYMBOL_EMPTY &&
        node_is_leaving(statistics, before->node_name))
        statistics->counts.pods_disrupted++;
    else
        statistics->counts.pods_finished += ended;
}

static void note_pod(RunStatistics *statistics, const Pod *before, const Pod *after) {
    int64_t now = world_now_ns(statistics->world);
    bool was_bound = before && before->node_name != SYMBOL_EMPTY, is_bound = after && after->node_name != SYMBOL_EMPTY;

    if (!before)
        statistics->counts.pods_created++;
    if (is_bound && !was_bound) {
        statistics->counts.pods_bound++;
        vec_push(&statistics->arena, &statistics->to_bind, now - after->created_ns);
    }
    if (after && after->phase == POD_RUNNING && (!before || before->phase != POD_RUNNING))
        vec_push(&statistics->arena, &statistics->to_run, now - after->created_ns);
    note_end(statistics, before, after);
}

// --- nodes

static bool is_ready(const RunStatistics *statistics, const Node *node) {
    const Condition *ready =
        node ? condition_get(&node->conditions, world_symbols(statistics->world), SLICE("Ready")) : NULL;

    return ready && slice_eq_text(symbol_text(world_symbols(statistics->world), ready->status), "True");
}

static void charge_nodes(RunStatistics *statistics) {
    int64_t now = world_now_ns(statistics->world);

    statistics->counts.node_ns += (now - statistics->counted_ns) * statistics->now.nodes;
    statistics->counted_ns = now;
}

static void note_node(RunStatistics *statistics, const Node *before, const Node *after) {
    charge_nodes(statistics);
    statistics->now.nodes += (after != NULL) - (uint32_t)(before != NULL);
    statistics->now.ready += is_ready(statistics, after) - (uint32_t)is_ready(statistics, before);
    statistics->counts.nodes_joined += !before;
    statistics->counts.nodes_gone += !after;
    if (statistics->now.nodes > statistics->counts.nodes_most)
        statistics->counts.nodes_most = statistics->now.nodes;
}

static void run_statistics_observe(void *self, const StateChange *change) {
    RunStatistics *statistics = self;

    if (change->kind == KUBE_POD) {
        const Pod *before = change->before, *after = change->after;

        if (!is_users(after ? after : before))
            return;
        count_pod(statistics, before, UINT32_MAX); // subtracts one
        count_pod(statistics, after, 1);
        note_pod(statistics, before, after);
        if (statistics->now.pods > statistics->counts.pods_most)
            statistics->counts.pods_most = statistics->now.pods;
    } else if (change->kind == KUBE_NODE) {
        note_node(statistics, change->before, change->after);
    } else if (change->kind == KUBE_NODE_CLAIM) {
        statistics->now.claims += (change->after != NULL) - (uint32_t)(change->before != NULL);
        statistics->counts.claims_created += !change->before;
    }
}

// --- results

static int compare_times(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

static Waiting waiting_of(Times *times) {
    Waiting waiting = {.count = times->count};

    if (!times->count)
        return waiting;
    qsort(times->items, times->count, sizeof *times->items, compare_times);
    waiting.p50_ns = times->items[times->count / 2];
    waiting.p90_ns = times->items[(uint64_t)times->count * 90 / 100];
    waiting.p99_ns = times->items[(uint64_t)times->count * 99 / 100];
    waiting.max_ns = times->items[times->count - 1];
    return waiting;
}

Waiting run_statistics_time_to_bind(RunStatistics *statistics) {
    return waiting_of(&statistics->to_bind);
}

Waiting run_statistics_time_to_run(RunStatistics *statistics) {
    return waiting_of(&statistics->to_run);
}

Population run_statistics_population(const RunStatistics *statistics) {
    return statistics->now;
}

RunCounts run_statistics_counts(const RunStatistics *statistics) {
    RunCounts counts = statistics->counts;

    counts.node_ns += (world_now_ns(statistics->world) - statistics->counted_ns) * statistics->now.nodes;
    return counts;
}

static void run_statistics_free(void *self) {
    RunStatistics *statistics = self;

    arena_free(&statistics->arena);
    free(statistics);
}

RunStatistics *run_statistics_new(World *world) {
    static const ComponentTable table = {
        .name = "statistics", .observe = run_statistics_observe, .free = run_statistics_free};
    RunStatistics *statistics = NEW(RunStatistics);

    statistics->world = world;
    statistics->counted_ns = world_now_ns(world);
    world_add(world, &table, statistics);
    return statistics;
}
