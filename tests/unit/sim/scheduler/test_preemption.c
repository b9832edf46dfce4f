// The embedded scheduler's preemption: victims and nomination.
#include "sim/scheduler_env.h"

#include "sim/budgets.h"

static World *small_nodes(const char *names) {
    World *world = env_new();
    char name[2] = {0};

    sim_budgets_add(world);
    cluster_create(world,
                   "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}");
    cluster_create(world, "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: middle}, value: "
                          "500}");
    cluster_create(world, "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: modest}, value: "
                          "1000, preemptionPolicy: Never}");
    for (; *names; names++) {
        name[0] = *names;
        env_node(world, name, "", "cpu: 2, memory: 8Gi, pods: 110");
    }
    world_settle(world);
    return world;
}

static void run(World *world, const char *name, const char *cpu, const char *node, const char *rest) {
    char requests[32], spec[256];

    snprintf(requests, sizeof requests, "cpu: %s", cpu);
    snprintf(spec, sizeof spec, "terminationGracePeriodSeconds: 10, nodeName: %s, %s", node, rest);
    env_sized(world, name, requests, spec);
    env_running(world, name, "");
    world_settle(world);
}

static bool is_going(World *world, const char *name) {
    const Pod *pod = state_pod(world_state(world), cluster_find(world, KUBE_POD, "default", name));

    return !pod || pod->deleting;
}

// Deletes a terminating pod, as a kubelet does at the end.
static void finish(World *world, const char *name) {
    kube_remove(world_kube(world), (KubeRef){KUBE_POD, SLICE("default"), slice_of(name)},
                &(KubeDeletion){.has_grace = true}, NULL);
    world_settle(world);
}

static Slice nominated(World *world, const char *name) {
    return symbol_text(world_symbols(world), env_find_pod(world, name)->nominated_node_name);
}

TEST(the_less_important_make_room) {
    World *world = small_nodes("a");

    run(world, "low", "2", "a", "");
    env_sized(world, "high", "cpu: 1", "priorityClassName: high");
    env_wait(world, 1);
    assert_true(is_going(world, "low"));
    assert_true(slice_eq_text(nominated(world, "high"), "a"));
    assert_refused(world, "high", "0/1 nodes are available: 1 Insufficient cpu.");
    finish(world, "low");
    env_wait(world, 2);
    assert_bound(world, "high", "a");
    assert_true(nominated(world, "high").len == 0);
    world_free(world);
}

TEST(evicted_pods_have_the_reason) {
    World *world = small_nodes("a");
    Arena arena = {0};
    Value pod;
    const Value *conditions;
    bool found = false;

    run(world, "low", "2", "a", "");
    env_sized(world, "high", "cpu: 1", "priorityClassName: high");
    env_wait(world, 1);
    assert_int_equal(
        kube_get(world_kube(world), &arena, (KubeRef){KUBE_POD, SLICE("default"), SLICE("low")}, &pod, NULL), OK);
    conditions = value_at(&pod, "status", "conditions", NULL);
    for (uint32_t i = 0; i < conditions->list.count; i++) {
        const Value *condition = &conditions->list.items[i];

        if (!slice_eq_text(kube_text(condition, "type", NULL), "DisruptionTarget"))
            continue;
        found = true;
        assert_true(slice_eq_text(kube_text(condition, "reason", NULL), "PreemptionByScheduler"));
        assert_true(slice_eq_text(kube_text(condition, "message", NULL),
                                  "default-scheduler: preempting to accommodate a higher priority pod"));
    }
    assert_true(found);
    arena_free(&arena);
    world_free(world);
}

TEST(equals_stay) {
    World *world = small_nodes("a");

    run(world, "other", "2", "a", "priorityClassName: high");
    env_sized(world, "high", "cpu: 1", "priorityClassName: high");
    env_wait(world, 1);
    assert_false(is_going(world, "other"));
    assert_refused(world, "high",
                   "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes "
                   "are available: 1 No preemption victims found for incoming pod.");
    world_free(world);
}

TEST(a_pod_that_never_preempts_waits) {
    World *world = small_nodes("a");

    run(world, "low", "2", "a", "");
    env_sized(world, "modest", "cpu: 1", "priorityClassName: modest");
    env_wait(world, 1);
    assert_false(is_going(world, "low"));
    assert_refused(world, "modest",
                   "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible "
                   "due to preemptionPolicy=Never.");
    world_free(world);
}

TEST(no_more_go_than_must) {
    World *world = small_nodes("a");

    run(world, "one", "500m", "a", "");
    run(world, "two", "500m", "a", "");
    run(world, "three", "1", "a", "priorityClassName: middle");
    env_sized(world, "high", "cpu: 500m", "priorityClassName: high");
    env_wait(world, 1);
    assert_int_equal(is_going(world, "one") + is_going(world, "two"), 1);
    assert_false(is_going(world, "three"));
    world_free(world);
}

TEST(the_node_with_the_least_important_victims_is_taken) {
    World *world = small_nodes("abc");

    run(world, "on-a", "2", "a", "priorityClassName: middle");
    run(world, "on-b", "2", "b", "");
    run(world, "c-one", "1", "c", "");
    run(world, "c-two", "1", "c", "");
    env_sized(world, "high", "cpu: 2", "priorityClassName: high");
    env_wait(world, 1);
    assert_true(slice_eq_text(nominated(world, "high"), "b")); // one victim, not two, and none of the middle
    assert_true(is_going(world, "on-b"));
    assert_false(is_going(world, "on-a") || is_going(world, "c-one") || is_going(world, "c-two"));
    world_free(world);
}

