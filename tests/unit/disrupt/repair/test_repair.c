// Sick nodes are replaced. Reference changes.md 1.
#include "disrupt/repair/history.h"
#include "disrupt/support/estate.h"

#include "base/time.h"
#include "disrupt/repair/sickness.h"
#include "text/duration.h"

#define POOL                                                                                                           \
    .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"), .spec = "disruption: {consolidateAfter: Never}"
#define PACED .name = "default", .spec = "disruption: {consolidateAfter: Never, budgets: [{nodes: \"100%\"}]}"

static const RepairPolicy policies[] = {
    {.condition = "KernelReady", .status = "False", .toleration_ns = 30 * NS_PER_MIN, .bound_ns = 10 * NS_PER_MIN},
    {.condition = "DiskReady", .status = "False", .toleration_ns = 30 * NS_PER_MIN, .bound_ns = REPAIR_NO_BOUND},
    {.condition = "GpuReady", .status = "False", .toleration_ns = 30 * NS_PER_MIN, .bound_ns = 10 * NS_PER_MIN},
    {.condition = "GpuReady",
     .status = "False",
     .reason = "XID(46|48)",
     .toleration_ns = 10 * NS_PER_MIN,
     .bound_ns = 5 * NS_PER_MIN},
    {.condition = "UrgentReady", .status = "False", .bound_ns = 0, .priority = 9},
};
static const RepairPolicies the_policies = {policies, sizeof policies / sizeof *policies};

static void read_with_policies(Estate *f) {
    RepairPolicies *of_pools;

    estate_read(f);
    of_pools = arena_array(&f->arena, RepairPolicies, f->facts.pools.count);
    for (uint32_t i = 0; i < f->facts.pools.count; i++)
        of_pools[i] = the_policies;
    f->facts.repair_policies = of_pools;
    f->options.methods = 1U << METHOD_REPAIR;
}

static Symbol symbol(Estate *f, const char *text) {
    return symbol_intern(&f->facts.cluster->symbols, slice_of(text));
}

// The condition is False, for so many minutes.
static void fall_sick(Estate *f, const char *node, const char *condition, const char *reason, int64_t minutes) {
    vec_push(&f->arena, &estate_object(f, node)->conditions,
             (Condition){.type = symbol(f, condition),
                         .status = symbol(f, "False"),
                         .reason = symbol(f, reason),
                         .transition_ns = ESTATE_NOW_NS - minutes * NS_PER_MIN});
}

static void annotate(Estate *f, ObjectMeta *meta, const char *key, const char *value) {
    labels_set(&f->arena, &meta->annotations, symbol(f, key), symbol(f, value));
}

// Ten nodes a to j of the default pool, each in a zone of its own unless one is given, with a pod each.
static void put_fleet(Estate *f, const char *zone) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        estate_node(f, .name = names[i], .type = "small", .zone = zone);
        world_pods(f->world, .name = names[i], .requests = "cpu: 1500m", .node = names[i]);
    }
}

// --- who is sick

TEST_F(Estate, f, a_sick_node_is_replaced_when_its_toleration_has_ended) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    read_with_policies(f);
    assert_string_equal(estate_pass(f), "");
    assert_true(f->pass.look_at_ns == INT64_MAX);
    fall_sick(f, "a", "KernelReady", "Oops", 29);
    assert_string_equal(estate_pass(f), "");
    assert_true(f->pass.look_at_ns == ESTATE_NOW_NS + NS_PER_MIN);
    f->facts.wall_ns += NS_PER_MIN;
    assert_string_equal(estate_pass(f), "repair a => small on-demand");
    assert_int_equal(f->pass.eligible[METHOD_REPAIR], 1);
    assert_true(f->pass.commands.items[0].repair == &policies[0]);
    assert_true(f->pass.commands.items[0].bound_ns == 10 * NS_PER_MIN);
}

TEST_F(Estate, f, a_toleration_counts_from_the_node_s_creation_at_the_earliest) {
    Sickness sickness;

    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    read_with_policies(f);
    fall_sick(f, "a", "KernelReady", "", 60);
    estate_object(f, "a")->meta.created_ns = ESTATE_NOW_NS - NS_PER_MIN;
    sickness = sickness_in(&f->facts, 0);
    assert_true(sickness.is_watched);
    assert_null(sickness.policy);
    assert_true(sickness.awaits_ns == ESTATE_NOW_NS + 29 * NS_PER_MIN);
}

