// The embedded scheduler's queue: order, pace, backoff, and no attempts without a reason.
#include "sim/scheduler_env.h"

#include "sim/scheduler/cache/cache.h"
#include "sim/scheduler/queue.h"

// --- the queue by itself

TEST(the_queue_orders_by_priority_then_by_age) {
    SchedulingQueue queue;

    scheduling_queue_init(&queue);
    scheduling_queue_add(&queue, 1, 0, 0, 10);
    scheduling_queue_add(&queue, 2, 0, 5, 30);
    scheduling_queue_add(&queue, 3, 0, 0, 5);
    scheduling_queue_add(&queue, 4, 0, 0, 10);
    assert_int_equal(scheduling_queue_take(&queue), 2);
    assert_int_equal(scheduling_queue_take(&queue), 3);
    assert_int_equal(scheduling_queue_take(&queue), 1); // came before 4
    assert_int_equal(scheduling_queue_take(&queue), 4);
    assert_int_equal(scheduling_queue_take(&queue), CACHE_NONE);
    scheduling_queue_free(&queue);
}

TEST(backoff_doubles_from_one_to_ten_seconds) {
    static const int64_t expected_s[] = {1, 2, 4, 8, 10, 10};
    int64_t now_ns = SECONDS(1000);
    SchedulingQueue queue;

    scheduling_queue_init(&queue);
    scheduling_queue_add(&queue, 7, 3, 0, now_ns);
    for (size_t i = 0; i < sizeof expected_s / sizeof *expected_s; i++) {
        assert_int_equal(scheduling_queue_take(&queue), 7);
        line_retry(&queue, 7, now_ns); // waits always
        assert_int_equal(scheduling_queue_take(&queue), CACHE_NONE);
        assert_int_equal(scheduling_queue_next_ns(&queue), now_ns + SECONDS(expected_s[i]));
        assert_false(line_flush(&queue, now_ns + SECONDS(expected_s[i]) - 1));
        now_ns += SECONDS(expected_s[i]);
        assert_true(line_flush(&queue, now_ns));
    }
    scheduling_queue_free(&queue);
}

TEST(waiting_pods_wake_for_their_plugins_only) {
    SchedulingQueue queue;

    scheduling_queue_init(&queue);
    for (uint32_t i = 0; i < 3; i++) {
        scheduling_queue_add(&queue, i, i < 2 ? 0 : 1, 0, 0);
        assert_int_equal(scheduling_queue_take(&queue), i);
        scheduling_queue_wait(&queue, i, i == 0 ? PLUGIN_FIT : PLUGIN_SPREAD, 0);
    }
    scheduling_queue_wake_class(&queue, 0, PLUGIN_TAINTS, SECONDS(20));
    assert_int_equal(scheduling_queue_take(&queue), CACHE_NONE);
    scheduling_queue_wake_class(&queue, 0, PLUGIN_FIT, SECONDS(20));
    assert_int_equal(scheduling_queue_take(&queue), 0);
    assert_int_equal(scheduling_queue_take(&queue), CACHE_NONE);
    scheduling_queue_wake_class(&queue, 1, PLUGIN_SPREAD | PLUGIN_FIT, SECONDS(20));
    assert_int_equal(scheduling_queue_take(&queue), 2);
    assert_true(line_flush(&queue, SECONDS(300))); // after five minutes all pods are retried
    assert_int_equal(scheduling_queue_take(&queue), 1);
    scheduling_queue_free(&queue);
}

// Against a naive model: an array that is searched.
TEST(random_queues_behave_as_a_plain_list) {
    enum { PODS = 200, STEPS = 20000 };
    struct {
        int place; // 0 out, 1 active
        int32_t priority;
        int64_t since_ns;
        uint64_t turn;
    } model[PODS] = {{0}};
    uint64_t turns = 0;
    Random random;
    SchedulingQueue queue;

    random_seed(&random, 11);
    scheduling_queue_init(&queue);
    for (int64_t step = 0; step < STEPS; step++) {
        uint32_t slot = random_below(&random, PODS), best = CACHE_NONE;

        switch (random_below(&random, 4)) {
        case 0:
        case 1:
            model[slot].place = 1;
            model[slot].priority = (int32_t)random_below(&random, 3);
            model[slot].since_ns = step / 10;
            model[slot].turn = turns++;
            scheduling_queue_add(&queue, slot, slot % 7, model[slot].priority, model[slot].since_ns);
            break;
        case 2:
            model[slot].place = 0;
            scheduling_queue_remove(&queue, slot);
            break;
        default:
            for (uint32_t i = 0; i < PODS; i++) {
                if (model[i].place && (best == CACHE_NONE || model[i].priority > model[best].priority ||
                                       (model[i].priority == model[best].priority && model[i].turn < model[best].turn)))
                    best = i;
            }
            assert_int_equal(scheduling_queue_take(&queue), best);
            if (best != CACHE_NONE)
                model[best].place = 0;
        }
    }
    scheduling_queue_free(&queue);
}

// --- the scheduler

TEST(the_important_come_first) {
    World *world = env_new();

    cluster_create(world, "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 10}");
    world_settle(world);
    env_sized(world, "early", "cpu: 1", "");
    env_sized(world, "late", "cpu: 1", "priorityClassName: high");
    env_node(world, "a", "", "cpu: 1, memory: 8Gi, pods: 110");
    env_wait(world, 1);
    assert_bound(world, "late", "a");
    assert_bound(world, "early", "");
    world_free(world);
}