TEST(budgets_are_kept_where_there_is_a_choice) {
    World *world = small_nodes("ab");

    cluster_create(world, "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: guard, namespace: "
                          "default}, spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}}");
    run(world, "on-a", "2", "a", "");
    run(world, "on-b", "2", "b", "priorityClassName: middle");
    cluster_patch(world, KUBE_POD, "default", "on-a", KUBE_OBJECT, "{metadata: {labels: {app: web}}}");
    world_settle(world);
    env_sized(world, "high", "cpu: 2", "priorityClassName: high");
    env_wait(world, 1);
    assert_true(is_going(world, "on-b")); // of higher priority, but without a budget
    assert_false(is_going(world, "on-a"));
    world_free(world);
}

TEST(budgets_are_broken_where_there_is_none) {
    World *world = small_nodes("a");

    cluster_create(world, "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: guard, namespace: "
                          "default}, spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}}");
    run(world, "on-a", "2", "a", "");
    cluster_patch(world, KUBE_POD, "default", "on-a", KUBE_OBJECT, "{metadata: {labels: {app: web}}}");
    world_settle(world);
    env_sized(world, "high", "cpu: 2", "priorityClassName: high");
    env_wait(world, 1);
    assert_true(is_going(world, "on-a"));
    world_free(world);
}

// Room that preemption makes, and the room that is free on the node already, is reserved for the nominated pod against
// pods of lower priority.
TEST(pods_of_lower_priority_do_not_take_the_room_of_evicted_pods) {
    World *world = small_nodes("a");

    run(world, "low", "1", "a", "");
    env_sized(world, "high", "cpu: 2", "priorityClassName: middle");
    env_wait(world, 1);
    assert_true(is_going(world, "low"));
    env_sized(world, "sneak", "cpu: 1", "");
    env_wait(world, 1);
    assert_bound(world, "sneak", "");
    finish(world, "low");
    env_wait(world, 15);
    assert_bound(world, "high", "a");
    assert_bound(world, "sneak", "");
    world_free(world);
}

TEST(the_more_important_takes_the_room_that_is_made) {
    World *world = small_nodes("a");

    run(world, "low", "1", "a", "");
    env_sized(world, "middle", "cpu: 2", "priorityClassName: middle");
    env_wait(world, 1);
    assert_true(is_going(world, "low"));
    env_sized(world, "high", "cpu: 1", "priorityClassName: high");
    env_wait(world, 1);
    assert_bound(world, "high", "a");
    finish(world, "low");
    env_wait(world, 15);
    assert_bound(world, "middle", "");
    world_free(world);
}

TEST(it_waits_for_its_victims_and_takes_no_others) {
    World *world = small_nodes("ab");

    run(world, "on-a", "2", "a", "");
    run(world, "on-b", "2", "b", "priorityClassName: middle");
    env_sized(world, "high", "cpu: 2", "priorityClassName: high");
    env_wait(world, 1);
    assert_true(is_going(world, "on-a"));
    cluster_patch(world, KUBE_NODE, "", "b", KUBE_OBJECT, "{metadata: {labels: {wake: up}}}");
    cluster_patch(world, KUBE_NODE, "", "b", KUBE_STATUS, "{status: {allocatable: {cpu: 2001m}}}");
    env_wait(world, 5);
    assert_false(is_going(world, "on-b"));
    assert_scheduled_condition(world, "high", "message",
                               "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: "
                               "not eligible due to a terminating pod on the nominated node.");
    finish(world, "on-a");
    env_wait(world, 15);
    assert_bound(world, "high", "a");
    assert_false(is_going(world, "on-b"));
    world_free(world);
}

TEST(anti_affinity_of_victims_makes_way_too) {
    World *world = small_nodes("a");

    run(world, "low", "100m", "a",
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: "
        "{app: web}}, topologyKey: kubernetes.io/hostname}]}}");
    run(world, "bystander", "100m", "a", "");
    env_pod(world, "web", "labels: {app: web}", "priorityClassName: high");
    env_wait(world, 1);
    assert_true(is_going(world, "low"));
    assert_false(is_going(world, "bystander"));
    finish(world, "low");
    env_wait(world, 2);
    assert_bound(world, "web", "a");
    world_free(world);
}

TEST(no_pod_is_evicted_where_that_cannot_help) {
    World *world = small_nodes("a");

    run(world, "low", "2", "a", "");
    env_sized(world, "high", "cpu: 1", "priorityClassName: high, nodeSelector: {disk: ssd}");
    env_sized(world, "huge", "cpu: 3", "priorityClassName: high");
    env_wait(world, 1);
    assert_false(is_going(world, "low"));
    assert_refused(world, "high",
                   "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. no new claims to "
                   "deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
    assert_refused(world, "huge",
                   "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes "
                   "are available: 1 Preemption is not helpful for scheduling.");
    world_free(world);
}

TEST(a_nominated_node_that_goes_is_forgotten) {
    World *world = small_nodes("a");

    run(world, "low", "2", "a", "");
    env_sized(world, "high", "cpu: 2", "priorityClassName: high");
    env_wait(world, 1);
    assert_true(slice_eq_text(nominated(world, "high"), "a"));
    cluster_delete(world, KUBE_NODE, "", "a");
    finish(world, "low");
    env_node(world, "b", "", "cpu: 2, memory: 8Gi, pods: 110");
    env_wait(world, 15);
    assert_bound(world, "high", "b");
    world_free(world);
}
