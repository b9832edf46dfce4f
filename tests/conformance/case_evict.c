// Eviction with PodDisruptionBudgets. Their controller's work, the status, is done by the cases.
#include "suite.h"

#include <stdio.h>

static void budget(Case *c, const char *name, const char *labels, const char *more) {
    char yaml[512];

    snprintf(yaml, sizeof yaml, "{metadata: {name: %s}, spec: {minAvailable: 1, %s selector: {matchLabels: {%s}}}}",
             name, more, labels);
    create(c, KUBE_POD_DISRUPTION_BUDGET, yaml);
}

static void allow(Case *c, const char *name, int allowed, int healthy, int desired) {
    char yaml[256];

    snprintf(yaml, sizeof yaml,
             "{status: {observedGeneration: 1, disruptionsAllowed: %d, currentHealthy: %d, desiredHealthy: %d, "
             "expectedPods: %d}}",
             allowed, healthy, desired, healthy);
    merge(c, KUBE_POD_DISRUPTION_BUDGET, name, KUBE_STATUS, yaml);
}

// A pod that runs, ready or not.
static void running(Case *c, const char *name, bool ready) {
    char yaml[256];

    make_pod(c, name, "app: web", "n");
    snprintf(yaml, sizeof yaml, "{status: {phase: Running, conditions: [{type: Ready, status: '%s'}]}}",
             ready ? "True" : "False");
    merge(c, KUBE_POD, name, KUBE_STATUS, yaml);
}

static void a_pod_without_budget_is_evicted(Case *c) {
    Value pod;

    running(c, "p", true);
    assert_int_equal(try_evict(c, "p", NULL), OK);
    pod = get(c, KUBE_POD, "p");
    assert_true(kube_is_deleting(&pod));
    assert_at(&pod, "metadata.deletionGracePeriodSeconds", "30");
}

static void an_evicted_pod_says_why(Case *c) {
    Value pod;

    running(c, "p", true);
    try_evict(c, "p", NULL);
    pod = get(c, KUBE_POD, "p");
    assert_at(&pod, "status.conditions.1.type", "DisruptionTarget");
    assert_at(&pod, "status.conditions.1.reason", "EvictionByEvictionAPI");
}

static void an_eviction_takes_a_disruption_from_the_budget(Case *c) {
    Value after;

    running(c, "p", true);
    budget(c, "b", "app: web", "");
    allow(c, "b", 2, 3, 1);
    assert_int_equal(try_evict(c, "p", NULL), OK);
    after = get(c, KUBE_POD_DISRUPTION_BUDGET, "b");
    assert_at(&after, "status.disruptionsAllowed", "1");
    assert_true(has(&after, "status.disruptedPods.p"));
}

static void the_last_disruption_is_told_in_a_condition(Case *c) {
    Value after;

    running(c, "p", true);
    budget(c, "b", "app: web", "");
    allow(c, "b", 1, 2, 1);
    assert_int_equal(try_evict(c, "p", NULL), OK);
    after = get(c, KUBE_POD_DISRUPTION_BUDGET, "b");
    assert_at(&after, "status.disruptionsAllowed", "0");
    assert_at(&after, "status.conditions.0.type", "DisruptionAllowed");
    assert_at(&after, "status.conditions.0.reason", "InsufficientPods");
}

static void an_exhausted_budget_refuses(Case *c) {
    Value pod;

    running(c, "p", true);
    budget(c, "b", "app: web", "");
    allow(c, "b", 0, 1, 1);
    try_evict(c, "p", NULL);
    assert_failed(c, ERR_THROTTLED, KUBE_REASON_TOO_MANY_REQUESTS,
                  "Cannot evict pod as it would violate the pod's disruption budget.");
    assert_string_equal(c->error.cause, "The disruption budget b needs 1 healthy pods and has 1 currently");
    pod = get(c, KUBE_POD, "p");
    assert_false(kube_is_deleting(&pod));
}

static void a_budget_that_nobody_reckoned_refuses_for_a_while(Case *c) {
    running(c, "p", true);
    budget(c, "b", "app: web", "");
    try_evict(c, "p", NULL);
    assert_failed(c, ERR_THROTTLED, KUBE_REASON_TOO_MANY_REQUESTS, "Cannot evict pod");
    assert_string_equal(c->error.cause, "The disruption budget b is still being processed by the server.");
    assert_true(c->error.retry_after_ns == 10 * NS_PER_S);
}