TEST(the_pace_is_kept) {
    World *world = world_new(&(WorldConfig){.seed = 1});
    uint32_t bound = 0;

    sim_scheduler_add(world, &(SimSchedulerConfig){.cycles_per_s = 100});
    env_node(world, "a", "", "cpu: 400, memory: 800Gi, pods: 1000");
    for (int i = 0; i < 300; i++) {
        char name[16];

        snprintf(name, sizeof name, "p%d", i);
        env_pod(world, name, "", "");
    }
    env_wait(world, 1);
    for (int i = 0; i < 300; i++) {
        char name[16];

        snprintf(name, sizeof name, "p%d", i);
        bound += env_find_pod(world, name)->node_name != NAME_EMPTY;
    }
    assert_in_range(bound, 98, 104);
    env_wait(world, 3);
    assert_int_equal(state_pods_pending(world_state(world))->count, 0);
    world_free(world);
}

// A pod that fits nowhere causes no work while nothing changes: its condition is written once, and there is no alarm
// before the five minutes are over.
TEST(nothing_is_polled) {
    World *world = env_new();
    KubeRevision before;
    WorldCounts counts;

    env_plain_nodes(world, "abc");
    env_sized(world, "p", "cpu: 100", "");
    env_wait(world, 1);
    before = api_usage(world_api(world)).revision;
    counts = world_counts(world);
    env_wait(world, 280);
    assert_int_equal(api_usage(world_api(world)).revision, before);
    assert_in_range(world_counts(world).alarms - counts.alarms, 0, 5 + 2); // the world's bookmarks, once a minute
    world_free(world);
}

TEST(an_event_that_cannot_help_wakes_no_pod) {
    World *world = env_new();

    env_plain_nodes(world, "a");
    env_sized(world, "p", "cpu: 100", "");
    env_wait(world, 20);
    cluster_patch(world, KUBE_NODE, "", "a", KUBE_OBJECT, "{metadata: {labels: {x: z}}}");
    env_plain_nodes(world, "b");
    env_wait(world, 1);
    // The pod was not tried again, else the text would count two nodes.
    assert_scheduled_condition(world, "p", "message",
                               "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: "
                               "0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
    env_wait(world, 300);
    assert_scheduled_condition(world, "p", "message",
                               "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: "
                               "0/2 nodes are available: 2 Preemption is not helpful for scheduling.");
    env_node(world, "c", "", "cpu: 100, memory: 8Gi, pods: 110");
    env_wait(world, 1);
    assert_bound(world, "p", "c");
    world_free(world);
}

TEST(a_label_of_a_running_pod_wakes_those_it_concerns) {
    World *world = env_new();

    env_plain_nodes(world, "a");
    env_pod(world, "db", "labels: {app: web}", "nodeName: a");
    env_pod(world, "p", "",
            "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: "
            "{app: db}}, topologyKey: kubernetes.io/hostname}]}}");
    env_wait(world, 30);
    assert_bound(world, "p", "");
    cluster_patch(world, KUBE_POD, "default", "db", KUBE_OBJECT, "{metadata: {labels: {app: db}}}");
    env_wait(world, 1);
    assert_bound(world, "p", "a");
    world_free(world);
}

TEST(a_pending_pod_that_is_changed_is_looked_at_again) {
    World *world = env_new();

    env_plain_nodes(world, "a");
    cluster_patch(world, KUBE_NODE, "", "a", KUBE_OBJECT, "{spec: {taints: [{key: k, effect: NoSchedule}]}}");
    env_pod(world, "p", "", "");
    env_wait(world, 30);
    assert_bound(world, "p", "");
    cluster_patch(world, KUBE_POD, "default", "p", KUBE_OBJECT,
                  "{spec: {tolerations: [{key: k, operator: Exists}, {key: node.kubernetes.io/not-ready, operator: "
                  "Exists, effect: NoExecute, tolerationSeconds: 300}, {key: node.kubernetes.io/unreachable, operator: "
                  "Exists, effect: NoExecute, tolerationSeconds: 300}]}}");
    env_wait(world, 1);
    assert_bound(world, "p", "a");
    world_free(world);
}

// Each change of a node wakes the pods that it may help, within the backoff: one case per kind of refusal.
TEST(changes_of_nodes_wake_the_pods_they_may_help) {
    static const struct {
        const char *node, *pod; // patches of the node before, and the pod's spec
        KubePart part;
        const char *change;
    } cases[] = {
        {"{spec: {taints: [{key: k, effect: NoSchedule}]}}", "", KUBE_OBJECT, "{spec: {taints: null}}"},
        {"{spec: {unschedulable: true}}", "", KUBE_OBJECT, "{spec: {unschedulable: null}}"},
        {"{metadata: {labels: {a: b}}}", "nodeSelector: {disk: ssd}", KUBE_OBJECT, "{metadata: {labels: {disk: ssd}}}"},
        {"{metadata: {labels: {a: b}}}", "resources: {requests: {cpu: 10}}", KUBE_STATUS,
         "{status: {allocatable: {cpu: 20}}}"},
        {"{metadata: {labels: {a: b}}}",
         "containers: [{name: c, image: i, resources: {limits: {example.com/thing: 1}}}]", KUBE_STATUS,
         "{status: {allocatable: {example.com/thing: 1}}}"},
        {"{metadata: {labels: {a: b}}}",
         "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
         "{}}]",
         KUBE_OBJECT, "{metadata: {labels: {zone: a}}}"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        World *world = env_new();

        env_plain_nodes(world, "a");
        cluster_patch(world, KUBE_NODE, "", "a", KUBE_OBJECT, cases[i].node);
        env_pod(world, "p", "", cases[i].pod);
        env_wait(world, 5);
        assert_bound(world, "p", "");
        cluster_patch(world, KUBE_NODE, "", "a", cases[i].part, cases[i].change);
        env_wait(world, 1);
        assert_bound(world, "p", "a");
        world_free(world);
    }
}
