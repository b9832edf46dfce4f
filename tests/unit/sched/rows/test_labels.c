// Requirements of pods on labels. Rows of reference scheduling.md 12: custom labels, well-known, OR terms, hostname.
#include "harness/test.h"
#include "sched/support/world_plan.h"

#include <stdio.h>

// --- custom labels: the pool does not define the key

TEST_F(World, w, row_custom_label_in_an_undefined_key_stays_pending) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "in", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(IN("team", "red")))));
    world_pods(w, .name = "exists", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(EXISTS("team")))));
    world_pods(w, .name = "selector", .requests = "cpu: 1", .spec = SELECT("team: red"));

    world_plan(w);

    assert_pending(w, "in exists selector");
    assert_claims(w, 0);
}

TEST_F(World, w, row_custom_label_not_in_an_undefined_key_is_scheduled) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "notin", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(NOT_IN("team", "red")))));
    world_pods(w, .name = "absent", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(ABSENT("team")))));

    world_plan(w);

    assert_pending(w, "");
    assert_pods_on(w, "default-1", "notin absent");
}

// Q17: a key that only a pod's NotIn mentions does not become a label of the node.
TEST_F(World, w, row_custom_label_of_a_pods_not_in_is_not_written) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "notin", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(NOT_IN("team", "red")))));

    world_plan(w);

    assert_label(w, 0, "team", NULL);
}

// Q10: after a pod that requires no team, the node has no team, so a pod that requires one may not join it.
TEST_F(World, w, row_custom_label_absent_and_present_do_not_share_a_node) {
    world_pool(w, .name = "teams", .requirements = IN("team", "red"));
    world_pool(w, .name = "plain");
    world_pods(w, .name = "absent", .requests = "cpu: 1500m", .spec = AFFINITY(NODE(TERM(ABSENT("team")))));
    world_pods(w, .name = "red", .requests = "cpu: 100m", .spec = SELECT("team: red"));

    world_plan(w);

    assert_pending(w, "");
    assert_pods_on(w, "plain-1", "absent");
    assert_pods_on(w, "teams-1", "red");
}

// --- custom labels: the pool gives the key several values

TEST_F(World, w, row_custom_label_in_a_and_not_in_b_share_a_node_labelled_a) {
    world_pool(w, .name = "default", .requirements = IN("team", "a, b"));
    world_pods(w, .name = "in", .requests = "cpu: 500m", .spec = AFFINITY(NODE(TERM(IN("team", "a")))));
    world_pods(w, .name = "notin", .requests = "cpu: 500m", .spec = AFFINITY(NODE(TERM(NOT_IN("team", "b")))));

    world_plan(w);

    assert_claims(w, 1);
    assert_pods_on(w, "default-1", "in notin");
    assert_label(w, 0, "team", "a");
    assert_requirement(w, 0, "team", "team In [a]");
}

TEST_F(World, w, row_custom_label_in_a_and_in_b_get_two_nodes) {
    world_pool(w, .name = "default", .requirements = IN("team", "a, b"));
    world_pods(w, .name = "in-a", .requests = "cpu: 500m", .spec = AFFINITY(NODE(TERM(IN("team", "a")))));
    world_pods(w, .name = "in-b", .requests = "cpu: 500m", .spec = AFFINITY(NODE(TERM(IN("team", "b")))));

    world_plan(w);

    assert_claims(w, 2);
    assert_domains(w, "team", "", "a=1 b=1");
    assert_label(w, 0, "team", "a");
    assert_label(w, 1, "team", "b");
}

TEST_F(World, w, row_custom_label_of_the_template_is_met_and_other_values_are_not) {
    world_pool(w, .name = "default", .labels = "team: a");
    world_pods(w, .name = "same", .requests = "cpu: 1", .spec = SELECT("team: a"));
    world_pods(w, .name = "other", .requests = "cpu: 1", .spec = SELECT("team: b"));

    world_plan(w);

    assert_pending(w, "other");
    assert_label(w, 0, "team", "a");
}

TEST_F(World, w, row_custom_label_the_pool_says_exists_takes_any_value_a_pod_asks_for) {
    world_pool(w, .name = "default", .requirements = EXISTS("team"));
    world_pods(w, .name = "red", .requests = "cpu: 1", .spec = SELECT("team: red"));
    world_pods(w, .name = "blue", .requests = "cpu: 1", .spec = SELECT("team: blue"));
    world_pods(w, .name = "absent", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(ABSENT("team")))));

    world_plan(w);

    assert_pending(w, "absent");
    assert_domains(w, "team", "", "blue=1 red=1");
}

TEST_F(World, w, row_custom_label_bounds_meet) {
    world_pool(w, .name = "default", .requirements = GT("generation", "3"));
    world_pods(w, .name = "five", .requests = "cpu: 1", .spec = SELECT("generation: \"5\""));
    world_pods(w, .name = "two", .requests = "cpu: 1", .spec = SELECT("generation: \"2\""));
    world_pods(w, .name = "below", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(LT("generation", "6")))));
    world_pods(w, .name = "nothing", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(LT("generation", "4")))));

    world_plan(w);

    assert_pending(w, "two nothing");
    assert_pods_on(w, "default-1", "five below");
}

// --- well-known labels

TEST_F(World, w, row_well_known_zone_outside_the_pools_zones_stays_pending) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(ZONE ": c"));

    world_plan(w);

    assert_pending(w, "web");
}

TEST_F(World, w, row_well_known_zone_without_offerings_stays_pending) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(ZONE ": unknown"));

    world_plan(w);

    assert_pending(w, "web");
}

