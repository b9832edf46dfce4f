// Random histories: after each event the indexes and sums are what a naive count over the live objects gives.
//
// The naive side uses the facts of the history (support/history.h) alone.
// TENON_SEED: the first seed; failing prints the one that failed last.
#include "state/support/history.h"

#include <stdio.h>
#include <stdlib.h>

enum { EVENTS = 2500, SEEDS = 12 };

// Whether the vector holds exactly the expected ones, in any order, some of them twice.
static void assert_members(const History *history, HistoryKind kind, const HandleVec *handles,
                           const uint32_t *expected) {
    uint32_t seen[NAMES] = {0}, found = 0;

    for (vec_each(const Handle, handle, handles)) {
        for (int i = 0; i < NAMES; i++) {
            bool is_it = history->facts[kind][i].alive && handle_eq(history->facts[kind][i].handle, *handle);

            seen[i] += is_it;
            found += is_it;
        }
    }
    assert_int_equal(found, handles->count);
    for (int i = 0; i < NAMES; i++) {
        if (seen[i] != expected[i])
            fail_msg("%s-%d stands %u times in a list, not %u", history_word(kind), i, seen[i], expected[i]);
    }
}

static void check_pods_of_node(History *history, int node) {
    const Fact *pods = history->facts[HISTORY_POD], *attachments = history->facts[HISTORY_ATTACHMENT];
    Symbol name = history_symbol(history, "node", node);
    uint32_t on_node[NAMES] = {0}, attached[NAMES] = {0};

    for (int i = 0; i < NAMES; i++) {
        on_node[i] = pods[i].alive && pods[i].node == node;
        attached[i] = attachments[i].alive && attachments[i].node == node;
    }
    assert_members(history, HISTORY_POD, state_pods_on_node(history->mirror->state, name), on_node);
    assert_members(history, HISTORY_ATTACHMENT, state_attachments_on_node(history->mirror->state, name), attached);
}

static void check_pods_of_owner(History *history, int owner) {
    const Fact *pods = history->facts[HISTORY_POD];
    uint32_t expected[NAMES] = {0};

    for (int i = 0; i < NAMES; i++) {
        if (pods[i].alive)
            expected[i] = (pods[i].owner == owner) + (pods[i].second_owner == owner);
    }
    assert_members(history, HISTORY_POD,
                   state_pods_of_owner(history->mirror->state, history_symbol(history, "owner", owner)), expected);
}

static uint32_t arrival_of(const History *history, Handle handle) {
    for (int i = 0; i < NAMES; i++) {
        if (handle_eq(history->facts[HISTORY_POD][i].handle, handle))
            return history->facts[HISTORY_POD][i].arrival;
    }
    return 0;
}

static void check_pending(const History *history) {
    const HandleVec *pending = state_pods_pending(history->mirror->state);
    const Fact *pods = history->facts[HISTORY_POD];
    uint32_t expected[NAMES] = {0};

    for (int i = 0; i < NAMES; i++)
        expected[i] = pods[i].alive && pods[i].node < 0 && pods[i].phase < 2;
    assert_members(history, HISTORY_POD, pending, expected);
    for (uint32_t i = 1; i < pending->count; i++)
        assert_true(arrival_of(history, pending->items[i - 1]) < arrival_of(history, pending->items[i]));
}

static void check_namespace(History *history, int number) {
    State *state = history->mirror->state;
    Symbol ns = history_symbol(history, "shop", number);
    uint32_t budgets[NAMES] = {0}, claims[NAMES] = {0};

    for (int i = number; i < NAMES; i += NAMESPACES) {
        budgets[i] = history->facts[HISTORY_BUDGET][i].alive;
        claims[i] = history->facts[HISTORY_VOLUME_CLAIM][i].alive;
    }
    assert_members(history, HISTORY_BUDGET, state_budgets_in(state, ns), budgets);
    assert_members(history, HISTORY_VOLUME_CLAIM, state_volume_claims_in(state, ns), claims);
}

