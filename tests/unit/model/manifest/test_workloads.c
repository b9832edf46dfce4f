// Workloads become the pods that their controllers would make, less those that are there.
#include "base/buffer.h"
#include "harness/test.h"
#include "model/support/read.h"

#define TEMPLATE                                                                                                       \
    "  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: a, resources: {limits: {cpu: "    \
    "1}}}]}\n"
#define DEPLOYMENT(name, replicas)                                                                                     \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " name ", namespace: shop}\nspec:\n  " replicas "\n"      \
    "  selector: {matchLabels: {app: web}}\n" TEMPLATE
#define LIVE_POD(name, labels, owner, rest)                                                                            \
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name ", namespace: shop, labels: " labels ",\n"                \
    "  ownerReferences: [" owner "]}\nspec: {containers: []}\n" rest

// "a b c": the names of all pods in order.
static const char *pod_names(TestCluster *test) {
    Buffer buffer = {0};
    const char *text;

    for (uint32_t i = 0; i < test->cluster.pods.count; i++)
        buffer_printf(&buffer, "%s%s", i ? " " : "", test_text(test, test->cluster.pods.items[i].name));
    text = arena_text(&test->arena, buffer_slice(&buffer));
    buffer_free(&buffer);
    return text;
}

static void assert_pods(const char *yaml, const char *expected) {
    TestCluster *test = test_cluster_read(yaml);

    assert_string_equal(pod_names(test), expected);
    test_cluster_free(test);
}

TEST(deployments_make_pods_of_a_replica_set) {
    TestCluster *test = test_cluster_read(DEPLOYMENT("web", "replicas: 2"));
    TestCluster *again = test_cluster_read(DEPLOYMENT("web", "replicas: 3"));
    const Pod *pod = test_pod(test, "web-1");
    const char *hash = test_label(test, &pod->labels, "pod-template-hash");
    const PodOwner *owner = &test->cluster.owners.items[0];

    assert_string_equal(pod_names(test), "web-0 web-1");
    assert_string_equal(test_text(test, pod->ns), "shop");
    assert_string_equal(test_label(test, &pod->labels, "app"), "web");
    assert_int_equal(strlen(hash), 10);
    assert_int_equal(strspn(hash, "bcdfghjklmnpqrstvwxz2456789"), 10);
    assert_string_equal(test_text(test, pod_controller(pod)->name),
                        arena_text(&test->arena, arena_printf(&test->arena, "web-%s", hash)));
    assert_true(pod_is_owned_by(pod, NAME_APPS_V1, test_symbol(test, "ReplicaSet")));
    assert_ptr_equal(pod->spec, test_pod(test, "web-0")->spec);
    assert_string_equal(test_resources(test, &pod->spec->requests), "{\"cpu\":\"1\",\"pods\":\"1\"}");
    assert_int_equal(test->cluster.owners.count, 1);
    assert_int_equal(owner->meta.name, pod_controller(pod)->name);
    assert_string_equal(test_text(test, owner->kind), "ReplicaSet");
    assert_string_equal(
        test_expressions(test, &owner->selector->expressions),
        arena_text(&test->arena, arena_printf(&test->arena, "app In [web]; pod-template-hash In [%s]", hash)));
    // The hash follows the template alone.
    assert_string_equal(test_label(again, &test_pod(again, "web-2")->labels, "pod-template-hash"), hash);
    test_cluster_free(test);
    test_cluster_free(again);
}

TEST(the_template_decides_the_hash) {
    TestCluster *test = test_cluster_read(DEPLOYMENT("web", "replicas: 1"));
    TestCluster *other = test_cluster_read("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n"
                                           "  template: {metadata: {labels: {app: web}}, spec: {containers: []}}\n");

    assert_string_not_equal(test_label(test, &test_pod(test, "web-0")->labels, "pod-template-hash"),
                            test_label(other, &test_pod(other, "web-0")->labels, "pod-template-hash"));
    test_cluster_free(test);
    test_cluster_free(other);
}

TEST(replicas_default_to_one) {
    assert_pods(DEPLOYMENT("web", "paused: false"), "web-0");
    assert_pods(DEPLOYMENT("web", "replicas: null"), "web-0");
    assert_pods(DEPLOYMENT("web", "replicas: 0"), "");
}

