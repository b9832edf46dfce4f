// Nodes, volumes, claims, classes and CSI limits from manifests (reference scheduling.md 4.3).
#include "harness/test.h"
#include "model/support/read.h"

TEST(nodes_are_read) {
    TestCluster *test = test_cluster_read(
        "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {a: b}}\n"
        "spec: {providerID: 'aws:///a/i-1', unschedulable: true, taints: [{key: gpu, effect: NoSchedule}]}\n"
        "status: {capacity: {cpu: 4, pods: 110}, conditions: [{type: Ready, status: 'False', message: down}]}\n"
        "---\napiVersion: v1\nkind: Node\nmetadata: {name: n2}\n"
        "spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule, timeAdded: "
        "null}]}\n"
        "status: {capacity: {cpu: 4}, allocatable: {cpu: 3900m}}\n"
        "---\napiVersion: v1\nkind: Node\nmetadata: {name: n3}\n");
    const Node *n1 = &test->cluster.nodes.items[0], *n2 = &test->cluster.nodes.items[1];

    assert_string_equal(test_label(test, &n1->meta.labels, "a"), "b");
    assert_string_equal(test_text(test, n1->provider_id), "aws:///a/i-1");
    assert_int_equal(n1->taints.count, 2);
    assert_int_equal(n1->taints.items[1].key, NAME_UNSCHEDULABLE);
    assert_string_equal(test_resources(test, &n1->allocatable), "{\"cpu\":\"4\",\"pods\":\"110\"}");
    assert_string_equal(
        arena_text(&test->arena, condition_get(&n1->conditions, &test->cluster.symbols, SLICE("Ready"))->message),
        "down");
    assert_int_equal(n2->taints.count, 1);
    assert_string_equal(test_resources(test, &n2->allocatable), "{\"cpu\":\"3900m\"}");
    assert_int_equal(test->cluster.nodes.items[2].taints.count, 0);
    test_cluster_free(test);
}

TEST(volumes_name_their_driver) {
#define PV(name, spec) "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: " name "}\nspec: " spec "\n"
    TestCluster *test = test_cluster_read(
        PV("csi", "{csi: {driver: ebs.csi.aws.com}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: "
                  "[{key: zone, operator: In, values: [a]}]}, {matchExpressions: [{key: zone, operator: In, values: "
                  "[b]}]}]}}}") PV("old", "{awsElasticBlockStore: {volumeID: v}}") PV("nfs", "{nfs: {server: s}}")
            PV("disk", "{local: {path: /x}}") PV("path", "{hostPath: {path: /x}}")
                PV("gce", "{gcePersistentDisk: {}}"));
    const PersistentVolumeVec *volumes = &test->cluster.volumes;

    assert_string_equal(test_text(test, volumes->items[0].csi_driver), "ebs.csi.aws.com");
    assert_int_equal(volumes->items[0].node_terms.count, 2);
    assert_string_equal(test_expressions(test, &volumes->items[0].node_terms.items[1].expressions), "zone In [b]");
    assert_false(volumes->items[0].local);
    assert_string_equal(test_text(test, volumes->items[1].csi_driver), "ebs.csi.aws.com");
    assert_int_equal(volumes->items[2].csi_driver, NAME_EMPTY);
    assert_true(volumes->items[3].local);
    assert_true(volumes->items[4].local);
    assert_string_equal(test_text(test, volumes->items[5].csi_driver), "pd.csi.storage.gke.io");
    test_cluster_free(test);
}

#define STORAGE_CLASS(meta, rest) "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: " meta "\n" rest
#define DEFAULT                   "annotations: {storageclass.kubernetes.io/is-default-class: 'true'}"
#define CLAIM(name, spec)                                                                                              \
    "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " name "}\nspec: " spec "\n"

TEST(storage_classes_are_read) {
    TestCluster *test = test_cluster_read(
        STORAGE_CLASS("{name: a}", "provisioner: kubernetes.io/aws-ebs\n")
            STORAGE_CLASS("{name: b, " DEFAULT "}", "provisioner: ebs.csi.aws.com\n"
                                                    "volumeBindingMode: WaitForFirstConsumer\n"
                                                    "allowedTopologies: [{matchLabelExpressions: [{key: zone, "
                                                    "values: [x, z]}]}]\n"));
    const StorageClass *a = &test->cluster.storage_classes.items[0], *b = &test->cluster.storage_classes.items[1];

    assert_string_equal(test_text(test, a->driver), "ebs.csi.aws.com");
    assert_true(a->immediate);
    assert_false(a->is_default);
    assert_false(b->immediate);
    assert_true(b->is_default);
    assert_int_equal(b->allowed_topologies.count, 1);
    assert_string_equal(test_expressions(test, &b->allowed_topologies.items[0].expressions), "zone In [x z]");
    test_cluster_free(test);
}

