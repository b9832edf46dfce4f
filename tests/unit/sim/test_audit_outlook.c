// The audit's rules about what is told of nodes that will go, as test_audit.c does it.
#include "sim/support/audited_fleet.h"

#include "text/value_edit.h"

#define COST    "controller.kubernetes.io/pod-deletion-cost"
#define OWN     "tenon.sh/pod-deletion-cost"
#define PLANNED "tenon.sh/planned-to-go"

// tenon writes a deletion cost to pod-0. `revision`: of the version that it read; 0: it does not say.
static void write_cost(Fleet *fleet, KubeRevision revision, ErrCode answer) {
    Arena arena = {0};
    Value body = value_map(), result;
    KubePatch patch = {KUBE_PATCH_MERGE, &body};
    Value *annotations = value_make(&arena, &body, "metadata", "annotations", NULL);

    value_put(&arena, annotations, SLICE(COST), value_string(SLICE("-5")));
    value_put(&arena, annotations, SLICE(OWN), value_string(SLICE("-5")));
    if (revision)
        value_put(&arena, value_make(&arena, &body, "metadata", NULL), SLICE("resourceVersion"),
                  value_string(arena_printf(&arena, "%llu", (unsigned long long)revision)));
    assert_int_equal(kube_patch(fleet->kube, &arena, SLICE("tenon"),
                                (KubeRef){KUBE_POD, SLICE("default"), SLICE("pod-0")}, KUBE_OBJECT, &patch, &result,
                                NULL),
                     answer);
    world_settle(fleet->world);
    arena_free(&arena);
}

static void users_cost_wrong(Fleet *fleet) {
    fleet_open_workers(fleet);
    fleet_make_pod(fleet, 0, COST ": '7'");
    write_cost(fleet, 0, OK);
}

// The pod's own one is of tenon's; and a user who writes one meanwhile has it refused.
static void users_cost_right(Fleet *fleet) {
    const Pod *pod;

    fleet_open_workers(fleet);
    fleet_make_pod(fleet, 0, COST ": '-9', " OWN ": '-9'");
    write_cost(fleet, 0, OK);
    pod = state_pod(world_state(fleet->world), cluster_find(fleet->world, KUBE_POD, "default", "pod-0"));
    cluster_patch(fleet->world, KUBE_POD, "default", "pod-0", KUBE_OBJECT,
                  "{metadata: {annotations: {" COST ": '7'}}}");
    write_cost(fleet, pod->revision, ERR_CONFLICT);
}

// One that is somebody else's by now.
TEST(a_value_that_was_changed_is_a_users) {
    Fleet fleet;

    fleet_open(&fleet);
    fleet_open_workers(&fleet);
    fleet_make_pod(&fleet, 0, COST ": '7', " OWN ": '-9'");
    write_cost(&fleet, 0, OK);
    assert_int_equal(violations_of(fleet.audit, AUDIT_USERS_COST), 1);
    cloudlet_free(fleet.cloudlet);
}

static void prefer(Fleet *fleet, const char *record, const char *effect) {
    fleet_patch(fleet, KUBE_NODE, "node-0",
                "{metadata: {annotations: {" PLANNED ": %s}}, spec: {taints: [{key: " PLANNED ", effect: %s}]}}",
                record, effect);
}

static void preferred_wrong(Fleet *fleet) {
    fleet_open_workers(fleet);
    prefer(fleet, "null", "PreferNoSchedule");
    cluster_run(fleet->world, MINUTES(10));
}

static void preferred_right(Fleet *fleet) {
    fleet_open_workers(fleet);
    prefer(fleet, "null", "PreferNoSchedule");
    cluster_run(fleet->world, MINUTES(5));
    prefer(fleet, "'2026-01-05T00:00:00Z'", "PreferNoSchedule");
    cluster_run(fleet->world, MINUTES(60));
}

TEST(a_plan_keeps_no_pod_away) {
    Fleet fleet;

    fleet_open(&fleet);
    fleet_open_workers(&fleet);
    prefer(&fleet, "'2026-01-05T00:00:00Z'", "NoSchedule");
    cluster_run(fleet.world, MINUTES(1));
    assert_true(violations_of(fleet.audit, AUDIT_PREFERRED) > 0);
    cloudlet_free(fleet.cloudlet);
}

// --- tests

static const struct {
    void (*wrong)(Fleet *fleet), (*right)(Fleet *fleet);
} histories[AUDIT_RULE_COUNT] = {
    [AUDIT_USERS_COST] = {users_cost_wrong, users_cost_right},
    [AUDIT_PREFERRED] = {preferred_wrong, preferred_right},
};

static uint32_t count_in_history(AuditRule rule, bool is_broken) {
    return fleet_violations(rule, is_broken ? histories[rule].wrong : histories[rule].right);
}

TEST(every_rule_sees_that_it_is_broken) {
    assert_rules_see_what_is_wrong(AUDIT_USERS_COST, AUDIT_RULE_COUNT, count_in_history);
}

TEST(no_rule_complains_of_what_is_right) {
    assert_rules_pass_what_is_right(AUDIT_USERS_COST, AUDIT_RULE_COUNT, count_in_history);
}
