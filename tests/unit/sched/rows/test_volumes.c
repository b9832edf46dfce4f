// Volumes in plans. Row of reference scheduling.md 12: PVC. How volumes are resolved is tested in input/test_volumes.c,
// which pods are ignored in input/test_pending.c.
#include "harness/test.h"
#include "sched/support/world_plan.h"

#include <stdio.h>

#define OWN_ZONE(values)                                                                                               \
    "allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [" values "]}]}]"
#define ZONE_TERM(values) "{matchExpressions: [" IN(ZONE, values) "]}"

// A class that waits for the first consumer; `more` is empty or starts with a comma.
#define CLASS(w, name, more)                                                                                           \
    world_object((w), "apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: " name                      \
                      "}, provisioner: ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer" more)
#define UNBOUND(w, name, class)                                                                                        \
    world_object((w), "apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name                            \
                      "}, spec: {storageClassName: " class "}")
// A claim bound to a volume of the same name with the given source and node terms.
#define BOUND(w, name, source, terms)                                                                                  \
    world_object((w), "apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: " name                            \
                      ", annotations: {pv.kubernetes.io/bind-completed: \"yes\"}}, spec: {volumeName: " name           \
                      "}, status: {phase: Bound}");                                                                    \
    world_object((w), "apiVersion: v1, kind: PersistentVolume, metadata: {name: " name "}, spec: {" source             \
                      ", nodeAffinity: {required: {nodeSelectorTerms: [" terms "]}}}")
#define EBS "csi: {driver: ebs.csi.aws.com, volumeHandle: v}"

// --- zones

TEST_F(World, w, row_pvc_unbound_waits_for_the_consumer_in_the_classes_zones) {
    world_pool(w, .name = "default");
    CLASS(w, "fast", ", " OWN_ZONE("c"));
    UNBOUND(w, "data", "fast");
    world_pods(w, .name = "db", .requests = "cpu: 1", .spec = CLAIMS("data"));

    world_plan(w);

    assert_zones(w, "c=1");
}

TEST_F(World, w, row_pvc_unbound_without_topology_goes_anywhere) {
    world_pool(w, .name = "default");
    CLASS(w, "fast", "");
    UNBOUND(w, "data", "fast");
    world_pods(w, .name = "db", .requests = "cpu: 1", .spec = CLAIMS("data"));

    world_plan(w);

    assert_pending(w, "");
    assert_requirement(w, 0, ZONE, "");
}

TEST_F(World, w, row_pvc_bound_goes_to_the_zone_of_its_volume) {
    world_pool(w, .name = "default");
    BOUND(w, "data", EBS, ZONE_TERM("b"));
    world_pods(w, .name = "db", .requests = "cpu: 1", .spec = CLAIMS("data"));

    world_plan(w);

    assert_zones(w, "b=1");
}

TEST_F(World, w, row_pvc_old_and_driver_specific_zone_keys_count) {
    world_pool(w, .name = "default");
    BOUND(w, "data", EBS, "{matchExpressions: [" IN("topology.ebs.csi.aws.com/zone", "b") "]}");
    world_pods(w, .name = "db", .requests = "cpu: 1", .spec = CLAIMS("data"));

    world_plan(w);

    assert_zones(w, "b=1");
}

TEST_F(World, w, row_pvc_outside_the_pools_zones_stays_pending) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a"));
    BOUND(w, "data", EBS, ZONE_TERM("b"));
    world_pods(w, .name = "db", .requests = "cpu: 1", .spec = CLAIMS("data"));

    world_plan(w);

    assert_pending(w, "db");
}

TEST_F(World, w, row_pvc_zone_against_the_pods_selector_stays_pending) {
    world_pool(w, .name = "default");
    BOUND(w, "data", EBS, ZONE_TERM("b"));
    world_pods(w, .name = "db", .requests = "cpu: 1", .spec = CLAIMS("data") ", " SELECT(ZONE ": a"));

    world_plan(w);

    assert_pending(w, "db");
}

