// Nodes whose pods fit elsewhere go: what protects one, and what is no obstacle. Reference lifecycle.md 4.10. Each case
// is one for both searches.
#include "disrupt/support/estate.h"

#include "base/time.h"

#define DISRUPTION(after)     "disruption: {consolidateAfter: " after ", budgets: [{nodes: 100%}]}"
#define POOL                  .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"), .spec = DISRUPTION("0s")
#define DO_NOT_DISRUPT(value) "annotations: {karpenter.sh/do-not-disrupt: \"" value "\"}"
#define BUDGET                                                                                                         \
    "apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b, namespace: default}, "                      \
    "spec: {maxUnavailable: 0, selector: {matchLabels: {app: held}}}, status: {disruptionsAllowed: 0}"

#define assert_goes(f, expected) assert_goes_((f), (expected), __FILE__, __LINE__)
static void assert_goes_(Estate *f, const char *expected, const char *file, int line) {
    f->options.methods = 1U << METHOD_CONSOLIDATION;
    for (Consolidation search = CONSOLIDATION_FLEET; search <= CONSOLIDATION_CLASSIC; search++) {
        f->options.consolidation = search;
        _assert_string_equal(estate_pass(f), expected, file, line);
    }
}

// Nodes "a" with one pod and "b" with two: there is room for all of them on either. Larger nodes than the pods need go
// to nodes that stay as well, where the fleet search leaves the smallest ones alone (docs/design/disrupt-fleet.md).
typedef struct {
    const char *type;            // default small
    const char *spec;            // of all pods
    const char *meta_a, *meta_b; // of the pods on "a" and "b"
    const char *label_a, *label_b;
    const char *claim_spec;
} TwoNodes;
#define two_nodes(f, ...) add_two_nodes((f), (TwoNodes){__VA_ARGS__})
static void add_two_nodes(Estate *f, TwoNodes two) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = two.type ? two.type : "small", .claim_spec = two.claim_spec);
    estate_node(f, .name = "b", .type = two.type ? two.type : "small", .claim_spec = two.claim_spec);
    world_pods(f->world, .name = "v", .requests = "cpu: 200m", .node = "a", .spec = two.spec, .meta = two.meta_a,
               .labels = two.label_a, .status = "startTime: \"1970-01-01T09:59:00Z\"");
    world_pods(f->world, .name = "w", .count = 2, .requests = "cpu: 200m", .node = "b", .spec = two.spec,
               .meta = two.meta_b, .labels = two.label_b, .status = "startTime: \"1970-01-01T09:59:00Z\"");
}

TEST_F(Estate, f, the_node_with_fewer_pods_goes_and_the_other_stays) {
    two_nodes(f);
    estate_read(f);
    assert_goes(f, "consolidation a");
    assert_int_equal(f->pass.commands.items[0].pods, 1);
    assert_int_equal(f->pass.commands.items[0].destinations.items[0], estate_at(f, "b"));
}

TEST_F(Estate, f, what_is_saved_is_the_whole_price) {
    two_nodes(f);
    estate_read(f);
    estate_pool(f, "default")->disruption.policy = CONSOLIDATE_BALANCED;
    assert_goes(f, "consolidation a");
    assert_true(f->pass.commands.items[0].price_per_hour > 0.09);
    assert_true(f->pass.commands.items[0].saving_per_hour == f->pass.commands.items[0].price_per_hour);
}

// --- what protects a node

TEST_F(Estate, f, a_budget_protects_its_pods_and_the_other_node_goes) {
    world_object(f->world, BUDGET);
    two_nodes(f, .type = "medium", .label_a = "app: held");
    estate_read(f);
    assert_goes(f, "consolidation b"); // though it has more pods
}

TEST_F(Estate, f, so_does_the_annotation_on_the_node) {
    two_nodes(f, .type = "medium");
    estate_read(f);
    estate_annotate(f, "a", "karpenter.sh/do-not-disrupt", "true");
    assert_goes(f, "consolidation b");
}

