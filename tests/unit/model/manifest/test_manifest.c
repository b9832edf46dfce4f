// Which objects are read: kinds, lists, duplicates, what is ignored, what is refused.
#include "harness/test.h"
#include "model/support/read.h"

TEST(lists_of_all_shapes_are_read) {
    TestCluster *test = test_cluster_read("apiVersion: v1\nkind: List\nitems:\n"
                                          "- {apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: []}}\n"
                                          "- apiVersion: v1\n  kind: List\n  items:\n"
                                          "  - {apiVersion: v1, kind: Node, metadata: {name: n1}}\n"
                                          "---\napiVersion: v1\nkind: PodList\nitems:\n"
                                          "- {metadata: {name: b}, spec: {containers: []}}\n"
                                          "- {apiVersion: v1, kind: Pod, metadata: {name: c}, spec: {containers: []}}\n"
                                          "---\napiVersion: karpenter.sh/v1\nkind: NodePoolList\nitems: []\n"
                                          "---\napiVersion: v1\nkind: List\n");

    assert_int_equal(test->cluster.pods.count, 3);
    assert_int_equal(test_pod(test, "b")->line, 13);
    assert_int_equal(test->cluster.nodes.count, 1);
    assert_string_equal(test_warnings(test), "");
    test_cluster_free(test);
}

TEST(the_later_of_two_equal_objects_wins) {
    TestCluster *test = test_cluster_read(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [], nodeName: n1}\n"
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: other}\nspec: {containers: []}\n"
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: default}\nspec: {containers: [], nodeName: "
        "n2}\n"
        "---\napiVersion: v1\nkind: Node\nmetadata: {name: a, namespace: x}\n"
        "---\napiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {b: c}}\n");

    assert_int_equal(test->cluster.pods.count, 2);
    assert_string_equal(test_text(test, test->cluster.pods.items[0].node_name), "n2");
    assert_int_equal(test->cluster.nodes.count, 1);
    assert_string_equal(test_label(test, &test->cluster.nodes.items[0].meta.labels, "b"), "c");
    assert_string_equal(test_warnings(test),
                        "test.yaml:11: Pod default/a was given before at test.yaml:1; the later one is used\n"
                        "test.yaml:20: Node a was given before at test.yaml:16; the later one is used\n");
    test_cluster_free(test);
}

TEST(unread_kinds_are_named_once) {
    TestCluster *test = test_cluster_read("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
                                          "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {}\n"
                                          "---\napiVersion: v1\nkind: Secret\n"
                                          "---\napiVersion: v1\nkind: ConfigMap\n"
                                          "---\napiVersion: extensions/v1beta1\nkind: Deployment\n"
                                          "---\napiVersion: batch/v1\nkind: CronJob\n"
                                          "---\napiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\n"
                                          "---\napiVersion: karpenter.sh/v1beta1\nkind: NodePool\n"
                                          "---\napiVersion: karpenter.sh/v1beta1\nkind: NodePool\n");

    assert_string_equal(
        test_warnings(test),
        "3 objects of kind ConfigMap are ignored (first at test.yaml:1)\n"
        "1 object of kind Secret is ignored (test.yaml:9)\n"
        "1 object of kind Deployment is ignored (test.yaml:15)\n"
        "1 object of kind CronJob (batch/v1) is ignored: its Jobs are planned when they exist (test.yaml:18)\n"
        "1 object of kind Provisioner (karpenter.sh/v1alpha5) is ignored: tenon reads the objects of Karpenter v1 "
        "(NodePool, NodeClaim, EC2NodeClass) (test.yaml:21)\n"
        "2 objects of kind NodePool (karpenter.sh/v1beta1) are ignored: tenon reads the objects of Karpenter v1 "
        "(NodePool, NodeClaim, EC2NodeClass) (first at test.yaml:24)\n");
    assert_int_equal(test->cluster.node_pools.count, 0);
    test_cluster_free(test);
}