// A preferred zone is relaxed, the volume's zone is not.
TEST_F(World, w, row_pvc_zone_is_never_relaxed_away) {
    world_pool(w, .name = "default");
    BOUND(w, "data", EBS, ZONE_TERM("b"));
    world_pods(w, .name = "db", .requests = "cpu: 1",
               .spec = CLAIMS("data") ", " AFFINITY(PREFER_NODE(PREFER_TERM(1, IN(ZONE, "a")))));

    world_plan(w);

    assert_zones(w, "b=1");
}

TEST_F(World, w, row_pvc_terms_of_a_volume_are_alternatives) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "b, c"));
    BOUND(w, "data", EBS, ZONE_TERM("a") ", " ZONE_TERM("c"));
    world_pods(w, .name = "db", .requests = "cpu: 1", .spec = CLAIMS("data"));

    world_plan(w);

    assert_zones(w, "c=1");
}

TEST_F(World, w, row_pvc_terms_of_a_class_are_alternatives) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "b, c"));
    CLASS(w, "fast",
          ", allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [a]}]}, "
          "{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [b]}]}]");
    UNBOUND(w, "data", "fast");
    world_pods(w, .name = "db", .requests = "cpu: 1", .spec = CLAIMS("data"));

    world_plan(w);

    assert_zones(w, "b=1");
}

TEST_F(World, w, row_pvc_of_alternatives_the_cheapest_is_taken) {
    world_type(w, .name = "std", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "a",
               .capacity_types = "on-demand", .price = 0.4);
    world_offering(w, .type = "std", .zone = "c", .price = 0.2);
    world_pool(w, .name = "default");
    BOUND(w, "data", EBS, ZONE_TERM("a") ", " ZONE_TERM("c"));
    world_pods(w, .name = "db", .requests = "cpu: 1", .spec = CLAIMS("data"));

    world_plan(w);

    assert_choice(w, 0, "std c on-demand");
}

// {a or b} and {b or c}: only b serves both volumes.
TEST_F(World, w, row_pvc_disjoint_branches_are_pruned) {
    world_pool(w, .name = "default");
    BOUND(w, "one", EBS, ZONE_TERM("a") ", " ZONE_TERM("b"));
    BOUND(w, "two", EBS, ZONE_TERM("c") ", " ZONE_TERM("b"));
    world_pods(w, .name = "db", .requests = "cpu: 1",
               .spec = "volumes: [" CLAIM_VOLUME("one") ", " CLAIM_VOLUME("two") "]");

    world_plan(w);

    assert_zones(w, "b=1");
}

TEST_F(World, w, row_pvc_volumes_in_different_zones_stay_pending) {
    world_pool(w, .name = "default");
    BOUND(w, "one", EBS, ZONE_TERM("a"));
    BOUND(w, "two", EBS, ZONE_TERM("b"));
    world_pods(w, .name = "db", .requests = "cpu: 1",
               .spec = "volumes: [" CLAIM_VOLUME("one") ", " CLAIM_VOLUME("two") "]");

    world_plan(w);

    assert_pending(w, "db");
}

TEST_F(World, w, row_pvc_missing_pod_is_not_planned_without_it) {
    world_pool(w, .name = "default");
    world_pods(w, .name = "db", .requests = "cpu: 1", .spec = CLAIMS("missing"));

    world_plan(w);

    assert_pending(w, "db");
    assert_claims(w, 0);
}

TEST_F(World, w, row_pvc_chooses_an_existing_node_in_its_zone) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a");
    world_node(w, .name = "node-b", .labels = ZONE ": b");
    BOUND(w, "data", EBS, ZONE_TERM("b"));
    world_pods(w, .name = "db", .requests = "cpu: 1", .spec = CLAIMS("data"));

    world_plan(w);

    assert_pods_on(w, "node-b", "db");
}

// --- limits of attachments

