// The audit's rules about expiration, repair and surge: each on a history that breaks it, and on a similar one that
// does not.
#include "sim/support/audited_fleet.h"

#include "text/duration.h"

#include <stdio.h>

// --- expiration: after 30 days, a day earlier at most

static const int64_t DAYS_30 = INT64_C(720) * NS_PER_HOUR;

static void expired_wrong(Fleet *fleet) {
    fleet_initialize(fleet, fleet_join(fleet, "m5.large"));
    cluster_run(fleet->world, DAYS_30 + MINUTES(8));
}

static void expired_right(Fleet *fleet) {
    fleet_initialize(fleet, fleet_join(fleet, "m5.large"));
    cluster_run(fleet->world, DAYS_30 + MINUTES(4));
    fleet_remove_claim(fleet, 0);
    cluster_run(fleet->world, MINUTES(8));
}

static void expires_after(Fleet *fleet, int64_t age_ns) {
    fleet_initialize(fleet, fleet_join(fleet, "m5.large"));
    cluster_run(fleet->world, age_ns);
    fleet_remove_claim(fleet, 0);
}

static void not_early_wrong(Fleet *fleet) {
    expires_after(fleet, DAYS_30 - 25 * NS_PER_HOUR);
}

static void not_early_right(Fleet *fleet) {
    expires_after(fleet, DAYS_30 - 24 * NS_PER_HOUR);
}

// --- repair

// Nodes of one zone and image; "": not known.
static void open_ward(Fleet *fleet, const char *zone, const char *image) {
    fleet_set_budgets(fleet, "{nodes: 100%}");
    fleet_open_workers(fleet);
    for (uint32_t i = 0; i < fleet->workers; i++) {
        fleet_patch(fleet, KUBE_NODE_CLAIM, fleet_name("general", i),
                    "{metadata: {labels: {topology.kubernetes.io/zone: '%s'}}}", zone);
        fleet_patch(fleet, KUBE_NODE_CLAIM, fleet_name("general", i), "{status: {imageID: '%s'}}", image);
    }
}

static void report(Fleet *fleet, uint32_t worker, const char *status) {
    Arena arena = {0};

    fleet_patch(fleet, KUBE_NODE, fleet_name("node", worker),
                "{status: {conditions: [{type: Ready, status: 'True'}, {type: KernelReady, status: '%s', reason: Oops, "
                "lastTransitionTime: '%.*s'}]}}",
                status, SLICE_ARG(time_print(&arena, world_now_ns(fleet->world))));
    arena_free(&arena);
}

static void record(Fleet *fleet, const char *where) {
    Arena arena = {0};

    fleet_patch(fleet, KUBE_NODE_POOL, "general", "{metadata: {annotations: {tenon.sh/repairs: '%.*s/%s'}}}",
                SLICE_ARG(time_print(&arena, world_now_ns(fleet->world))), where);
    arena_free(&arena);
}

static void repair(Fleet *fleet, uint32_t worker, const char *where) {
    record(fleet, where);
    fleet_disrupt(fleet, worker, "Unhealthy");
}

static void repaired_after(Fleet *fleet, int64_t sick_ns) {
    open_ward(fleet, "", "");
    report(fleet, 0, "False");
    cluster_run(fleet->world, sick_ns);
    repair(fleet, 0, "/");
}

static void sick_wrong(Fleet *fleet) {
    repaired_after(fleet, MINUTES(29));
}

static void sick_right(Fleet *fleet) {
    repaired_after(fleet, MINUTES(30));
}

static void vetoed(Fleet *fleet, KubeKind kind, const char *name, int64_t for_ns) {
    open_ward(fleet, "", "");
    report(fleet, 0, "False");
    cluster_run(fleet->world, MINUTES(30));
    fleet_patch(fleet, kind, name, "{metadata: {annotations: {karpenter.sh/do-not-repair: 'true'}}}");
    cluster_run(fleet->world, for_ns);
    repair(fleet, 0, "/");
}

static void do_not_repair_wrong(Fleet *fleet) {
    vetoed(fleet, KUBE_NODE, "node-0", MINUTES(2));
}

static void do_not_repair_on_the_claim(Fleet *fleet) {
    vetoed(fleet, KUBE_NODE_CLAIM, "general-0", MINUTES(2));
}

// tenon may not have seen it.
static void do_not_repair_right(Fleet *fleet) {
    vetoed(fleet, KUBE_NODE, "node-0", SECONDS(30));
}

