// What budgets let go of whole fleets, and that what they held back is looked at again. Reference lifecycle.md 4.4
// and 4.6.
#include "disrupt/support/estate.h"

#define DISRUPTION(policy, budget)                                                                                     \
    "disruption: {consolidateAfter: 0s, consolidationPolicy: " policy ", budgets: [" budget "]}"
#define SHARE(percent)        "{nodes: " percent "}"
#define WHEN_EMPTY(budget)    DISRUPTION("WhenEmpty", budget)
#define UNDERUTILIZED(budget) DISRUPTION("WhenEmptyOrUnderutilized", budget)

static const char *node_name(Estate *f, uint32_t pool, uint32_t number) {
    return estate_text(f, "n%u-%u", pool, number);
}

// Pools p0, p1, …, each of `nodes` small nodes with a pod of these requests; NULL: empty ones.
static void add_fleet(Estate *f, uint32_t pools, uint32_t nodes, const char *spec, const char *requests) {
    for (uint32_t i = 0; i < pools; i++) {
        const char *pool = estate_text(f, "p%u", i);

        world_pool(f->world, .name = pool, .requirements = IN(CAPACITY_TYPE, "on-demand"), .spec = spec);
        for (uint32_t j = 0; j < nodes; j++) {
            estate_node(f, .name = node_name(f, i, j), .type = "small", .pool = pool);
            if (requests)
                world_pods(f->world, .name = node_name(f, i, j), .requests = requests, .node = node_name(f, i, j));
        }
    }
}

// --- what counts

static uint32_t allowed(const Estate *f, DisruptionReason reason) {
    return f->pass.allowances.items[0].allowed[reason];
}

TEST_F(Estate, f, nodes_of_others_are_no_part_of_the_total) {
    add_fleet(f, 1, 3, WHEN_EMPTY(SHARE("100%")), NULL);
    world_node(f->world, .name = "foreign");
    world_node(f->world, .name = "without-claim", .labels = "karpenter.sh/nodepool: p0");
    estate_read(f);
    (void)estate_pass(f);
    assert_int_equal(allowed(f, DISRUPTION_EMPTY), 3);
}

TEST_F(Estate, f, nor_are_nodes_that_are_not_initialized) {
    add_fleet(f, 1, 3, WHEN_EMPTY(SHARE("100%")), NULL);
    world_node(f->world, .name = "registered", .pool = "p0", .stage = NODE_REGISTERED);
    world_node(f->world, .name = "launched", .pool = "p0", .stage = NODE_LAUNCHED);
    estate_read(f);
    (void)estate_pass(f);
    assert_int_equal(allowed(f, DISRUPTION_EMPTY), 3);
}

TEST_F(Estate, f, nor_those_whose_instance_is_terminating) {
    add_fleet(f, 1, 3, WHEN_EMPTY(SHARE("100%")), NULL);
    estate_read(f);
    estate_mark(f, "n0-1", "InstanceTerminating", 5);
    (void)estate_pass(f);
    assert_int_equal(allowed(f, DISRUPTION_EMPTY), 2);
}

// --- how many go

// Nodes of the last pass's command that are the pool's.
static uint32_t taken_of(Estate *f, uint32_t pool) {
    Slice prefix = slice_of(estate_text(f, "n%u-", pool));
    uint32_t count = 0;

    for (vec_each(const uint32_t, node, &f->pass.commands.items[0].nodes)) {
        Slice name = symbol_text(&f->facts.cluster->symbols, f->facts.nodes.items[*node].name);

        count += slice_starts_with(name, prefix);
    }
    return count;
}

typedef struct {
    const char *what, *spec, *requests;
    uint32_t pools, nodes;
    uint32_t taken; // of each pool, in one command of the method
    DisruptMethod method;
    uint32_t allowed; // of each pool
} Shares;

static void check_shares(const Shares *c, Consolidation consolidation) {
    Estate *f = estate_setup();

    add_fleet(f, c->pools, c->nodes, c->spec, c->requests);
    if (c->requests)
        world_node(f->world, .name = "foreign"); // room for all
    estate_read(f);
    f->options.consolidation = consolidation;
    (void)estate_pass(f);
    assert_int_equal(f->pass.allowances.count, c->pools);
    for (uint32_t i = 0; i < c->pools; i++)
        assert_int_equal(f->pass.allowances.items[i].allowed[disrupt_method_reason(c->method)], c->allowed);
    if (f->pass.commands.count != (c->taken ? 1 : 0))
        fail_msg("%s: %u commands", c->what, f->pass.commands.count);
    for (uint32_t i = 0; c->taken && i < c->pools; i++) {
        assert_int_equal(f->pass.commands.items[0].method, c->method);
        if (taken_of(f, i) != c->taken)
            fail_msg("%s: %u of pool %u", c->what, taken_of(f, i), i);
    }
    estate_teardown(f);
}

