// Topology groups: identity, counts, and the domains that they allow. Reference scheduling.md 5.6 and 11.
#include "harness/test.h"
#include "sched/index/topology.h"

#include <stdio.h>
#include <stdlib.h>

// Zones a, b and c, and their atoms.
typedef struct {
    Arena arena;
    Cluster cluster;
    Universe universe;
    Topology topology;
    uint32_t key, zones[3];
    Symbol ns;
    LabelSelector web, db;
} Zones;

static Symbol text(Zones *z, const char *name) {
    return symbol_intern(&z->cluster.symbols, slice_of(name));
}

static LabelSelector selector(Zones *z, const char *value) {
    Expression expression = {.key = text(z, "app"), .op = OP_IN};
    LabelSelector made = {0};

    vec_push(&z->arena, &expression.values, text(z, value));
    vec_push(&z->arena, &made.expressions, expression);
    return made;
}

static Zones *setup(void) {
    static const char *const names[] = {"a", "b", "c"};
    Zones *z = calloc(1, sizeof *z);

    cluster_init(&z->cluster);
    universe_init(&z->universe, &z->arena, &z->cluster.symbols);
    universe_mention_topology(&z->universe, NAME_ZONE);
    for (int i = 0; i < 3; i++)
        universe_mention_value(&z->universe, NAME_ZONE, text(z, names[i]));
    universe_freeze(&z->universe);
    z->key = universe_key(&z->universe, NAME_ZONE);
    for (int i = 0; i < 3; i++)
        z->zones[i] = universe_atom(&z->universe, z->key, text(z, names[i]));
    topology_init(&z->topology, &z->arena, &z->universe, &z->cluster);
    z->ns = text(z, "default");
    z->web = selector(z, "web");
    z->db = selector(z, "db");
    return z;
}

static void teardown(Zones *z) {
    arena_free(&z->arena);
    cluster_free(&z->cluster);
    free(z);
}

FIXTURE(Zones, setup, teardown);

static TopologySpread spread(const Zones *z, int32_t skew) {
    return (TopologySpread){.topology_key = NAME_ZONE, .max_skew = skew, .selector = &z->web};
}

static TopologyGroup *group_at(Zones *z, uint32_t number) {
    return &z->topology.groups.items[number];
}

static TopologyGroup *spread_group(Zones *z, int32_t skew) {
    TopologySpread rule = spread(z, skew);
    TopologyGroup *group = group_at(z, topology_spread_group(&z->topology, z->ns, &rule, INDEX_NONE));

    for (int i = 0; i < 3; i++)
        bitset_set(group->supported, z->zones[i]);
    group->supported_count = 3;
    return group;
}

static TopologyGroup *affinity_group(Zones *z, GroupKind kind) {
    PodAffinityTerm term = {.topology_key = NAME_ZONE, .selector = &z->web};

    return group_at(z, topology_affinity_group(&z->topology, z->ns, kind, NAME_ZONE, &term, 1));
}

static void record(Zones *z, TopologyGroup *group, int zone, int32_t count) {
    uint64_t mask = UINT64_C(1) << z->zones[zone];

    topology_record(&z->topology, group, &mask, true, count);
}

// The zones that the group leaves, as "ab".
static const char *allowed(Zones *z, const TopologyGroup *group, bool self) {
    static char names[4];
    uint64_t mask[2];
    int at = 0;

    bitset_fill(mask, z->universe.keys.items[z->key].atoms);
    topology_allow(&z->topology, group, self, mask);
    for (int i = 0; i < 3; i++) {
        if (bitset_has(mask, z->zones[i]))
            names[at++] = (char)('a' + i);
    }
    names[at] = '\0';
    return names;
}

// --- identity

TEST_F(Zones, z, rules_that_say_the_same_share_a_group) {
    TopologySpread one = spread(z, 1), same = spread(z, 1), two = spread(z, 2), deep = spread(z, 1);
    LabelSelector equal = selector(z, "web");
    uint32_t group = topology_spread_group(&z->topology, z->ns, &one, INDEX_NONE);

    same.selector = &equal;
    deep.min_domains = 3;

    assert_int_equal(topology_spread_group(&z->topology, z->ns, &same, INDEX_NONE), group);
    assert_int_not_equal(topology_spread_group(&z->topology, z->ns, &two, INDEX_NONE), group);
    assert_int_not_equal(topology_spread_group(&z->topology, z->ns, &deep, INDEX_NONE), group); // Q12
    assert_int_not_equal(topology_spread_group(&z->topology, text(z, "other"), &one, INDEX_NONE), group);
    assert_int_not_equal(topology_spread_group(&z->topology, z->ns, &one, 0), group);
    same.selector = &z->db;
    assert_int_not_equal(topology_spread_group(&z->topology, z->ns, &same, INDEX_NONE), group);
}

