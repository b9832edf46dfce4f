// Listening and counting.
#include "sim/scenario/ledger.h"

#include "model/names.h"

#include <stdlib.h>

typedef Vec(int64_t) Times;

struct Ledger {
    World *world;
    Arena arena;
    Times to_bind, to_run;
    Population now;
    LedgerCounts counts;
    int64_t counted_ns; // node_ns is right up to here
};

// --- pods

static bool is_users(const Ledger *ledger, const Pod *pod) {
    const Symbols *symbols = world_symbols(ledger->world);

    return !pod_is_owned_by(pod, symbols, SLICE("apps/v1"), SLICE("DaemonSet")) &&
           !pod_is_owned_by(pod, symbols, SLICE("v1"), SLICE("Node"));
}

// What a pod adds to the population.
static void count_pod(Ledger *ledger, const Pod *pod, uint32_t one) {
    if (!pod || pod_is_terminal(pod))
        return;
    ledger->now.pods += one;
    if (pod->node_name == SYMBOL_EMPTY)
        ledger->now.pending += one;
    if (pod->phase == POD_RUNNING)
        ledger->now.running += one;
}

static bool node_is_leaving(const Ledger *ledger, Symbol node_name) {
    const State *state = world_state(ledger->world);
    Handle handle = state_find(state, KUBE_NODE, SYMBOL_EMPTY, node_name);

    return !handle.generation || state_node_is_deleting(state, handle);
}

// A pod that fails or goes away while its node does so was not done.
static void note_end(Ledger *ledger, const Pod *before, const Pod *after) {
    bool ended = after && pod_is_terminal(after);

    if (!before || pod_is_terminal(before) || (after && !ended))
        return;
    if (!(ended && after->phase == POD_SUCCEEDED) && before->node_name != SYMBOL_EMPTY &&
        node_is_leaving(ledger, before->node_name))
        ledger->counts.pods_disrupted++;
    else
        ledger->counts.pods_finished += ended;
}

static void note_pod(Ledger *ledger, const Pod *before, const Pod *after) {
    int64_t now = world_now_ns(ledger->world);
    bool was_bound = before && before->node_name != SYMBOL_EMPTY, is_bound = after && after->node_name != SYMBOL_EMPTY;

    if (!before)
        ledger->counts.pods_created++;
    if (is_bound && !was_bound) {
        ledger->counts.pods_bound++;
        vec_push(&ledger->arena, &ledger->to_bind, now - after->created_ns);
    }
    if (after && after->phase == POD_RUNNING && (!before || before->phase != POD_RUNNING))
        vec_push(&ledger->arena, &ledger->to_run, now - after->created_ns);
    note_end(ledger, before, after);
}

// --- nodes

static bool is_ready(const Ledger *ledger, const Node *node) {
    const Condition *ready =
        node ? condition_get(&node->conditions, world_symbols(ledger->world), SLICE("Ready")) : NULL;

    return ready && slice_eq_text(symbol_text(world_symbols(ledger->world), ready->status), "True");
}

static void charge_nodes(Ledger *ledger) {
    int64_t now = world_now_ns(ledger->world);

    ledger->counts.node_ns += (now - ledger->counted_ns) * ledger->now.nodes;
    ledger->counted_ns = now;
}

static void note_node(Ledger *ledger, const Node *before, const Node *after) {
    charge_nodes(ledger);
    ledger->now.nodes += (after != NULL) - (uint32_t)(before != NULL);
    ledger->now.ready += is_ready(ledger, after) - (uint32_t)is_ready(ledger, before);
    ledger->counts.nodes_joined += !before;
    ledger->counts.nodes_gone += !after;
    if (ledger->now.nodes > ledger->counts.nodes_most)
        ledger->counts.nodes_most = ledger->now.nodes;
}

static void observe(void *self, const StateChange *change) {
    Ledger *ledger = self;

    if (change->kind == KUBE_POD) {
        const Pod *before = change->before, *after = change->after;

        if (!is_users(ledger, after ? after : before))
            return;
        count_pod(ledger, before, UINT32_MAX); // one less
        count_pod(ledger, after, 1);
        note_pod(ledger, before, after);
        if (ledger->now.pods > ledger->counts.pods_most)
            ledger->counts.pods_most = ledger->now.pods;
    } else if (change->kind == KUBE_NODE) {
        note_node(ledger, change->before, change->after);
    } else if (change->kind == KUBE_NODE_CLAIM) {
        ledger->now.claims += (change->after != NULL) - (uint32_t)(change->before != NULL);
        ledger->counts.claims_created += !change->before;
    }
}

// --- answers

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

Waiting ledger_time_to_bind(Ledger *ledger) {
    return waiting_of(&ledger->to_bind);
}

Waiting ledger_time_to_run(Ledger *ledger) {
    return waiting_of(&ledger->to_run);
}

Population ledger_population(const Ledger *ledger) {
    return ledger->now;
}

LedgerCounts ledger_counts(const Ledger *ledger) {
    LedgerCounts counts = ledger->counts;

    counts.node_ns += (world_now_ns(ledger->world) - ledger->counted_ns) * ledger->now.nodes;
    return counts;
}

static void ledger_free(void *self) {
    Ledger *ledger = self;

    arena_free(&ledger->arena);
    free(ledger);
}

Ledger *ledger_new(World *world) {
    static const ComponentTable table = {.name = "ledger", .observe = observe, .free = ledger_free};
    Ledger *ledger = calloc(1, sizeof *ledger);

    CHECK(ledger, "out of memory");
    ledger->world = world;
    ledger->counted_ns = world_now_ns(world);
    world_add(world, &table, ledger);
    return ledger;
}
