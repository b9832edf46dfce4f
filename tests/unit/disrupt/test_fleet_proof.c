// The proof of what the fleet search found: all commands with one preparation, each by what it changes.
#include "disrupt/fleet.h"
#include "disrupt/support/estate.h"

#define DISRUPTION(nodes) .spec = "disruption: {consolidateAfter: 0s, budgets: [{nodes: '" nodes "'}]}"
#define ON_DEMAND         .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand")

static const char *consolidate(Estate *f) {
    f->options.methods = 1U << METHOD_CONSOLIDATION;
    f->options.consolidation = CONSOLIDATION_FLEET;
    return estate_pass(f);
}

static const char *verdict(const ProvenProposalVec *proven, uint32_t number) {
    assert_true(proven->items[number].looked_at);
    return proposal_verdict_text(proven->items[number].verdict);
}

TEST_F(Estate, f, commands_that_are_found_are_found_again) {
    ProvenProposalVec proven;

    world_pool(f->world, ON_DEMAND, DISRUPTION("100%"));
    world_pool(f->world, .name = "other", .requirements = IN(CAPACITY_TYPE, "on-demand"), DISRUPTION("100%"),
               .labels = "team: other");
    estate_node(f, .name = "a", .type = "huge");
    estate_node(f, .name = "b", .type = "huge", .pool = "other");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 3", .node = "b", .spec = SELECT("team: other"));
    estate_read(f);
    (void)consolidate(f);
    assert_true(f->pass.commands.count >= 1);
    proven = estate_prove_all(f);
    assert_int_equal(proven.count, f->pass.commands.count);
    for (uint32_t i = 0; i < proven.count; i++) {
        assert_string_equal(verdict(&proven, i), "");
        assert_string_equal(estate_command_text(f, &proven.items[i].command),
                            estate_command_text(f, &f->pass.commands.items[i]));
    }
}

TEST_F(Estate, f, several_nodes_whose_pods_share_a_claim_in_one_zone_stand) {
    ProvenProposalVec proven;

    world_pool(f->world, ON_DEMAND, DISRUPTION("100%"));
    estate_node(f, .name = "a", .type = "medium", .zone = "b");
    estate_node(f, .name = "b", .type = "medium", .zone = "b");
    world_pods(f->world, .name = "w", .requests = "cpu: 900m", .labels = "app: w", .node = "a",
               .spec = SPREAD(SKEW(ZONE, 3, "app: w", "")));
    world_pods(f->world, .name = "v", .requests = "cpu: 900m", .labels = "app: w", .node = "b",
               .spec = SPREAD(SKEW(ZONE, 3, "app: w", "")));
    estate_read(f);
    (void)consolidate(f);
    assert_int_equal(f->pass.commands.count, 1);
    proven = estate_prove_all(f);
    assert_string_equal(verdict(&proven, 0), "");
    assert_int_equal(proven.items[0].command.replacements.count, f->pass.commands.items[0].replacements.count);
}

TEST_F(Estate, f, pods_whose_place_was_taken_go_into_other_free_room) {
    ProvenProposalVec proven;
    uint32_t told;

    world_pool(f->world, ON_DEMAND, DISRUPTION("100%"));
    estate_node(f, .name = "a", .type = "small");
    world_node(f->world, .name = "n1");
    world_node(f->world, .name = "n2");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a");
    told = f->pass.commands.items[0].destinations.items[0];
    f->facts.nodes.items[told].deleting = true;
    proven = estate_prove_all(f);
    assert_string_equal(verdict(&proven, 0), "");
    assert_int_equal(proven.items[0].command.destinations.count, 1);
    assert_int_not_equal(proven.items[0].command.destinations.items[0], told);
}

TEST_F(Estate, f, pods_without_any_place_keep_their_node) {
    ProvenProposalVec proven;

    world_pool(f->world, ON_DEMAND, DISRUPTION("100%"));
    estate_node(f, .name = "a", .type = "small");
    world_node(f->world, .name = "n1");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "consolidation a");
    f->facts.nodes.items[f->pass.commands.items[0].destinations.items[0]].deleting = true;
    proven = estate_prove_all(f);
    assert_string_equal(verdict(&proven, 0), "scheduling");
}