TEST_F(Zones, z, kinds_of_affinity_are_different_groups) {
    TopologyGroup *near = affinity_group(z, GROUP_AFFINITY), *again = affinity_group(z, GROUP_AFFINITY);

    assert_ptr_equal(near, again);
    (void)affinity_group(z, GROUP_ANTI_AFFINITY);
    (void)affinity_group(z, GROUP_INVERSE);
    assert_int_equal(z->topology.groups.count, 3);
}

TEST_F(Zones, z, filter_that_accepts_every_node_is_none) {
    NodeFilter nothing = {0}, zone = {0}, same = {0},
               taints = {.honor_taints = true, .tolerations = &(TolerationVec){0}};

    vec_push(&z->arena, &zone.terms, (LabelSetId)1);
    vec_push(&z->arena, &same.terms, (LabelSetId)1);

    assert_int_equal(topology_filter(&z->topology, &nothing), INDEX_NONE);
    assert_int_equal(topology_filter(&z->topology, &zone), topology_filter(&z->topology, &same));
    assert_int_not_equal(topology_filter(&z->topology, &zone), topology_filter(&z->topology, &taints));
}

TEST_F(Zones, z, group_selects_by_namespace_and_labels) {
    const TopologyGroup *group = spread_group(z, 1);
    Labels web = {0}, db = {0};

    labels_set(&z->arena, &web, text(z, "app"), text(z, "web"));
    labels_set(&z->arena, &db, text(z, "app"), text(z, "db"));

    assert_true(topology_group_selects(group, z->ns, &web));
    assert_false(topology_group_selects(group, z->ns, &db));
    assert_false(topology_group_selects(group, text(z, "other"), &web));
}

TEST_F(Zones, z, nil_selector_selects_nothing) {
    TopologySpread rule = spread(z, 1);
    Labels web = {0};
    uint32_t group;

    rule.selector = NULL;
    group = topology_spread_group(&z->topology, z->ns, &rule, INDEX_NONE);

    assert_false(topology_group_selects(&z->topology.groups.items[group], z->ns, &web)); // Q14
}

// For affinity an empty selector selects all pods.
TEST_F(Zones, z, empty_selector_of_a_spread_selects_nothing) {
    LabelSelector empty = {0};
    TopologySpread rule = spread(z, 1);
    PodAffinityTerm term = {.topology_key = NAME_ZONE, .selector = &empty};
    Labels web = {0};
    uint32_t without, with, affinity;

    rule.selector = NULL;
    without = topology_spread_group(&z->topology, z->ns, &rule, INDEX_NONE);
    rule.selector = &empty;
    with = topology_spread_group(&z->topology, z->ns, &rule, INDEX_NONE);
    affinity = topology_affinity_group(&z->topology, z->ns, GROUP_ANTI_AFFINITY, NAME_ZONE, &term, 1);

    assert_int_equal(with, without); // equal rules
    assert_false(topology_group_selects(group_at(z, with), z->ns, &web));
    assert_true(topology_group_selects(group_at(z, affinity), z->ns, &web));
}

// --- spread

TEST_F(Zones, z, spread_allows_domains_within_the_skew) {
    TopologyGroup *group = spread_group(z, 1);

    assert_string_equal(allowed(z, group, true), "abc");
    record(z, group, 0, 1);
    assert_string_equal(allowed(z, group, true), "bc");
    record(z, group, 1, 1);
    record(z, group, 2, 1);
    assert_string_equal(allowed(z, group, true), "abc");
}

TEST_F(Zones, z, spread_of_a_pod_that_is_not_counted_itself) {
    TopologyGroup *group = spread_group(z, 1);

    record(z, group, 0, 1);
    assert_string_equal(allowed(z, group, false), "abc");
    record(z, group, 0, 1);
    assert_string_equal(allowed(z, group, false), "bc");
}

TEST_F(Zones, z, spread_allows_only_supported_domains) {
    TopologyGroup *group = spread_group(z, 1);

    bitset_clear(group->supported, z->zones[2]);
    group->supported_count = 2;

    assert_string_equal(allowed(z, group, true), "ab");
    record(z, group, 0, 1);
    record(z, group, 1, 1);
    assert_string_equal(allowed(z, group, true), "ab"); // c is not supported, so it does not keep the minimum at 0
}

