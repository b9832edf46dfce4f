// What pods ask of a node (reference scheduling.md 3.1), as read from manifests.
#include "harness/test.h"
#include "model/support/read.h"

// The requests of a pod with this spec (flow or block YAML at indentation 2) and status.
static void assert_requests(const char *spec, const char *status, const char *expected) {
    Arena arena = {0};
    Slice yaml = arena_printf(&arena, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n%s%s", spec, status);
    TestCluster *test = test_cluster_read(arena_text(&arena, yaml));

    assert_string_equal(test_resources(test, &test_pod(test, "p")->spec->requests), expected);
    test_cluster_free(test);
    arena_free(&arena);
}

TEST(containers_add_up) {
    assert_requests("  containers:\n"
                    "  - {name: a, resources: {requests: {cpu: 100m, memory: 64Mi}}}\n"
                    "  - {name: b, resources: {requests: {cpu: 1, nvidia.com/gpu: '2'}}}\n"
                    "  - {name: c}\n",
                    "", "{\"cpu\":\"1100m\",\"memory\":\"64Mi\",\"nvidia.com/gpu\":\"2\",\"pods\":\"1\"}");
    assert_requests("  containers: []\n", "", "{\"pods\":\"1\"}");
}

TEST(a_limit_without_a_request_is_the_request) {
    assert_requests("  containers:\n"
                    "  - {name: a, resources: {limits: {cpu: 2, memory: 1Gi}, requests: {cpu: 500m}}}\n"
                    "  initContainers:\n"
                    "  - {name: i, resources: {limits: {memory: 3Gi}}}\n",
                    "", "{\"cpu\":\"500m\",\"memory\":\"3Gi\",\"pods\":\"1\"}");
}

TEST(the_largest_init_container_counts) {
    assert_requests("  containers: [{name: a, resources: {requests: {cpu: 1, memory: 1Gi}}}]\n"
                    "  initContainers:\n"
                    "  - {name: i, resources: {requests: {cpu: 3}}}\n"
                    "  - {name: j, resources: {requests: {cpu: 2, memory: 512Mi}}}\n",
                    "", "{\"cpu\":\"3\",\"memory\":\"1Gi\",\"pods\":\"1\"}");
}

// Sidecars run beside the containers and beside the init containers after them.
TEST(sidecars_count_from_their_start) {
    assert_requests("  containers: [{name: a, resources: {requests: {cpu: 1}}}]\n"
                    "  initContainers:\n"
                    "  - {name: before, resources: {requests: {cpu: 3}}}\n"
                    "  - {name: sidecar, restartPolicy: Always, resources: {requests: {cpu: 1}}}\n"
                    "  - {name: after, resources: {requests: {cpu: 2500m}}}\n",
                    "", "{\"cpu\":\"3500m\",\"pods\":\"1\"}");
    assert_requests("  containers: [{name: a, resources: {requests: {cpu: 1}}}]\n"
                    "  initContainers:\n"
                    "  - {name: s1, restartPolicy: Always, resources: {requests: {cpu: 1}}}\n"
                    "  - {name: s2, restartPolicy: Always, resources: {requests: {cpu: 2}}}\n",
                    "", "{\"cpu\":\"4\",\"pods\":\"1\"}");
}

TEST(pod_level_resources_replace_the_sum) {
    assert_requests("  resources: {requests: {cpu: 2}}\n"
                    "  containers: [{name: a, resources: {requests: {cpu: 1, memory: 1Gi, nvidia.com/gpu: 1}}}]\n",
                    "", "{\"cpu\":\"2\",\"memory\":\"1Gi\",\"nvidia.com/gpu\":\"1\",\"pods\":\"1\"}");
    // A pod-level limit is the request only of what no container asks for.
    assert_requests("  resources: {limits: {cpu: 2, memory: 4Gi}}\n"
                    "  containers: [{name: a, resources: {requests: {cpu: 1}}}]\n",
                    "", "{\"cpu\":\"1\",\"memory\":\"4Gi\",\"pods\":\"1\"}");
}

TEST(overhead_is_added_last) {
    assert_requests("  overhead: {cpu: 250m, memory: 120Mi}\n"
                    "  resources: {requests: {cpu: 2}}\n"
                    "  containers: [{name: a, resources: {requests: {cpu: 1}}}]\n",
                    "", "{\"cpu\":\"2250m\",\"memory\":\"120Mi\",\"pods\":\"1\"}");
}

// scheduling.md 3.1: spec, actuated and allocated resources of a container that is resized in place.
TEST(resizing_pods_need_the_largest_of_both_sizes) {
    static const char spec[] = "  containers:\n"
                               "  - {name: a, resources: {requests: {cpu: 1, memory: 1Gi}}}\n"
                               "  initContainers:\n"
                               "  - {name: s, restartPolicy: Always, resources: {requests: {cpu: 100m}}}\n"
                               "  - {name: i, resources: {requests: {cpu: 100m}}}\n";

    assert_requests(spec,
                    "status:\n"
                    "  containerStatuses:\n"
                    "  - {name: a, resources: {requests: {cpu: 2}}, allocatedResources: {memory: 2Gi}}\n"
                    "  initContainerStatuses:\n"
                    "  - {name: s, resources: {requests: {cpu: 300m}}}\n"
                    "  - {name: i, resources: {requests: {cpu: 9}}}\n",
                    "{\"cpu\":\"2300m\",\"memory\":\"2Gi\",\"pods\":\"1\"}");
    assert_requests(spec,
                    "status:\n"
                    "  conditions: [{type: PodResizePending, status: 'True', reason: Infeasible}]\n"
                    "  containerStatuses:\n"
                    "  - {name: a, resources: {requests: {cpu: 500m}}, allocatedResources: {memory: 512Mi}}\n",
                    "{\"cpu\":\"600m\",\"memory\":\"512Mi\",\"pods\":\"1\"}");
    // Without `resources` the status says nothing.
    assert_requests(spec, "status: {containerStatuses: [{name: a, allocatedResources: {cpu: 9}}]}\n",
                    "{\"cpu\":\"1100m\",\"memory\":\"1Gi\",\"pods\":\"1\"}");
}

TEST(fractions_round_up) {
    assert_requests("  containers: [{name: a, resources: {requests: {cpu: 0.1m, memory: 100m}}}]\n", "",
                    "{\"cpu\":\"1m\",\"memory\":\"1\",\"pods\":\"1\"}");
}

// The API server takes it: the other pods are planned all the same.
TEST(what_does_not_fit_is_left_out) {
    TestCluster *test = test_cluster_read(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: a\n    resources:\n"
        "      limits: {memory: 99999999999Ei}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec:\n  containers: [{name: a}]\n");

    assert_int_equal(test->cluster.set_aside, 1);
    assert_int_equal(test->cluster.pods.count, 1);
    assert_non_null(test_pod(test, "q"));
    assert_true(test->cluster.warnings.items[0].mistake);
    assert_string_equal(test_warnings(test),
                        "left out, because it cannot be read: spec.containers[0].resources.limits.memory: the quantity "
                        "\"99999999999Ei\" is too large (test.yaml:8, Pod default/p)\n");
    test_cluster_free(test);
}

TEST(wrong_amounts_are_named) {
#define POD "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: a\n    resources:\n"
    assert_string_equal(test_read_error(POD "      requests: {cpu: lots}\n"),
                        "spec.containers[0].resources.requests.cpu: expected a quantity such as \"500m\" or \"2Gi\", "
                        "got \"lots\" (test.yaml:8, Pod default/p)");
    assert_string_equal(test_read_error(POD "      requests: {cpu: -1}\n"),
                        "spec.containers[0].resources.requests.cpu: must be greater than or equal to 0, got \"-1\" "
                        "(test.yaml:8, Pod default/p)");
    assert_string_equal(test_read_error(POD "      requests: [cpu]\n"),
                        "spec.containers[0].resources.requests: expected map, got list (test.yaml:8, Pod default/p)");
    assert_string_equal(test_read_error(POD "      requests: {cpu: [1]}\n"),
                        "spec.containers[0].resources.requests.cpu: expected a quantity such as \"500m\" or \"2Gi\", "
                        "got list (test.yaml:8, Pod default/p)");
    assert_string_equal(test_read_error("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {}\n"),
                        "spec.containers: required (test.yaml:4, Pod default/p)");
}