TEST(claims_without_a_class_get_the_default) {
    TestCluster *test = test_cluster_read(
        STORAGE_CLASS("{name: old, creationTimestamp: '2026-01-01T00:00:00Z', " DEFAULT "}", "provisioner: p\n")
            STORAGE_CLASS("{name: new, creationTimestamp: '2026-01-02T00:00:00Z', " DEFAULT "}", "provisioner: p\n")
                STORAGE_CLASS("{name: other}", "provisioner: p\n") CLAIM("a", "{}") CLAIM("b", "{storageClassName: ''}")
                    CLAIM("c", "{storageClassName: other, volumeName: pv}") CLAIM("d", "{volumeName: pv}"));
    const PersistentVolumeClaimVec *claims = &test->cluster.volume_claims;

    assert_string_equal(test_text(test, claims->items[0].storage_class), "new");
    assert_true(claims->items[0].has_storage_class);
    assert_string_equal(test_text(test, claims->items[0].phase), "Pending");
    assert_true(claims->items[1].has_storage_class);
    assert_int_equal(claims->items[1].storage_class, NAME_EMPTY);
    assert_string_equal(test_text(test, claims->items[2].storage_class), "other");
    assert_string_equal(test_text(test, claims->items[2].volume_name), "pv");
    assert_false(claims->items[3].has_storage_class);
    test_cluster_free(test);
}

TEST(ephemeral_volumes_get_their_claims) {
    TestCluster *test = test_cluster_read(STORAGE_CLASS("{name: fast, " DEFAULT "}", "provisioner: p\n") CLAIM(
        "p-have", "{storageClassName: mine}") "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  "
                                              "containers: []\n  volumes:\n"
                                              "  - {name: tmp, ephemeral: {volumeClaimTemplate: {spec: {}}}}\n"
                                              "  - {name: none, ephemeral: {volumeClaimTemplate: {spec: "
                                              "{storageClassName: ''}}}}\n"
                                              "  - {name: have, ephemeral: {volumeClaimTemplate: {spec: "
                                              "{storageClassName: slow}}}}\n");
    const PersistentVolumeClaimVec *claims = &test->cluster.volume_claims;

    assert_int_equal(claims->count, 3);
    assert_string_equal(test_text(test, claims->items[0].storage_class), "mine");
    assert_string_equal(test_text(test, claims->items[1].meta.name), "p-tmp");
    assert_string_equal(test_text(test, claims->items[1].storage_class), "fast");
    assert_string_equal(test_text(test, claims->items[2].meta.name), "p-none");
    assert_int_equal(claims->items[2].storage_class, NAME_EMPTY);
    assert_true(claims->items[2].has_storage_class);
    test_cluster_free(test);
}

TEST(csi_limits_tell_absence_from_zero) {
    TestCluster *test = test_cluster_read("apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: n1}\n"
                                          "spec: {drivers: [{name: a, allocatable: {count: 25}}, {name: b}, {name: c, "
                                          "allocatable: {}}]}\n");
    const VolumeLimitVec *limits = &test->cluster.csi_nodes.items[0].drivers;

    assert_int_equal(limits->count, 3);
    assert_true(limits->items[0].has_count);
    assert_int_equal(limits->items[0].count, 25);
    assert_false(limits->items[1].has_count);
    assert_true(limits->items[2].has_count);
    assert_int_equal(limits->items[2].count, 0);
    test_cluster_free(test);
}

TEST(wrong_storage_is_named) {
    assert_string_equal(test_read_error(STORAGE_CLASS("{name: a}", "parameters: {}\n")),
                        "provisioner: required (test.yaml:2, StorageClass a)");
    assert_string_equal(test_read_error(STORAGE_CLASS("{name: a}", "provisioner: p\nvolumeBindingMode: Late\n")),
                        "volumeBindingMode: expected one of Immediate, WaitForFirstConsumer, got \"Late\" "
                        "(test.yaml:6, StorageClass a)");
    assert_string_equal(test_read_error("apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a}\n"
                                        "spec: {csi: {}}\n"),
                        "spec.csi.driver: required (test.yaml:4, PersistentVolume a)");
    assert_string_equal(test_read_error("apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"
                                        "spec: {taints: [{key: a}]}\n"),
                        "spec.taints[0].effect: required (test.yaml:4, Node a)");
}