TEST(objects_must_say_what_they_are) {
    static const struct {
        const char *yaml, *error;
    } cases[] = {
        {"kind: Pod\n", "apiVersion: required (test.yaml:1)"},
        {"apiVersion: v1\n", "kind: required (test.yaml:1)"},
        {"apiVersion: v1\nkind: ''\n", "kind: required (test.yaml:1)"},
        {"apiVersion: 1\nkind: Pod\n", "apiVersion: expected string, got number; quote it (test.yaml:1)"},
        {"- a\n", "expected map, got list (test.yaml:1)"},
        {"just text\n", "expected map, got string (test.yaml:1)"},
        {"apiVersion: v1\nkind: Pod\n", "metadata: required (test.yaml:1, Pod)"},
        {"apiVersion: v1\nkind: Pod\nmetadata: {}\n", "metadata.name: required (test.yaml:3, Pod)"},
        {"apiVersion: v1\nkind: Pod\nmetadata: {generateName: a-}\n", "metadata.name: required (test.yaml:3, Pod)"},
        {"apiVersion: v1\nkind: Pod\nmetadata: {name: 5}\n",
         "metadata.name: expected string, got number; quote it (test.yaml:3, Pod)"},
        {"apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: 5}\nspec: {}\n",
         "metadata.namespace: expected string, got number; quote it (test.yaml:3, Pod default/a)"},
        {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", "spec: required (test.yaml:1, Pod default/a)"},
        {"apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels:\n    version: 1.2\nspec: {containers: []}\n",
         "metadata.labels.version: expected string, got number; quote it (test.yaml:6, Pod default/a)"},
        {"apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {example.com/x: true}}\n",
         "metadata.labels[\"example.com/x\"]: expected string, got bool; quote it (test.yaml:3, Node a)"},
        {"apiVersion: v1\nkind: List\nitems: {}\n", "items: expected list, got map (test.yaml:3)"},
        {"apiVersion: v1\nkind: List\nitems:\n- metadata: {name: a}\n", "apiVersion: required (test.yaml:4)"},
        {"apiVersion: v1\nkind: List\nitems:\n- 7\n", "expected map, got number (test.yaml:4)"},
        {"apiVersion: v1\nkind: PodList\nitems:\n- {metadata: {name: a}}\n",
         "spec: required (test.yaml:4, Pod default/a)"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(test_read_error(cases[i].yaml), cases[i].error);
}

TEST(unknown_fields_are_ignored) {
    TestCluster *test =
        test_cluster_read("apiVersion: v1\nkind: Pod\nextra: [1]\nmetadata: {name: a, managedFields: [{}]}\n"
                          "spec: {containers: [{name: a, env: [{name: x}]}], dnsPolicy: 5}\n");

    assert_int_equal(test->cluster.pods.count, 1);
    test_cluster_free(test);
}

TEST(used_namespaces_are_there) {
    TestCluster *test =
        test_cluster_read("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {a: b}}\n"
                          "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\n"
                          "spec: {containers: []}\n"
                          "---\napiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec: {containers: []}\n"
                          "---\napiVersion: v1\nkind: Pod\nmetadata: {name: r}\nspec: {containers: []}\n");
    const NamespaceVec *namespaces = &test->cluster.namespaces;

    assert_int_equal(namespaces->count, 2);
    assert_string_equal(test_text(test, namespaces->items[0].meta.name), "shop");
    assert_string_equal(test_label(test, &namespaces->items[0].meta.labels, "kubernetes.io/metadata.name"), "shop");
    assert_string_equal(test_label(test, &namespaces->items[0].meta.labels, "a"), "b");
    assert_string_equal(test_text(test, namespaces->items[1].meta.name), "default");
    assert_string_equal(test_label(test, &namespaces->items[1].meta.labels, "kubernetes.io/metadata.name"), "default");
    test_cluster_free(test);
}

TEST(runtime_classes_shape_their_pods) {
    TestCluster *test = test_cluster_read(
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: kata}\nhandler: kata\n"
        "overhead: {podFixed: {cpu: 250m}}\n"
        "scheduling: {nodeSelector: {vm: 'yes', disk: hdd}, tolerations: [{key: vm, operator: Exists}]}\n"
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
        "  runtimeClassName: kata\n  nodeSelector: {disk: ssd}\n"
        "  containers: [{name: c, resources: {requests: {cpu: 1}}}]\n"
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\nspec:\n"
        "  runtimeClassName: kata\n  overhead: {cpu: 100m}\n  containers: []\n"
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: c}\nspec: {runtimeClassName: none, containers: []}\n"
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: d}\nspec: {runtimeClassName: none, containers: [{name: "
        "x}]}\n");
    const PodSpec *a = test_pod(test, "a")->spec;

    assert_string_equal(test_resources(test, &a->requests), "{\"cpu\":\"1250m\",\"pods\":\"1\"}");
    assert_string_equal(test_label(test, &a->node_selector, "vm"), "yes");
    assert_string_equal(test_label(test, &a->node_selector, "disk"), "ssd");
    assert_int_equal(a->tolerations.count, 1);
    assert_string_equal(test_resources(test, &test_pod(test, "b")->spec->requests),
                        "{\"cpu\":\"100m\",\"pods\":\"1\"}");
    assert_string_equal(test_warnings(test), "RuntimeClass none is not in the input: its overhead does not count\n");
    test_cluster_free(test);
}

TEST(pods_that_wait_and_are_not_planned_are_named) {
    TestCluster *test = test_cluster_read(
        "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\n"
        "apiVersion: v1\nkind: PodList\nitems:\n"
        "- {metadata: {name: a}, spec: {containers: [], schedulingGates: [{name: g}]}}\n"
        "- {metadata: {name: b}, spec: {containers: [], schedulingGates: [{name: g}]}}\n"
        "- {metadata: {name: c, deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {containers: []}}\n"
        "- {metadata: {name: d}, spec: {containers: []}, status: {nominatedNodeName: n2}}\n"
        "- {metadata: {name: e}, spec: {containers: []}, status: {nominatedNodeName: n1}}\n"
        "- {metadata: {name: f, deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {containers: [], nodeName: n1}}\n"
        "- {metadata: {name: g}, spec: {containers: [], schedulingGates: [{name: g}]}, status: {phase: Failed}}\n"
        "- {metadata: {name: h}, spec: {containers: []}}\n");

    assert_string_equal(
        test_warnings(test),
        "2 pods without a node are not planned (first default/a): spec.schedulingGates is not empty\n"
        "1 pod without a node is not planned (default/c): metadata.deletionTimestamp is set\n"
        "1 pod without a node is not planned (default/d): status.nominatedNodeName names a node that is "
        "not in the input\n");
    test_cluster_free(test);
}

TEST(other_objects_are_read) {
    TestCluster *test = test_cluster_read(
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n"
        "spec: {minAvailable: 50%, selector: {matchLabels: {app: web}}, unhealthyPodEvictionPolicy: AlwaysAllow}\n"
        "status: {disruptionsAllowed: 2}\n"
        "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {maxUnavailable: 1}\n"
        "---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {selector: {app: web}}\n"
        "---\napiVersion: v1\nkind: Service\nmetadata: {name: t}\nspec: {}\n"
        "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n");
    const PodDisruptionBudget *a = &test->cluster.disruption_budgets.items[0];
    const PodDisruptionBudget *b = &test->cluster.disruption_budgets.items[1];

    assert_string_equal(arena_text(&test->arena, a->min_available), "50%");
    assert_int_equal(a->max_unavailable.len, 0);
    assert_string_equal(test_expressions(test, &a->selector->expressions), "app In [web]");
    assert_true(a->always_allow_unhealthy);
    assert_true(a->has_status);
    assert_int_equal(a->disruptions_allowed, 2);
    assert_string_equal(arena_text(&test->arena, b->max_unavailable), "1");
    assert_null(b->selector);
    assert_false(b->has_status);
    assert_true(test->cluster.services.items[0].has_selector);
    assert_string_equal(test_label(test, &test->cluster.services.items[0].selector, "app"), "web");
    assert_false(test->cluster.services.items[1].has_selector);
    assert_int_equal(test->cluster.priority_classes.items[0].value, 1000);
    test_cluster_free(test);
}
