// Random histories: after each event the indexes and sums are what a naive count over the live objects gives, and
// snapshots stay what the State was when they were taken.
//
// The naive side keeps its own list of what is alive, from what the history said, and asks the State only for objects.
#include "state/support/mirror.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"

enum { NAMES = 14, NODES = 5, POOLS = 3, OWNERS = 4, EVENTS = 1500, SEEDS = 12, COPIES = 6 };

// What the history says is alive.
typedef struct {
    bool alive;
    uint32_t uid, revision;
    int node, owner, second_owner, pool, phase; // -1: none
    bool deleting, daemon, stateful, terminating, managed, initialised, typed, unschedulable, marked;
    int cpu, provider, claim_cpu, version;
} Fact;

typedef struct {
    Mirror *mirror;
    Random random;
    uint32_t revision, uid;
    Fact pods[NAMES], nodes[NAMES], claims[NAMES];
} History;

static int pick(History *history, uint32_t bound, uint32_t none_percent) {
    return random_chance(&history->random, none_percent) ? -1 : (int)random_below(&history->random, bound);
}

static bool chance(History *history, uint32_t percent) {
    return random_chance(&history->random, percent);
}

static void touch(History *history, Fact *fact) {
    if (!fact->alive)
        *fact = (Fact){.uid = ++history->uid, .node = -1, .owner = -1, .second_owner = -1};
    fact->alive = true;
    fact->revision = ++history->revision;
    fact->version++;
}

static Value pod_object(History *history, int at, const Fact *pod) {
    static const char *const phases[] = {"Pending", "Running", "Succeeded", "Failed"};
    char owners[512] = "", node[32] = "";
    int len = 0;

    if (pod->owner >= 0)
        len += snprintf(owners + len, sizeof owners - (size_t)len,
                        "{apiVersion: apps/v1, kind: %s, name: o, uid: owner-%d}",
                        pod->daemon     ? "DaemonSet"
                        : pod->stateful ? "StatefulSet"
                                        : "ReplicaSet",
                        pod->owner);
    if (pod->second_owner >= 0)
        snprintf(owners + len, sizeof owners - (size_t)len, "%s{apiVersion: v1, kind: Job, name: j, uid: owner-%d}",
                 len ? ", " : "", pod->second_owner);
    if (pod->node >= 0)
        snprintf(node, sizeof node, "nodeName: node-%d, ", pod->node);
    return mirror_object(history->mirror,
                         "{metadata: {namespace: shop, name: pod-%d, uid: uid-%u, resourceVersion: '%u', labels: {v: "
                         "'%d'}%s, ownerReferences: [%s]}, spec: {%scontainers: [{name: m, resources: {requests: {cpu: "
                         "'%d', example.com/gpu-%d: '%d'}}}]}, status: {phase: %s%s}}",
                         at, pod->uid, pod->revision, pod->version,
                         pod->deleting ? ", deletionTimestamp: '2026-01-05T00:00:00Z'" : "", owners, node, pod->cpu,
                         pod->cpu % 3, pod->cpu % 2, phases[pod->phase],
                         pod->unschedulable ? ", conditions: [{type: PodScheduled, reason: Unschedulable}]" : "");
}

static Value machine_object(History *history, const char *what, int at, const Fact *fact, const char *rest) {
    char pool[64] = "", labels[256] = "";

    if (fact->pool >= 0)
        snprintf(pool, sizeof pool, "karpenter.sh/nodepool: pool-%d", fact->pool);
    snprintf(labels, sizeof labels, "%s%s%s%s", fact->managed ? ", karpenter.kwok.sh/kwoknodeclass: c" : "",
             fact->initialised ? ", karpenter.sh/initialized: 'true'" : "",
             fact->typed ? ", node.kubernetes.io/instance-type: t" : "", "");
    return mirror_object(
        history->mirror, "{metadata: {name: %s-%d, uid: uid-%u, resourceVersion: '%u'%s, labels: {v: '%d'%s%s%s}}, %s}",
        what, at, fact->uid, fact->revision, fact->deleting ? ", deletionTimestamp: '2026-01-05T00:00:00Z'" : "",
        fact->version, pool[0] ? ", " : "", pool, labels, rest);
}

