// PodDisruptionBudgets of a pod, as reference lifecycle.md 0.5.
#include "model/disruption_budget.h"

#include "harness/test.h"
#include "model/pod_predicates.h"
#include "model/support/read.h"

#include <stdio.h>

#define POD(meta, status)                                                                                              \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: default, labels: {app: p}" meta "}\n"                   \
    "spec: {nodeName: node-a, containers: [{name: c, image: i}]}\nstatus: {phase: Running" status "}\n---\n"
#define BUDGET(name, app, spec, allowed)                                                                               \
    "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: " name ", namespace: default}\n"               \
    "spec: {selector: {matchLabels: {app: " app "}}" spec "}\nstatus: {disruptionsAllowed: " allowed "}\n---\n"
#define ALWAYS_ALLOW ", unhealthyPodEvictionPolicy: AlwaysAllow"

typedef struct {
    bool now, for_good, reschedulable;
} Answer;

// Whether budgets refuse the pod's eviction now and always, and whether it may be moved.
static Answer answer(const char *yaml) {
    TestCluster *read = test_cluster_read(yaml);
    const Pod *pod = test_pod(read, "p");
    Arena arena = {0};
    BudgetIndex index = budget_index_make(&arena, &read->cluster.disruption_budgets);
    BudgetCover cover = {0};
    Answer found;

    for (vec_each(const PodDisruptionBudget, budget, &read->cluster.disruption_budgets))
        budget_cover_add(&cover, budget, pod);
    found = (Answer){budget_cover_refuses_now(&cover, pod), budget_cover_refuses_for_good(&cover, pod),
                     pod_is_currently_reschedulable(pod, &read->cluster.symbols, &index, 0)};
    assert_true(budgets_block_fully(&index, pod) == found.for_good);
    arena_free(&arena);
    test_cluster_free(read);
    return found;
}

static void assert_answer(const char *yaml, bool now, bool for_good) {
    Answer found = answer(yaml);

    assert_int_equal(found.now, now);
    assert_int_equal(found.for_good, for_good);
}

TEST(a_budget_of_another_pod_says_nothing) {
    assert_answer(POD("", "") BUDGET("b", "q", "", "0"), false, false);
}

TEST(one_refuses_while_it_allows_nothing) {
    assert_answer(POD("", "") BUDGET("b", "p", "", "0"), true, false); // it may allow something later
    assert_answer(POD("", "") BUDGET("b", "p", "", "1"), false, false);
}

TEST(more_than_one_refuse_whatever_they_allow) {
    assert_answer(POD("", "") BUDGET("b", "p", "", "5") BUDGET("c", "p", "", "5"), true, true);
}

TEST(always_allow_lets_unready_pods_go) {
    assert_answer(POD("", ", conditions: [{type: Ready, status: 'True'}]")
                      BUDGET("b", "p", ", minAvailable: 100%" ALWAYS_ALLOW, "0"),
                  true, true);
    assert_answer(POD("", ", conditions: [{type: Ready, status: 'False'}]")
                      BUDGET("b", "p", ", minAvailable: 100%" ALWAYS_ALLOW, "0"),
                  false, false);
}

TEST(budgets_that_never_allow_anything) {
    static const struct {
        const char *spec;
        bool for_good;
    } rows[] = {
        {"maxUnavailable: 0", true},      {"maxUnavailable: 0%", true},   {"minAvailable: 100%", true},
        {"maxUnavailable: 1", false},     {"maxUnavailable: 10%", false}, {"minAvailable: 99%", false},
        {"minAvailable: 1000000", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        Answer found;

        snprintf(text, sizeof text, POD("", "") BUDGET("b", "p", ", %s", "1"), rows[i].spec);
        found = answer(text);
        assert_int_equal(found.for_good, rows[i].for_good);
        assert_int_equal(found.reschedulable, !rows[i].for_good);
    }
}

TEST(a_pod_that_is_not_evicted_moves_in_spite_of_its_budget) {
    const char *tolerant = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: default, labels: {app: p}}\n"
                           "spec: {nodeName: node-a, containers: [{name: c, image: i}], tolerations: [{key: "
                           "karpenter.sh/disrupted, operator: Exists}]}\nstatus: {phase: Running}\n---\n" BUDGET(
                               "b", "p", ", minAvailable: 100%", "0");

    assert_true(answer(tolerant).reschedulable);
    assert_false(answer(POD("", "") BUDGET("b", "p", ", minAvailable: 100%", "0")).reschedulable);
}

TEST(currently_reschedulable) {
    assert_true(answer(POD("", "")).reschedulable);
    assert_false(answer(POD(", annotations: {karpenter.sh/do-not-disrupt: 'true'}", "")).reschedulable);
    assert_false(answer(POD(", deletionTimestamp: '1970-01-01T00:01:00Z'", "")).reschedulable);
    assert_true(answer(POD(", deletionTimestamp: '1970-01-01T00:01:00Z', ownerReferences: [{apiVersion: apps/v1, kind: "
                           "StatefulSet, name: s, uid: u}]",
                           ""))
                    .reschedulable);
}