#define CSI_NODE(w, node, driver, count)                                                                               \
    world_object((w), "apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: " node                           \
                      "}, spec: {drivers: [{name: " driver ", nodeID: x, allocatable: {count: " count "}}]}")

TEST_F(World, w, row_pvc_csi_limit_of_a_node_sends_the_pod_elsewhere) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a");
    CSI_NODE(w, "node-a", "ebs.csi.aws.com", "1");
    CLASS(w, "fast", "");
    UNBOUND(w, "one", "fast");
    UNBOUND(w, "two", "fast");
    world_pods(w, .name = "db-0", .requests = "cpu: 1", .spec = CLAIMS("one"));
    world_pods(w, .name = "db-1", .requests = "cpu: 1", .spec = CLAIMS("two"));

    world_plan(w);

    assert_pods_on(w, "node-a", "db-0");
    assert_pods_on(w, "default-1", "db-1");
}

TEST_F(World, w, row_pvc_csi_limit_counts_what_is_attached) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a");
    CSI_NODE(w, "node-a", "ebs.csi.aws.com", "2");
    CLASS(w, "fast", "");
    UNBOUND(w, "one", "fast");
    UNBOUND(w, "two", "fast");
    UNBOUND(w, "three", "fast");
    world_pods(w, .name = "there", .node = "node-a",
               .spec = "volumes: [" CLAIM_VOLUME("one") ", " CLAIM_VOLUME("two") "]");
    world_pods(w, .name = "db", .requests = "cpu: 1", .spec = CLAIMS("three"));

    world_plan(w);

    assert_pods_on(w, "default-1", "db");
}

TEST_F(World, w, row_pvc_same_claim_is_counted_once) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a");
    CSI_NODE(w, "node-a", "ebs.csi.aws.com", "1");
    CLASS(w, "fast", "");
    UNBOUND(w, "shared", "fast");
    world_pods(w, .name = "there", .node = "node-a", .spec = CLAIMS("shared"));
    world_pods(w, .name = "db", .count = 3, .requests = "cpu: 1", .spec = CLAIMS("shared"));

    world_plan(w);

    assert_pods_on(w, "node-a", "db-0 db-1 db-2");
}

TEST_F(World, w, row_pvc_same_claim_of_new_pods_is_counted_once) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a");
    CSI_NODE(w, "node-a", "ebs.csi.aws.com", "1");
    CLASS(w, "fast", "");
    UNBOUND(w, "shared", "fast");
    UNBOUND(w, "other", "fast");
    world_pods(w, .name = "db", .count = 3, .requests = "cpu: 1", .spec = CLAIMS("shared"));
    world_pods(w, .name = "other", .requests = "cpu: 500m", .spec = CLAIMS("other"));

    world_plan(w);

    assert_pods_on(w, "node-a", "db-0 db-1 db-2");
    assert_pods_on(w, "default-1", "other");
}

TEST_F(World, w, row_pvc_nfs_does_not_count) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a");
    CSI_NODE(w, "node-a", "ebs.csi.aws.com", "0");
    BOUND(w, "share", "nfs: {server: s, path: /p}", ZONE_TERM("a"));
    world_pods(w, .name = "db", .requests = "cpu: 1", .spec = CLAIMS("share"));

    world_plan(w);

    assert_pods_on(w, "node-a", "db");
}

TEST_F(World, w, row_pvc_other_drivers_have_their_own_limits) {
    world_pool(w, .name = "default");
    world_node(w, .name = "node-a", .labels = ZONE ": a");
    CSI_NODE(w, "node-a", "ebs.csi.aws.com", "0");
    BOUND(w, "share", "csi: {driver: efs.csi.aws.com, volumeHandle: v}", ZONE_TERM("a"));
    BOUND(w, "block", EBS, ZONE_TERM("a"));
    world_pods(w, .name = "file", .requests = "cpu: 1", .spec = CLAIMS("share"));
    world_pods(w, .name = "block", .requests = "cpu: 1", .spec = CLAIMS("block"));

    world_plan(w);

    assert_pods_on(w, "node-a", "file");
    assert_pods_on(w, "default-1", "block");
}