TEST_F(Estate, f, and_that_on_a_pod) {
    two_nodes(f, .type = "medium", .meta_a = DO_NOT_DISRUPT("true"));
    estate_read(f);
    assert_goes(f, "consolidation b");
}

TEST_F(Estate, f, a_termination_grace_period_changes_nothing_about_budgets) {
    world_object(f->world, BUDGET);
    two_nodes(f, .label_a = "app: held", .label_b = "app: held", .claim_spec = "terminationGracePeriod: 1h");
    estate_read(f);
    assert_goes(f, "");
}

TEST_F(Estate, f, a_duration_protects_until_it_has_passed) {
    two_nodes(f, .type = "medium", .meta_a = DO_NOT_DISRUPT("2m"));
    estate_read(f);
    assert_goes(f, "consolidation b");
    f->facts.wall_ns += NS_PER_MIN + NS_PER_S;
    assert_goes(f, "consolidation a b => small on-demand");
}

TEST_F(Estate, f, durations_of_all_pods_keep_both_nodes_until_they_have_passed) {
    two_nodes(f, .meta_a = DO_NOT_DISRUPT("2m"), .meta_b = DO_NOT_DISRUPT("2m"));
    estate_read(f);
    assert_goes(f, "");
    assert_int_equal(f->pass.look_at_ns, f->facts.wall_ns + NS_PER_MIN); // no event says that a duration ends
    f->facts.wall_ns += NS_PER_MIN + NS_PER_S;
    assert_goes(f, "consolidation a");
}

// --- where the pods may go

static void add_uninitialized(Estate *f, const char *name) {
    world_node(f->world, .name = name, .labels = INSTANCE_TYPE ": small, " ZONE ": a, " CAPACITY_TYPE ": on-demand",
               .allocatable = "cpu: 2, memory: 4Gi, pods: 10", .pool = "default", .stage = NODE_REGISTERED);
}

TEST_F(Estate, f, not_to_a_node_that_is_not_initialized) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    add_uninitialized(f, "b");
    world_pods(f->world, .name = "w", .requests = "cpu: 200m", .node = "a");
    estate_read(f);
    f->options.consolidation = CONSOLIDATION_CLASSIC;
    assert_string_equal(estate_pass(f), "");
    assert_string_equal(estate_note(f, "a", "Unconsolidatable"),
                        "Not all pods would schedule, default/w => would schedule against uninitialized nodeclaim/b, "
                        "node/b");
    f->options.consolidation = CONSOLIDATION_FLEET;
    assert_string_equal(estate_pass(f), "");
}

TEST_F(Estate, f, of_a_hundred_the_one_that_is_initialized_is_used) {
    world_pool(f->world, POOL);
    for (uint32_t i = 0; i < 99; i++)
        add_uninitialized(f, estate_text(f, "new-%u", i));
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "z", .type = "small");
    world_pods(f->world, .name = "v", .requests = "cpu: 200m", .node = "a");
    world_pods(f->world, .name = "w", .count = 2, .requests = "cpu: 200m", .node = "z");
    estate_read(f);
    assert_goes(f, "consolidation a");
    assert_int_equal(f->pass.commands.items[0].destinations.items[0], estate_at(f, "z"));
    for (vec_each(const DisruptNote, note, &f->pass.notes))
        assert_string_not_equal(note->reason, "Unconsolidatable");
}

// "a" of one pool with a pod, "b" of another, whose last pod came a minute ago.
static void to_a_pool_of(Estate *f, const char *after) {
    world_pool(f->world, POOL);
    world_pool(f->world, .name = "other", .requirements = IN(CAPACITY_TYPE, "on-demand"), .spec = after);
    estate_node(f, .name = "a", .type = "medium");
    estate_node(f, .name = "b", .type = "small", .pool = "other");
    world_pods(f->world, .name = "v", .requests = "cpu: 200m", .node = "a");
    world_pods(f->world, .name = "w", .requests = "cpu: 200m", .node = "b");
    estate_read(f);
    estate_unmark(f, "b", "Consolidatable");
    estate_claim(f, "b")->last_pod_event_ns = ESTATE_NOW_NS - NS_PER_MIN;
}