// Two nodes whose pods have a place each; the pool is there.
static void two_commands(Estate *f) {
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_node(f->world, .name = "n1", .allocatable = "cpu: 2, memory: 16Gi, pods: 10");
    world_node(f->world, .name = "n2", .allocatable = "cpu: 2, memory: 16Gi, pods: 10");
    world_pods(f->world, .name = "w", .requests = "cpu: 1500m", .node = "a");
    world_pods(f->world, .name = "v", .requests = "cpu: 1500m", .node = "b");
    estate_read(f);
    (void)consolidate(f);
    assert_int_equal(f->pass.commands.count, 2);
}

TEST_F(Estate, f, no_command_relies_on_the_nodes_of_another_one) {
    ProvenProposalVec proven;

    world_pool(f->world, ON_DEMAND, DISRUPTION("100%"));
    two_commands(f);
    f->facts.nodes.items[f->pass.commands.items[0].destinations.items[0]].deleting = true;
    proven = estate_prove_all(f);
    // One place is left, which only one of them may have, and neither node takes the other's pods.
    assert_int_equal((proven.items[0].verdict == PROPOSAL_STANDS) + (proven.items[1].verdict == PROPOSAL_STANDS), 1);
}

TEST_F(Estate, f, budgets_that_shrank_let_as_many_go_as_are_left) {
    ProvenProposalVec proven;

    world_pool(f->world, ON_DEMAND, DISRUPTION("2"));
    two_commands(f);
    estate_pool(f, "default")->disruption.budgets.items[0].nodes = 1;
    proven = estate_prove_all(f);
    assert_string_equal(verdict(&proven, 0), "");
    assert_string_equal(verdict(&proven, 1), "budget");
}

// --- what is asked again

TEST_F(Estate, f, a_fleet_that_has_not_changed_is_not_searched_again) {
    world_pool(f->world, ON_DEMAND, DISRUPTION("100%"));
    estate_node(f, .name = "a", .type = "medium");
    world_pods(f->world, .name = "w", .requests = "cpu: 3900m", .node = "a");
    estate_read(f);
    assert_string_equal(consolidate(f), "");
    assert_true(f->pass.searched != 0);
    assert_string_not_equal(estate_note(f, "a", "Unconsolidatable"), "");
    f->options.searched = f->pass.searched;
    assert_string_equal(consolidate(f), "");
    assert_true(f->pass.consolidated && f->pass.searched == f->options.searched);
    assert_string_equal(estate_note(f, "a", "Unconsolidatable"), ""); // nobody looked
    f->facts.pools.items[0].types->items[0].offerings.items[0].price_per_hour *= 0.9;
    assert_string_equal(consolidate(f), "");
    assert_true(f->pass.searched != f->options.searched);
}

// --- a large fleet that changed little

// Nodes whose pods fit nowhere else, and are worth less than the nodes cost: groups of them are tried in vain.
static void add_settled(Estate *f, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const char *name = estate_text(f, "node-%u", i);

        estate_node(f, .name = name, .type = "medium");
        world_pods(f->world, .name = estate_text(f, "pod-%u", i), .requests = "cpu: 2500m", .node = name);
    }
}

static uint32_t moves_tried(Estate *f, uint64_t settled) {
    DisruptPass pass;
    FleetQuestion question;
    FleetResult result;
    CandidateList candidates;
    Round round;

    f->options.consolidation = CONSOLIDATION_FLEET;
    round_open(&round, &f->arena, &f->facts, &f->options, &pass);
    candidates = round_candidates(&round, METHOD_CONSOLIDATION);
    fleet_ask(&round, &candidates, &question);
    question.input.settled = settled;
    fleet_search(&f->arena, &question.input, &result);
    assert_int_equal(result.moves_kept, 0);
    round_close(&round);
    return result.moves_tried - question.input.sources.count;
}

TEST_F(Estate, f, a_large_fleet_that_was_searched_in_vain_is_searched_for_a_tenth) {
    uint32_t whole;

    world_pool(f->world, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = "limits: {cpu: 0}, disruption: {consolidateAfter: 0s, budgets: [{nodes: '100%'}]}");
    add_settled(f, 600);
    estate_read(f);
    whole = moves_tried(f, 0);
    assert_in_range(whole, 900, 1000);
    assert_in_range(moves_tried(f, 1), 80, 100);
    assert_int_equal(moves_tried(f, 0), whole);
}

TEST_F(Estate, f, a_small_fleet_is_always_searched_whole) {
    world_pool(f->world, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),
               .spec = "limits: {cpu: 0}, disruption: {consolidateAfter: 0s, budgets: [{nodes: '100%'}]}");
    add_settled(f, 60);
    estate_read(f);
    assert_in_range(moves_tried(f, 1), 300, 1000);
}