// changes.md 5.1: attachment limits of types apply to new claims too.
TEST_F(World, w, row_pvc_limits_of_types_hold_on_new_claims) {
    world_type(w, .name = "two", .capacity = "cpu: 8, memory: 8Gi, pods: 10", .price = 0.1,
               .volume_limits = "ebs.csi.aws.com: 2");
    world_pool(w, .name = "default");
    CLASS(w, "fast", "");
    UNBOUND(w, "a", "fast");
    UNBOUND(w, "b", "fast");
    UNBOUND(w, "c", "fast");
    world_pods(w, .name = "db-0", .requests = "cpu: 1", .spec = CLAIMS("a"));
    world_pods(w, .name = "db-1", .requests = "cpu: 1", .spec = CLAIMS("b"));
    world_pods(w, .name = "db-2", .requests = "cpu: 1", .spec = CLAIMS("c"));

    world_plan(w);

    assert_per_node(w, "", "2 1");
}

TEST_F(World, w, row_pvc_more_volumes_than_any_type_attaches_stays_pending) {
    world_type(w, .name = "one", .capacity = "cpu: 8, memory: 8Gi, pods: 10", .price = 0.1,
               .volume_limits = "ebs.csi.aws.com: 1");
    world_pool(w, .name = "default");
    CLASS(w, "fast", "");
    UNBOUND(w, "a", "fast");
    UNBOUND(w, "b", "fast");
    world_pods(w, .name = "db", .requests = "cpu: 1",
               .spec = "volumes: [" CLAIM_VOLUME("a") ", " CLAIM_VOLUME("b") "]");

    world_plan(w);

    assert_pending(w, "db");
}

TEST_F(World, w, row_pvc_more_volumes_take_a_type_that_attaches_them) {
    world_type(w, .name = "one", .capacity = "cpu: 8, memory: 8Gi, pods: 10", .price = 0.1,
               .volume_limits = "ebs.csi.aws.com: 1");
    world_type(w, .name = "many", .capacity = "cpu: 8, memory: 8Gi, pods: 10", .price = 0.2);
    world_pool(w, .name = "default");
    CLASS(w, "fast", "");
    UNBOUND(w, "a", "fast");
    UNBOUND(w, "b", "fast");
    world_pods(w, .name = "db", .requests = "cpu: 1",
               .spec = "volumes: [" CLAIM_VOLUME("a") ", " CLAIM_VOLUME("b") "]");

    world_plan(w);

    assert_types(w, 0, "many");
}

// The daemon has the port on every amd64 node, so what those cost in zone a is of no use.
TEST_F(World, w, the_zone_of_a_volume_is_that_of_the_cheapest_type_whose_ports_are_free) {
    world_type(w, .name = "x", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "a", .price = 0.1);
    world_type(w, .name = "arm", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .arch = "arm64", .zones = "b",
               .price = 0.2);
    world_offering(w, .type = "arm", .zone = "a", .price = 0.4);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "on-demand"));
    world_object(w, "apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent}, spec: {selector: {matchLabels: "
                    "{d: a}}, template: {metadata: {labels: {d: a}}, spec: {nodeSelector: {" ARCH ": amd64}, "
                    "containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 8080}]}]}}}");
    BOUND(w, "data", EBS, ZONE_TERM("a") ", " ZONE_TERM("b"));
    world_object(w,
                 "apiVersion: v1, kind: Pod, metadata: {name: db}, spec: {containers: [{name: c, image: i, resources: "
                 "{requests: {cpu: 1}}, ports: [{containerPort: 80, hostPort: 8080}]}], " CLAIMS("data") "}");

    world_plan(w);

    assert_choice(w, 0, "arm b on-demand");
}