static Value node_object(History *history, int at, const Fact *node) {
    char rest[256], provider[64] = "";

    if (node->provider >= 0)
        snprintf(provider, sizeof provider, "spec: {providerID: 'kwok://%d'}, ", node->provider);
    snprintf(rest, sizeof rest, "%sstatus: {capacity: {cpu: '%d', memory: '%d'}}", provider, node->cpu,
             node->cpu % 2 ? 0 : 7);
    return machine_object(history, "node", at, node, rest);
}

static Value claim_object(History *history, int at, const Fact *claim) {
    char rest[512], status[256] = "";

    if (claim->provider >= 0)
        snprintf(status, sizeof status, "providerID: 'kwok://%d', capacity: {cpu: '%d', memory: '9'}, ",
                 claim->provider, claim->cpu);
    snprintf(
        rest, sizeof rest,
        "spec: {requirements: [], nodeClassRef: {group: g, kind: K, name: c}, resources: {requests: {cpu: '%d'}}}, "
        "status: {%sconditions: [{type: InstanceTerminating, status: '%s'}]}",
        claim->claim_cpu, status, claim->terminating ? "True" : "False");
    return machine_object(history, "claim", at, claim, rest);
}

static Value object_of(History *history, KubeKind kind, int at, const Fact *fact) {
    return kind == KUBE_POD    ? pod_object(history, at, fact)
           : kind == KUBE_NODE ? node_object(history, at, fact)
                               : claim_object(history, at, fact);
}

static void change_pod(History *history, Fact *pod) {
    bool fresh = !pod->alive;

    touch(history, pod);
    if (fresh) {
        pod->owner = pick(history, OWNERS, 20);
        pod->second_owner = pick(history, OWNERS, 80);
        pod->daemon = chance(history, 20);
        pod->stateful = chance(history, 30);
        pod->cpu = 1 + (int)random_below(&history->random, 5);
    }
    if (pod->node < 0)
        pod->node = pick(history, NODES, 50);
    if (pod->phase < 2)
        pod->phase = (int)random_below(&history->random, chance(history, 20) ? 4 : 2);
    pod->deleting |= chance(history, 15);
    pod->unschedulable = chance(history, 50);
    if (chance(history, 10)) // an object may change owners and even its requests
        pod->owner = pick(history, OWNERS, 50), pod->cpu = 1 + (int)random_below(&history->random, 5);
}

static void change_machine(History *history, Fact *fact) {
    bool fresh = !fact->alive;

    touch(history, fact);
    if (fresh) {
        fact->pool = pick(history, POOLS, 10);
        fact->provider = -1;
        fact->claim_cpu = 1 + (int)random_below(&history->random, 5);
    }
    if (fact->provider < 0 || chance(history, 5))
        fact->provider = pick(history, NODES, 40);
    if (chance(history, 10))
        fact->pool = pick(history, POOLS, 10);
    fact->cpu = 1 + (int)random_below(&history->random, 9);
    fact->managed = chance(history, 50);
    fact->typed = chance(history, 50);
    fact->initialised |= chance(history, 30);
    fact->terminating |= chance(history, 10);
    fact->deleting |= chance(history, 10);
}

static Fact *facts_of(History *history, KubeKind kind) {
    return kind == KUBE_POD ? history->pods : kind == KUBE_NODE ? history->nodes : history->claims;
}