static void check_provider(History *history, int provider) {
    State *state = history->mirror->state;
    Arena *arena = &history->mirror->arena;
    Symbol id = mirror_symbol(history->mirror, arena_text(arena, arena_printf(arena, "kwok://%d", provider)));
    uint32_t nodes[NAMES] = {0}, claims[NAMES] = {0};

    for (int i = 0; i < NAMES; i++) {
        nodes[i] = history->facts[HISTORY_NODE][i].alive && history->facts[HISTORY_NODE][i].provider == provider;
        claims[i] = history->facts[HISTORY_CLAIM][i].alive && history->facts[HISTORY_CLAIM][i].provider == provider;
    }
    assert_members(history, HISTORY_NODE, state_nodes_with_provider_id(state, id), nodes);
    assert_members(history, HISTORY_CLAIM, state_claims_with_provider_id(state, id), claims);
}

// Checks iteration, names, uids and handles of a kind.
static void check_kind(History *history, HistoryKind kind) {
    State *state = history->mirror->state;
    KubeKind kube = history_kube(kind);
    uint32_t alive = 0, walked = 0;

    for (Handle at = state_next(state, kube, HANDLE_NONE); at.generation; at = state_next(state, kube, at))
        walked++;
    for (int i = 0; i < NAMES; i++) {
        const Fact *fact = &history->facts[kind][i];
        Symbol uid = history_symbol(history, history_word(kind), i), ns = history_ns(history, kind, i);
        Handle found = state_find(state, kube, ns, uid);

        alive += fact->alive;
        assert_true(handle_eq(found, fact->alive ? fact->handle : HANDLE_NONE));
        uid = mirror_symbol(history->mirror, arena_text(&history->mirror->arena,
                                                        arena_printf(&history->mirror->arena, "uid-%u", fact->uid)));
        if (fact->uid)
            assert_true(handle_eq(state_find_uid(state, kube, uid), fact->alive ? fact->handle : HANDLE_NONE));
    }
    assert_int_equal(state_count(state, kube), alive);
    assert_int_equal(walked, alive);
}

static const int64_t HUGE_BYTES = 9000000000000000000;

static int64_t cut(__int128 sum) {
    return sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}

static void check_usage(History *history, int node) {
    const NodeUsage *usage = state_node_usage(history->mirror->state, history_symbol(history, "node", node));
    uint32_t pods = 0, daemons = 0, reschedulable = 0;
    int cpu = 0, daemon_cpu = 0, gpus[3] = {0};
    __int128 memory = 0, daemon_memory = 0;

    for (int i = 0; i < NAMES; i++) {
        const Fact *pod = &history->facts[HISTORY_POD][i];
        bool daemon = pod->owner >= 0 && pod->daemon, stateful = pod->owner >= 0 && !pod->daemon && pod->stateful;

        if (!pod->alive || pod->node != node || pod->phase >= 2)
            continue;
        pods++;
        cpu += pod->cpu;
        gpus[pod->cpu % 3] += pod->cpu % 2;
        daemons += daemon;
        memory += pod->huge ? HUGE_BYTES : 1;
        daemon_memory += !daemon ? 0 : pod->huge ? HUGE_BYTES : 1;
        daemon_cpu += daemon ? pod->cpu : 0;
        reschedulable += !daemon && (!pod->deleting || stateful);
    }
    assert_int_equal(usage->pods, pods);
    assert_int_equal(usage->daemon_pods, daemons);
    assert_int_equal(usage->reschedulable, reschedulable);
    assert_int_equal(resources_get(&usage->requests, NAME_CPU), cpu * 1000);
    assert_int_equal(resources_get(&usage->requests, NAME_PODS), pods);
    assert_int_equal(resources_get(&usage->requests, NAME_MEMORY), cut(memory));
    assert_int_equal(resources_get(&usage->daemon_requests, NAME_MEMORY), cut(daemon_memory));
    assert_int_equal(resources_get(&usage->daemon_requests, NAME_CPU), daemon_cpu * 1000);
    for (int i = 0; i < 3; i++)
        assert_int_equal(resources_get(&usage->requests, history_symbol(history, "example.com/gpu", i)), gpus[i]);
    for (uint32_t i = 0; i < usage->requests.count; i++)
        assert_int_not_equal(usage->requests.items[i].amount, 0);
}

