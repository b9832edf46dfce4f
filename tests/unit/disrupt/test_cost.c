// Costs of disruption: reference lifecycle.md 0.6, changes.md 4.1.
#include "base/time.h"
#include "disrupt/cost.h"
#include "harness/test.h"

#include <math.h>

typedef struct {
    Arena arena;
    Symbols symbols;
    PodSpec spec;
    Pod pod;
    CostRules rules;
} Subject;

static Subject *set_up(void) {
    Subject *subject = test_calloc(1, sizeof *subject);

    names_init(&subject->symbols);
    subject->pod.spec = &subject->spec;
    subject->pod.phase = POD_RUNNING;
    return subject;
}

static void tear_down(Subject *subject) {
    arena_free(&subject->arena);
    symbols_free(&subject->symbols);
    test_free(subject);
}

FIXTURE(Subject, set_up, tear_down);

static double cost(const Subject *subject) {
    return pod_eviction_cost(&subject->pod, &subject->symbols, subject->rules);
}

static void annotate(Subject *subject, Symbol key, const char *value) {
    labels_set(&subject->arena, &subject->pod.annotations, key, symbol_intern(&subject->symbols, slice_of(value)));
}

static void assert_cost(const Subject *subject, double expected) {
    if (cost(subject) != expected)
        fail_msg("expected %g, got %g", expected, cost(subject));
}

TEST_F(Subject, subject, an_ordinary_pod_costs_one) {
    assert_cost(subject, 1);
}

TEST_F(Subject, subject, priority_counts) {
    subject->pod.priority = 1 << 25;
    assert_cost(subject, 2);
    subject->pod.priority = -(1 << 26);
    assert_cost(subject, -1);
}

TEST_F(Subject, subject, the_cost_has_bounds) {
    subject->pod.priority = 2000000000;
    assert_cost(subject, 10);
    subject->pod.priority = INT32_MIN;
    assert_cost(subject, -10);
}

TEST_F(Subject, subject, the_annotation_counts) {
    annotate(subject, NAME_DISRUPTION_COST, "134217728");
    assert_cost(subject, 2);
    annotate(subject, NAME_DISRUPTION_COST, "-134217728");
    assert_cost(subject, 0);
    annotate(subject, NAME_DISRUPTION_COST, "+134217728");
    assert_cost(subject, 2);
}

TEST_F(Subject, subject, deletion_cost_counts_where_the_other_is_absent) {
    annotate(subject, NAME_POD_DELETION_COST, "134217728");
    assert_cost(subject, 2);
    annotate(subject, NAME_DISRUPTION_COST, "268435456");
    assert_cost(subject, 3);
    annotate(subject, NAME_DISRUPTION_COST, "much"); // malformed: the other annotation is not used
    assert_cost(subject, 1);
}

TEST_F(Subject, subject, a_negative_deletion_cost_makes_a_pod_cheaper) {
    static const char *const falling[] = {"101", "100", "0", "-100", "-101"};
    double last = INFINITY;

    for (size_t i = 0; i < sizeof falling / sizeof *falling; i++) {
        annotate(subject, NAME_POD_DELETION_COST, falling[i]);
        assert_true(cost(subject) < last);
        last = cost(subject);
    }
    assert_true(last < 1);
}

// The gate is off again.
TEST_F(Subject, subject, a_deletion_cost_that_tenon_left_is_not_read) {
    annotate(subject, NAME_POD_DELETION_COST, "134217728");
    annotate(subject, NAME_OWN_DELETION_COST, "134217728");
    assert_cost(subject, 1);
    annotate(subject, NAME_POD_DELETION_COST, "268435456"); // somebody else's by now
    assert_cost(subject, 3);
}

TEST_F(Subject, subject, deletion_costs_that_tenon_writes_are_not_read) {
    annotate(subject, NAME_POD_DELETION_COST, "134217728");
    subject->rules.managed = true;
    assert_cost(subject, 1);
}

TEST_F(Subject, subject, what_is_no_int32_counts_as_nothing_and_is_told) {
    static const char *const bad[] = {
        "", "1.5", "0xff", " 1", "1 ", "2147483648", "-2147483649", "99999999999999999999", "-", "+", "--1"};

    assert_true(pod_cost_is_readable(&subject->pod, &subject->symbols, subject->rules));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        annotate(subject, NAME_DISRUPTION_COST, bad[i]);
        assert_cost(subject, 1);
        if (pod_cost_is_readable(&subject->pod, &subject->symbols, subject->rules))
            fail_msg("\"%s\" was read", bad[i]);
    }
    annotate(subject, NAME_DISRUPTION_COST, "-2147483648");
    assert_true(pod_cost_is_readable(&subject->pod, &subject->symbols, subject->rules));
    assert_cost(subject, -10);
}

TEST_F(Subject, subject, a_node_costs_its_reschedulable_pods) {
    OwnerReference daemon_set = {.api_version = symbol_intern(&subject->symbols, SLICE("apps/v1")),
                                 .kind = symbol_intern(&subject->symbols, SLICE("DaemonSet"))};
    Pod plain = subject->pod, dear = subject->pod, cheap = subject->pod, daemon = subject->pod, ended = subject->pod;
    const Pod *pods[] = {&plain, &dear, &cheap, &daemon, &ended};

    dear.priority = 1 << 25;
    cheap.priority = -(1 << 27); // -3: does not make the node cheaper
    ended.phase = POD_SUCCEEDED;
    vec_push(&subject->arena, &daemon.owners, daemon_set);
    assert_true(node_reschedule_cost(pods, 5, &subject->symbols, subject->rules) == 4);
    assert_false(reschedule_cost_is_empty(4));
    assert_true(reschedule_cost_is_empty(node_reschedule_cost(pods + 2, 3, &subject->symbols, subject->rules)));
    assert_true(reschedule_cost_is_empty(node_reschedule_cost(NULL, 0, &subject->symbols, subject->rules)));
}

TEST_F(Subject, subject, a_claim_has_some_of_its_life_left) {
    NodeClaim claim = {.meta.created_ns = 100 * NS_PER_HOUR, .spec.expire_after_ns = 10 * NS_PER_HOUR};

    (void)subject;
    assert_true(claim_lifetime_left(&claim, 100 * NS_PER_HOUR) == 1);
    assert_true(claim_lifetime_left(&claim, 105 * NS_PER_HOUR) == 0.5);
    assert_true(claim_lifetime_left(&claim, 200 * NS_PER_HOUR) == 0);
    assert_true(claim_lifetime_left(&claim, 0) == 1);
    claim.spec.expire_after_ns = DURATION_NEVER;
    assert_true(claim_lifetime_left(&claim, 200 * NS_PER_HOUR) == 1);
}