static void step(History *history) {
    static const KubeKind kinds[] = {KUBE_POD, KUBE_POD, KUBE_NODE, KUBE_NODE_CLAIM};
    KubeKind kind = kinds[random_below(&history->random, 4)];
    int at = (int)random_below(&history->random, NAMES);
    Fact *fact = &facts_of(history, kind)[at], old = *fact;
    Value object, late;

    if (fact->alive && chance(history, 25)) {
        fact->revision = ++history->revision;
        object = object_of(history, kind, at, fact);
        fact->alive = false;
        assert_true(mirror_take(history->mirror, kind, &object));
        assert_null(history->mirror->change.after);
    } else {
        if (kind == KUBE_POD)
            change_pod(history, fact);
        else
            change_machine(history, fact);
        object = object_of(history, kind, at, fact);
        assert_true(mirror_put(history->mirror, kind, &object));
        assert_int_equal(history->mirror->change.before != NULL, old.alive);
    }
    if (old.alive && chance(history, 30)) { // what is older comes late and changes nothing
        late = object_of(history, kind, at, &old);
        assert_false(mirror_put(history->mirror, kind, &late));
    }
    if (kind == KUBE_NODE_CLAIM && fact->alive && chance(history, 20)) {
        fact->marked = chance(history, 70);
        state_mark_deleting(history->mirror->state, history->mirror->change.handle, fact->marked);
    }
}

// The naive side. It works on facts only; names are made from the numbers.

static const char *name_text(History *history, const char *what, int number) {
    return arena_text(&history->mirror->arena, arena_printf(&history->mirror->arena, "%s-%d", what, number));
}

static Symbol symbol(History *history, const char *what, int number) {
    return mirror_symbol(history->mirror, name_text(history, what, number));
}

// Whether the vector holds exactly the expected names, in any order, some of them twice.
static void assert_members(History *history, KubeKind kind, const HandleVec *handles, const uint32_t *expected,
                           const char *what) {
    uint32_t seen[NAMES] = {0};

    for (vec_each(const Handle, handle, handles)) {
        const char *one = mirror_names(history->mirror, kind,
                                       &(HandleVec){.items = handles->items + (handle - handles->items), .count = 1});
        int number = atoi(strrchr(one, '-') + 1);

        seen[number]++;
    }
    for (int i = 0; i < NAMES; i++) {
        if (seen[i] != expected[i])
            fail_msg("%s-%d stands %u times in a list, not %u", what, i, seen[i], expected[i]);
    }
}

static void check_pods(History *history) {
    State *state = history->mirror->state;

    for (int node = -1; node < NODES; node++) {
        uint32_t expected[NAMES] = {0};

        for (int i = 0; i < NAMES; i++) {
            const Fact *pod = &history->pods[i];

            expected[i] = pod->alive && pod->node == node && (node >= 0 || pod->phase < 2);
        }
        assert_members(history, KUBE_POD,
                       node < 0 ? state_pods_pending(state) : state_pods_on_node(state, symbol(history, "node", node)),
                       expected, "pod");
    }
    for (int owner = 0; owner < OWNERS; owner++) {
        uint32_t expected[NAMES] = {0};

        for (int i = 0; i < NAMES; i++) {
            if (history->pods[i].alive)
                expected[i] = (history->pods[i].owner == owner) + (history->pods[i].second_owner == owner);
        }
        assert_members(history, KUBE_POD, state_pods_of_owner(state, symbol(history, "owner", owner)), expected, "pod");
    }
}