static void two_are_sick(Fleet *fleet, int64_t apart_ns) {
    open_ward(fleet, "", "");
    report(fleet, 0, "False");
    cluster_run(fleet->world, MINUTES(30));
    report(fleet, 1, "False");
    cluster_run(fleet->world, apart_ns);
    repair(fleet, 0, "/");
}

static void breaker_wrong(Fleet *fleet) {
    two_are_sick(fleet, MINUTES(2));
}

static void breaker_right(Fleet *fleet) {
    two_are_sick(fleet, SECONDS(30));
}

// Of ten nodes two are sick and repaired, some time apart.
static void two_repairs(Fleet *fleet, const char *zone, const char *image, int64_t apart_ns) {
    char where[64];

    snprintf(where, sizeof where, "%s/%s", zone, image);
    while (fleet->workers < 10 - WORKERS)
        fleet_initialize(fleet, fleet_join(fleet, "m5.large"));
    open_ward(fleet, zone, image);
    report(fleet, 0, "False");
    report(fleet, 1, "False");
    cluster_run(fleet->world, MINUTES(30));
    repair(fleet, 0, where);
    fleet_remove_claim(fleet, 0);
    cluster_run(fleet->world, apart_ns);
    repair(fleet, 1, where);
}

static void pace_wrong(Fleet *fleet) {
    two_repairs(fleet, "us-east-1a", "", MINUTES(5));
}

static void pace_of_an_image(Fleet *fleet) {
    two_repairs(fleet, "", "ami-1", MINUTES(5));
}

static void pace_right(Fleet *fleet) {
    two_repairs(fleet, "us-east-1a", "ami-1", MINUTES(10));
}

static void recorded_wrong(Fleet *fleet) {
    open_ward(fleet, "us-east-1a", "ami-1");
    report(fleet, 0, "False");
    cluster_run(fleet->world, MINUTES(30));
    repair(fleet, 0, "us-east-1a/ami-2");
}

static void recorded_right(Fleet *fleet) {
    open_ward(fleet, "us-east-1a", "ami-1");
    report(fleet, 0, "False");
    cluster_run(fleet->world, MINUTES(30));
    repair(fleet, 0, "us-east-1a/ami-1");
}

// --- surge

// A pod that asks for two minutes, and one that was started for it then.
static void surge(Fleet *fleet, int64_t after_ns) {
    Arena arena = {0};
    const Pod *pod;

    fleet_open_workers(fleet);
    fleet_make_pod(fleet, 0, "tenon.sh/surge: 2m");
    pod = state_pod(world_state(fleet->world), cluster_find(fleet->world, KUBE_POD, "default", "pod-0"));
    fleet_make_pod(fleet, 1,
                   arena_text(&arena, arena_printf(&arena, "tenon.sh/surge-for: '%.*s/%.*s'",
                                                   SLICE_ARG(symbol_text(world_symbols(fleet->world), pod->uid)),
                                                   SLICE_ARG(time_print(&arena, world_now_ns(fleet->world))))));
    arena_free(&arena);
    fleet_disrupt(fleet, 0, "Drifted");
    cluster_run(fleet->world, after_ns);
    fleet_evict(fleet);
}

static void surged_wrong(Fleet *fleet) {
    surge(fleet, SECONDS(110));
}

static void surged_right(Fleet *fleet) {
    surge(fleet, SECONDS(121));
}

// --- reboots

static void request_reboot(Fleet *fleet, bool fenced) {
    fleet_open_workers(fleet);
    fleet_patch(fleet, KUBE_NODE_CLAIM, fleet_name("general", 0),
                "{status: {conditions: [" CONDITION("Rebooting", "True", "RebootRequested") "]}}");
    if (fenced)
        fleet_patch(fleet, KUBE_NODE, fleet_name("node", 0),
                    "{spec: {taints: [{key: karpenter.sh/rebooting, effect: NoSchedule}]}}");
}

static void reboot(Fleet *fleet, const char *operation) {
    const State *state = world_state(fleet->world);
    const NodeClaim *claim = state_node_claim(
        state, state_find(state, KUBE_NODE_CLAIM, SYMBOL_EMPTY,
                          symbol_find(world_symbols(fleet->world), slice_of(fleet_name("general", 0)))));
    Slice id = symbol_text(world_symbols(fleet->world), claim->provider_id);

    assert_int_equal(cloud_reboot(fleet->cloudlet->table, symbol_find(fleet->symbols, id), slice_of(operation), NULL),
                     OK);
}

