// Candidates of disruption, and what blocks a node: a test for each row of reference lifecycle.md 4.3.
#include "base/time.h"
#include "disrupt/candidate.h"
#include "harness/test.h"
#include "model/support/read.h"

#include <math.h>
#include <stdio.h>

// The cluster of a test: NodePool "p", its node "node-a" with NodeClaim "c", and the objects that the test adds.
typedef struct {
    TestCluster *read;
    DisruptFacts facts;
    uint8_t bits[8];
    Offering offerings[2];
    InstanceType type;
    InstanceTypeVec types;
} Fleet;

static Fleet *fleet_new(void) {
    return test_calloc(1, sizeof(Fleet));
}

static void fleet_free(Fleet *fleet) {
    if (fleet->read)
        test_cluster_free(fleet->read);
    test_free(fleet);
}

FIXTURE(Fleet, fleet_new, fleet_free);

#define POOL                                                                                                           \
    "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\n"                                               \
    "spec: {template: {spec: {nodeClassRef: {group: g.x, kind: K, name: x}, requirements: []}}}\n---\n"
#define LABELS                                                                                                         \
    "karpenter.sh/nodepool: p, karpenter.sh/registered: 'true', node.kubernetes.io/instance-type: t1, "                \
    "topology.kubernetes.io/zone: z1, karpenter.sh/capacity-type: spot"
#define CLAIM(more)                                                                                                    \
    "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: c, labels: {" LABELS "}}\n"                        \
    "spec: {nodeClassRef: {group: g.x, kind: K, name: x}, requirements: []" more "}\n"                                 \
    "status: {providerID: 'x://1', nodeName: node-a, conditions: [{type: Launched, status: 'True'}, {type: "           \
    "Registered, "                                                                                                     \
    "status: 'True'}, {type: Initialized, status: 'True'}]}\n---\n"
#define NODE(labels, more)                                                                                             \
    "apiVersion: v1\nkind: Node\nmetadata: {name: node-a, labels: {" labels "}" more                                   \
    "}\nspec: {providerID: 'x://1'}\n"                                                                                 \
    "status: {capacity: {cpu: 4}, allocatable: {cpu: 4}}\n---\n"
#define INITIALIZED LABELS ", karpenter.sh/initialized: 'true'"
#define FLEET       POOL CLAIM("") NODE(INITIALIZED, "")
#define POD_OF(name, meta, spec, status)                                                                               \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", namespace: default, labels: {app: w}" meta "}\n"            \
    "spec: {nodeName: node-a, containers: [{name: c, image: i}]" spec "}\nstatus: {" status "}\n---\n"
#define POD(meta, spec) POD_OF("w", meta, spec, "phase: Running")

// Reads the cluster; the provider's type t1 costs 0.3 in z1 on spot.
static void put(Fleet *fleet, const char *yaml) {
    TestCluster *read = test_cluster_read(yaml);
    DisruptFacts *facts = &fleet->facts;
    Symbol zone = test_symbol(read, "z1");

    fleet->read = read;
    fleet->offerings[0] = (Offering){.zone = zone, .capacity_type = NAME_ON_DEMAND, .price_per_hour = 1};
    fleet->offerings[1] = (Offering){.zone = zone, .capacity_type = NAME_SPOT, .price_per_hour = 0.3};
    fleet->type = (InstanceType){.name = test_symbol(read, "t1"), .offerings = {fleet->offerings, 2, 2}};
    fleet->types = (InstanceTypeVec){&fleet->type, 1, 1};
    facts->cluster = &read->cluster;
    facts->nodes = node_views_make(&read->arena, &read->cluster, NULL, 0);
    assert_in_range(facts->nodes.count, 0, 8);
    facts->node_bits = fleet->bits;
    for (vec_each(const NodePool, pool, &read->cluster.node_pools))
        vec_push(&read->arena, &facts->pools, (PlanPool){pool, &fleet->types});
}

// Whether or not candidates of a more careful class are known, the answer is the same.
static DisruptionCandidate candidate(Fleet *fleet, DisruptionClass class) {
    Arena *arena = &fleet->read->arena;
    NodePods node_pods = node_pods_make(arena, &fleet->facts);
    DisruptionCandidateVec careful = candidates_make(arena, &fleet->facts, &node_pods, DISRUPTION_GRACEFUL, NULL);
    DisruptionCandidateVec all = candidates_make(arena, &fleet->facts, &node_pods, class, NULL);
    DisruptionCandidateVec again = candidates_make(arena, &fleet->facts, &node_pods, class, &careful);

    assert_int_equal(all.count, 1);
    assert_int_equal(again.count, 1);
    assert_true(slice_eq(all.items[0].blocked, again.items[0].blocked));
    assert_int_equal(all.items[0].is_silent, again.items[0].is_silent);
    assert_true(all.items[0].reschedule_cost == again.items[0].reschedule_cost);
    assert_true(all.items[0].disruption_cost == again.items[0].disruption_cost);
    assert_ptr_equal(all.items[0].offering, again.items[0].offering);
    return all.items[0];
}