static void check_usage(History *history, int node) {
    const NodeUsage *usage = state_node_usage(history->mirror->state, symbol(history, "node", node));
    uint32_t pods = 0, daemons = 0, reschedulable = 0;
    int cpu = 0, daemon_cpu = 0, gpus[3] = {0};

    for (int i = 0; i < NAMES; i++) {
        const Fact *pod = &history->pods[i];
        bool daemon = pod->owner >= 0 && pod->daemon, stateful = pod->owner >= 0 && !pod->daemon && pod->stateful;

        if (!pod->alive || pod->node != node || pod->phase >= 2)
            continue;
        pods++;
        cpu += pod->cpu;
        gpus[pod->cpu % 3] += pod->cpu % 2;
        daemons += daemon;
        daemon_cpu += daemon ? pod->cpu : 0;
        reschedulable += !daemon && (!pod->deleting || stateful);
    }
    assert_int_equal(usage->pods, pods);
    assert_int_equal(usage->daemon_pods, daemons);
    assert_int_equal(usage->reschedulable, reschedulable);
    assert_int_equal(resources_get(&usage->requests, NAME_CPU), cpu * 1000);
    assert_int_equal(resources_get(&usage->requests, NAME_PODS), pods);
    assert_int_equal(resources_get(&usage->daemon_requests, NAME_CPU), daemon_cpu * 1000);
    for (int i = 0; i < 3; i++)
        assert_int_equal(resources_get(&usage->requests, symbol(history, "example.com/gpu", i)), gpus[i]);
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

typedef struct {
    int cpu, memory;
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
    if (with_provider(history->nodes, claim->provider, &at) == 1)
        node = &history->nodes[at];
    if (with_provider(history->claims, claim->provider, &at) != 1)
        node = NULL;
    sum->cpu += node ? node->cpu : claim->cpu;
    sum->memory += !node ? 9 : node->cpu % 2 == 0 ? 7 : node->initialised ? 0 : 9;
}

static void count_node(History *history, const Fact *node, Expected *sum) {
    int at;

    if (node->provider >= 0 && with_provider(history->claims, node->provider, &at))
        return;
    if (node->managed && (node->provider < 0 || !(node->initialised || node->typed)))
        return;
    if (node->deleting) {
        sum->deleting++;
        return;
    }
    sum->nodes++;
    sum->cpu += node->cpu;
    sum->memory += node->cpu % 2 ? 0 : 7;
}

static void check_pool(History *history, int pool) {
    const PoolUsage *usage = state_pool_usage(history->mirror->state, symbol(history, "pool", pool));
    uint32_t nodes[NAMES] = {0}, claims[NAMES] = {0};
    Expected sum = {0};

    for (int i = 0; i < NAMES; i++) {
        nodes[i] = history->nodes[i].alive && history->nodes[i].pool == pool;
        claims[i] = history->claims[i].alive && history->claims[i].pool == pool;
        if (nodes[i])
            count_node(history, &history->nodes[i], &sum);
        if (claims[i])
            count_claim(history, &history->claims[i], &sum);
    }
    assert_members(history, KUBE_NODE, state_nodes_of_pool(history->mirror->state, symbol(history, "pool", pool)),
                   nodes, "node");
    assert_members(history, KUBE_NODE_CLAIM,
                   state_claims_of_pool(history->mirror->state, symbol(history, "pool", pool)), claims, "claim");
    assert_int_equal(usage->nodes, sum.nodes);
    assert_int_equal(usage->deleting, sum.deleting);
    assert_int_equal(resources_get(&usage->capacity, NAME_CPU), sum.cpu * 1000);
    assert_int_equal(resources_get(&usage->capacity, NAME_MEMORY), sum.memory);
    assert_int_equal(resources_get(&usage->capacity, NAME_NODES), sum.nodes);
}

static void check_machines(History *history) {
    State *state = history->mirror->state;

    for (int i = 0; i < NAMES; i++) {
        const Fact *claim = &history->claims[i], *node = &history->nodes[i];
        Handle of_claim = mirror_find(history->mirror, KUBE_NODE_CLAIM, NULL, name_text(history, "claim", i));
        Handle of_node = mirror_find(history->mirror, KUBE_NODE, NULL, name_text(history, "node", i));
        int at = -1;

        assert_int_equal(of_claim.generation != 0, claim->alive);
        assert_int_equal(of_node.generation != 0, node->alive);
        assert_int_equal(state_claim_is_deleting(state, of_claim), claim->alive && claim_is_deleting(claim));
        if (claim->alive) {
            bool one = claim->provider >= 0 && with_provider(history->nodes, claim->provider, &at) == 1;

            assert_int_equal(state_node_of_claim(state, of_claim).generation != 0, one);
        }
        if (node->alive) {
            uint32_t claims = node->provider < 0 ? 0 : with_provider(history->claims, node->provider, &at);

            assert_int_equal(state_claim_of_node(state, of_node).generation != 0, claims == 1);
            if (claims < 2)
                assert_int_equal(state_node_is_deleting(state, of_node),
                                 claims ? claim_is_deleting(&history->claims[at]) : node->deleting);
        }
    }
}

static void check(History *history) {
    check_pods(history);
    for (int node = 0; node < NODES; node++)
        check_usage(history, node);
    for (int pool = 0; pool < POOLS; pool++)
        check_pool(history, pool);
    check_machines(history);
}

// Snapshots: the facts as they were, compared when the State has moved on.

typedef struct {
    Snapshot *snapshot;
    Fact pods[NAMES], claims[NAMES], nodes[NAMES];
} Copy;

static void take_copy(History *history, Copy *copy) {
    copy->snapshot = state_snapshot(history->mirror->state);
    memcpy(copy->pods, history->pods, sizeof copy->pods);
    memcpy(copy->claims, history->claims, sizeof copy->claims);
    memcpy(copy->nodes, history->nodes, sizeof copy->nodes);
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
        const Fact *pod = &copy->pods[i];

        expected += pod->alive && pod->phase < 2 && (pod->node >= 0 || pod->unschedulable);
    }
    assert_int_equal(cluster->pods.count, expected);
    for (vec_each(const Pod, pod, &cluster->pods)) {
        const Fact *fact = &copy->pods[number_of(cluster, pod->name)];

        assert_true(fact->alive && (fact->node >= 0) == (pod->node_name != NAME_EMPTY));
        assert_int_equal(version_of(cluster, &pod->labels), fact->version);
        assert_int_equal(resources_get(&pod->spec->requests, NAME_CPU), fact->cpu * 1000);
        if (fact->node >= 0)
            assert_int_equal(number_of(cluster, pod->node_name), fact->node);
    }
}