TEST_F(Estate, f, a_reason_chooses_the_policy) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    read_with_policies(f);
    fall_sick(f, "a", "GpuReady", "NvidiaXID48Error", 15);
    fall_sick(f, "b", "GpuReady", "Unplugged", 15);
    assert_true(sickness_in(&f->facts, estate_at(f, "a")).policy == &policies[3]);
    assert_null(sickness_in(&f->facts, estate_at(f, "b")).policy);
    f->facts.wall_ns += 15 * NS_PER_MIN;
    assert_true(sickness_in(&f->facts, estate_at(f, "a")).policy == &policies[3]); // the other one does not apply
    assert_true(sickness_in(&f->facts, estate_at(f, "b")).policy == &policies[2]);
}

TEST_F(Estate, f, of_several_policies_the_shortest_drain_counts) {
    Sickness sickness;

    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    read_with_policies(f);
    fall_sick(f, "a", "DiskReady", "", 50);
    fall_sick(f, "a", "GpuReady", "XID46", 20);
    sickness = sickness_in(&f->facts, 0);
    assert_true(sickness.policy == &policies[1]); // since 20 minutes, against 10
    assert_true(sickness.bound_ns == 5 * NS_PER_MIN);
}

// --- vetoes

TEST_F(Estate, f, do_not_repair_on_the_node_or_its_claim_is_a_veto) {
    world_pool(f->world, PACED);
    estate_node(f, .name = "a", .type = "small", .zone = "a");
    estate_node(f, .name = "b", .type = "small", .zone = "b");
    read_with_policies(f);
    fall_sick(f, "a", "KernelReady", "", 60);
    annotate(f, &estate_object(f, "a")->meta, "karpenter.sh/do-not-repair", "true");
    assert_string_equal(estate_pass(f), "");
    assert_string_equal(estate_note(f, "a", "DisruptionBlocked"), "");
    estate_object(f, "a")->meta.annotations.count = 0;
    annotate(f, &estate_claim(f, "a")->meta, "karpenter.sh/do-not-repair", "true");
    assert_string_equal(estate_pass(f), "");
    estate_claim(f, "a")->meta.annotations.count = 0;
    annotate(f, &estate_object(f, "a")->meta, "karpenter.sh/do-not-repair", "false");
    assert_string_equal(estate_pass(f), "repair a");
}

TEST_F(Estate, f, do_not_disrupt_on_the_node_is_none) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small", .meta = "annotations: {karpenter.sh/do-not-disrupt: \"true\"}");
    read_with_policies(f);
    fall_sick(f, "a", "KernelReady", "", 60);
    assert_string_equal(estate_pass(f), "repair a");
}

TEST_F(Estate, f, pods_that_must_not_be_evicted_get_room_if_the_drain_has_an_end) {
    world_pool(f->world, PACED);
    estate_node(f, .name = "a", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1500m", .node = "a",
               .meta = "annotations: {karpenter.sh/do-not-disrupt: \"true\"}");
    read_with_policies(f);
    fall_sick(f, "a", "DiskReady", "", 60);
    assert_string_equal(estate_pass(f), "");
    assert_string_equal(estate_note(f, "a", "DisruptionBlocked"),
                        "repair requires a termination grace period to bypass blocking pods");
    fall_sick(f, "a", "KernelReady", "", 60);
    assert_string_equal(estate_pass(f), "repair a => small spot");
}

TEST_F(Estate, f, the_claim_s_own_grace_period_counts_where_it_is_shorter) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small", .claim_spec = "terminationGracePeriod: 1m");
    read_with_policies(f);
    fall_sick(f, "a", "KernelReady", "", 60);
    assert_string_equal(estate_pass(f), "repair a");
    assert_true(f->pass.commands.items[0].bound_ns == NS_PER_MIN);
}

TEST_F(Estate, f, pods_that_fit_nowhere_keep_it_and_the_next_one_goes) {
    world_pool(f->world, POOL, .types = "small");
    put_fleet(f, NULL);
    estate_node(f, .name = "large", .type = "large", .zone = "b");
    world_pods(f->world, .name = "w", .requests = "cpu: 7", .node = "large");
    read_with_policies(f);
    fall_sick(f, "large", "KernelReady", "", 90);
    fall_sick(f, "c", "KernelReady", "", 60);
    assert_string_equal(estate_pass(f), "repair c => small on-demand");
    assert_true(strncmp(estate_note(f, "large", "DisruptionBlocked"), "Not all pods would schedule, default/w", 38) ==
                0);
}

