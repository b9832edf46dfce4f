// -o yaml: NodeClaims as Karpenter would write them. Row of reference scheduling.md 12: NC content (scheduling.md 6.1).
#include "cli/support/run.h"
#include "harness/test.h"

#include <stdio.h>

static const Value *only_claim(Run *run) {
    DocumentVec documents;

    run_options(run)->format = OUTPUT_YAML;
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    documents = run_yaml(run);
    assert_int_equal(documents.count, 1);
    return &documents.items[0].root;
}

// The requirement with that key as "operator values", or "(none)".
static const char *requirement(Run *run, const Value *claim, const char *key) {
    const Value *list = value_at(claim, "spec", "requirements", NULL);

    for (vec_each(Value, entry, &list->list)) {
        if (strcmp(value_path(run, entry, "key"), key) == 0) {
            static char text[256];

            snprintf(text, sizeof text, "%s %s", value_path(run, entry, "operator"), value_path(run, entry, "values"));
            return text;
        }
    }
    return "(none)";
}

#define TEMPLATE                                                                                                       \
    "metadata: {labels: {tier: web}, annotations: {note: hello}}, spec: {" CLASS_REF                                   \
    ", expireAfter: 48h, terminationGracePeriod: 1h, taints: [{key: team, value: red, effect: NoSchedule}], "          \
    "startupTaints: [{key: starting, effect: NoExecute}], requirements: [{key: topology.kubernetes.io/zone, "          \
    "operator: "                                                                                                       \
    "In, values: [b]}]}"

static void full_claim(Run *run) {
    run_add(run, "all.yaml",
            POOL_WITH("default", "", TEMPLATE) POD(
                "web", "1", ", tolerations: [{operator: Exists}], nodeSelector: {karpenter.sh/capacity-type: spot}"));
}

TEST_F(Run, run, row_claim_content_identity) {
    full_claim(run);

    const Value *claim = only_claim(run);

    assert_path(run, claim, "apiVersion", "karpenter.sh/v1");
    assert_path(run, claim, "kind", "NodeClaim");
    assert_path(run, claim, "metadata generateName", "default-");
    assert_path(run, claim, "metadata name", "(none)");
}

TEST_F(Run, run, row_claim_content_owner) {
    full_claim(run);

    const Value *claim = only_claim(run);

    assert_path(run, claim, "metadata ownerReferences 0 apiVersion", "karpenter.sh/v1");
    assert_path(run, claim, "metadata ownerReferences 0 kind", "NodePool");
    assert_path(run, claim, "metadata ownerReferences 0 name", "default");
    assert_path(run, claim, "metadata ownerReferences 0 uid", "uid-default");
    assert_path(run, claim, "metadata ownerReferences 0 blockOwnerDeletion", "true");
    assert_path(run, claim, "metadata ownerReferences 0 controller", "(none)");
    assert_path(run, claim, "metadata ownerReferences 1 name", "(none)");
}

TEST_F(Run, run, row_claim_content_labels) {
    full_claim(run);

    const Value *claim = only_claim(run);

    assert_path(run, claim, "metadata labels tier", "web");
    assert_path(run, claim, "metadata labels karpenter.sh/nodepool", "default");
    assert_path(run, claim, "metadata labels karpenter.kwok.sh/kwoknodeclass", "default");
    assert_path(run, claim, "metadata labels topology.kubernetes.io/zone", "(none)");
    assert_path(run, claim, "metadata labels karpenter.sh/registered", "(none)");
}

TEST_F(Run, run, row_claim_content_annotations) {
    full_claim(run);

    const Value *claim = only_claim(run);

    assert_path(run, claim, "metadata annotations note", "hello");
    assert_path(run, claim, "metadata annotations karpenter.sh/nodepool-hash-version", "v3");
    assert_path(run, claim, "metadata annotations karpenter.sh/nodeclaim-min-values-relaxed", "false");
}

// The hash of reference scheduling.md 1.9, first vector: EC2NodeClass "default", 720h.
TEST_F(Run, run, row_claim_content_hash_annotation) {
    run_add(run, "all.yaml",
            POOL_WITH("default", "",
                      "spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}, "
                      "requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}]}")
                POD("web", "1", ""));

    const Value *claim = only_claim(run);

    assert_path(run, claim, "metadata annotations karpenter.sh/nodepool-hash", "6821555240594823858");
    assert_path(run, claim, "metadata labels karpenter.k8s.aws/ec2nodeclass", "default");
}

TEST_F(Run, run, row_claim_content_min_values_relaxed_annotation) {
    run_add(run, "all.yaml",
            POOL_WITH("default", "",
                      "spec: {" CLASS_REF ", requirements: [{key: node.kubernetes.io/instance-type, operator: In, "
                      "values: [two, eight], minValues: 2}]}") POD("web", "7", ""));
    run_options(run)->min_values = MIN_VALUES_BEST_EFFORT;

    const Value *claim = only_claim(run);

    assert_path(run, claim, "metadata annotations karpenter.sh/nodeclaim-min-values-relaxed", "true");
}

