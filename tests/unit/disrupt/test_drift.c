// Drift of NodeClaims from their NodePool: reference lifecycle.md 4.8.
#include "disrupt/drift.h"
#include "harness/test.h"
#include "model/support/read.h"

#include <stdio.h>

static TestCluster *cluster;

static void end(void) {
    if (cluster)
        test_cluster_free(cluster);
    cluster = NULL;
}

AFTER_EACH(end);

// The drift of a claim with these annotations and labels from a pool with these annotations and requirements.
static const char *drift(const char *pool_annotations, const char *requirements, const char *claim_annotations,
                         const char *claim_labels) {
    char text[3000];

    snprintf(text, sizeof text,
             "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p, annotations: {%s}}\n"
             "spec: {template: {spec: {nodeClassRef: {group: g.x, kind: K, name: x}, requirements: [%s]}}}\n"
             "---\napiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: c, annotations: {%s}, labels: {%s}}\n"
             "spec: {nodeClassRef: {group: g.x, kind: K, name: x}, requirements: []}\n",
             pool_annotations, requirements, claim_annotations, claim_labels);
    end();
    cluster = test_cluster_read(text);
    return arena_text(&cluster->arena,
                      drift_from_pool(&cluster->arena, &cluster->cluster.symbols, test_pool(cluster, "p"),
                                      &cluster->cluster.node_claims.items[0]));
}

#define HASH(hash, version) "karpenter.sh/nodepool-hash: '" hash "', karpenter.sh/nodepool-hash-version: " version

TEST(another_hash_of_the_same_version_is_drift) {
    assert_string_equal(drift(HASH("1", "v3"), "", HASH("2", "v3"), ""), "NodePoolDrifted");
    assert_string_equal(drift(HASH("1", "v3"), "", HASH("1", "v3"), ""), "");
}

TEST(hashes_of_different_versions_are_not_compared) {
    assert_string_equal(drift(HASH("1", "v3"), "", HASH("2", "v2"), ""), "");
}

TEST(a_hash_that_is_missing_is_no_drift) {
    assert_string_equal(drift("", "", HASH("2", "v3"), ""), "");
    assert_string_equal(drift(HASH("1", "v3"), "", "", ""), "");
    assert_string_equal(drift(HASH("1", "v3"), "", "karpenter.sh/nodepool-hash: '2'", ""), "");
}

// Requirement, label, and whether the claim has drifted.
TEST(labels_that_do_not_meet_the_requirements_are_drift) {
    static const struct {
        const char *requirement, *labels;
        bool drifts;
    } rows[] = {
        {"{key: x.io/a, operator: In, values: [b, c]}", "x.io/a: b", false},
        {"{key: x.io/a, operator: In, values: [b, c]}", "x.io/a: d", true},
        {"{key: x.io/a, operator: In, values: [b, c]}", "", true},
        {"{key: x.io/a, operator: NotIn, values: [b]}", "x.io/a: b", true},
        {"{key: x.io/a, operator: NotIn, values: [b]}", "x.io/a: c", false},
        {"{key: x.io/a, operator: NotIn, values: [b]}", "", false},
        {"{key: x.io/a, operator: Exists}", "x.io/a: c", false},
        {"{key: x.io/a, operator: Exists}", "", true},
        {"{key: x.io/a, operator: DoesNotExist}", "x.io/a: c", true},
        {"{key: x.io/a, operator: DoesNotExist}", "", false},
        {"{key: x.io/a, operator: Gt, values: ['4']}", "x.io/a: '5'", false},
        {"{key: x.io/a, operator: Gt, values: ['4']}", "x.io/a: '4'", true},
        {"{key: x.io/a, operator: Gt, values: ['4']}", "", true},
        {"{key: x.io/a, operator: NotIn, values: [b]}, {key: x.io/a, operator: In, values: [b, c]}", "x.io/a: c",
         false},
        {"{key: x.io/a, operator: NotIn, values: [b]}, {key: x.io/a, operator: In, values: [b, c]}", "x.io/a: b", true},
        {"{key: x.io/a, operator: Exists}, {key: x.io/z, operator: In, values: [w]}", "x.io/a: c", true},
        {"", "x.io/a: c", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *found = drift("", rows[i].requirement, "", rows[i].labels);

        if (strcmp(found, rows[i].drifts ? "RequirementsDrifted" : "") != 0)
            fail_msg("%s, labels %s: \"%s\"", rows[i].requirement, rows[i].labels, found);
    }
}

TEST(the_hash_comes_first) {
    assert_string_equal(drift(HASH("1", "v3"), "{key: x.io/a, operator: Exists}", HASH("2", "v3"), ""),
                        "NodePoolDrifted");
}

// --- instance types

// Whether the types of a provider hold that of a claim with these labels. They are: t1, on demand in z1, spot in z2
// (none left), reserved in z3; t2 without offerings.
static bool has_type(const char *labels) {
    Offering offerings[] = {{.zone = 1, .capacity_type = NAME_ON_DEMAND, .available = true},
                            {.zone = 2, .capacity_type = NAME_SPOT},
                            {.zone = 3, .capacity_type = NAME_RESERVED, .reservation_id = 77, .available = true}};
    InstanceType types[2] = {{.offerings = {offerings, 3, 3}}, {.offerings = {0}}};

    drift("", "", "", labels);
    for (uint32_t i = 0; i < 3; i++)
        offerings[i].zone = test_symbol(cluster, (const char *const[]){"z1", "z2", "z3"}[i]);
    types[0].name = test_symbol(cluster, "t1");
    types[1].name = test_symbol(cluster, "t2");
    return drift_has_type(&(InstanceTypeVec){types, 2, 2}, &cluster->cluster.node_claims.items[0]);
}

#define LABELS(type, zone, capacity_type)                                                                              \
    "node.kubernetes.io/instance-type: " type ", topology.kubernetes.io/zone: " zone                                   \
    ", karpenter.sh/capacity-type: " capacity_type

TEST(a_type_with_an_offering_of_the_claim_is_there) {
    assert_true(has_type(LABELS("t1", "z1", "on-demand")));
    assert_true(has_type(LABELS("t1", "z2", "spot"))); // unavailable, but it exists
    assert_false(has_type(LABELS("t1", "z1", "spot")));
    assert_false(has_type(LABELS("t1", "z9", "on-demand")));
}

TEST(a_type_that_is_unknown_or_not_offered_is_not_there) {
    assert_false(has_type(LABELS("t9", "z1", "on-demand")));
    assert_false(has_type(LABELS("t2", "z1", "on-demand")));
    assert_false(has_type("topology.kubernetes.io/zone: z1"));
}

TEST(a_reserved_claim_is_met_by_any_reservation_and_by_on_demand) {
    assert_true(has_type(LABELS("t1", "z3", "reserved") ", karpenter.k8s.aws/capacity-reservation-id: cr-1"));
    assert_true(has_type(LABELS("t1", "z1", "reserved")));
    assert_false(has_type(LABELS("t1", "z2", "reserved")));
}
