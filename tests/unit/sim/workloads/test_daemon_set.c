// DaemonSets: one pod on each matching node while the node exists.
#include "sim/workload_bed.h"

#define APP "app=agent"

static void daemon_set(Bed *bed, const char *more, const char *pod_spec) {
    cluster_create(bed->world,
                   "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent}, spec: {%s selector: {matchLabels: "
                   "{app: agent}}, template: {metadata: {labels: {app: agent}}, spec: {%s containers: [{name: c, "
                   "image: 'agent:1', resources: {requests: {cpu: 100m}}}]}}}}",
                   more, pod_spec);
}

static void patch_node(Bed *bed, const char *node, const char *yaml) {
    cluster_patch(bed->world, KUBE_NODE, "", node, KUBE_OBJECT, yaml);
}

static uint32_t pods_on(Bed *bed, const char *node) {
    return bed_list(bed, KUBE_POD, APP, arena_printf(&bed->arena, "spec.nodeName=%s", node).ptr).items.count;
}

static int64_t status(Bed *bed, const char *member) {
    return bed_int(bed, KUBE_DAEMON_SET, "agent", arena_printf(&bed->arena, "status.%s", member).ptr);
}

// --- tests

TEST(each_node_gets_its_pod_pinned_by_name) {
    Bed *bed = bed_new();
    const Value *pod, *term, *field;

    bed_nodes(bed, 3);
    daemon_set(bed, "", "");
    bed_run_s(bed, 10);
    assert_int_equal(bed_running(bed, APP), 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pods_on(bed, arena_printf(&bed->arena, "n%d", i).ptr), 1);
    pod = &bed_list(bed, KUBE_POD, APP, "spec.nodeName=n1").items.items[0];
    term = &bed_at(pod, "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms")
                ->list.items[0];
    field = &bed_at(term, "matchFields")->list.items[0];
    assert_text(kube_text(field, "key", NULL), "metadata.name");
    assert_text(bed_at(field, "values")->list.items[0].text, "n1");
    assert_int_equal(status(bed, "desiredNumberScheduled"), 3);
    assert_int_equal(status(bed, "currentNumberScheduled"), 3);
    assert_int_equal(status(bed, "numberReady"), 3);
    assert_int_equal(status(bed, "numberAvailable"), 3);
    assert_int_equal(status(bed, "updatedNumberScheduled"), 3);
    assert_int_equal(status(bed, "observedGeneration"), 1);
    bed_free(bed);
}

TEST(a_new_node_gets_its_pod) {
    Bed *bed = bed_new();

    bed_node(bed, "n0");
    daemon_set(bed, "", "");
    bed_run_s(bed, 10);
    bed_node(bed, "late");
    bed_run_s(bed, 10);
    assert_int_equal(pods_on(bed, "late"), 1);
    assert_int_equal(status(bed, "desiredNumberScheduled"), 2);
    bed_free(bed);
}

TEST(a_node_that_is_gone_takes_its_pod_along) {
    Bed *bed = bed_new();

    bed_nodes(bed, 2);
    daemon_set(bed, "", "");
    bed_run_s(bed, 10);
    cluster_delete(bed->world, KUBE_NODE, "", "n0");
    bed_run_s(bed, 90);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 1);
    assert_int_equal(status(bed, "desiredNumberScheduled"), 1);
    assert_int_equal(status(bed, "numberReady"), 1);
    bed_node(bed, "n0"); // its name comes back
    bed_run_s(bed, 10);
    assert_int_equal(pods_on(bed, "n0"), 1);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 2);
    bed_free(bed);
}

TEST(a_node_that_comes_back_at_once_keeps_one_pod) {
    Bed *bed = bed_new();

    bed_nodes(bed, 2);
    daemon_set(bed, "", "");
    bed_run_s(bed, 10);
    cluster_delete(bed->world, KUBE_NODE, "", "n0");
    bed_run_s(bed, 5);
    bed_node(bed, "n0");
    bed_run_s(bed, 120);
    assert_int_equal(pods_on(bed, "n0"), 1);
    assert_int_equal(bed_running(bed, APP), 2);
    assert_int_equal(status(bed, "numberReady"), 2);
    bed_free(bed);
}

TEST(labels_decide_which_nodes) {
    Bed *bed = bed_new();

    bed_nodes(bed, 3);
    patch_node(bed, "n1", "{metadata: {labels: {gpu: 'yes'}}}");
    daemon_set(bed, "", "nodeSelector: {gpu: 'yes'},");
    bed_run_s(bed, 10);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 1);
    patch_node(bed, "n2", "{metadata: {labels: {gpu: 'yes'}}}");
    patch_node(bed, "n1", "{metadata: {labels: {gpu: null}}}");
    bed_run_s(bed, 10);
    assert_int_equal(pods_on(bed, "n1"), 0);
    assert_int_equal(pods_on(bed, "n2"), 1);
    bed_free(bed);
}

TEST(affinity_decides_which_nodes) {
    Bed *bed = bed_new();

    bed_nodes(bed, 3);
    daemon_set(bed, "",
               "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
               "[{matchExpressions: [{key: kubernetes.io/hostname, operator: NotIn, values: [n0]}]}]}}},");
    bed_run_s(bed, 10);
    assert_int_equal(pods_on(bed, "n0"), 0);
    assert_int_equal(bed_running(bed, APP), 2);
    bed_free(bed);
}

