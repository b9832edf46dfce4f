// Cases of Karpenter's own tests that are easily missed.
#include "disrupt/support/estate.h"

#include "base/time.h"

#include <math.h>

#define POOL                                                                                                           \
    .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"),                                                 \
    .spec = "disruption: {consolidateAfter: 0s, budgets: [{nodes: 100%}]}"
#define FOR(duration) "annotations: {karpenter.sh/do-not-disrupt: \"" duration "\"}"
#define STARTED       "startTime: \"1970-01-01T08:00:00Z\"" // two hours ago

// --- do-not-disrupt for a time

static const char *with_durations(Estate *f, const char *first, const char *second) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a", .meta = first, .status = STARTED);
    world_pods(f->world, .name = "v", .requests = "cpu: 1", .node = "a", .meta = second, .status = STARTED);
    estate_read(f);
    return estate_pass(f);
}

TEST_F(Estate, f, the_longest_of_several_durations_counts) {
    assert_string_equal(with_durations(f, FOR("1h"), FOR("3h")), "");
    assert_string_equal(estate_note(f, "a", "DisruptionBlocked"),
                        "Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod=default/v)");
}

TEST_F(Estate, f, when_all_have_passed_nothing_blocks) {
    assert_string_equal(with_durations(f, FOR("1h"), FOR("2h")), "consolidation a => small on-demand");
}

TEST_F(Estate, f, one_that_cannot_be_read_does_not_block) {
    assert_string_equal(with_durations(f, FOR("1h"), FOR("soon")), "consolidation a => small on-demand");
}

// --- PodDisruptionBudgets

#define BUDGET(more)                                                                                                   \
    "apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b, namespace: default}, spec: {selector: "     \
    "{matchLabels: {app: w}}" more "}, status: {disruptionsAllowed: 0}"

TEST_F(Estate, f, a_budget_on_a_daemon_pod_blocks) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "d", .labels = "app: w", .node = "a",
               .meta = "ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: d, uid: u, controller: true}]");
    world_object(f->world, BUDGET(""));
    estate_read(f);
    assert_string_equal(estate_pass(f), "");
    assert_string_equal(estate_note(f, "a", "DisruptionBlocked"),
                        "Pdb prevents pod evictions (PodDisruptionBudget=[default/b])");
}

static const char *unhealthy(Estate *f, const char *budget) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .labels = "app: w", .requests = "cpu: 1", .node = "a",
               .status = "conditions: [{type: Ready, status: \"False\"}]");
    world_object(f->world, budget);
    estate_read(f);
    return estate_pass(f);
}

TEST_F(Estate, f, an_unhealthy_pod_that_may_always_be_evicted_does_not_block) {
    assert_string_equal(unhealthy(f, BUDGET(", unhealthyPodEvictionPolicy: AlwaysAllow")),
                        "consolidation a => small on-demand");
}

TEST_F(Estate, f, otherwise_it_does) {
    assert_string_equal(unhealthy(f, BUDGET("")), "");
}

// --- pods

TEST_F(Estate, f, a_pod_without_an_owner_is_moved_like_others) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    world_node(f->world, .name = "foreign");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "a");
    estate_read(f);
    assert_string_equal(estate_pass(f), "consolidation a");
}

TEST_F(Estate, f, a_local_volume_does_not_tie_its_pod_to_the_node) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "huge");
    world_object(f->world, "apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {local: {path: /d}, "
                           "nodeAffinity: {required: {nodeSelectorTerms: [" TERM(IN(HOST, "a")) "]}}}");
    world_object(f->world, "apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: default, "
                           "annotations: {pv.kubernetes.io/bind-completed: \"yes\"}}, "
                           "spec: {volumeName: pv}, status: {phase: Bound}");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a", .spec = CLAIMS("c"));
    estate_read(f);
    assert_string_equal(estate_pass(f), "consolidation a => medium on-demand");
}

TEST_F(Estate, f, a_node_that_pods_of_a_deleting_one_are_expected_on_stays) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small");
    estate_node(f, .name = "b", .type = "small");
    world_pods(f->world, .name = "w", .requests = "cpu: 1", .node = "b");
    estate_read(f);
    f->facts.nodes.items[estate_at(f, "b")].deleting = true;
    f->bits[estate_at(f, "a")] = NODE_NOMINATED;
    assert_string_equal(estate_pass(f), "");
}

// --- prices

static void set_price(Estate *f, const char *type_name, double price) {
    for (vec_each(InstanceType, type, f->facts.pools.items[0].types)) {
        if (!slice_eq_text(symbol_text(&f->facts.cluster->symbols, type->name), type_name))
            continue;
        for (vec_each(Offering, offering, &type->offerings))
            offering->price_per_hour = price;
    }
}

static void one_node(Estate *f) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "huge");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
}

TEST_F(Estate, f, a_node_whose_price_is_no_number_is_not_replaced) {
    one_node(f);
    set_price(f, "huge", NAN);
    assert_string_equal(estate_pass(f), "");
}

TEST_F(Estate, f, a_type_whose_price_is_no_number_is_no_replacement) {
    one_node(f);
    set_price(f, "medium", NAN);
    assert_string_equal(estate_pass(f), "consolidation a => large on-demand");
}

TEST_F(Estate, f, a_node_without_a_price_is_deleted_when_nothing_needs_it) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "huge");
    world_node(f->world, .name = "foreign");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "a");
    estate_read(f);
    set_price(f, "huge", NAN);
    assert_string_equal(estate_pass(f), "consolidation a");
    assert_true(f->pass.commands.items[0].saving_per_hour == 0);
}

TEST_F(Estate, f, a_node_of_an_unknown_type_can_be_empty_and_drifted) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "gone");
    estate_node(f, .name = "b", .type = "gone");
    world_pods(f->world, .name = "w", .requests = "cpu: 3", .node = "b");
    estate_read(f);
    estate_mark(f, "b", "Drifted", 5);
    assert_string_equal(estate_pass(f), "emptiness a; drift b => medium on-demand");
    assert_true(f->pass.commands.items[1].price_per_hour == 0);
}

TEST_F(Estate, f, a_pool_without_types_or_without_itself_is_harmless) {
    world_pool(f->world, POOL);
    estate_node(f, .name = "a", .type = "small", .pool = "lost");
    estate_node(f, .name = "b", .type = "small");
    estate_read(f);
    f->facts.pools.items[0].types = arena_new(&f->arena, InstanceTypeVec);
    f->facts.growing.count = 0;
    assert_string_equal(estate_pass(f), "");
    assert_string_equal(estate_note(f, "a", "DisruptionBlocked"), "NodePool not found (NodePool=lost)");
    assert_string_equal(estate_note(f, "b", "DisruptionBlocked"), "NodePool not found (NodePool=default)");
}