TEST(names_do_not_collide) {
    assert_pods(DEPLOYMENT("web", "replicas: 2") LIVE_POD("web-0", "{}", "", ""), "web-0 web-1 web-2");
    assert_pods(DEPLOYMENT("web", "replicas: 1") "---\napiVersion: apps/v1\nkind: StatefulSet\n"
                                                 "metadata: {name: web, namespace: shop}\nspec:\n" TEMPLATE,
                "web-0 web-1");
}

// As `kubectl get all -o yaml` gives it: the Deployment, its ReplicaSets and their pods.
TEST(live_pods_are_not_made_again) {
    static const char yaml[] =
        "apiVersion: apps/v1\nkind: Deployment\n"
        "metadata: {name: web, namespace: shop, annotations: {deployment.kubernetes.io/revision: '2'}}\n"
        "spec:\n  replicas: 5\n  selector: {matchLabels: {app: web}}\n" TEMPLATE //
        "---\napiVersion: apps/v1\nkind: ReplicaSet\n"
        "metadata: {name: web-old, namespace: shop, labels: {pod-template-hash: old},\n"
        "  creationTimestamp: '2026-11-21T07:00:00Z', annotations: {deployment.kubernetes.io/revision: '1'},\n"
        "  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, controller: true}]}\n"
        "spec:\n  replicas: 1\n" TEMPLATE //
        "---\napiVersion: apps/v1\nkind: ReplicaSet\n"
        "metadata: {name: web-new, namespace: shop, labels: {pod-template-hash: new},\n"
        "  creationTimestamp: '2026-11-21T06:00:00Z', annotations: {deployment.kubernetes.io/revision: '2'},\n"
        "  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, controller: true}]}\n"
        "spec:\n  replicas: 5\n" TEMPLATE //
            LIVE_POD("web-old-a", "{}", "{kind: ReplicaSet, name: web-old, controller: true}", "")
                LIVE_POD("web-new-a", "{}", "{kind: ReplicaSet, name: web-new, controller: true}", "")
                    LIVE_POD("web-new-b", "{}", "{kind: ReplicaSet, name: web-new, controller: true}",
                             "status: {phase: Failed}\n")
                        LIVE_POD("web-other", "{}", "{kind: ReplicaSet, name: other, controller: true}", "");
    TestCluster *test = test_cluster_read(yaml);

    assert_string_equal(pod_names(test), "web-old-a web-new-a web-new-b web-other web-0 web-1 web-2");
    assert_string_equal(test_text(test, pod_controller(test_pod(test, "web-0"))->name), "web-new");
    assert_string_equal(test_label(test, &test_pod(test, "web-0")->labels, "pod-template-hash"), "new");
    assert_int_equal(test->cluster.owners.count, 2);
    assert_string_equal(test_warnings(test), "");
    test_cluster_free(test);
}

// `kubectl get deployments,pods -o yaml`: the ReplicaSet's name is all there is.
TEST(live_pods_count_without_their_replica_set) {
    TestCluster *test = test_cluster_read(
        DEPLOYMENT("web", "replicas: 2")
            LIVE_POD("web-5d-x", "{pod-template-hash: 5d}", "{kind: ReplicaSet, name: web-5d, controller: true}", "")
                LIVE_POD("web-6d-x", "{}", "{kind: ReplicaSet, name: web-6d, controller: true}", ""));

    assert_string_equal(pod_names(test), "web-5d-x web-6d-x web-0");
    assert_string_equal(test_text(test, pod_controller(test_pod(test, "web-0"))->name), "web-5d");
    test_cluster_free(test);
}

TEST(terminating_pods_are_replaced_except_in_stateful_sets) {
#define GOING(kind, name)                                                                                              \
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web-0, namespace: shop, deletionTimestamp: "                     \
    "'2026-11-21T07:00:00Z',\n  ownerReferences: [{kind: " kind ", name: " name ", controller: true}]}\n"              \
    "spec: {containers: []}\n"
#define SET(kind)                                                                                                      \
    "apiVersion: apps/v1\nkind: " kind "\nmetadata: {name: web, namespace: shop}\nspec:\n  replicas: 1\n" TEMPLATE
    assert_pods(SET("ReplicaSet") GOING("ReplicaSet", "web"), "web-0 web-1");
    assert_pods(SET("StatefulSet") GOING("StatefulSet", "web"), "web-0");
}

