// One node for a cheaper one: what keeps a node, and what does not. Reference lifecycle.md 4.10.
#include "disrupt/support/estate.h"

#include "base/time.h"

#define DISRUPTION     "disruption: {consolidateAfter: 0s, budgets: [{nodes: 100%}]}"
#define ON_DEMAND      .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"), .spec = DISRUPTION
#define DO_NOT_DISRUPT "annotations: {karpenter.sh/do-not-disrupt: \"true\"}"
#define BUDGET(namespace, more)                                                                                        \
    "apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b, namespace: " namespace "}, "                \
                                                                                                  "spec: "             \
                                                                                                  "{maxUnavailable: "  \
                                                                                                  "0, selector: "      \
                                                                                                  "{matchLabels: "     \
                                                                                                  "{app: w}}" more     \
                                                                                                  "}, status: "        \
                                                                                                  "{disruptionsAllowe" \
                                                                                                  "d: 0}"

static const char *consolidate(Estate *f, Consolidation search) {
    f->options.methods = 1U << METHOD_CONSOLIDATION;
    f->options.consolidation = search;
    return estate_pass(f);
}

#define assert_goes(f, expected) assert_goes_((f), (expected), __FILE__, __LINE__)
static void assert_goes_(Estate *f, const char *expected, const char *file, int line) {
    _assert_string_equal(consolidate(f, CONSOLIDATION_FLEET), expected, file, line);
    _assert_string_equal(consolidate(f, CONSOLIDATION_CLASSIC), expected, file, line);
}

// --- on-demand and spot

enum { TYPES = 25, OF_THE_NODE = 20 };

// Node "a", on-demand or spot, of a type that is one of many and has twenty cheaper ones.
typedef struct {
    const char *labels, *meta, *status; // of the pod on "a"
    const char *budget;                 // an object
    const char *requirement;            // a further one of the pool
    bool has_empty_pool;                // there is a pool without instance types
    bool has_other;                     // there is "b" like it, full as well
    bool is_protected;                  // by an annotation on the Node
    const char *goes;                   // default none
    const char *why;                    // "a" stays, says classic; default whatever
} Replacing;

static void add_nodes(Estate *f, const Replacing *c, const char *capacity_type) {
    const char *type = estate_text(f, "t%02d", OF_THE_NODE);

    estate_node(f, .name = "a", .type = type, .capacity_type = capacity_type);
    world_pods(f->world, .name = "w", .labels = c->labels, .requests = "cpu: 3", .node = "a", .meta = c->meta,
               .status = c->status);
    if (!c->has_other)
        return;
    estate_node(f, .name = "b", .type = type, .capacity_type = capacity_type);
    world_pods(f->world, .name = "v", .requests = "cpu: 3", .node = "b");
}

static void add_world(Estate *f, const Replacing *c, const char *capacity_type) {
    const char *requirements = estate_text(f, "%s%s%s", estate_text(f, IN(CAPACITY_TYPE, "%s"), capacity_type),
                                           c->requirement ? ", " : "", c->requirement ? c->requirement : "");
    const char *types = "t00";

    for (int i = 0; i < TYPES; i++)
        world_type(f->world, .name = estate_text(f, "t%02d", i), .capacity = "cpu: 4, memory: 8Gi, pods: 10",
                   .price = 0.1 + 0.01 * i);
    for (int i = 1; i < TYPES; i++)
        types = estate_text(f, "%s t%02d", types, i);
    world_pool(f->world, .name = "default", .requirements = requirements, .spec = DISRUPTION, .types = types);
    if (c->has_empty_pool)
        world_pool(f->world, .name = "empty", .types = "", .spec = "weight: 50");
    if (c->budget)
        world_object(f->world, c->budget);
    add_nodes(f, c, capacity_type);
}

static void check_of(const Replacing *c, const char *capacity_type, const char *file, int line) {
    Estate *f = estate_setup();
    const char *expected;

    f->options.spot_to_spot = true;
    add_world(f, c, capacity_type);
    estate_read(f);
    if (c->is_protected)
        estate_annotate(f, "a", "karpenter.sh/do-not-disrupt", "true");
    expected = c->goes ? estate_text(f, "consolidation %s => t00 %s", c->goes, capacity_type) : "";
    assert_goes_(f, expected, file, line);
    if (c->why)
        _assert_string_equal(estate_note(f, "a", "Unconsolidatable"), c->why, file, line);
    estate_teardown(f);
}