// --- order, budgets, breakers, pace

TEST_F(Estate, f, the_most_urgent_goes_first_and_alone) {
    world_pool(f->world, PACED);
    put_fleet(f, "a");
    read_with_policies(f);
    fall_sick(f, "b", "KernelReady", "", 40);
    fall_sick(f, "c", "KernelReady", "", 50);
    assert_string_equal(estate_pass(f), "repair c => small spot");
    estate_object(f, "b")->conditions.count--;
    fall_sick(f, "b", "UrgentReady", "", 1); // a higher priority weighs as much as half an hour
    assert_string_equal(estate_pass(f), "repair b => small spot");
    estate_object(f, "c")->conditions.count--;
    fall_sick(f, "c", "KernelReady", "", 120);
    assert_string_equal(estate_pass(f), "repair c => small spot");
}

TEST_F(Estate, f, a_budget_for_unhealthy_nodes_limits_it) {
    world_pool(f->world, .name = "default", .spec = "disruption: {budgets: [{nodes: \"0\", reasons: [Unhealthy]}]}");
    estate_node(f, .name = "a", .type = "small");
    read_with_policies(f);
    fall_sick(f, "a", "KernelReady", "", 60);
    assert_string_equal(estate_pass(f), "");
    assert_string_equal(estate_note(f, "default", "DisruptionBlocked"),
                        "No allowed disruptions for disruption reason Unhealthy due to blocking budget");
}

TEST_F(Estate, f, more_than_a_fifth_of_a_pool_stops_it) {
    static const char *const zones[] = {"a", "b", "c"};
    static const char *const names[] = {"p", "q", "r", "s", "t", "u", "v", "w", "x", "i", "z", "o", "j", "m", "l"};

    world_pool(f->world, PACED);
    world_pool(f->world, .name = "other", .spec = "disruption: {budgets: [{nodes: \"100%\"}]}");
    for (size_t i = 0; i < 10; i++)
        estate_node(f, .name = names[i], .type = "small", .zone = zones[i % 3], .pool = "other");
    for (size_t i = 10; i < 15; i++)
        estate_node(f, .name = names[i], .type = "small", .zone = zones[i % 3]);
    read_with_policies(f);
    fall_sick(f, "z", "KernelReady", "", 60);
    fall_sick(f, "o", "KernelReady", "", 1); // counts, though it is tolerated
    assert_string_equal(estate_pass(f), "");
    assert_string_equal(estate_note(f, "z", "NodeRepairBlocked"),
                        "more than 20% of nodes in nodepool \"default\" are unhealthy");
    assert_string_equal(estate_note(f, "default", "NodeRepairBlocked"),
                        "more than 20% of nodes in nodepool \"default\" are unhealthy");
    assert_string_equal(estate_note(f, "o", "NodeRepairBlocked"), "");
    estate_object(f, "o")->conditions.count--;
    assert_string_equal(estate_pass(f), "repair z");
}

TEST_F(Estate, f, more_than_a_fifth_of_a_zone_or_of_an_image_stops_it_in_all_pools) {
    world_pool(f->world, PACED);
    put_fleet(f, "a");
    estate_node(f, .name = "k", .type = "small", .zone = "b");
    estate_node(f, .name = "l", .type = "small", .zone = "b");
    read_with_policies(f);
    fall_sick(f, "k", "KernelReady", "", 60);
    fall_sick(f, "l", "KernelReady", "", 60);
    assert_string_equal(estate_pass(f), "");
    assert_string_equal(estate_note(f, "k", "NodeRepairBlocked"), "more than 20% of nodes in zone \"b\" are unhealthy");
    estate_object(f, "l")->conditions.count--;
    fall_sick(f, "a", "KernelReady", "", 60);
    estate_claim(f, "a")->image_id = symbol(f, "ami-new");
    estate_claim(f, "k")->image_id = symbol(f, "ami-new");
    assert_string_equal(estate_pass(f), "");
    assert_string_equal(estate_note(f, "k", "NodeRepairBlocked"),
                        "more than 20% of nodes of image \"ami-new\" are unhealthy");
}

