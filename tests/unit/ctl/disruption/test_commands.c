// Several commands, several replacements, and what is said of a command.
#include "ctl/disruption/disruption_env.h"
#include "ctl/disruption/parts.h"

static bool is_deleting(DisruptionEnv *env, const char *claim) {
    return *env_part(env->env, KUBE_NODE_CLAIM, claim, "metadata.deletionTimestamp");
}

static void put_drifted_node(DisruptionEnv *env, const char *name, const char *type) {
    put_pool_node(env, name, type, "on-demand");
    env_put(env->env,
            "{kind: NodeClaim, metadata: {name: %s}, status: {conditions: [Launched, Registered, Initialized, "
            "Drifted]}}",
            name);
}

// A pod that fills a small node, and needs one.
static void put_small_pod(DisruptionEnv *env, const char *name, const char *node) {
    put_bound_pod(env, name, node, "1500m");
    env_put(env->env, "{kind: NodePool, metadata: {name: default}, spec: {template: {spec: {requirements: "
                      "[{key: node.kubernetes.io/instance-type, operator: In, values: [small]}]}}}}");
}

// Names of the NodeClaims with the record of a replacement.
static uint32_t replacements(DisruptionEnv *env, const char *names[], uint32_t most) {
    const State *state = env_state(env->env);
    Handle handle = HANDLE_NONE;
    uint32_t count = 0;

    while ((handle = state_next(state, KUBE_NODE_CLAIM, handle)).generation) {
        const NodeClaim *claim = state_node_claim(state, handle);

        if (labels_get(&claim->meta.annotations, NAME_COMMAND) == INDEX_NONE)
            continue;
        assert_true(count < most);
        names[count++] = arena_text(&env->look_arena, symbol_text(state_symbols(state), claim->meta.name));
    }
    return count;
}

// --- many

TEST(one_drifted_node_a_look_until_the_budget_is_spent) {
    static const char *const nodes[] = {"a", "b", "c", "d"};
    DisruptionEnv *env = disruption_env_new("budgets: [{nodes: '3'}]");
    uint32_t tainted = 0;

    for (size_t i = 0; i < 4; i++) {
        put_drifted_node(env, nodes[i], "small");
        put_small_pod(env, nodes[i], nodes[i]);
    }
    for (uint32_t pass = 1; pass <= 3; pass++) {
        env_run(env->env, pass == 1 ? "1s" : "10s");
        assert_int_equal(env_count(env->env, KUBE_NODE_CLAIM), 4 + pass);
    }
    env_run(env->env, "2m");
    assert_int_equal(env_count(env->env, KUBE_NODE_CLAIM), 7);
    for (size_t i = 0; i < 4; i++)
        tainted += is_tainted(env, nodes[i]);
    assert_int_equal(tainted, 3);
    disruption_env_free(env);
}

TEST(all_replacements_must_be_ready) {
    DisruptionEnv *env = disruption_env_new("");
    const char *names[2];

    put_drifted_node(env, "a", "large");
    put_small_pod(env, "p", "a");
    put_small_pod(env, "q", "a");
    env_run(env->env, "1s");
    assert_int_equal(replacements(env, names, 2), 2);
    for (size_t i = 0; i < 2; i++)
        names[i] = arena_text(&env->types_arena, slice_of(names[i]));
    let_join(env, names[0], "small", "on-demand");
    env_run(env->env, "1m");
    assert_false(is_deleting(env, "a"));
    let_join(env, names[1], "small", "on-demand");
    env_run(env->env, "1s");
    assert_true(is_deleting(env, "a"));
    disruption_env_free(env);
}

TEST(commands_end_in_the_order_in_which_replacements_are_ready) {
    DisruptionEnv *env = disruption_env_new("budgets: [{nodes: '100%'}]");
    const char *names[2], *first;

    put_drifted_node(env, "a", "small");
    put_small_pod(env, "p", "a");
    env_run(env->env, "1s");
    assert_int_equal(replacements(env, names, 2), 1);
    first = arena_text(&env->types_arena, slice_of(names[0]));
    put_drifted_node(env, "b", "small");
    put_small_pod(env, "q", "b");
    env_run(env->env, "20s");
    assert_int_equal(replacements(env, names, 2), 2);
    let_join(env, arena_text(&env->types_arena, slice_of(names[strcmp(names[0], first) == 0])), "small", "on-demand");
    env_run(env->env, "1s");
    assert_true(is_deleting(env, "b"));
    assert_false(is_deleting(env, "a"));
    let_join(env, first, "small", "on-demand");
    env_run(env->env, "1s");
    assert_true(is_deleting(env, "a"));
    disruption_env_free(env);
}

