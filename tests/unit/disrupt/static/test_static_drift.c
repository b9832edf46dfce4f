// Drift of static pools. Reference lifecycle.md 4.9.
#include "disrupt/support/estate.h"

#define STATIC(more)                                                                                                   \
    .name = "default", .labels = "team: a", .spec = "replicas: 3, disruption: {budgets: [{nodes: 100%}]}" more

static void three_nodes(Estate *f) {
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    estate_node(f, .name = "c", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    estate_mark(f, "a", "Drifted", 5);
    estate_mark(f, "b", "Drifted", 5);
}

TEST_F(Estate, f, one_for_one_from_the_template) {
    const PlannedClaim *claim;

    world_pool(f->world, STATIC(""));
    three_nodes(f);
    assert_string_equal(estate_pass(f), "static-drift a => default; static-drift b => default");
    claim = &f->pass.commands.items[0].replacements.items[0];
    assert_int_equal(f->pass.commands.items[0].pods, 1);
    assert_int_equal(claim->types.count, 0);
    assert_ptr_equal(claim->pool, estate_pool(f, "default"));
    assert_int_not_equal(labels_get(&claim->labels, NAME_NODEPOOL), INDEX_NONE);
    assert_true(f->pass.commands.items[0].saving_per_hour == 0);
}

TEST_F(Estate, f, as_many_as_the_limit_leaves_room_for) {
    world_pool(f->world, STATIC(", limits: {nodes: 4}"));
    three_nodes(f);
    assert_string_equal(estate_pass(f), "static-drift a => default");
}

TEST_F(Estate, f, none_at_the_limit) {
    world_pool(f->world, STATIC(", limits: {nodes: 3}"));
    three_nodes(f);
    assert_string_equal(estate_pass(f), "");
    assert_int_equal(f->pass.eligible[METHOD_STATIC_DRIFT], 2);
}

// Five nodes, all drifted.
static void five_nodes(Estate *f, const char *spec) {
    static const char *const names[] = {"a", "b", "c", "d", "e"};

    world_pool(f->world, .name = "default", .spec = spec);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        estate_node(f, .name = names[i], .type = "small");
    estate_read(f);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        estate_mark(f, names[i], "Drifted", 5);
}

#define FIVE "replicas: 5, disruption: {budgets: [{nodes: 100%}]}"

TEST_F(Estate, f, without_a_limit_all_of_five) {
    five_nodes(f, FIVE);
    (void)estate_pass(f);
    assert_int_equal(f->pass.commands.count, 5);
    for (vec_each(const DisruptCommand, command, &f->pass.commands))
        assert_int_equal(command->replacements.count, 1);
}

TEST_F(Estate, f, room_for_two_of_five) {
    five_nodes(f, FIVE ", limits: {nodes: 7}");
    assert_string_equal(estate_pass(f), "static-drift a => default; static-drift b => default");
}

TEST_F(Estate, f, what_is_under_way_takes_of_the_limit) {
    five_nodes(f, FIVE ", limits: {nodes: 6}");
    assert_string_equal(estate_pass(f), "static-drift a => default");
    estate_claim(f, "b")->meta.deleting = true;
    resources_set(&f->arena, &estate_pool(f, "default")->limits, NAME_NODES, 5);
    assert_string_equal(estate_pass(f), "");
    resources_set(&f->arena, &estate_pool(f, "default")->limits, NAME_NODES, 6);
    assert_string_equal(estate_pass(f), "static-drift a => default");
}

TEST_F(Estate, f, each_pool_has_its_own_limit) {
    static const struct {
        const char *name, *limit;
        char nodes[3][4];
    } pools[] = {{"p", "5", {"p1", "p2", "p3"}}, {"q", "3", {"q1", "q2", "q3"}}, {"r", "9", {"r1", "r2", ""}}};

    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        world_pool(f->world, .name = pools[i].name,
                   .spec = arena_printf(&f->arena,
                                        "replicas: 3, disruption: {budgets: [{nodes: 100%%}]}, limits: {nodes: %s}",
                                        pools[i].limit)
                               .ptr);
        for (size_t j = 0; j < 3 && *pools[i].nodes[j]; j++)
            estate_node(f, .name = pools[i].nodes[j], .type = "small", .pool = pools[i].name);
    }
    estate_read(f);
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        for (size_t j = 0; j < 3 && *pools[i].nodes[j]; j++)
            estate_mark(f, pools[i].nodes[j], "Drifted", 5);
    }
    assert_string_equal(estate_pass(f), "static-drift p1 => p; static-drift p2 => p; "
                                        "static-drift r1 => r; static-drift r2 => r");
}

TEST_F(Estate, f, a_pool_without_replicas_has_nothing_to_drift) {
    world_pool(f->world, .name = "default", .spec = "replicas: 0, disruption: {budgets: [{nodes: 100%}]}");
    estate_read(f);
    assert_string_equal(estate_pass(f), "");
    assert_int_equal(f->pass.eligible[METHOD_STATIC_DRIFT], 0);
}