TEST_F(Run, run, row_claim_content_template_is_copied) {
    full_claim(run);

    const Value *claim = only_claim(run);

    assert_path(run, claim, "spec expireAfter", "48h");
    assert_path(run, claim, "spec terminationGracePeriod", "1h");
    assert_path(run, claim, "spec taints 0 key", "team");
    assert_path(run, claim, "spec taints 0 value", "red");
    assert_path(run, claim, "spec taints 0 effect", "NoSchedule");
    assert_path(run, claim, "spec startupTaints 0 key", "starting");
    assert_path(run, claim, "spec startupTaints 0 effect", "NoExecute");
    assert_path(run, claim, "spec nodeClassRef group", "karpenter.kwok.sh");
    assert_path(run, claim, "spec nodeClassRef kind", "KWOKNodeClass");
    assert_path(run, claim, "spec nodeClassRef name", "default");
}

TEST_F(Run, run, row_claim_content_defaults) {
    run_add(run, "all.yaml", POOL("default") POD("web", "1", ""));

    const Value *claim = only_claim(run);

    assert_path(run, claim, "spec expireAfter", "720h");
    assert_path(run, claim, "spec terminationGracePeriod", "(none)");
    assert_path(run, claim, "spec taints", "(none)");
    assert_path(run, claim, "spec startupTaints", "(none)");
}

TEST_F(Run, run, row_claim_content_requirements) {
    full_claim(run);

    const Value *claim = only_claim(run);

    assert_string_equal(requirement(run, claim, "topology.kubernetes.io/zone"), "In b");
    assert_string_equal(requirement(run, claim, "karpenter.sh/capacity-type"), "In spot");
    assert_string_equal(requirement(run, claim, "node.kubernetes.io/instance-type"), "In eight four two");
    assert_string_equal(requirement(run, claim, "karpenter.sh/nodepool"), "In default");
    assert_string_equal(requirement(run, claim, "karpenter.kwok.sh/kwoknodeclass"), "In default");
    assert_string_equal(requirement(run, claim, "tier"), "In web");
    assert_string_equal(requirement(run, claim, "kubernetes.io/hostname"), "(none)");
    assert_string_equal(requirement(run, claim, "karpenter.sh/registered"), "(none)");
    assert_string_equal(requirement(run, claim, "karpenter.sh/initialized"), "(none)");
}

// Q3: bounds and excluded values are two entries of one key; Karpenter loses the second.
TEST_F(Run, run, row_claim_content_bounds_and_exclusions_are_both_written) {
    run_add(
        run, "all.yaml",
        POOL_WITH("default", "",
                  "spec: {" CLASS_REF ", requirements: [{key: generation, operator: Gt, values: [\"3\"]}, {key: "
                  "generation, operator: Lt, values: [\"9\"]}, {key: generation, operator: NotIn, values: [\"5\"]}]}")
            POD("web", "1", ""));

    const Value *claim = only_claim(run);

    assert_non_null(strstr(run_out(run), "key: generation\n    operator: Gte\n    values:\n    - \"4\"\n"));
    assert_non_null(strstr(run_out(run), "key: generation\n    operator: Lte\n    values:\n    - \"8\"\n"));
    assert_non_null(strstr(run_out(run), "key: generation\n    operator: NotIn\n    values:\n    - \"5\"\n"));
    assert_path(run, claim, "metadata labels generation", "4");
}

TEST_F(Run, run, row_claim_content_requests_have_daemon_overhead_once) {
    run_add(run, "all.yaml",
            POOL("default") DEPLOYMENT("web", "3", "1", "")
                OBJECT("apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent}, spec: {selector: {matchLabels: "
                       "{d: a}}, template: {metadata: {labels: {d: a}}, spec: {containers: [{name: c, image: i, "
                       "resources: {requests: {cpu: 500m, memory: 64Mi}}}]}}}"));

    const Value *claim = only_claim(run);

    assert_path(run, claim, "spec resources requests cpu", "3500m");
    assert_path(run, claim, "spec resources requests memory", "64Mi");
    assert_path(run, claim, "spec resources requests pods", "4");
}

TEST_F(Run, run, row_claim_content_one_document_per_claim) {
    run_add(run, "all.yaml", POOL("default") DEPLOYMENT("web", "3", "7", ""));
    run_options(run)->format = OUTPUT_YAML;

    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);

    assert_int_equal(run_yaml(run).count, 3);
}

// What Karpenter would have written can be read back: as NodeClaims in flight, whose room the pods then have.
TEST_F(Run, run, row_claim_content_can_be_read_back) {
    const char *pods = DEPLOYMENT("web", "3", "1", "");
    const char *claims;
    run_add(run, "pool.yaml", POOL("default"));
    run_add(run, "pods.yaml", pods);
    run_options(run)->format = OUTPUT_YAML;
    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    claims = run_out(run);

    // The API server would generate a name.
    static char named[8192];
    const char *at = strstr(claims, "generateName: default-");
    assert_non_null(at);
    snprintf(named, sizeof named, "%.*sname: default-x1%s", (int)(at - claims), claims,
             at + strlen("generateName: default-"));
    run_add(run, "claims.yaml", named);
    run_options(run)->format = OUTPUT_JSON;

    assert_int_equal(run_plan(run), EXIT_ALL_PLACED);
    assert_path(run, run_json(run), "nodeClaims", "[]");
    assert_path(run, run_json(run), "existingNodes 0 name", "default-x1");
    assert_path(run, run_json(run), "existingNodes 0 pods", "default/web-0 default/web-1 default/web-2");
}
