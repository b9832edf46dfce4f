// Which candidates consolidation looks at first: what is saved for each unit of disruption. Reference lifecycle.md 0.6,
// 4.12 and 4.13.
#include "disrupt/support/estate.h"

#define DISRUPTION(policy)                                                                                             \
    "disruption: {consolidateAfter: 0s, consolidationPolicy: " policy ", budgets: [{nodes: 100%}]}"
#define BALANCED       DISRUPTION("Balanced")
#define UNDERUTILIZED  DISRUPTION("WhenEmptyOrUnderutilized")
#define POOL(of, text) .name = (of), .requirements = IN(CAPACITY_TYPE, "on-demand"), .spec = (text)

static const char *consolidate(Estate *f) {
    f->options.methods = 1U << METHOD_CONSOLIDATION;
    return estate_pass(f);
}

// Per unit of disruption "a" costs $0.10 / 2, "b" $0.40 / 2, "c" $0.20 / 2 and "d" $0.40 / 7. There is room for all.
static const char *four_nodes(Estate *f, const char *first_policy, const char *second_policy) {
    static const struct {
        const char *name, *type, *pool;
        int pods;
    } nodes[] = {
        {"a", "small", "one", 1}, {"b", "large", "two", 1}, {"c", "medium", "one", 1}, {"d", "large", "two", 6}};

    world_pool(f->world, POOL("one", first_policy));
    world_pool(f->world, POOL("two", second_policy));
    world_node(f->world, .name = "foreign");
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        estate_node(f, .name = nodes[i].name, .type = nodes[i].type, .pool = nodes[i].pool);
        world_pods(f->world, .name = nodes[i].name, .count = nodes[i].pods, .requests = "cpu: 100m",
                   .node = nodes[i].name);
    }
    estate_read(f);
    return consolidate(f);
}

TEST_F(Estate, f, candidates_of_balanced_pools_go_by_their_ratio) {
    assert_string_equal(four_nodes(f, BALANCED, BALANCED), "consolidation b c d a");
}

TEST_F(Estate, f, so_do_those_of_other_pools) {
    assert_string_equal(four_nodes(f, UNDERUTILIZED, UNDERUTILIZED), "consolidation b c d a");
}

TEST_F(Estate, f, both_are_one_list) {
    assert_string_equal(four_nodes(f, BALANCED, UNDERUTILIZED), "consolidation b c d a");
}

// --- single nodes

// Names of the nodes in the order in which it is said why they stay.
static const char *looked_at(Estate *f) {
    const char *text = "";

    assert_string_equal(consolidate(f), "");
    for (vec_each(const DisruptNote, note, &f->pass.notes)) {
        Slice name = symbol_text(&f->facts.cluster->symbols, f->facts.nodes.items[note->node].name);

        assert_string_equal(note->reason, "Unconsolidatable");
        text = estate_text(f, "%s%s%.*s", text, *text ? " " : "", SLICE_ARG(name));
    }
    return text;
}

// A node whose pods fit nowhere else.
static void stuck_node(Estate *f, const char *pool, const char *name, const char *type, int pods) {
    estate_node(f, .name = name, .type = type, .pool = pool);
    world_pods(f->world, .name = name, .count = pods, .requests = "cpu: 100m", .node = name, .spec = SELECT("rack: r"));
}

TEST_F(Estate, f, single_nodes_of_three_pools_go_by_their_ratio_and_by_turns) {
    static const char *const pools[] = {"p", "q", "r"};

    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        world_pool(f->world, POOL(pools[i], UNDERUTILIZED));
        stuck_node(f, pools[i], estate_text(f, "%s-cheap", pools[i]), "small", 1);
        stuck_node(f, pools[i], estate_text(f, "%s-dear", pools[i]), "large", 1);
        stuck_node(f, pools[i], estate_text(f, "%s-middle", pools[i]), "medium", 1);
    }
    estate_read(f);
    assert_string_equal(looked_at(f), "p-dear q-dear r-dear p-middle q-middle r-middle p-cheap q-cheap r-cheap");
}

TEST_F(Estate, f, of_equal_prices_the_one_that_disrupts_least_comes_first) {
    world_pool(f->world, POOL("default", UNDERUTILIZED));
    stuck_node(f, "default", "many", "small", 9);
    stuck_node(f, "default", "few", "small", 1);
    stuck_node(f, "default", "some", "small", 4);
    estate_read(f);
    assert_string_equal(looked_at(f), "few some many");
}

TEST_F(Estate, f, of_two_nodes_the_one_with_fewer_pods_goes) {
    world_pool(f->world, POOL("default", UNDERUTILIZED));
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "v", .count = 3, .requests = "cpu: 100m", .node = "a");
    world_pods(f->world, .name = "w", .count = 2, .requests = "cpu: 100m", .node = "b");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation b");
    f->options.consolidation = CONSOLIDATION_FLEET;
    assert_string_equal(consolidate(f), "consolidation b");
}