static const char *blocked(Fleet *fleet) {
    DisruptionCandidate found = candidate(fleet, DISRUPTION_GRACEFUL);

    assert_true(candidate_is_open(&found) == (!found.blocked.len && !found.is_silent));
    return arena_text(&fleet->read->arena, found.blocked);
}

// --- the node

TEST_F(Fleet, fleet, an_initialized_node_of_a_pool_is_a_candidate) {
    DisruptionCandidate found;

    put(fleet, FLEET);
    found = candidate(fleet, DISRUPTION_GRACEFUL);
    assert_true(candidate_is_open(&found));
    assert_ptr_equal(found.type, &fleet->type);
    assert_true(found.price_per_hour == 0.3);
    assert_true(found.reschedule_cost == 1);
    assert_true(candidate_savings_ratio(&found) == 0.3);
}

TEST_F(Fleet, fleet, a_node_in_a_command_is_skipped_without_an_event) {
    DisruptionCandidate found;

    put(fleet, POOL CLAIM("") NODE(LABELS, ""));
    fleet->bits[0] = NODE_IN_COMMAND;
    found = candidate(fleet, DISRUPTION_GRACEFUL);
    assert_false(candidate_is_open(&found));
    assert_int_equal(found.blocked.len, 0);
}

TEST_F(Fleet, fleet, nodes_without_a_claim_are_ignored) {
    NodePods node_pods;

    put(fleet, POOL NODE(INITIALIZED, ""));
    node_pods = node_pods_make(&fleet->read->arena, &fleet->facts);
    assert_int_equal(candidates_make(&fleet->read->arena, &fleet->facts, &node_pods, DISRUPTION_GRACEFUL, NULL).count,
                     0);
}

TEST_F(Fleet, fleet, a_claim_without_node) {
    put(fleet, POOL CLAIM(""));
    assert_string_equal(blocked(fleet), "Nodeclaim does not have an associated node");
}

TEST_F(Fleet, fleet, not_initialized) {
    put(fleet, POOL CLAIM("") NODE(LABELS, ""));
    assert_string_equal(blocked(fleet), "Node isn't initialized");
}

TEST_F(Fleet, fleet, deleting) {
    put(fleet, POOL CLAIM("") NODE(INITIALIZED, ""));
    fleet->facts.nodes.items[0].deleting = true;
    assert_string_equal(blocked(fleet), "Node is deleting or marked for deletion");
}

TEST_F(Fleet, fleet, nominated) {
    put(fleet, FLEET);
    fleet->bits[0] = NODE_NOMINATED;
    assert_string_equal(blocked(fleet), "Node is nominated for a pending pod");
}

TEST_F(Fleet, fleet, the_annotation_on_the_node_counts_only_as_true) {
    put(fleet, POOL CLAIM("") NODE(INITIALIZED, ", annotations: {karpenter.sh/do-not-disrupt: 'true'}"));
    assert_string_equal(blocked(fleet), "Disruption is blocked through the \"karpenter.sh/do-not-disrupt\" annotation");
    test_cluster_free(fleet->read);
    fleet->facts = (DisruptFacts){0};
    put(fleet, POOL CLAIM("") NODE(INITIALIZED, ", annotations: {karpenter.sh/do-not-disrupt: '1h'}"));
    assert_string_equal(blocked(fleet), "");
}

TEST_F(Fleet, fleet, a_pool_that_is_gone_or_has_no_types) {
    put(fleet, FLEET);
    fleet->types.count = 0;
    assert_string_equal(blocked(fleet), "NodePool not found (NodePool=p)");
    fleet->facts.pools.count = 0;
    assert_string_equal(blocked(fleet), "NodePool not found (NodePool=p)");
}

TEST_F(Fleet, fleet, a_type_that_is_unknown_costs_nothing_and_blocks_nothing) {
    DisruptionCandidate found;

    put(fleet, FLEET);
    fleet->type.name = test_symbol(fleet->read, "t2");
    found = candidate(fleet, DISRUPTION_GRACEFUL);
    assert_true(candidate_is_open(&found));
    assert_null(found.type);
    assert_true(found.price_per_hour == 0);
}