TEST_F(World, w, row_well_known_key_the_pool_leaves_open_is_met_by_the_types) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = SELECT(ZONE ": b, " CAPACITY_TYPE ": on-demand, " ARCH ": arm64"));

    world_plan(w);

    assert_choice(w, 0, "arm b on-demand");
}

TEST_F(World, w, row_well_known_old_names_of_labels_count_as_the_new_ones) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = SELECT("failure-domain.beta.kubernetes.io/zone: b, beta.kubernetes.io/arch: arm64"));

    world_plan(w);

    assert_choice(w, 0, "arm b spot");
}

TEST_F(World, w, row_well_known_preferred_zone_that_is_unknown_is_relaxed) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(ZONE, "unknown")))));

    world_plan(w);

    assert_pending(w, "");
}

TEST_F(World, w, row_well_known_preferred_zone_that_is_there_is_taken) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(ZONE, "c")))));

    world_plan(w);

    assert_zones(w, "c=1");
}

TEST_F(World, w, row_well_known_preferred_not_in_against_required_in_is_dropped) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(NODE_BOTH(TERM(IN(ZONE, "a")), PREFER_TERM(1, NOT_IN(ZONE, "a")))));

    world_plan(w);

    assert_zones(w, "a=1");
}

TEST_F(World, w, row_well_known_preferred_in_against_required_not_in_is_dropped) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(NODE_BOTH(TERM(NOT_IN(ZONE, "a")), PREFER_TERM(1, IN(ZONE, "a")))));

    world_plan(w);

    assert_zones(w, "b=1");
}

TEST_F(World, w, row_well_known_selector_and_required_affinity_both_count) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "agree", .requests = "cpu: 1",
               .spec = SELECT(ZONE ": b") ", " AFFINITY(NODE(TERM(IN(ZONE, "a, b")))));
    world_pods(w, .name = "contradict", .requests = "cpu: 1",
               .spec = SELECT(ZONE ": c") ", " AFFINITY(NODE(TERM(IN(ZONE, "a, b")))));

    world_plan(w);

    assert_pending(w, "contradict");
    assert_zones(w, "b=1");
}

// Karpenter treats a contradiction on a custom label as "the label is absent" and uses a node without it; in tenon, as
// in kube-scheduler, no node meets it (scheduling.md 11).
TEST_F(World, w, row_custom_label_contradiction_is_not_absence) {
    world_pool(w, .name = "teams", .requirements = IN("team", "red, blue"));
    world_pool(w, .name = "plain");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = SELECT("team: red") ", " AFFINITY(NODE(TERM(IN("team", "blue")))));
    world_pods(w, .name = "prefers", .requests = "cpu: 1",
               .spec = SELECT("team: red") ", " AFFINITY(PREFER_NODE(PREFER_TERM(1, ABSENT("team")))));

    world_plan(w);

    assert_pending(w, "web");
    assert_domains(w, "team", "", "red=1");
}

// --- OR terms

TEST_F(World, w, row_or_terms_are_tried_in_order) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(NODE(TERM(IN(ZONE, "c")) ", " TERM(IN(ZONE, "a")))));

    world_plan(w);

    assert_zones(w, "c=1");
}

TEST_F(World, w, row_or_terms_that_fail_are_dropped_one_by_one) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(NODE(
                   TERM(IN(ZONE, "x")) ", " TERM(IN(ZONE, "z")) ", " TERM(IN(ZONE, "b")) ", " TERM(IN(ZONE, "a")))));

    world_plan(w);

    assert_zones(w, "b=1");
}

TEST_F(World, w, row_or_terms_never_lose_the_last_one) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = AFFINITY(NODE(TERM(IN(ZONE, "x")) ", " TERM(IN(ZONE, "z")))));

    world_plan(w);

    assert_pending(w, "web");
}

// In Karpenter every node meets a term without expressions.
TEST_F(World, w, row_or_terms_without_expressions_match_no_node) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node");
    world_pods(w, .name = "none", .requests = "cpu: 1", .spec = AFFINITY(NODE("{}")));
    world_pods(w, .name = "one", .requests = "cpu: 1", .spec = AFFINITY(NODE("{}, " TERM(IN(ZONE, "b")))));
    world_pods(w, .name = "last", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(IN(ZONE, "x")) ", {}")));

    world_plan(w);

    assert_pending(w, "none last");
    assert_message(w, "none", "incompatible requirements, a node selector term without expressions is met by no node");
    assert_zones(w, "b=1");
}

// Karpenter drops earlier terms before preferences; tenon tries all terms without preferences too.
TEST_F(World, w, row_or_terms_with_preferences_find_the_term_that_works) {
    world_pool(w, .name = "default");
    world_pods(
        w, .name = "web", .requests = "cpu: 1",
        .spec = AFFINITY(NODE_BOTH(TERM(IN(ZONE, "a")) ", " TERM(IN(ZONE, "x")), PREFER_TERM(1, IN(ZONE, "unknown")))));

    world_plan(w);

    assert_zones(w, "a=1");
}

// --- hostname

TEST_F(World, w, row_hostname_selector_is_never_provisioned_for) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(HOST ": node-7"));

    world_plan(w);

    assert_pending(w, "web");
    assert_claims(w, 0);
}

// A pod with a hostname selector is ignored: it is not placed on a node with that name either.
TEST_F(World, w, row_hostname_selector_is_ignored_by_the_planner) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-7");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(IN(HOST, "node-7")))));

    world_plan(w);

    assert_pending(w, "web");
}