TEST(empty_nodes_go_as_far_as_budgets_allow) {
    static const Shares cases[] = {
        {"all of ten", WHEN_EMPTY(SHARE("100%")), NULL, 1, 10, 10, METHOD_EMPTINESS, 10},
        {"none of ten", WHEN_EMPTY(SHARE("0%")), NULL, 1, 10, 0, METHOD_EMPTINESS, 0},
        {"three of ten", WHEN_EMPTY(SHARE("30%")), NULL, 1, 10, 3, METHOD_EMPTINESS, 3},
        {"two of three in ten pools", WHEN_EMPTY(SHARE("50%")), NULL, 10, 3, 2, METHOD_EMPTINESS, 2},
        {"all of three in ten pools", WHEN_EMPTY(SHARE("100%")), NULL, 10, 3, 3, METHOD_EMPTINESS, 3},
        {"three of ten, consolidated", UNDERUTILIZED(SHARE("30%")), NULL, 1, 10, 3, METHOD_EMPTINESS, 3},
        {"all of ten, consolidated", UNDERUTILIZED(SHARE("100%")), NULL, 1, 10, 10, METHOD_EMPTINESS, 10},
        {"none of ten, consolidated", UNDERUTILIZED(SHARE("0%")), NULL, 1, 10, 0, METHOD_EMPTINESS, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_shares(&cases[i], CONSOLIDATION_CLASSIC);
}

TEST(so_do_several_nodes_with_pods) {
    static const Shares cases[] = {
        {"three of ten", UNDERUTILIZED(SHARE("30%")), "cpu: 100m", 1, 10, 3, METHOD_CONSOLIDATION, 3},
        {"two of three in ten pools", UNDERUTILIZED(SHARE("50%")), "cpu: 100m", 10, 3, 2, METHOD_CONSOLIDATION, 2},
        {"all of three in ten pools", UNDERUTILIZED(SHARE("100%")), "cpu: 100m", 10, 3, 3, METHOD_CONSOLIDATION, 3},
        {"none of three in ten pools", UNDERUTILIZED(SHARE("0%")), "cpu: 100m", 10, 3, 0, METHOD_CONSOLIDATION, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_shares(&cases[i], CONSOLIDATION_CLASSIC);
}

// --- one node a pass

// Commands of passes after each other, none of which has ended; each has one node, of the pool "taken_from" counts.
static uint32_t begin_all(Estate *f, uint32_t *taken_from) {
    uint32_t commands = 0;

    while (*estate_pass(f)) {
        assert_int_equal(f->pass.commands.count, 1);
        assert_int_equal(f->pass.commands.items[0].nodes.count, 1);
        for (uint32_t i = 0; i < f->facts.pools.count; i++)
            taken_from[i] += taken_of(f, i);
        estate_begin_commands(f);
        commands++;
    }
    return commands;
}

// The dearest cannot go, so neither can several.
TEST_F(Estate, f, single_nodes_go_until_the_budget_is_spent) {
    uint32_t taken = 0;

    add_fleet(f, 1, 9, UNDERUTILIZED(SHARE("30%")), "cpu: 500m");
    estate_node(f, .name = "dear", .type = "huge", .pool = "p0");
    world_pods(f->world, .name = "dear", .requests = "cpu: 500m", .node = "dear", .spec = SELECT("rack: r"));
    estate_read(f);
    f->options.methods = 1U << METHOD_CONSOLIDATION;
    assert_int_equal(begin_all(f, &taken), 3);
    assert_int_equal(taken, 3);
}

static void mark_drifted(Estate *f, uint32_t pools, uint32_t nodes) {
    for (uint32_t i = 0; i < pools; i++) {
        for (uint32_t j = 0; j < nodes; j++)
            estate_mark(f, node_name(f, i, j), "Drifted", 5);
    }
}

TEST_F(Estate, f, ten_drifted_nodes_are_allowed_three_disruptions) {
    add_fleet(f, 1, 10, WHEN_EMPTY(SHARE("30%")), "cpu: 1500m");
    estate_read(f);
    mark_drifted(f, 1, 10);
    (void)estate_pass(f);
    assert_int_equal(allowed(f, DISRUPTION_DRIFTED), 3);
    assert_int_equal(f->pass.eligible[METHOD_DRIFT], 10);
}

TEST_F(Estate, f, of_five_drifted_nodes_of_ten_three_go) {
    uint32_t taken = 0;

    add_fleet(f, 1, 10, WHEN_EMPTY(SHARE("30%")), "cpu: 1500m");
    estate_read(f);
    mark_drifted(f, 1, 5);
    assert_int_equal(begin_all(f, &taken), 3);
}

TEST_F(Estate, f, of_ten_pools_one_drifted_node_each) {
    uint32_t taken[10] = {0};

    add_fleet(f, 10, 2, WHEN_EMPTY("{nodes: \"1\"}"), "cpu: 1500m");
    estate_read(f);
    mark_drifted(f, 10, 2);
    assert_int_equal(begin_all(f, taken), 10);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        assert_int_equal(taken[i], 1);
}

// --- what was held back

typedef struct {
    const char *what;
    uint32_t pools, nodes; // in each
    const char *type, *requests;
} HeldBack;

static const HeldBack held_back[] = {
    {"empty nodes of one pool", 1, 10, "small", NULL},
    {"empty nodes of ten pools", 10, 3, "small", NULL},
    {"several nodes of one pool", 1, 10, "small", "cpu: 100m"},
    {"several nodes of ten pools", 10, 3, "small", "cpu: 100m"},
    {"a single node of one pool", 1, 1, "huge", "cpu: 100m"},
    {"single nodes of ten pools", 10, 1, "huge", "cpu: 5"},
};

static void check_held_back(const HeldBack *c, Consolidation consolidation) {
    Estate *f = estate_setup();

    add_fleet(f, c->pools, 0, UNDERUTILIZED(SHARE("0%")), NULL);
    for (uint32_t i = 0; i < c->pools * c->nodes; i++) {
        const char *name = node_name(f, i / c->nodes, i % c->nodes);

        estate_node(f, .name = name, .type = c->type, .pool = estate_text(f, "p%u", i / c->nodes));
        if (c->requests)
            world_pods(f->world, .name = name, .requests = c->requests, .node = name);
    }
    estate_read(f);
    f->options.consolidation = consolidation;
    assert_string_equal(estate_pass(f), "");
    if (f->pass.consolidated)
        fail_msg("%s: nothing is looked for again", c->what);
    estate_teardown(f);
}

TEST(what_budgets_held_back_is_looked_at_again) {
    for (size_t i = 0; i < sizeof held_back / sizeof *held_back; i++) {
        check_held_back(&held_back[i], CONSOLIDATION_CLASSIC);
        check_held_back(&held_back[i], CONSOLIDATION_FLEET);
    }
}

TEST_F(Estate, f, where_nothing_was_held_back_it_is_not) {
    add_fleet(f, 1, 10, UNDERUTILIZED(SHARE("100%")), "cpu: 1500m");
    estate_read(f);
    assert_string_equal(estate_pass(f), "");
    assert_true(f->pass.consolidated);
}

// --- budgets beside scores

TEST_F(Estate, f, a_score_does_not_lift_a_budget_and_is_not_told) {
    add_fleet(f, 1, 1, DISRUPTION("Balanced", SHARE("0%")), "cpu: 100m");
    world_node(f->world, .name = "foreign");
    estate_read(f);
    assert_string_equal(estate_pass(f), "");
    assert_string_equal(estate_note(f, "n0-0", "ConsolidationApproved"), "");
    estate_pool(f, "p0")->disruption.budgets.count = 0; // an empty list is no limit
    assert_string_equal(estate_pass(f), "consolidation n0-0");
    assert_string_not_equal(estate_note(f, "n0-0", "ConsolidationApproved"), "");
}

TEST_F(Estate, f, of_a_balanced_pool_the_empty_node_goes_before_one_with_pods) {
    add_fleet(f, 1, 2, DISRUPTION("Balanced", "{nodes: \"1\"}"), NULL);
    world_pods(f->world, .name = "w", .requests = "cpu: 100m", .node = "n0-0");
    world_node(f->world, .name = "foreign");
    estate_read(f);
    assert_string_equal(estate_pass(f), "emptiness n0-1");
}