static void check_copy(const Copy *copy) {
    Arena arena = {0};
    Cluster cluster;
    uint32_t claims = 0, nodes = 0;

    snapshot_cluster(copy->snapshot, &arena, &cluster);
    check_copied_pods(copy, &cluster);
    for (int i = 0; i < NAMES; i++) {
        claims += copy->claims[i].alive;
        nodes += copy->nodes[i].alive;
    }
    assert_int_equal(cluster.node_claims.count, claims);
    assert_int_equal(cluster.nodes.count, nodes);
    for (vec_each(const NodeClaim, claim, &cluster.node_claims)) {
        const Fact *fact = &copy->claims[number_of(&cluster, claim->meta.name)];

        assert_int_equal(version_of(&cluster, &claim->meta.labels), fact->version);
        assert_int_equal(claim->meta.deleting, fact->deleting || fact->marked);
    }
    for (vec_each(const Node, node, &cluster.nodes))
        assert_int_equal(version_of(&cluster, &node->meta.labels),
                         copy->nodes[number_of(&cluster, node->meta.name)].version);
    arena_free(&arena);
}

static void run(uint64_t seed) {
    History history = {.mirror = mirror_new()};
    Copy copies[COPIES] = {0};

    random_seed(&history.random, seed);
    for (uint32_t i = 0; i < EVENTS; i++) {
        Copy *copy = &copies[random_below(&history.random, COPIES)];

        step(&history);
        check(&history);
        if (chance(&history, 10)) {
            if (copy->snapshot)
                check_copy(copy);
            snapshot_free(copy->snapshot);
            take_copy(&history, copy);
        }
        arena_free(&history.mirror->arena);
    }
    assert_int_equal(state_memory(history.mirror->state).snapshots, COPIES);
    mirror_free(history.mirror); // snapshots outlive their State
    for (size_t i = 0; i < COPIES; i++) {
        check_copy(&copies[i]);
        snapshot_free(copies[i].snapshot);
    }
}

static void histories_agree_with_a_naive_count(void **state) {
    const char *text = getenv("TENON_SEED");
    int64_t first;

    (void)state;
    if (!text || !slice_to_int64(slice_of(text), &first))
        first = 1;
    for (int64_t seed = first; seed < first + SEEDS; seed++) {
        printf("  seed %lld\n", (long long)seed);
        run((uint64_t)seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(histories_agree_with_a_naive_count)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
