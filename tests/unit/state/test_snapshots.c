// Snapshots: they do not change after they were taken, and symbols that planning adds are freed with them.
#include "state/support/history.h"

enum { EVENTS = 2000, SEEDS = 6, COPIES = 6 };

// --- unchanged

// A snapshot, and the facts when it was taken.
typedef struct {
    Snapshot *snapshot;
    Fact facts[HISTORY_KINDS][NAMES];
} Copy;

static void take_copy(History *history, Copy *copy) {
    copy->snapshot = state_snapshot(history->mirror->state);
    memcpy(copy->facts, history->facts, sizeof copy->facts);
}

static int version_of(const Cluster *cluster, const Labels *labels) {
    Symbol key = symbol_find(&cluster->symbols, SLICE("v"));
    int64_t version;

    assert_true(slice_to_int64(symbol_text(&cluster->symbols, labels_get(labels, key)), &version));
    return (int)version;
}

static int number_of(const Cluster *cluster, Symbol name) {
    Slice text = symbol_text(&cluster->symbols, name);
    int64_t number;

    assert_true(slice_to_int64(slice_from(text, (size_t)slice_find(text, '-') + 1), &number));
    return (int)number;
}

static void check_copied_pods(const Copy *copy, const Cluster *cluster) {
    uint32_t expected = 0;

    for (int i = 0; i < NAMES; i++) {
        const Fact *pod = &copy->facts[HISTORY_POD][i];

        expected += pod->alive && pod->phase < 2 && (pod->node >= 0 || pod->unschedulable);
    }
    assert_int_equal(cluster->pods.count, expected);
    for (vec_each(const Pod, pod, &cluster->pods)) {
        const Fact *fact = &copy->facts[HISTORY_POD][number_of(cluster, pod->name)];

        assert_true(fact->alive && (fact->node >= 0) == (pod->node_name != NAME_EMPTY));
        assert_int_equal(version_of(cluster, &pod->labels), fact->version);
        assert_int_equal(resources_get(&pod->spec->requests, NAME_CPU), fact->cpu * 1000);
        if (fact->node >= 0)
            assert_int_equal(number_of(cluster, pod->node_name), fact->node);
    }
}

static uint32_t alive(const Copy *copy, HistoryKind kind) {
    uint32_t count = 0;

    for (int i = 0; i < NAMES; i++)
        count += copy->facts[kind][i].alive;
    return count;
}

static void check_copy(const Copy *copy) {
    Arena arena = {0};
    Cluster cluster;

    snapshot_cluster(copy->snapshot, &arena, &cluster);
    check_copied_pods(copy, &cluster);
    assert_int_equal(cluster.node_claims.count, alive(copy, HISTORY_CLAIM));
    assert_int_equal(cluster.nodes.count, alive(copy, HISTORY_NODE));
    assert_int_equal(cluster.disruption_budgets.count, alive(copy, HISTORY_BUDGET));
    assert_int_equal(cluster.volume_claims.count, alive(copy, HISTORY_VOLUME_CLAIM));
    for (vec_each(const NodeClaim, claim, &cluster.node_claims)) {
        const Fact *fact = &copy->facts[HISTORY_CLAIM][number_of(&cluster, claim->meta.name)];

        assert_int_equal(version_of(&cluster, &claim->meta.labels), fact->version);
        assert_int_equal(claim->meta.deleting, fact->deleting || fact->marked);
    }
    for (vec_each(const Node, node, &cluster.nodes))
        assert_int_equal(version_of(&cluster, &node->meta.labels),
                         copy->facts[HISTORY_NODE][number_of(&cluster, node->meta.name)].version);
    arena_free(&arena);
}

static void drop_copy(Copy *copy) {
    if (copy->snapshot)
        check_copy(copy);
    snapshot_free(copy->snapshot);
    *copy = (Copy){0};
}

// Snapshots of several ages are kept while the history continues, and outlive the State.
static void run(uint64_t seed) {
    Copy copies[COPIES] = {0};
    History history;

    history_init(&history, seed);
    for (uint32_t i = 0; i < EVENTS; i++) {
        Copy *copy = &copies[i % 11 % COPIES];

        history_step(&history);
        if (history_chance(&history, 20)) {
            drop_copy(copy);
            take_copy(&history, copy);
        }
        arena_free(&history.mirror->arena);
    }
    assert_int_equal(state_memory(history.mirror->state).snapshots, COPIES);
    mirror_free(history.mirror);
    for (size_t i = 0; i < COPIES; i++)
        drop_copy(&copies[i]);
}

TEST(snapshots_stay_what_the_state_was) {
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        run(seed);
}

// --- names

// Plans make names (of ephemeral volumes' claims, of values of labels), which are freed with the snapshot.
TEST(names_of_plans_do_not_pile_up) {
    Mirror *mirror = mirror_new();
    uint32_t symbols = 0;

    mirror_add(mirror, KUBE_NODE, "{metadata: {name: n1, uid: u1}}");
    for (uint32_t i = 0; i < 200000; i++) {
        Snapshot *snapshot = state_snapshot(mirror->state);
        Arena arena = {0};
        Cluster cluster;
        Symbol name;

        snapshot_cluster(snapshot, &arena, &cluster);
        name = symbol_intern(&cluster.symbols, arena_printf(&arena, "scratch-%u", i));
        assert_int_equal(symbol_intern(&cluster.symbols, arena_printf(&arena, "scratch-%u", i)), name);
        arena_free(&arena);
        snapshot_free(snapshot);
        if (i == 100000)
            symbols = state_memory(mirror->state).symbols;
    }
    assert_int_equal(state_memory(mirror->state).symbols, symbols);
    mirror_free(mirror);
}