TEST_F(Zones, z, spread_with_too_few_domains_has_minimum_zero) {
    TopologyGroup *group = spread_group(z, 1);

    group->min_domains = 4;
    for (int i = 0; i < 3; i++)
        record(z, group, i, 1);

    assert_string_equal(allowed(z, group, true), "");
}

TEST_F(Zones, z, spread_allowance_is_the_room_up_to_the_skew) {
    TopologyGroup *group = spread_group(z, 3);

    record(z, group, 0, 1);

    assert_int_equal(topology_allowance(group, true, z->zones[0], 10), 2);
    assert_int_equal(topology_allowance(group, true, z->zones[1], 10), 3);
    assert_int_equal(topology_allowance(group, true, z->zones[1], 2), 2);
    assert_int_equal(topology_allowance(group, false, z->zones[1], 10), 10);
}

// A pod whose domain is undecided counts in `most` of all its domains and in `least` of none.
TEST_F(Zones, z, undecided_pods_count_where_they_may_be) {
    TopologyGroup *group = spread_group(z, 1);
    uint64_t mask = UINT64_C(1) << z->zones[0] | UINT64_C(1) << z->zones[1];

    topology_record(&z->topology, group, &mask, true, 1);

    assert_int_equal(group->most[z->zones[0]], 1);
    assert_int_equal(group->most[z->zones[1]], 1);
    assert_int_equal(group->least[z->zones[0]], 0);
    assert_string_equal(allowed(z, group, true), "c");
}

// --- affinity

TEST_F(Zones, z, affinity_allows_domains_with_a_pod) {
    TopologyGroup *group = affinity_group(z, GROUP_AFFINITY);

    record(z, group, 1, 1);

    assert_string_equal(allowed(z, group, true), "b");
    assert_string_equal(allowed(z, group, false), "b");
}

TEST_F(Zones, z, affinity_lets_the_first_of_its_own_start_anywhere) {
    TopologyGroup *group = affinity_group(z, GROUP_AFFINITY);

    assert_string_equal(allowed(z, group, true), "abc");
    assert_string_equal(allowed(z, group, false), "");
}

TEST_F(Zones, z, affinity_that_waits_starts_no_domain) {
    TopologyGroup *group = affinity_group(z, GROUP_AFFINITY);

    group->waits = true;
    assert_string_equal(allowed(z, group, true), "");
    topology_start(group);
    assert_string_equal(allowed(z, group, true), "abc");
}

TEST_F(Zones, z, anti_affinity_allows_domains_without_a_pod) {
    TopologyGroup *group = affinity_group(z, GROUP_ANTI_AFFINITY);

    record(z, group, 1, 1);

    assert_string_equal(allowed(z, group, true), "ac");
    assert_int_equal(topology_allowance(group, true, z->zones[0], 5), 1);
    assert_int_equal(topology_allowance(group, false, z->zones[0], 5), 5);
}

// --- hostname

TEST_F(Zones, z, hostname_rules_count_per_bin) {
    TopologySpread rule = spread(z, 2);
    TopologyGroup *group;

    rule.topology_key = NAME_HOSTNAME;
    group = group_at(z, topology_spread_group(&z->topology, z->ns, &rule, INDEX_NONE));

    assert_int_equal(group->key, INDEX_NONE);
    assert_int_equal(topology_bin_allowance(group, true, 7, 10), 2);
    topology_record_bin(&z->topology, group, 7, 1);
    assert_int_equal(topology_on_bin(group, 7), 1);
    assert_int_equal(topology_on_bin(group, 1000), 0);
    assert_int_equal(topology_bin_allowance(group, true, 7, 10), 1);
    assert_int_equal(topology_bin_allowance(group, true, 8, 10), 2);
    topology_record_bin(&z->topology, group, 7, 2);
    assert_int_equal(topology_bin_allowance(group, true, 7, 10), 0);
    assert_int_equal(topology_bin_allowance(group, false, 7, 10), 0);
}

TEST_F(Zones, z, hostname_anti_affinity_takes_one_per_bin) {
    PodAffinityTerm term = {.topology_key = NAME_HOSTNAME, .selector = &z->web};
    TopologyGroup *group =
        group_at(z, topology_affinity_group(&z->topology, z->ns, GROUP_ANTI_AFFINITY, NAME_HOSTNAME, &term, 1));

    assert_int_equal(topology_bin_allowance(group, true, 0, 10), 1);
    assert_int_equal(topology_bin_allowance(group, false, 0, 10), 10);
    topology_record_bin(&z->topology, group, 0, 1);
    assert_int_equal(topology_bin_allowance(group, true, 0, 10), 0);
}