TEST(replica_sets_and_controllers_make_pods_of_their_own) {
    TestCluster *test = test_cluster_read("apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: rs}\nspec:\n"
                                          "  replicas: 1\n  selector: {matchLabels: {app: web}}\n" TEMPLATE
                                          "---\napiVersion: v1\nkind: ReplicationController\nmetadata: {name: rc}\n"
                                          "spec:\n  selector: {app: web}\n" TEMPLATE);

    assert_string_equal(pod_names(test), "rs-0 rc-0");
    assert_true(pod_is_owned_by(test_pod(test, "rc-0"), NAME_V1, test_symbol(test, "ReplicationController")));
    assert_string_equal(test_label(test, &test_pod(test, "rs-0")->labels, "pod-template-hash"), "(none)");
    assert_int_equal(test->cluster.owners.count, 2);
    assert_string_equal(test_expressions(test, &test->cluster.owners.items[1].selector->expressions), "app In [web]");
    test_cluster_free(test);
}

TEST(stateful_sets_make_claims) {
    TestCluster *test = test_cluster_read(
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db, namespace: shop}\nspec:\n"
        "  replicas: 2\n  ordinals: {start: 5}\n" TEMPLATE "  volumeClaimTemplates:\n"
        "  - {metadata: {name: data, labels: {a: b}}, spec: {storageClassName: fast}}\n"
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data-db-5, namespace: shop}\n"
        "spec: {volumeName: pv-1}\nstatus: {phase: Bound}\n");
    const Pod *pod = test_pod(test, "db-6");
    const PersistentVolumeClaim *claim = &test->cluster.volume_claims.items[1];

    assert_string_equal(pod_names(test), "db-5 db-6");
    assert_int_equal(pod->spec->volumes.count, 1);
    assert_string_equal(test_text(test, pod->spec->volumes.items[0].claim_name), "data-db-6");
    assert_string_equal(test_text(test, test_pod(test, "db-5")->spec->volumes.items[0].claim_name), "data-db-5");
    assert_string_equal(test_label(test, &pod->labels, "statefulset.kubernetes.io/pod-name"), "db-6");
    assert_string_equal(test_label(test, &pod->labels, "apps.kubernetes.io/pod-index"), "6");
    assert_int_equal(test->cluster.volume_claims.count, 2);
    assert_string_equal(test_text(test, claim->meta.name), "data-db-6");
    assert_string_equal(test_text(test, claim->meta.ns), "shop");
    assert_string_equal(test_text(test, claim->storage_class), "fast");
    assert_string_equal(test_text(test, claim->phase), "Pending");
    assert_string_equal(test_label(test, &claim->meta.labels, "a"), "b");
    test_cluster_free(test);
}

#define JOB(spec) "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: shop}\nspec:\n" spec TEMPLATE
#define JOB_POD(name, phase)                                                                                           \
    LIVE_POD(name, "{}", "{kind: Job, name: j, controller: true}", "status: {phase: " phase "}\n")

TEST(jobs_run_as_many_pods_as_they_may) {
    assert_pods(JOB(""), "j-0");
    assert_pods(JOB("  parallelism: 3\n"), "j-0 j-1 j-2");
    assert_pods(JOB("  parallelism: 3\n  completions: 2\n"), "j-0 j-1");
    assert_pods(JOB("  completions: 5\n"), "j-0");
    assert_pods(JOB("  parallelism: 0\n"), "");
    assert_pods(JOB("  suspend: true\n"), "");
    assert_pods(JOB("  parallelism: 3\n") "status: {conditions: [{type: Complete, status: 'True'}]}\n", "");
    assert_pods(JOB("  parallelism: 2\n  completions: 4\n") JOB_POD("x", "Running") JOB_POD("z", "Succeeded"),
                "x z j-0");
    assert_pods(JOB("  parallelism: 3\n  completions: 2\n") JOB_POD("x", "Failed") JOB_POD("z", "Succeeded"),
                "x z j-0");
}