static uint32_t with_provider(const Fact *facts, int provider, int *ret_last) {
    uint32_t count = 0;

    for (int i = 0; i < NAMES; i++) {
        if (facts[i].alive && facts[i].provider == provider) {
            count++;
            *ret_last = i;
        }
    }
    return count;
}

static bool claim_is_deleting(const Fact *claim) {
    return claim->marked || claim->deleting || claim->terminating;
}

static int64_t node_memory(const Fact *node) {
    return node->huge ? HUGE_BYTES : node->cpu % 2 ? 0 : 7;
}

typedef struct {
    int cpu;
    __int128 memory;
    uint32_t nodes, deleting;
} Expected;

static void count_claim(History *history, const Fact *claim, Expected *sum) {
    const Fact *node = NULL;
    int at;

    if (claim_is_deleting(claim)) {
        sum->deleting++;
        return;
    }
    sum->nodes++;
    if (claim->provider < 0) {
        sum->cpu += claim->claim_cpu;
        return;
    }
    if (with_provider(history->facts[HISTORY_NODE], claim->provider, &at) == 1)
        node = &history->facts[HISTORY_NODE][at];
    if (with_provider(history->facts[HISTORY_CLAIM], claim->provider, &at) != 1)
        node = NULL;
    sum->cpu += node ? node->cpu : claim->cpu;
    sum->memory += !node ? 9 : node_memory(node) ? node_memory(node) : node->initialised ? 0 : 9;
}

static void count_node(History *history, const Fact *node, Expected *sum) {
    int at;

    if (node->provider >= 0 && with_provider(history->facts[HISTORY_CLAIM], node->provider, &at))
        return;
    if (node->managed && (node->provider < 0 || !(node->initialised || node->typed)))
        return;
    if (node->deleting) {
        sum->deleting++;
        return;
    }
    sum->nodes++;
    sum->cpu += node->cpu;
    sum->memory += node_memory(node);
}

static void check_pool(History *history, int pool) {
    const PoolUsage *usage = state_pool_usage(history->mirror->state, history_symbol(history, "pool", pool));
    uint32_t nodes[NAMES] = {0}, claims[NAMES] = {0};
    Expected sum = {0};

    for (int i = 0; i < NAMES; i++) {
        nodes[i] = history->facts[HISTORY_NODE][i].alive && history->facts[HISTORY_NODE][i].pool == pool;
        claims[i] = history->facts[HISTORY_CLAIM][i].alive && history->facts[HISTORY_CLAIM][i].pool == pool;
        if (nodes[i])
            count_node(history, &history->facts[HISTORY_NODE][i], &sum);
        if (claims[i])
            count_claim(history, &history->facts[HISTORY_CLAIM][i], &sum);
    }
    assert_members(history, HISTORY_NODE,
                   state_nodes_of_pool(history->mirror->state, history_symbol(history, "pool", pool)), nodes);
    assert_members(history, HISTORY_CLAIM,
                   state_claims_of_pool(history->mirror->state, history_symbol(history, "pool", pool)), claims);
    assert_int_equal(usage->nodes, sum.nodes);
    assert_int_equal(usage->deleting, sum.deleting);
    assert_int_equal(resources_get(&usage->capacity, NAME_CPU), sum.cpu * 1000);
    assert_int_equal(resources_get(&usage->capacity, NAME_MEMORY), cut(sum.memory));
    assert_int_equal(resources_get(&usage->capacity, NAME_NODES), sum.nodes);
}