TEST(time_grows_with_the_nodes_under_way) {
    static const struct {
        uint32_t nodes;
        int64_t seconds;
    } times[] = {{100, 600}, {4000, 600}, {10000, 800}, {40000, 3200}, {80000, 3600}, {100000, 3600}};

    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        assert_int_equal(disruption_timeout_ns(times[i].nodes), times[i].seconds * NS_PER_S);
}

// --- what is said

TEST(a_command_as_text) {
    DisruptionEnv *env = disruption_env_new("budgets: [{nodes: '100%'}]");

    put_pool_node(env, "a", "small", "on-demand");
    assert_says(env_run(env->env, "1s"), ": delete: nodepools=[default]: [a] (savings: $0.10)");
    disruption_env_free(env);
    env = disruption_env_new("");
    put_drifted_node(env, "a", "small");
    put_small_pod(env, "p", "a");
    assert_says(env_run(env->env, "1s"), ": replace: nodepools=[default]: [a] -> [1 replacement] (savings: $");
    disruption_env_free(env);
    env = disruption_env_new("");
    put_drifted_node(env, "a", "large");
    put_small_pod(env, "p", "a");
    put_small_pod(env, "q", "a");
    assert_says(env_run(env->env, "1s"), ": replace: nodepools=[default]: [a] -> [2 replacements] (savings: $");
    disruption_env_free(env);
}

TEST(pods_are_counted_over_all_nodes_of_a_command) {
    DisruptionEnv *env = disruption_env_new("budgets: [{nodes: '100%'}]");
    const char *said;

    put_foreign_node(env, "shelter");
    put_pool_node(env, "a", "small", "on-demand");
    put_pool_node(env, "b", "small", "on-demand");
    put_bound_pod(env, "p", "a", "500m");
    put_bound_pod(env, "q", "b", "500m");
    put_bound_pod(env, "r", "b", "500m");
    said = env_run(env->env, "16s");
    assert_says(said, ": delete: nodepools=[default]: [a, b] (savings: $0.20)");
    assert_says(said, "disrupted-node-count=2 replacement-node-count=0 pod-count=3");
    disruption_env_free(env);
}

static DisruptionEnv *with_labels(const char *labels) {
    DisruptionEnv *env = disruption_env_new("");

    put_pool_node(env, "a", "small", "on-demand");
    put_bound_pod(env, "p", "a", "1");
    env_put(env->env, "{kind: Node, metadata: {name: a, labels: {%s}}}", labels);
    return env;
}

static void assert_told(const char *labels, const char *text) {
    static const char *const kinds[] = {"node/a", "nodeclaim/a"};
    DisruptionEnv *env = with_labels(labels);
    const char *said = env_run(env->env, "1s");

    for (size_t i = 0; i < 2; i++)
        assert_says(said, arena_printf(&env->types_arena, "event Normal %s Unconsolidatable: %s", kinds[i], text).ptr);
    disruption_env_free(env);
}

TEST(a_price_that_is_not_known_is_told_on_node_and_claim) {
    assert_told("node.kubernetes.io/instance-type: gone", "Instance Type \"gone\" not found");
    assert_told("karpenter.sh/capacity-type: null", "Node does not have label \"karpenter.sh/capacity-type\"");
    assert_told("topology.kubernetes.io/zone: null", "Node does not have label \"topology.kubernetes.io/zone\"");
}

TEST(nothing_is_told_of_a_policy_that_allows_consolidation) {
    DisruptionEnv *env = with_labels("");

    assert_does_not_say(env_run(env->env, "1s"), "has consolidation");
    disruption_env_free(env);
}

TEST(an_approved_move_is_told_on_node_and_claim) {
    DisruptionEnv *env = disruption_env_new("consolidationPolicy: Balanced");
    const char *said;

    put_pool_node(env, "a", "large", "on-demand");
    put_bound_pod(env, "p", "a", "1");
    said = env_run(env->env, "1s");
    assert_says(said, "event Normal node/a ConsolidationApproved: score 0.85 >= threshold 0.50 (k: 2");
    assert_says(said, "event Normal nodeclaim/a ConsolidationApproved: score 0.85 >= threshold 0.50 (k: 2");
    disruption_env_free(env);
}