#define check(...) check_both(&(Replacing){__VA_ARGS__}, __FILE__, __LINE__)
static void check_both(const Replacing *c, const char *file, int line) {
    check_of(c, "on-demand", file, line);
    check_of(c, "spot", file, line);
}

TEST(a_dear_node_becomes_a_cheap_one) {
    check(.goes = "a");
}

TEST(not_if_fewer_types_are_cheaper_than_its_pool_wants) {
    check(.requirement = "{key: " INSTANCE_TYPE ", operator: Exists, minValues: 20}", .goes = "a");
    check(.requirement = "{key: " INSTANCE_TYPE ", operator: Exists, minValues: 21}",
          .why = "Filtering by price: minValues requirement is not met for label(s) "
                 "(label(s)=[node.kubernetes.io/instance-type])");
}

TEST(whether_or_not_another_pool_has_types) {
    check(.has_empty_pool = true, .goes = "a");
}

TEST(not_if_a_budget_keeps_its_pod) {
    check(.labels = "app: w", .budget = BUDGET("default", ""));
}

TEST(unless_unhealthy_pods_may_always_go) {
    static const char unhealthy[] = "conditions: [{type: Ready, status: \"False\"}]";

    check(.labels = "app: w", .status = unhealthy, .budget = BUDGET("default", ""));
    check(.labels = "app: w", .status = unhealthy,
          .budget = BUDGET("default", ", unhealthyPodEvictionPolicy: AlwaysAllow"), .goes = "a");
}

TEST(budgets_of_other_namespaces_keep_nothing) {
    check(.labels = "app: w", .budget = BUDGET("other", ""), .goes = "a");
}

TEST(the_annotation_on_one_node_leaves_the_other) {
    check(.has_other = true, .is_protected = true, .goes = "b");
}

TEST(so_does_that_on_its_pod) {
    check(.has_other = true, .meta = DO_NOT_DISRUPT, .goes = "b");
}

// --- prices

// A node of $0.5, whose type cannot be launched any more.
static void one_old_node(Estate *f, const char *capacity_types) {
    world_type(f->world, .name = "old", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "");
    world_offering(f->world, .type = "old", .zone = "a", .price = 0.5, .unavailable = true);
    world_pool(f->world, .name = "default", .requirements = capacity_types, .spec = DISRUPTION);
    estate_node(f, .name = "a", .type = "old");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
}

// Classic sends no zone with the launch: any of them may be where it ends.
static const char *with_a_spot_price_in_zone_a(Estate *f, double price) {
    world_type(f->world, .name = "new", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "");
    world_offering(f->world, .type = "new", .zone = "a", .capacity_type = "spot", .price = price);
    world_offering(f->world, .type = "new", .zone = "b", .capacity_type = "spot", .price = 0.2);
    world_offering(f->world, .type = "new", .zone = "c", .capacity_type = "spot", .price = 0.4);
    one_old_node(f, IN(CAPACITY_TYPE, "spot, on-demand"));
    estate_read(f);
    return consolidate(f, CONSOLIDATION_CLASSIC);
}

TEST_F(Estate, f, a_replacement_that_could_be_launched_where_it_is_dearer_is_none) {
    assert_string_equal(with_a_spot_price_in_zone_a(f, 1), "");
}

TEST_F(Estate, f, where_every_zone_is_cheaper_it_is_one) {
    assert_string_equal(with_a_spot_price_in_zone_a(f, 0.45), "consolidation a => new spot");
}

static void spot_is_cheaper_and_on_demand_dearer(Estate *f, const char *capacity_types) {
    world_type(f->world, .name = "new", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "");
    world_offering(f->world, .type = "new", .zone = "a", .price = 0.6);
    world_offering(f->world, .type = "new", .zone = "b", .price = 0.6);
    world_offering(f->world, .type = "new", .zone = "b", .capacity_type = "spot", .price = 0.2);
    one_old_node(f, capacity_types);
    estate_read(f);
}

TEST_F(Estate, f, spot_prices_do_not_count_where_the_pool_wants_on_demand) {
    spot_is_cheaper_and_on_demand_dearer(f, IN(CAPACITY_TYPE, "on-demand"));
    assert_goes(f, "");
}