static void rebooted_wrong(Fleet *fleet) {
    request_reboot(fleet, false);
    reboot(fleet, "1");
}

static void rebooted_without_a_request(Fleet *fleet) {
    fleet_open_workers(fleet);
    reboot(fleet, "1");
}

static void rebooted_thrice(Fleet *fleet) {
    request_reboot(fleet, true);
    reboot(fleet, "1");
    reboot(fleet, "2");
    cluster_run(fleet->world, 23 * NS_PER_HOUR);
    reboot(fleet, "3");
}

static void rebooted_right(Fleet *fleet) {
    request_reboot(fleet, true);
    reboot(fleet, "1");
    reboot(fleet, "1"); // the answer was lost
    reboot(fleet, "2");
    cluster_run(fleet->world, 25 * NS_PER_HOUR);
    reboot(fleet, "3");
}

// --- tests

static const struct {
    void (*wrong)(Fleet *fleet), (*right)(Fleet *fleet);
} histories[AUDIT_USERS_COST] = {
    [AUDIT_EXPIRED] = {expired_wrong, expired_right},
    [AUDIT_NOT_EARLY] = {not_early_wrong, not_early_right},
    [AUDIT_SICK] = {sick_wrong, sick_right},
    [AUDIT_DO_NOT_REPAIR] = {do_not_repair_wrong, do_not_repair_right},
    [AUDIT_BREAKER] = {breaker_wrong, breaker_right},
    [AUDIT_PACE] = {pace_wrong, pace_right},
    [AUDIT_RECORDED] = {recorded_wrong, recorded_right},
    [AUDIT_REBOOTED] = {rebooted_wrong, rebooted_right},
    [AUDIT_SURGED] = {surged_wrong, surged_right},
};

static uint32_t count_in_history(AuditRule rule, bool is_broken) {
    return fleet_violations(rule, is_broken ? histories[rule].wrong : histories[rule].right);
}

TEST(every_rule_sees_that_it_is_broken) {
    assert_rules_see_what_is_wrong(AUDIT_EXPIRED, AUDIT_USERS_COST, count_in_history);
}

TEST(no_rule_complains_of_what_is_right) {
    assert_rules_pass_what_is_right(AUDIT_EXPIRED, AUDIT_USERS_COST, count_in_history);
}

// A replacement is launched ten minutes before the time at most, and its node goes when it is ready.
static void replaced_before_its_time(Fleet *fleet, int64_t age_ns) {
    uint32_t replacement;

    fleet_initialize(fleet, fleet_join(fleet, "m5.large"));
    cluster_run(fleet->world, age_ns);
    fleet_mark(fleet, 0, "c", 1);
    replacement = fleet_launch_replacement(fleet, "c", "m5.large");
    fleet_initialize(fleet, replacement);
    fleet_remove_claim(fleet, 0);
}

static void replaced_within_the_lead(Fleet *fleet) {
    replaced_before_its_time(fleet, DAYS_30 - 24 * NS_PER_HOUR - MINUTES(8));
}

static void replaced_before_the_lead(Fleet *fleet) {
    replaced_before_its_time(fleet, DAYS_30 - 24 * NS_PER_HOUR - MINUTES(15));
}

static void without_jitter(Fleet *fleet) {
    audit_set_expiration(fleet->audit, 0, 0);
    not_early_right(fleet);
}

TEST(expiration_has_the_jitter_and_the_lead_of_the_settings) {
    assert_int_equal(fleet_violations(AUDIT_NOT_EARLY, replaced_within_the_lead), 0);
    assert_int_equal(fleet_violations(AUDIT_NOT_EARLY, replaced_before_the_lead), 1);
    assert_int_equal(fleet_violations(AUDIT_NOT_EARLY, without_jitter), 1);
}

TEST(a_veto_counts_on_the_claim_and_the_pace_for_images) {
    assert_int_equal(fleet_violations(AUDIT_DO_NOT_REPAIR, do_not_repair_on_the_claim), 1);
    assert_int_equal(fleet_violations(AUDIT_PACE, pace_of_an_image), 1);
}

TEST(a_reboot_needs_a_request_and_comes_twice_a_day_at_most) {
    assert_int_equal(fleet_violations(AUDIT_REBOOTED, rebooted_without_a_request), 1);
    assert_int_equal(fleet_violations(AUDIT_REBOOTED, rebooted_thrice), 1);
}
