// Claims that are opened after spreads were settled on the domains with nodes.
#include "harness/test.h"
#include "sched/bin/settle.h"
#include "sched/place/change.h"
#include "sched/place/marginal_state.h"
#include "sched/support/trial.h"

// `count` pods with a zone spread are placed in zone a, the only domain that the spread counts. One more pod may be
// placed in any zone.
static Trial *begin_settled(World *w, int count, TopologyGroup **ret_spread) {
    Trial *trial;
    TopologyGroup *spread;
    uint32_t bin;

    world_type(w, .name = "one", .capacity = "cpu: 16, memory: 64Gi, pods: 20", .price = 0.4);
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .count = count, .labels = "app: web", .requests = "cpu: 1",
               .spec = SELECT(ZONE ": a") ", " SPREAD(SKEW(ZONE, 1, "app: web", ", nodeAffinityPolicy: Ignore")));
    world_pods(w, .name = "batch", .requests = "cpu: 15");
    trial = trial_begin(w);
    trial_clear(trial);
    spread = &trial->solver.topology.groups.items[0];
    bitset_clear(spread->supported, universe_atom(&trial->solver.universe, spread->key,
                                                  symbol_intern(trial->solver.universe.symbols, SLICE("b"))));
    bitset_clear(spread->supported, universe_atom(&trial->solver.universe, spread->key,
                                                  symbol_intern(trial->solver.universe.symbols, SLICE("c"))));
    assert_int_equal(bitset_count(spread->supported, spread->words), 1);
    trial->solver.domains_settled = true;
    bin = trial_open(trial, "default", "web");
    for (int i = 1; i < count; i++)
        trial_put(trial, bin, "web");
    *ret_spread = spread;
    return trial;
}

static uint32_t zones_of(const Trial *trial, const TopologyGroup *spread, uint32_t bin) {
    return bitset_count(label_state_key(&trial->solver.states, trial->solver.bins.items[bin].state, spread->key),
                        spread->words);
}

TEST_F(World, w, a_claim_stays_in_the_domains_that_a_spread_has_settled_on) {
    TopologyGroup *spread;
    Trial *trial = begin_settled(w, 2, &spread);
    uint32_t bin = trial_open(trial, "default", "batch");

    assert_int_equal(zones_of(trial, spread, bin), 1); // 2 pods in zone a and none in another exceed maxSkew
    assert_int_equal(bitset_count(spread->supported, spread->words), 1);
    trial_end(trial);
}

TEST_F(World, w, a_claim_may_bring_domains_that_the_spread_bears) {
    TopologyGroup *spread;
    Trial *trial = begin_settled(w, 1, &spread);
    uint32_t bin = trial_open(trial, "default", "batch");

    assert_true(zones_of(trial, spread, bin) >= 3);
    assert_int_equal(bitset_count(spread->supported, spread->words), 3); // they are counted now
    trial_end(trial);
}

TEST_F(World, w, domains_of_a_claim_that_is_taken_back_do_not_count) {
    TopologyGroup *spread;
    Trial *trial = begin_settled(w, 1, &spread);
    Change change = {0};

    marginal_renew(&trial->solver);
    change_begin(&change, &trial->solver);
    trial_open(trial, "default", "batch");
    assert_int_equal(bitset_count(spread->supported, spread->words), 3);
    change_undo(&change);
    assert_int_equal(bitset_count(spread->supported, spread->words), 1);
    change_free(&change);
    trial_end(trial);
}

TEST_F(World, w, spreads_that_hold_over_all_domains_count_them_again) {
    TopologyGroup *spread;
    Trial *trial = begin_settled(w, 1, &spread);

    loosen_spreads(&trial->solver, trial->initial.groups);
    assert_int_equal(bitset_count(spread->supported, spread->words), 3);
    trial_end(trial);
}

TEST_F(World, w, spreads_that_hold_over_fewer_domains_alone_stay_settled) {
    TopologyGroup *spread;
    Trial *trial = begin_settled(w, 2, &spread);

    loosen_spreads(&trial->solver, trial->initial.groups);
    assert_int_equal(bitset_count(spread->supported, spread->words), 1);
    trial_end(trial);
}

// A spread whose pod fits nowhere would tie the claim to the zone that has nodes.
TEST_F(World, w, settling_that_places_nobody_is_taken_back) {
    world_type(w, .name = "only", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "");
    world_offering(w, .type = "only", .zone = "a", .price = 0.2);
    world_offering(w, .type = "only", .zone = "b", .price = 0.1);
    world_pool(w, .name = "default");
    world_node(w, .name = "node-1", .labels = ZONE ": a", .allocatable = "cpu: 1, memory: 1Gi, pods: 10");
    world_pods(w, .name = "huge", .labels = "app: huge", .requests = "cpu: 100",
               .spec = SPREAD(SKEW(ZONE, 1, "app: huge", "")));
    world_pods(w, .name = "web", .requests = "cpu: 3");

    world_plan(w);

    assert_pending(w, "huge");
    assert_choice(w, 0, "only b on-demand");
}