TEST_F(Estate, f, where_it_allows_spot_they_do) {
    spot_is_cheaper_and_on_demand_dearer(f, IN(CAPACITY_TYPE, "spot, on-demand"));
    assert_goes(f, "consolidation a => new spot");
}

// --- what the replacement must be

// "b" has room, but its last pod came a minute ago.
TEST_F(Estate, f, consolidate_after_of_destinations_does_not_hold_up_new_nodes) {
    world_pool(f->world, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = "disruption: {consolidateAfter: 10m, budgets: [{nodes: 100%}]}");
    estate_node(f, .name = "a", .type = "huge");
    estate_node(f, .name = "b", .type = "medium");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 2500m", .node = "b");
    estate_read(f);
    estate_unmark(f, "b", "Consolidatable");
    estate_claim(f, "b")->last_pod_event_ns = ESTATE_NOW_NS - NS_PER_MIN;
    assert_goes(f, "consolidation a => small on-demand");
}

TEST_F(Estate, f, pods_spread_over_zones_keep_theirs) {
    const PlannedClaim *claim;

    world_pool(f->world, ON_DEMAND);
    for (const char *zone = "abc"; *zone; zone++) {
        const char *name = estate_text(f, "%c", *zone);

        estate_node(f, .name = name, .type = *zone == 'b' ? "huge" : "small", .zone = name);
        world_pods(f->world, .name = name, .labels = "app: w", .requests = "cpu: 1500m", .node = name,
                   .spec = SPREAD(SKEW(ZONE, 1, "app: w", "")));
    }
    estate_read(f);
    assert_goes(f, "consolidation b => small on-demand");
    claim = &f->pass.commands.items[0].replacements.items[0];
    assert_string_equal(arena_text(&f->arena, symbol_text(&f->facts.cluster->symbols, claim->offering->zone)), "b");
    assert_string_equal(arena_text(&f->arena, requirement_print(&f->arena, &f->facts.cluster->symbols,
                                                                requirements_get(&claim->requirements, NAME_ZONE))),
                        ZONE " In [b]");
}

TEST_F(Estate, f, pods_that_prefer_the_old_type_keep_it_unless_preferences_are_ignored) {
    world_pool(f->world, ON_DEMAND);
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(INSTANCE_TYPE, "huge")))));
    estate_read(f);
    f->options.preferences = PREFERENCES_RESPECT;
    assert_goes(f, "");
    f->options.preferences = PREFERENCES_IGNORE;
    assert_goes(f, "consolidation a => small on-demand");
}

// Of the four types that hold the pods three are cheaper.
TEST_F(Estate, f, min_values_are_not_lowered_for_a_cheaper_node) {
    world_pool(f->world, .name = "default", .spec = DISRUPTION,
               .requirements =
                   IN(CAPACITY_TYPE, "on-demand") ", {key: " INSTANCE_TYPE ", operator: Exists, minValues: 4}");
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    f->options.min_values = MIN_VALUES_BEST_EFFORT;
    assert_goes(f, "");
    assert_string_equal(estate_note(f, "a", "Unconsolidatable"),
                        "Filtering by price: minValues requirement is not met for label(s) "
                        "(label(s)=[node.kubernetes.io/instance-type])");
}

// --- policy Balanced

#define BALANCED                                                                                                       \
    .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),                                                 \
    .spec = "disruption: {consolidateAfter: 0s, consolidationPolicy: Balanced, budgets: [{nodes: 100%}]}"

TEST_F(Estate, f, a_full_node_of_the_cheapest_type_stays_and_nothing_is_approved) {
    world_pool(f->world, BALANCED);
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1900m", .node = "a");
    estate_read(f);
    assert_goes(f, "");
    assert_string_equal(estate_note(f, "a", "ConsolidationApproved"), "");
}

TEST_F(Estate, f, a_replacement_saves_less_than_the_whole_price) {
    const DisruptCommand *command;

    world_pool(f->world, BALANCED);
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    assert_goes(f, "consolidation a => small on-demand");
    command = &f->pass.commands.items[0];
    assert_true(command->price_per_hour > 0.79 && command->price_per_hour < 0.81);
    assert_true(command->saving_per_hour > 0.69 && command->saving_per_hour < 0.71);
}