TEST_F(Fleet, fleet, a_node_without_the_label_of_its_pool) {
    put(fleet, FLEET);
    fleet->facts.nodes.items[0].pool = NAME_EMPTY;
    assert_string_equal(blocked(fleet), "Node doesn't have required label (label=karpenter.sh/nodepool)");
}

#define REGISTERED "karpenter.sh/nodepool: p, karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'"
#define OF_TYPE    ", node.kubernetes.io/instance-type: t1"
#define IN_ZONE    ", topology.kubernetes.io/zone: z1"
#define ON_SPOT    ", karpenter.sh/capacity-type: spot"

TEST_F(Fleet, fleet, labels_that_are_missing_block_nothing) {
    static const char *const fleets[] = {
        POOL CLAIM("") NODE(REGISTERED OF_TYPE IN_ZONE, ""),
        POOL CLAIM("") NODE(REGISTERED OF_TYPE ON_SPOT, ""),
        POOL CLAIM("") NODE(REGISTERED IN_ZONE ON_SPOT, ""),
    };
    DisruptionCandidate found;

    for (size_t i = 0; i < sizeof fleets / sizeof *fleets; i++) {
        put(fleet, fleets[i]);
        found = candidate(fleet, DISRUPTION_GRACEFUL);
        assert_true(candidate_is_open(&found));
        assert_null(found.offering);
        assert_true(found.price_per_hour == 0);
        test_cluster_free(fleet->read);
        fleet->read = NULL;
        fleet->facts = (DisruptFacts){0};
    }
}

TEST_F(Fleet, fleet, a_price_that_is_no_number_is_none) {
    put(fleet, FLEET);
    fleet->offerings[1].price_per_hour = NAN;
    assert_true(candidate(fleet, DISRUPTION_GRACEFUL).price_per_hour == 0);
}

TEST_F(Fleet, fleet, an_offering_that_is_not_available_still_has_the_price_of_its_nodes) {
    put(fleet, FLEET);
    fleet->offerings[1].available = false;
    assert_true(candidate(fleet, DISRUPTION_GRACEFUL).price_per_hour == 0.3);
}

// --- its pods

#define DO_NOT_DISRUPT ", annotations: {karpenter.sh/do-not-disrupt: 'true'}"
#define FOR(duration)  ", annotations: {karpenter.sh/do-not-disrupt: '" duration "'}"
#define STARTED        "phase: Running, startTime: \"2026-01-01T12:00:00Z\""
#define MINUTE(minute) (INT64_C(1767268800000000000) + 60 * NS_PER_S * (minute)) // after the start
#define OWNER(version, kind)                                                                                           \
    ", ownerReferences: [{apiVersion: " version ", kind: " kind ", name: o, uid: u, controller: true}]"
#define DAEMON OWNER("apps/v1", "DaemonSet")
#define MIRROR OWNER("v1", "Node")
#define BUDGET(name, status)                                                                                           \
    "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: " name ", namespace: default}\n"               \
    "spec: {selector: {matchLabels: {app: w}}}\nstatus: {disruptionsAllowed: " status "}\n---\n"

TEST_F(Fleet, fleet, a_pod_that_must_not_be_disrupted) {
    put(fleet, FLEET POD(DO_NOT_DISRUPT, ""));
    assert_string_equal(blocked(fleet), "Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod=default/w)");
}

TEST_F(Fleet, fleet, a_daemon_pod_that_must_not_be_disrupted_blocks_too) {
    put(fleet, FLEET POD(DO_NOT_DISRUPT DAEMON, ""));
    assert_string_equal(blocked(fleet), "Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod=default/w)");
}

TEST_F(Fleet, fleet, a_mirror_pod_that_must_not_be_disrupted_blocks_too) {
    put(fleet, FLEET POD(DO_NOT_DISRUPT MIRROR, ""));
    assert_string_equal(blocked(fleet), "Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod=default/w)");
}

TEST_F(Fleet, fleet, the_annotation_of_a_pod_may_hold_for_a_while) {
    put(fleet, FLEET POD_OF("w", FOR("2m"), "", STARTED));
    fleet->facts.wall_ns = MINUTE(1);
    assert_string_equal(blocked(fleet), "Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod=default/w)");
    fleet->facts.wall_ns = MINUTE(3);
    assert_string_equal(blocked(fleet), "");
}

TEST_F(Fleet, fleet, the_longest_of_several_annotations_counts) {
    put(fleet, FLEET POD_OF("short", FOR("1m"), "", STARTED) POD_OF("long", FOR("3m"), "", STARTED));
    fleet->facts.wall_ns = MINUTE(2);
    assert_string_equal(blocked(fleet), "Pod has \"karpenter.sh/do-not-disrupt\" annotation (Pod=default/long)");
    fleet->facts.wall_ns = MINUTE(4);
    assert_string_equal(blocked(fleet), "");
}