TEST(job_pods_carry_the_jobs_name) {
    TestCluster *test = test_cluster_read(JOB(""));
    const Pod *pod = test_pod(test, "j-0");

    assert_true(pod_is_owned_by(pod, test_symbol(test, "batch/v1"), test_symbol(test, "Job")));
    assert_string_equal(test_label(test, &pod->labels, "job-name"), "j");
    assert_string_equal(test_label(test, &pod->labels, "batch.kubernetes.io/job-name"), "j");
    test_cluster_free(test);
}

TEST(daemon_sets_tolerate_what_their_controller_adds) {
    TestCluster *test = test_cluster_read(
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: plain}\nspec:\n" TEMPLATE
        "---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: net}\nspec:\n  template:\n    spec:\n"
        "      hostNetwork: true\n      containers: []\n      tolerations: [{operator: Exists, effect: NoSchedule}]\n");
    const DaemonSet *plain = &test->cluster.daemon_sets.items[0], *net = &test->cluster.daemon_sets.items[1];
    Taint network = {.key = test_symbol(test, "node.kubernetes.io/network-unavailable"), .effect = EFFECT_NO_SCHEDULE};
    Taint cordon = {.key = NAME_UNSCHEDULABLE, .effect = EFFECT_NO_SCHEDULE};
    Taint down = {.key = NAME_UNREACHABLE, .effect = EFFECT_NO_EXECUTE};

    assert_int_equal(test->cluster.pods.count, 0);
    assert_int_equal(plain->pod_spec->tolerations.count, 6);
    assert_int_equal(net->pod_spec->tolerations.count, 8);
    assert_true(taint_is_tolerated(&test->cluster.symbols, &cordon, &plain->pod_spec->tolerations));
    assert_true(taint_is_tolerated(&test->cluster.symbols, &down, &plain->pod_spec->tolerations));
    assert_false(taint_is_tolerated(&test->cluster.symbols, &network, &plain->pod_spec->tolerations));
    assert_true(taint_is_tolerated(&test->cluster.symbols, &network, &net->pod_spec->tolerations));
    assert_string_equal(test_label(test, &plain->pod_labels, "app"), "web");
    assert_string_equal(test_resources(test, &plain->pod_spec->requests), "{\"cpu\":\"1\",\"pods\":\"1\"}");
    test_cluster_free(test);
}

TEST(revisions_spread_by_their_hash) {
    TestCluster *test = test_cluster_read(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n"
        "      containers: []\n      topologySpreadConstraints:\n"
        "      - {topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, labelSelector: {},\n"
        "         matchLabelKeys: [pod-template-hash]}\n");
    const Pod *pod = test_pod(test, "web-0");
    const Expression *expression = &pod->spec->spreads.items[0].selector->expressions.items[0];

    assert_int_equal(expression->key, NAME_POD_TEMPLATE_HASH);
    assert_int_equal(expression->values.items[0], labels_get(&pod->labels, NAME_POD_TEMPLATE_HASH));
    test_cluster_free(test);
}

TEST(impossible_counts_are_errors) {
    assert_string_equal(test_read_error(DEPLOYMENT("web", "replicas: -1")),
                        "spec.replicas: expected 0 to 1000000, got -1 (test.yaml:5, Deployment shop/web)");
    assert_string_equal(test_read_error(DEPLOYMENT("web", "replicas: 1000001")),
                        "spec.replicas: expected 0 to 1000000, got 1000001 (test.yaml:5, Deployment shop/web)");
    assert_string_equal(test_read_error(DEPLOYMENT("web", "replicas: '2'")),
                        "spec.replicas: expected number, got string (test.yaml:5, Deployment shop/web)");
    assert_string_equal(test_read_error(JOB("  parallelism: 1000001\n")),
                        "spec.parallelism: expected 0 to 1000000, got 1000001 (test.yaml:5, Job shop/j)");
    assert_string_equal(test_read_error("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {}\n"),
                        "spec.template: required (test.yaml:4, Deployment default/a)");
    assert_string_equal(
        test_read_error("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {}}\n"),
        "spec.template.spec: required (test.yaml:4, Deployment default/a)");
    assert_string_equal(
        test_read_error("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"
                        "spec:\n  template:\n    spec: {containers: [5]}\n"),
        "spec.template.spec.containers[0]: expected map, got number (test.yaml:6, Deployment default/a)");
}