// The one that has the provider id, HANDLE_NONE when none has or several have.
static Handle only_one(const Fact *facts, int provider) {
    int at = -1;

    return provider >= 0 && with_provider(facts, provider, &at) == 1 ? facts[at].handle : HANDLE_NONE;
}

static bool node_is_deleting(const History *history, const Fact *node) {
    const Fact *claims = history->facts[HISTORY_CLAIM];
    bool has_claim = false, deleting = false;

    for (int i = 0; i < NAMES && node->provider >= 0; i++) {
        bool is_its = claims[i].alive && claims[i].provider == node->provider;

        has_claim |= is_its;
        deleting |= is_its && claim_is_deleting(&claims[i]);
    }
    return has_claim ? deleting : node->deleting;
}

static void check_machines(const History *history) {
    const State *state = history->mirror->state;

    for (int i = 0; i < NAMES; i++) {
        const Fact *claim = &history->facts[HISTORY_CLAIM][i], *node = &history->facts[HISTORY_NODE][i];

        if (claim->alive) {
            assert_int_equal(state_claim_is_deleting(state, claim->handle), claim_is_deleting(claim));
            assert_true(handle_eq(state_node_of_claim(state, claim->handle),
                                  only_one(history->facts[HISTORY_NODE], claim->provider)));
        }
        if (node->alive) {
            assert_int_equal(state_node_is_deleting(state, node->handle), node_is_deleting(history, node));
            assert_int_equal(state_nominated_until(state, node->handle).ns, node->nominated_until);
            assert_true(handle_eq(state_claim_of_node(state, node->handle),
                                  only_one(history->facts[HISTORY_CLAIM], node->provider)));
        }
    }
}

// Handles are invalid after their object is removed, also when another object uses its slot.
static void check_graves(const History *history) {
    const State *state = history->mirror->state;

    for (int i = 0; i < NAMES * GRAVES; i++) {
        assert_null(state_pod(state, history->graves[HISTORY_POD][i / GRAVES][i % GRAVES].fact.handle));
        assert_null(state_node(state, history->graves[HISTORY_NODE][i / GRAVES][i % GRAVES].fact.handle));
        assert_null(state_node_claim(state, history->graves[HISTORY_CLAIM][i / GRAVES][i % GRAVES].fact.handle));
    }
}

static void check(History *history) {
    for (int node = 0; node < NODES; node++) {
        check_pods_of_node(history, node);
        check_usage(history, node);
        check_provider(history, node);
    }
    for (int owner = 0; owner < OWNERS; owner++)
        check_pods_of_owner(history, owner);
    for (int ns = 0; ns < NAMESPACES; ns++)
        check_namespace(history, ns);
    for (int pool = 0; pool < POOLS; pool++)
        check_pool(history, pool);
    for (unsigned kind = 0; kind < HISTORY_KINDS; kind++)
        check_kind(history, (HistoryKind)kind);
    check_pending(history);
    check_machines(history);
    check_graves(history);
}

static void run(uint64_t seed) {
    History history;

    history_init(&history, seed);
    for (uint32_t i = 0; i < EVENTS; i++) {
        history_step(&history);
        check(&history);
        arena_free(&history.mirror->arena);
    }
    printf("  seed %llu: %u events changed something, %u came late, %u objects replaced, %u lists took %u away\n",
           (unsigned long long)seed, history.revision, history.late, history.replaced, history.relists,
           history.relisted_away);
    assert_true(history.late && history.replaced && history.relisted_away);
    mirror_free(history.mirror);
}

TEST(histories_agree_with_a_naive_count) {
    const char *text = getenv("TENON_SEED");
    int64_t first;

    if (!text || !slice_to_int64(slice_of(text), &first))
        first = 1;
    for (int64_t seed = first; seed < first + SEEDS; seed++) {
        printf("  seed %lld\n", (long long)seed);
        run((uint64_t)seed);
    }
}