TEST_F(Fleet, fleet, an_annotation_that_cannot_be_read_does_not_hold) {
    put(fleet, FLEET POD_OF("w", FOR("a while"), "", STARTED));
    assert_string_equal(blocked(fleet), "");
}

TEST_F(Fleet, fleet, a_budget_that_allows_nothing_now) {
    put(fleet, FLEET POD("", "") BUDGET("b", "0"));
    assert_string_equal(blocked(fleet), "Pdb prevents pod evictions (PodDisruptionBudget=[default/b])");
}

TEST_F(Fleet, fleet, a_budget_with_room_blocks_nothing) {
    put(fleet, FLEET POD("", "") BUDGET("b", "1"));
    assert_string_equal(blocked(fleet), "");
}

TEST_F(Fleet, fleet, two_budgets_block_whatever_they_allow) {
    put(fleet, FLEET POD("", "") BUDGET("a", "5") BUDGET("b", "5"));
    assert_string_equal(blocked(fleet),
                        "Eviction does not support multiple PDBs (PodDisruptionBudget(s)=[default/a default/b])");
}

TEST_F(Fleet, fleet, a_budget_on_a_daemon_pod_counts_on_a_mirror_pod_it_does_not) {
    put(fleet, FLEET POD(DAEMON, "") BUDGET("b", "0"));
    assert_string_equal(blocked(fleet), "Pdb prevents pod evictions (PodDisruptionBudget=[default/b])");
    test_cluster_free(fleet->read);
    fleet->facts = (DisruptFacts){0};
    put(fleet, FLEET POD(MIRROR, "") BUDGET("b", "0"));
    assert_string_equal(blocked(fleet), "");
}

TEST_F(Fleet, fleet, pods_that_go_or_are_done_block_nothing) {
    put(fleet, FLEET POD_OF("going", DO_NOT_DISRUPT ", deletionTimestamp: \"2026-01-01T12:00:00Z\"", "",
                            "phase: Running") POD_OF("done", DO_NOT_DISRUPT, "", "phase: Succeeded") BUDGET("b", "0"));
    assert_string_equal(blocked(fleet), "");
}

TEST_F(Fleet, fleet, a_budget_on_a_pod_that_tolerates_the_disruption_does_not_count) {
    put(fleet, FLEET POD("", ", tolerations: [{key: karpenter.sh/disrupted, operator: Exists}]") BUDGET("b", "0"));
    assert_string_equal(blocked(fleet), "");
}

TEST_F(Fleet, fleet, a_termination_grace_period_lets_drift_pass_and_nothing_else) {
    DisruptionCandidate found;

    put(fleet, POOL CLAIM(", terminationGracePeriod: 1h") NODE(INITIALIZED, "") POD(DO_NOT_DISRUPT, ""));
    found = candidate(fleet, DISRUPTION_EVENTUAL);
    assert_true(candidate_is_open(&found));
    found = candidate(fleet, DISRUPTION_GRACEFUL);
    assert_false(candidate_is_open(&found));
}

TEST_F(Fleet, fleet, without_that_period_drift_waits_too) {
    DisruptionCandidate found;

    put(fleet, FLEET POD(DO_NOT_DISRUPT, ""));
    found = candidate(fleet, DISRUPTION_EVENTUAL);
    assert_false(candidate_is_open(&found));
}

TEST_F(Fleet, fleet, a_budget_waits_for_the_period_as_the_annotation_does) {
    DisruptionCandidate found;

    put(fleet, POOL CLAIM(", terminationGracePeriod: 1h") NODE(INITIALIZED, "") POD("", "") BUDGET("b", "0"));
    found = candidate(fleet, DISRUPTION_EVENTUAL);
    assert_true(candidate_is_open(&found));
    found = candidate(fleet, DISRUPTION_GRACEFUL);
    assert_false(candidate_is_open(&found));
    test_cluster_free(fleet->read);
    fleet->facts = (DisruptFacts){0};
    put(fleet, FLEET POD("", "") BUDGET("b", "0"));
    found = candidate(fleet, DISRUPTION_EVENTUAL);
    assert_false(candidate_is_open(&found));
}

TEST_F(Fleet, fleet, pods_make_a_node_dearer_to_disrupt) {
    DisruptionCandidate found;

    put(fleet, FLEET POD("", ""));
    found = candidate(fleet, DISRUPTION_GRACEFUL);
    assert_true(found.reschedule_cost == 2);
    assert_true(found.disruption_cost == 1);
}