TEST_F(Estate, f, repairs_of_a_zone_and_of_an_image_are_paced_by_what_the_pools_remember) {
    Slice history;

    world_pool(f->world, PACED);
    put_fleet(f, "a");
    estate_node(f, .name = "k", .type = "small", .zone = "b");
    read_with_policies(f);
    fall_sick(f, "c", "KernelReady", "", 60);
    history = repair_history_add(&f->arena, estate_pool(f, "default"), &f->facts.cluster->symbols,
                                 (PastRepair){.at_ns = ESTATE_NOW_NS - 4 * NS_PER_MIN, .zone = SLICE("a")});
    annotate(f, &estate_pool(f, "default")->meta, "tenon.sh/repairs", arena_text(&f->arena, history));
    assert_string_equal(estate_pass(f), "");
    assert_true(f->pass.look_at_ns == ESTATE_NOW_NS + 6 * NS_PER_MIN);
    estate_object(f, "c")->conditions.count--;
    fall_sick(f, "k", "KernelReady", "", 60);
    assert_string_equal(estate_pass(f), "repair k"); // another zone
    estate_object(f, "k")->conditions.count--;
    fall_sick(f, "c", "KernelReady", "", 60);
    f->facts.wall_ns += 6 * NS_PER_MIN;
    assert_string_equal(estate_pass(f), "repair c"); // k has room
}

// --- static pools

TEST_F(Estate, f, a_static_pool_stages_a_replacement_or_terminates_first) {
    world_pool(f->world, .name = "default", .spec = "replicas: 2, limits: {nodes: 3}");
    estate_node(f, .name = "a", .type = "small", .zone = "a");
    estate_node(f, .name = "b", .type = "small", .zone = "b");
    read_with_policies(f);
    fall_sick(f, "a", "KernelReady", "", 60);
    assert_string_equal(estate_pass(f), "repair a => default");
    resources_set(&f->arena, &estate_pool(f, "default")->limits, NAME_NODES, 2);
    assert_string_equal(estate_pass(f), "");
    assert_string_equal(estate_note(f, "a", "DisruptionBlocked"),
                        "static NodePool is at its node limit and cannot stage a replacement");
    f->options.terminate_first_repair = true;
    assert_string_equal(estate_pass(f), ""); // nobody would refill a pool that is not ready
    vec_push(&f->arena, &estate_pool(f, "default")->conditions,
             (Condition){.type = symbol(f, "Ready"), .status = symbol(f, "True")});
    assert_string_equal(estate_pass(f), "repair a");
    estate_pool(f, "default")->replicas = 1; // it shrinks first
    assert_string_equal(estate_pass(f), "");
}

// --- history

TEST_F(Estate, f, history_forgets_what_is_old_and_what_cannot_be_read) {
    const Symbols *symbols;
    PastRepairVec repairs;
    Slice history;

    world_pool(f->world, POOL);
    estate_read(f);
    symbols = &f->facts.cluster->symbols;
    annotate(f, &estate_pool(f, "default")->meta, "tenon.sh/repairs",
             "1970-01-01T09:49:59Z/a/ami-1,nonsense,,1970-01-01T09:55:00Z/b/ami-2,1970-01-01T09:56:00Z");
    repairs = repair_history_read(&f->arena, estate_pool(f, "default"), symbols, ESTATE_NOW_NS);
    assert_int_equal(repairs.count, 2);
    assert_true(slice_eq_text(repairs.items[0].zone, "b"));
    assert_true(slice_eq_text(repairs.items[0].image, "ami-2"));
    assert_true(slice_eq_text(repairs.items[1].image, ""));
    history = repair_history_add(&f->arena, estate_pool(f, "default"), symbols,
                                 (PastRepair){ESTATE_NOW_NS, SLICE("c"), SLICE("ami-3")});
    assert_string_equal(arena_text(&f->arena, history),
                        "1970-01-01T09:55:00Z/b/ami-2,1970-01-01T09:56:00Z//,1970-01-01T10:00:00Z/c/ami-3");
    assert_int_equal(repair_pace(1), 1);
    assert_int_equal(repair_pace(20), 1);
    assert_int_equal(repair_pace(21), 2);
    assert_int_equal(repair_pace(1000), 50);
}