TEST_F(Estate, f, what_has_not_drifted_stays) {
    five_nodes(f, FIVE);
    for (const char *name = "abcde"; *name; name++) {
        const char one[] = {*name, '\0'};

        if (*name < 'c')
            estate_unmark(f, one, "Drifted");
        else if (*name > 'c')
            vec_last(&estate_claim(f, one)->conditions)->status =
                symbol_intern(&f->facts.cluster->symbols, SLICE("False"));
    }
    assert_string_equal(estate_pass(f), "static-drift c => default");
    assert_int_equal(f->pass.eligible[METHOD_STATIC_DRIFT], 1);
}

TEST_F(Estate, f, so_does_what_must_not_be_disrupted) {
    world_pool(f->world, STATIC(""));
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    estate_read(f);
    estate_annotate(f, "a", "karpenter.sh/do-not-disrupt", "true");
    estate_mark(f, "a", "Drifted", 5);
    estate_mark(f, "b", "Drifted", 5);
    assert_string_equal(estate_pass(f), "static-drift b => default");
}

TEST_F(Estate, f, behind_a_gate_nodes_at_the_limit_go_before_others_come) {
    DisruptCommand proven;

    world_pool(f->world, STATIC(", limits: {nodes: 3}"));
    three_nodes(f);
    f->options.terminate_first_drift = true;
    assert_string_equal(estate_pass(f), "static-drift a; static-drift b");
    assert_string_equal(estate_prove(f, &f->pass.commands.items[0], &proven), "");
    assert_string_equal(estate_command_text(f, &proven), "static-drift a");
}

TEST_F(Estate, f, where_there_is_room_they_are_replaced_in_spite_of_it) {
    world_pool(f->world, STATIC(", limits: {nodes: 4}"));
    three_nodes(f);
    f->options.terminate_first_drift = true;
    assert_string_equal(estate_pass(f), "static-drift a => default");
}

TEST_F(Estate, f, a_pool_that_is_too_large_shrinks_first) {
    world_pool(f->world, STATIC(""));
    three_nodes(f);
    estate_pool(f, "default")->replicas = 2;
    assert_string_equal(estate_pass(f), "");
}

TEST_F(Estate, f, as_many_as_the_budget_allows) {
    world_pool(f->world, .name = "default", .spec = "replicas: 3, disruption: {budgets: [{nodes: \"1\"}]}");
    three_nodes(f);
    assert_string_equal(estate_pass(f), "static-drift a => default");
}

TEST_F(Estate, f, two_at_a_time_of_five) {
    five_nodes(f, "replicas: 5, disruption: {budgets: [{nodes: '2'}]}");
    assert_string_equal(estate_pass(f), "static-drift a => default; static-drift b => default");
    estate_begin_commands(f);
    assert_string_equal(estate_pass(f), "");
}

TEST_F(Estate, f, a_fifth_of_five) {
    five_nodes(f, "replicas: 5, disruption: {budgets: [{nodes: 20%}]}");
    assert_string_equal(estate_pass(f), "static-drift a => default");
    estate_begin_commands(f);
    assert_string_equal(estate_pass(f), "");
}

TEST_F(Estate, f, each_pool_has_its_own_budget) {
    static const char *const budgets[][2] = {{"p", "[{nodes: '1'}]"}, {"q", "[{nodes: '2'}]"}, {"r", "[]"}};

    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        world_pool(f->world, .name = budgets[i][0],
                   .spec = estate_text(f, "replicas: 2, disruption: {budgets: %s}", budgets[i][1]));
        for (uint32_t j = 1; j <= 2; j++)
            estate_node(f, .name = estate_text(f, "%s%u", budgets[i][0], j), .type = "small", .pool = budgets[i][0]);
    }
    estate_read(f);
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        for (uint32_t j = 1; j <= 2; j++)
            estate_mark(f, estate_text(f, "%s%u", budgets[i][0], j), "Drifted", 5);
    }
    assert_string_equal(estate_pass(f), "static-drift p1 => p; static-drift q1 => q; static-drift q2 => q; "
                                        "static-drift r1 => r; static-drift r2 => r");
}

TEST_F(Estate, f, nothing_else_touches_a_static_pool) {
    world_pool(f->world, .name = "default", .spec = "replicas: 1, disruption: {consolidateAfter: 0s}");
    estate_node(f, .name = "a", .type = "huge");
    estate_read(f);
    estate_mark(f, "a", "Drifted", 5);
    f->options.methods = 1U << METHOD_DRIFT;
    assert_string_equal(estate_pass(f), "");
    f->options.methods = ~(1U << METHOD_STATIC_DRIFT);
    assert_string_equal(estate_pass(f), "");
    for (DisruptMethod method = 0; method < DISRUPT_METHOD_COUNT; method++)
        assert_int_equal(f->pass.eligible[method], 0);
}

TEST_F(Estate, f, its_proof) {
    DisruptCommand proven;

    world_pool(f->world, STATIC(""));
    three_nodes(f);
    (void)estate_pass(f);
    assert_string_equal(estate_prove(f, &f->pass.commands.items[1], &proven), "");
    assert_string_equal(estate_command_text(f, &proven), "static-drift b => default");
}