TEST_F(Estate, f, not_to_a_node_within_its_consolidate_after) {
    to_a_pool_of(f, DISRUPTION("10m"));
    assert_goes(f, "consolidation a => small on-demand");
    f->facts.wall_ns += 10 * NS_PER_MIN;
    assert_goes(f, "consolidation a");
}

TEST_F(Estate, f, to_a_node_of_a_pool_that_is_never_consolidated) {
    to_a_pool_of(f, DISRUPTION("Never"));
    assert_goes(f, "consolidation a");
}

// --- what is no obstacle, and what is one

// Pools that may get no nodes (deleted NodeClass, invalid requirements) are not among those that grow.
TEST_F(Estate, f, pools_that_are_not_ready_hold_nothing_up) {
    world_pool(f->world, .name = "broken", .types = "", .spec = "weight: 50");
    two_nodes(f);
    estate_read(f);
    assert_string_equal(
        arena_text(&f->arena, symbol_text(&f->facts.cluster->symbols, f->facts.growing.items[0].pool->meta.name)),
        "broken");
    assert_goes(f, "consolidation a");
    f->facts.growing.items++;
    f->facts.growing.count--;
    assert_goes(f, "consolidation a");
}

TEST_F(Estate, f, a_pod_that_is_pending_for_ever_holds_nothing_up) {
    world_pods(f->world, .name = "p", .requests = "cpu: 100", .spec = SELECT("rack: r"));
    two_nodes(f);
    estate_read(f);
    assert_goes(f, "consolidation a");
    assert_int_equal(f->pass.commands.items[0].pods, 1);
}

// Each pod may be on its own node alone.
TEST_F(Estate, f, no_pod_becomes_pending) {
    world_pool(f->world, POOL);
    for (const char *name = "ab"; *name; name++) {
        const char *rack = estate_text(f, "team: %c", *name), *node = estate_text(f, "%c", *name);

        world_node(f->world, .name = node, .pool = "default", .allocatable = "cpu: 2, memory: 4Gi, pods: 10",
                   .labels =
                       estate_text(f, "%s, %s: small, %s: a, %s: on-demand", rack, INSTANCE_TYPE, ZONE, CAPACITY_TYPE));
        world_pods(f->world, .name = node, .requests = "cpu: 200m", .node = node,
                   .spec = estate_text(f, "nodeSelector: {%s}", rack));
    }
    estate_read(f);
    assert_goes(f, "");
}

// --- where pods are beside each other

static void apart_by_zone(Estate *f, const char *spec) {
    world_pool(f->world, POOL, .types = "small");
    for (const char *zone = "abc"; *zone; zone++) {
        const char *name = estate_text(f, "%c", *zone);

        estate_node(f, .name = name, .type = "small", .zone = name);
        world_pods(f->world, .name = name, .labels = "app: w", .requests = "cpu: 900m", .node = name, .spec = spec);
    }
    estate_read(f);
}

TEST_F(Estate, f, pods_that_must_be_apart_keep_their_nodes) {
    apart_by_zone(f, AFFINITY(APART(PODS(ZONE, "app: w", ""))));
    assert_goes(f, "");
}

TEST_F(Estate, f, others_do_not) {
    apart_by_zone(f, NULL);
    assert_goes(f, "consolidation a");
}

TEST_F(Estate, f, pods_that_prefer_to_be_apart_do_unless_preferences_are_ignored) {
    apart_by_zone(f, AFFINITY(PREFER_APART(PREFER_POD(100, HOST, "app: w"))));
    f->options.preferences = PREFERENCES_RESPECT;
    assert_goes(f, "");
    f->options.preferences = PREFERENCES_IGNORE;
    assert_goes(f, "consolidation a");
}