static void two_budgets_are_too_many(Case *c) {
    running(c, "p", true);
    budget(c, "b1", "app: web", "");
    budget(c, "b2", "app: web", "");
    allow(c, "b1", 1, 2, 1);
    allow(c, "b2", 1, 2, 1);
    try_evict(c, "p", NULL);
    assert_failed(c, ERR_IO, KUBE_REASON_UNKNOWN,
                  "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
}

static void budgets_of_others_do_not_count(Case *c) {
    running(c, "p", true);
    budget(c, "b", "app: db", "");
    allow(c, "b", 0, 1, 1);
    assert_int_equal(try_evict(c, "p", NULL), OK);
}

static void pending_pods_cost_no_disruption(Case *c) {
    make_pod(c, "p", "app: web", NULL);
    budget(c, "b", "app: web", "");
    allow(c, "b", 0, 1, 1);
    assert_int_equal(try_evict(c, "p", NULL), OK);
    assert_false(exists(c, KUBE_POD, "p"));
}

static void unready_pods_wait_for_a_healthy_budget(Case *c) {
    Value after;

    running(c, "p", false);
    budget(c, "b", "app: web", "");
    allow(c, "b", 0, 0, 1);
    try_evict(c, "p", NULL);
    assert_failed(c, ERR_THROTTLED, KUBE_REASON_TOO_MANY_REQUESTS, "Cannot evict pod");
    allow(c, "b", 0, 1, 1);
    assert_int_equal(try_evict(c, "p", NULL), OK);
    after = get(c, KUBE_POD_DISRUPTION_BUDGET, "b");
    assert_false(has(&after, "status.disruptedPods.p"));
}

static void unready_pods_always_go_when_the_budget_says_so(Case *c) {
    running(c, "p", false);
    budget(c, "b", "app: web", "unhealthyPodEvictionPolicy: AlwaysAllow,");
    allow(c, "b", 0, 0, 1);
    assert_int_equal(try_evict(c, "p", NULL), OK);
}

static void eviction_of_another_uid_conflicts(Case *c) {
    running(c, "p", true);
    try_evict(c, "p", &(KubeDeletion){.uid = SLICE("other")});
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT, "the UID in the precondition (other) does not match");
}

static void eviction_of_an_old_revision_conflicts(Case *c) {
    Value pod;

    running(c, "p", true);
    pod = get(c, KUBE_POD, "p");
    merge(c, KUBE_POD, "p", KUBE_OBJECT, "{metadata: {labels: {a: b}}}");
    try_evict(c, "p", &(KubeDeletion){.revision = kube_revision(&pod)});
    assert_failed(c, ERR_CONFLICT, KUBE_REASON_CONFLICT, "the ResourceVersion in the precondition");
    pod = get(c, KUBE_POD, "p");
    assert_int_equal(try_evict(c, "p", &(KubeDeletion){.revision = kube_revision(&pod), .uid = kube_uid(&pod)}), OK);
}

static void eviction_of_what_is_not_there_is_not_found(Case *c) {
    try_evict(c, "none", NULL);
    assert_failed(c, ERR_NOT_FOUND, KUBE_REASON_NOT_FOUND, "pods \"none\" not found");
}

static void eviction_may_say_another_grace(Case *c) {
    Value pod;

    running(c, "p", true);
    assert_int_equal(try_evict(c, "p", &(KubeDeletion){.has_grace = true, .grace_s = 3}), OK);
    pod = get(c, KUBE_POD, "p");
    assert_at(&pod, "metadata.deletionGracePeriodSeconds", "3");
}

static void a_second_eviction_of_a_going_pod_succeeds(Case *c) {
    running(c, "p", true);
    budget(c, "b", "app: web", "");
    allow(c, "b", 1, 2, 1);
    assert_int_equal(try_evict(c, "p", NULL), OK);
    assert_int_equal(try_evict(c, "p", NULL), OK);
}

const CaseEntry eviction_cases[] = {
    CASE(a_pod_without_budget_is_evicted),
    CASE(an_evicted_pod_says_why),
    CASE(an_eviction_takes_a_disruption_from_the_budget),
    CASE(the_last_disruption_is_told_in_a_condition),
    CASE(an_exhausted_budget_refuses),
    CASE(a_budget_that_nobody_reckoned_refuses_for_a_while),
    CASE(two_budgets_are_too_many),
    CASE(budgets_of_others_do_not_count),
    CASE(pending_pods_cost_no_disruption),
    CASE(unready_pods_wait_for_a_healthy_budget),
    CASE(unready_pods_always_go_when_the_budget_says_so),
    CASE(eviction_of_another_uid_conflicts),
    CASE(eviction_of_an_old_revision_conflicts),
    CASE(eviction_of_what_is_not_there_is_not_found),
    CASE(eviction_may_say_another_grace),
    CASE(a_second_eviction_of_a_going_pod_succeeds),
    CASES_END,
};
