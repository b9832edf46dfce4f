// The PodDisruptionBudget controller: status and evictions.
#include "sim/scheduler_env.h"

#include "sim/budgets.h"

static World *budget_world(void) {
    World *world = world_new(&(WorldConfig){.seed = 1});

    sim_budgets_add(world);
    return world;
}

static void make_budget(World *world, const char *spec) {
    cluster_create(world,
                   "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: guard, namespace: default}, "
                   "spec: {selector: {matchLabels: {app: web}}, %s}}",
                   spec);
}

static void make_pods(World *world, uint32_t count, const char *owner) {
    for (uint32_t i = 0; i < count; i++) {
        char name[16], meta[256];

        snprintf(name, sizeof name, "web-%u", i);
        snprintf(meta, sizeof meta, "labels: {app: web}, %s", owner);
        env_pod(world, name, meta, "nodeName: a");
        env_running(world, name, "");
    }
}

static Value get_budget(World *world, Arena *arena) {
    Value budget = value_null();

    assert_int_equal(kube_get(world_kube(world), arena,
                              (KubeRef){KUBE_POD_DISRUPTION_BUDGET, SLICE("default"), SLICE("guard")}, &budget, NULL),
                     OK);
    return budget;
}

// "allowed current desired expected"
static void assert_counts(World *world, const char *expected) {
    static const char *const members[] = {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"};
    Arena arena = {0};
    char found[64] = "";
    Value budget;

    world_settle(world);
    budget = get_budget(world, &arena);
    for (size_t i = 0; i < 4; i++) {
        int64_t number = -1;

        value_to_int64(value_at(&budget, "status", members[i], NULL), &number);
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%d", i ? " " : "", (int)number);
    }
    assert_string_equal(found, expected);
    arena_free(&arena);
}

static void assert_condition(World *world, const char *status, const char *reason, const char *message) {
    Arena arena = {0};
    Value budget = get_budget(world, &arena);
    const Value *conditions = value_at(&budget, "status", "conditions", NULL), *condition;

    assert_non_null(conditions);
    assert_int_equal(conditions->list.count, 1);
    condition = &conditions->list.items[0];
    assert_string_equal(arena_text(&arena, kube_text(condition, "type", NULL)), "DisruptionAllowed");
    assert_string_equal(arena_text(&arena, kube_text(condition, "status", NULL)), status);
    assert_string_equal(arena_text(&arena, kube_text(condition, "reason", NULL)), reason);
    assert_string_equal(arena_text(&arena, kube_text(condition, "message", NULL)), message);
    arena_free(&arena);
}

static ErrCode evict(World *world, const char *pod, KubeError *error) {
    ErrCode code =
        kube_evict(world_kube(world), (KubeRef){KUBE_POD, SLICE("default"), slice_of(pod)}, &(KubeDeletion){0}, error);

    world_settle(world);
    return code;
}

static void make_replica_set(World *world, const char *name, int replicas, const char *owners) {
    cluster_create(world,
                   "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: %s, namespace: default, %s}, spec: "
                   "{replicas: %d, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, "
                   "spec: {containers: [{name: c, image: i}]}}}}",
                   name, owners, replicas);
    world_settle(world);
}

static const char *owner_of(World *world, Arena *arena, KubeKind kind, const char *name) {
    Value object;

    assert_int_equal(
        kube_get(world_kube(world), arena, (KubeRef){kind, SLICE("default"), slice_of(name)}, &object, NULL), OK);
    return arena_text(arena, arena_printf(arena,
                                          "ownerReferences: [{apiVersion: %s, kind: %s, name: %s, uid: %.*s, "
                                          "controller: true}]",
                                          kube_kind(kind)->api_version.ptr, kube_kind(kind)->kind.ptr, name,
                                          SLICE_ARG(kube_uid(&object))));
}

// --- counts

TEST(min_available_as_a_number_counts_pods_that_are_there) {
    World *world = budget_world();

    make_pods(world, 5, "");
    make_budget(world, "minAvailable: 3");
    assert_counts(world, "2 5 3 5");
    assert_condition(world, "True", "SufficientPods", "");
    cluster_patch(world, KUBE_POD, "default", "web-0", KUBE_STATUS,
                  "{status: {conditions: [{type: Ready, status: 'False'}]}}");
    assert_counts(world, "1 4 3 5");
    cluster_delete(world, KUBE_POD, "default", "web-1"); // terminates gracefully
    assert_counts(world, "0 3 3 5");
    assert_condition(world, "False", "InsufficientPods", "");
    env_pod(world, "other", "labels: {app: other}", "nodeName: a");
    env_running(world, "other", "");
    assert_counts(world, "0 3 3 5");
    cluster_patch(world, KUBE_POD, "default", "other", KUBE_OBJECT, "{metadata: {labels: {app: web}}}");
    assert_counts(world, "1 4 3 6");
    world_free(world);
}

TEST(a_budget_without_pods_allows_nothing) {
    World *world = budget_world();

    make_budget(world, "minAvailable: 0");
    assert_counts(world, "0 0 0 0");
    assert_condition(world, "False", "InsufficientPods", "");
    world_free(world);
}

TEST(max_unavailable_is_taken_from_the_scale_of_the_owner) {
    World *world = budget_world();
    Arena arena = {0};

    make_replica_set(world, "web", 10, "");
    make_pods(world, 8, owner_of(world, &arena, KUBE_REPLICA_SET, "web"));
    make_budget(world, "maxUnavailable: 3");
    assert_counts(world, "1 8 7 10"); // two of the three are missing already
    cluster_patch(world, KUBE_POD_DISRUPTION_BUDGET, "default", "guard", KUBE_OBJECT, "{spec: {maxUnavailable: 25%}}");
    assert_counts(world, "1 8 7 10"); // 2.5 of 10 rounds up to 3
    cluster_patch(world, KUBE_POD_DISRUPTION_BUDGET, "default", "guard", KUBE_OBJECT,
                  "{spec: {maxUnavailable: null, minAvailable: 75%}}");
    assert_counts(world, "0 8 8 10"); // 7.5 rounds up to 8
    arena_free(&arena);
    world_free(world);
}

TEST(replica_sets_of_one_deployment_have_one_scale) {
    World *world = budget_world();
    Arena arena = {0};
    const char *deployment, *sets[2];

    cluster_create(world, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, spec: "
                          "{replicas: 4, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: "
                          "web}}, spec: {containers: [{name: c, image: i}]}}}}");
    deployment = owner_of(world, &arena, KUBE_DEPLOYMENT, "web");
    make_replica_set(world, "web-old", 1, deployment);
    make_replica_set(world, "web-new", 3, deployment);
    sets[0] = owner_of(world, &arena, KUBE_REPLICA_SET, "web-old");
    sets[1] = owner_of(world, &arena, KUBE_REPLICA_SET, "web-new");
    for (uint32_t i = 0; i < 4; i++) {
        char name[16], meta[256];

        snprintf(name, sizeof name, "web-%u", i);
        snprintf(meta, sizeof meta, "labels: {app: web}, %s", sets[i > 0]);
        env_pod(world, name, meta, "nodeName: a");
        env_running(world, name, "");
    }
    make_budget(world, "maxUnavailable: 1");
    assert_counts(world, "1 4 3 4");
    arena_free(&arena);
    world_free(world);
}

TEST(pods_without_owner_have_no_scale) {
    World *world = budget_world();

    make_pods(world, 3, "");
    make_budget(world, "maxUnavailable: 1");
    assert_counts(world, "0 3 0 0");
    world_free(world);
}

TEST(an_owner_without_scale_stops_all_evictions) {
    World *world = budget_world();
    Arena arena = {0};
    KubeError error = {0};

    cluster_create(world,
                   "{apiVersion: batch/v1, kind: Job, metadata: {name: once, namespace: default}, spec: "
                   "{template: {metadata: {labels: {app: web}}, spec: {restartPolicy: Never, containers: [{name: "
                   "c, image: i}]}}}}");
    make_pods(world, 3, owner_of(world, &arena, KUBE_JOB, "once"));
    make_budget(world, "maxUnavailable: 1");
    world_settle(world);
    assert_condition(world, "False", "SyncFailed", "jobs.batch does not implement the scale subresource");
    assert_int_equal(evict(world, "web-0", &error), ERR_THROTTLED);
    arena_free(&arena);
    world_free(world);
}

// A kind that this cluster does not have, so the garbage collector ignores it.
TEST(an_unknown_owner_stops_all_evictions) {
    World *world = budget_world();

    make_pods(
        world, 1,
        "ownerReferences: [{apiVersion: v1, kind: ReplicationController, name: old, uid: u-1, controller: true}]");
    make_budget(world, "maxUnavailable: 50%");
    world_settle(world);
    assert_condition(world, "False", "SyncFailed", "found no controllers for pod \"web-0\"");
    world_free(world);
}

TEST(a_selector_that_changes_counts_anew) {
    World *world = budget_world();

    make_pods(world, 4, "");
    make_budget(world, "minAvailable: 1");
    assert_counts(world, "3 4 1 4");
    cluster_patch(world, KUBE_POD_DISRUPTION_BUDGET, "default", "guard", KUBE_OBJECT,
                  "{spec: {selector: {matchLabels: {app: other}}}}");
    assert_counts(world, "0 0 1 0");
    cluster_patch(world, KUBE_POD_DISRUPTION_BUDGET, "default", "guard", KUBE_OBJECT,
                  "{spec: {selector: {matchLabels: null}}}"); // selects all pods
    assert_counts(world, "3 4 1 4");
    world_free(world);
}

// --- evictions

TEST(evictions_are_counted_before_pods_go) {
    World *world = budget_world();
    KubeError error = {0};
    Arena arena = {0};
    Value budget;

    make_pods(world, 3, "");
    make_budget(world, "minAvailable: 2");
    assert_counts(world, "1 3 2 3");
    assert_int_equal(evict(world, "web-0", &error), OK);
    assert_true(env_find_pod(world, "web-0")->deleting);
    assert_counts(world, "0 2 2 3");
    budget = get_budget(world, &arena);
    assert_null(value_at(&budget, "status", "disruptedPods", NULL)); // the controller has seen its deletion
    assert_int_equal(evict(world, "web-1", &error), ERR_THROTTLED);
    assert_string_equal(error.cause, "The disruption budget guard needs 2 healthy pods and has 2 currently");
    arena_free(&arena);
    world_free(world);
}

// The eviction was granted but the pod was not deleted: after two minutes it counts again.
TEST(a_disrupted_pod_that_stays_counts_again_after_two_minutes) {
    World *world = budget_world();
    Arena arena = {0};
    char patch[256];

    make_pods(world, 3, "");
    make_budget(world, "minAvailable: 1");
    assert_counts(world, "2 3 1 3");
    snprintf(patch, sizeof patch, "{status: {disruptedPods: {web-2: '%.*s', nobody: '%.*s'}}}",
             SLICE_ARG(SLICE("2026-01-05T00:00:00Z")), SLICE_ARG(SLICE("2026-01-05T00:00:00Z")));
    cluster_patch(world, KUBE_POD_DISRUPTION_BUDGET, "default", "guard", KUBE_STATUS, patch);
    assert_counts(world, "1 2 1 3");
    cluster_run(world, SECONDS(119));
    assert_counts(world, "1 2 1 3");
    cluster_run(world, SECONDS(2));
    assert_counts(world, "2 3 1 3");
    arena_free(&arena);
    world_free(world);
}

TEST(unready_pods_go_by_the_policy) {
    static const struct {
        const char *spec;
        ErrCode code;
    } cases[] = {
        {"minAvailable: 2", ERR_THROTTLED}, // IfHealthyBudget, and the budget is not healthy
        {"minAvailable: 2, unhealthyPodEvictionPolicy: IfHealthyBudget", ERR_THROTTLED},
        {"minAvailable: 2, unhealthyPodEvictionPolicy: AlwaysAllow", OK},
        {"minAvailable: 1", OK}, // healthy enough
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        World *world = budget_world();
        KubeError error = {0};

        make_pods(world, 2, "");
        cluster_patch(world, KUBE_POD, "default", "web-1", KUBE_STATUS,
                      "{status: {conditions: [{type: Ready, status: 'False'}]}}");
        make_budget(world, cases[i].spec);
        world_settle(world);
        assert_int_equal(evict(world, "web-1", &error), cases[i].code);
        world_free(world);
    }
}

TEST(a_removed_budget_protects_no_pods) {
    World *world = budget_world();
    KubeError error = {0};

    make_pods(world, 2, "");
    make_budget(world, "minAvailable: 2");
    world_settle(world);
    assert_int_equal(evict(world, "web-0", &error), ERR_THROTTLED);
    cluster_delete(world, KUBE_POD_DISRUPTION_BUDGET, "default", "guard");
    world_settle(world);
    assert_int_equal(evict(world, "web-0", &error), OK);
    make_budget(world, "minAvailable: 1");
    assert_counts(world, "0 1 1 2");
    world_free(world);
}

TEST(a_controller_that_comes_late_knows_the_rest) {
    World *world = world_new(&(WorldConfig){.seed = 1});

    make_budget(world, "minAvailable: 1");
    make_pods(world, 3, "");
    world_settle(world);
    sim_budgets_add(world);
    assert_counts(world, "2 3 1 3");
    cluster_delete(world, KUBE_POD, "default", "web-0");
    assert_counts(world, "1 2 1 3");
    world_free(world);
}

// A change of a pod that does not concern its health causes no reconcile of the budget.
TEST(nothing_is_written_for_nothing) {
    World *world = budget_world();
    KubeRevision before;

    make_pods(world, 3, "");
    make_budget(world, "minAvailable: 1");
    world_settle(world);
    before = api_usage(world_api(world)).revision;
    cluster_patch(world, KUBE_POD, "default", "web-0", KUBE_OBJECT, "{metadata: {annotations: {a: b}}}");
    world_settle(world);
    assert_int_equal(api_usage(world_api(world)).revision, before + 1);
    world_free(world);
}