TEST(taints_decide_which_nodes) {
    Bed *bed = bed_new();

    bed_nodes(bed, 3);
    patch_node(bed, "n0", "{spec: {taints: [{key: team, value: a, effect: NoSchedule}]}}");
    patch_node(bed, "n1", "{spec: {taints: [{key: team, value: b, effect: NoSchedule}]}}");
    daemon_set(bed, "", "tolerations: [{key: team, operator: Equal, value: b, effect: NoSchedule}],");
    bed_run_s(bed, 10);
    assert_int_equal(pods_on(bed, "n0"), 0);
    assert_int_equal(pods_on(bed, "n1"), 1);
    assert_int_equal(pods_on(bed, "n2"), 1);
    patch_node(bed, "n2", "{spec: {taints: [{key: team, value: c, effect: NoSchedule}]}}"); // what runs may stay
    bed_run_s(bed, 10);
    assert_int_equal(pods_on(bed, "n2"), 1);
    assert_int_equal(status(bed, "numberMisscheduled"), 1);
    patch_node(bed, "n2", "{spec: {taints: [{key: team, value: c, effect: NoExecute}]}}");
    bed_run_s(bed, 10);
    assert_int_equal(pods_on(bed, "n2"), 0);
    bed_free(bed);
}

TEST(cordons_and_nodes_that_are_not_ready_are_borne) {
    Bed *bed = bed_new();

    bed_nodes(bed, 2);
    patch_node(bed, "n0", "{spec: {unschedulable: true}}");
    daemon_set(bed, "", "");
    bed_run_s(bed, 10);
    cluster_patch(bed->world, KUBE_NODE, "", "n1", KUBE_STATUS,
                  "{status: {conditions: [{type: Ready, status: 'False', reason: KubeletNotReady}]}}");
    bed_run_s(bed, 400);
    assert_true(bed_has_taint(bed, "n0", "node.kubernetes.io/unschedulable=:NoSchedule"));
    assert_true(bed_has_taint(bed, "n1", "node.kubernetes.io/not-ready=:NoExecute"));
    assert_int_equal(pods_on(bed, "n0"), 1);
    assert_int_equal(pods_on(bed, "n1"), 1);
    bed_free(bed);
}

TEST(deleted_and_failed_pods_come_again) {
    Bed *bed = bed_new();
    const char *first, *second;

    bed_node(bed, "n0");
    daemon_set(bed, "", "");
    bed_run_s(bed, 10);
    first = bed_name(bed, KUBE_POD, APP);
    cluster_delete(bed->world, KUBE_POD, "default", first);
    bed_run_s(bed, 10);
    second = bed_name(bed, KUBE_POD, APP);
    assert_string_not_equal(first, second);
    cluster_patch(bed->world, KUBE_POD, "default", second, KUBE_STATUS, "{status: {phase: Failed}}");
    bed_run_s(bed, 10);
    assert_string_not_equal(bed_name(bed, KUBE_POD, APP), second);
    assert_int_equal(bed_running(bed, APP), 1);
    bed_free(bed);
}

// The number of available pods in every round of an update.
typedef struct {
    Bed *bed;
    uint32_t least;
} Watcher;

static void observe_ready(void *context) {
    Watcher *watcher = context;
    const State *mirror = world_state(watcher->bed->world);
    uint32_t ready = 0;

    for (Handle at = state_next(mirror, KUBE_POD, HANDLE_NONE); at.generation; at = state_next(mirror, KUBE_POD, at))
        ready += state_pod(mirror, at)->ready && !state_pod(mirror, at)->deleting;
    watcher->least = ready < watcher->least ? ready : watcher->least;
}

TEST(an_update_keeps_within_max_unavailable) {
    Bed *bed = bed_new();
    Watcher watcher = {bed, UINT32_MAX};
    KubeList pods;

    bed_nodes(bed, 6);
    daemon_set(bed, "updateStrategy: {rollingUpdate: {maxUnavailable: 2}},", "");
    bed_run_s(bed, 10);
    world_on_round(bed->world, observe_ready, &watcher);
    cluster_patch(bed->world, KUBE_DAEMON_SET, "default", "agent", KUBE_OBJECT,
                  "{spec: {template: {spec: {containers: [{name: c, image: 'agent:2'}]}}}}");
    bed_run_s(bed, 60);
    pods = bed_list(bed, KUBE_POD, APP, "");
    assert_int_equal(pods.items.count, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_text(kube_text(&bed_at(&pods.items.items[i], "spec.containers")->list.items[0], "image", NULL),
                    "agent:2");
    assert_int_equal(watcher.least, 4);
    assert_int_equal(status(bed, "updatedNumberScheduled"), 6);
    assert_int_equal(status(bed, "observedGeneration"), 2);
    bed_free(bed);
}

TEST(a_pod_that_finds_no_room_waits_for_its_node) {
    Bed *bed = bed_new();

    bed_nodes(bed, 2);
    cluster_patch(bed->world, KUBE_NODE, "", "n0", KUBE_STATUS,
                  "{status: {allocatable: {cpu: 50m}, capacity: {cpu: 50m}}}");
    daemon_set(bed, "", "");
    bed_run_s(bed, 60);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 2);
    assert_int_equal(bed_running(bed, APP), 1);
    assert_int_equal(status(bed, "numberReady"), 1);
    cluster_delete(bed->world, KUBE_NODE, "", "n0"); // a deleted node is not waited for
    bed_run_s(bed, 10);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 1);
    bed_free(bed);
}

TEST(what_a_daemon_set_owns_goes_with_it) {
    Bed *bed = bed_new();

    bed_nodes(bed, 3);
    daemon_set(bed, "", "");
    bed_run_s(bed, 10);
    cluster_delete(bed->world, KUBE_DAEMON_SET, "default", "agent");
    bed_run_s(bed, 10);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 0);
    bed_node(bed, "late");
    bed_run_s(bed, 10);
    assert_int_equal(bed_count(bed, KUBE_POD, APP), 0);
    bed_free(bed);
}
