// Explanations of unplaced pods: Karpenter's texts, verbatim (reference scheduling.md 5.5, 5.6 and 5.9), and tenon's
// nearest misses.
#include "harness/test.h"
#include "sched/support/world_plan.h"

#include <stdio.h>

#define WEB "app: web"

// The end of every text about instance types of pool "default": requirements with `more` among them, and resources.
#define ASKED(more, resources)                                                                                         \
    ", requirements=karpenter.kwok.sh/kwoknodeclass In [default], karpenter.sh/initialized In [true], "                \
    "karpenter.sh/nodepool In [default], karpenter.sh/registered In [true]" more ", resources=" resources
#define ONE_CPU "{\"cpu\":\"1\",\"pods\":\"1\"}"

static void plain_pool(World *w) {
    world_pool(w, .name = "default");
}

// --- pools

TEST_F(World, w, text_no_dynamic_nodepools) {
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_message(w, "web", "no dynamic nodepools found");
}

TEST_F(World, w, text_all_types_filtered_out) {
    world_pool(w, .name = "default", .requirements = IN(INSTANCE_TYPE, "unknown"));
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_message(w, "web", "nodepool requirements filtered out all available instance types");
    assert_reason(w, "web", 0, CHECK_POOL,
                  "no instance type meets the requirements of nodepool default: none is left by "
                  "node.kubernetes.io/instance-type In [unknown]");
}

TEST_F(World, w, text_all_types_filtered_out_by_min_values) {
    world_pool(w, .name = "default", .requirements = "{key: kubernetes.io/arch, operator: Exists, minValues: 3}");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_message(w, "web", "nodepool requirements filtered out all available instance types");
    assert_reason(w, "web", 0, CHECK_POOL, "lower minValues of nodepool default");
}

TEST_F(World, w, text_several_pools_are_joined_in_the_order_of_trying) {
    world_pool(w, .name = "default", .template = "taints: [{key: team, effect: NoSchedule}]");
    world_pool(w, .name = "first", .requirements = IN(ZONE, "a"), .spec = "weight: 10");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(ZONE ": b"));

    world_plan(w);

    assert_message(w, "web",
                   "incompatible requirements, key topology.kubernetes.io/zone, topology.kubernetes.io/zone In [b] not "
                   "in topology.kubernetes.io/zone In [a]; did not tolerate taint (taint=team:NoSchedule)");
    assert_reason(w, "web", 0, CHECK_REQUIREMENTS,
                  "the pod wants topology.kubernetes.io/zone In [b], nodepool first gives topology.kubernetes.io/zone "
                  "In [a]");
    assert_reason(w, "web", 1, CHECK_TAINTS, "add toleration team:NoSchedule to the pod");
}

// --- limits

TEST_F(World, w, text_node_limits_exhausted) {
    world_pool(w, .name = "default", .spec = "limits: {nodes: 0}");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_message(w, "web", "node limits have been exhausted for nodepool (NodePool=default)");
    assert_reason(w, "web", 0, CHECK_LIMIT_NODES, "raise limit nodes of nodepool default by 1");
}

TEST_F(World, w, text_all_types_exceed_limits) {
    world_pool(w, .name = "default", .spec = "limits: {cpu: 1}");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_message(w, "web", "all available instance types exceed limits for nodepool (NodePool=default)");
    assert_reason(w, "web", 0, CHECK_LIMITS, "raise limit cpu of nodepool default by 1");
}

// Some types are within the limit, but none of those is large enough: Karpenter reports that no type has the resources.
TEST_F(World, w, text_limits_leave_types_that_are_too_small) {
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"), .spec = "limits: {cpu: 5}");
    world_pods(w, .name = "web", .requests = "cpu: 6");

    world_plan(w);

    assert_message(w, "web",
                   "no instance type has enough resources, requirements=karpenter.kwok.sh/kwoknodeclass In [default], "
                   "karpenter.sh/initialized In [true], karpenter.sh/nodepool In [default], karpenter.sh/registered In "
                   "[true], kubernetes.io/arch In [amd64], resources={\"cpu\":\"6\",\"pods\":\"1\"}");
    assert_reason(w, "web", 0, CHECK_LIMITS, "raise limit cpu of nodepool default by 3");
}

// With an additional topology rule the limit is still the reason.
TEST_F(World, w, text_limits_with_a_rule_that_does_not_matter) {
    world_pool(w, .name = "default", .requirements = IN(ARCH, "amd64"), .spec = "limits: {cpu: 5}");
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 6", .spec = SPREAD(SKEW(ZONE, 1, WEB, "")));

    world_plan(w);

    assert_reason(w, "web", 0, CHECK_LIMITS, "raise limit cpu of nodepool default by 3");
}

TEST_F(World, w, text_limits_in_bytes) {
    world_pool(w, .name = "default", .spec = "limits: {memory: 3Gi}");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_reason(w, "web", 0, CHECK_LIMITS, "raise limit memory of nodepool default by 1Gi");
}

// --- taints

TEST_F(World, w, text_taints) {
    world_pool(w, .name = "default",
               .template = "taints: [{key: team, value: red, effect: NoSchedule}, {key: gpu, effect: NoExecute}]");
    world_pods(w, .name = "web", .requests = "cpu: 1");

    world_plan(w);

    assert_message(w, "web",
                   "did not tolerate taint (taint=team=red:NoSchedule); did not tolerate taint (taint=gpu:NoExecute)");
    assert_reason(w, "web", 0, CHECK_TAINTS, "add toleration team=red:NoSchedule, gpu:NoExecute to the pod");
}

TEST_F(World, w, text_taints_that_are_tolerated_are_not_named) {
    world_pool(w, .name = "default",
               .template = "taints: [{key: team, value: red, effect: NoSchedule}, {key: gpu, effect: NoExecute}]");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = TOLERATE("{key: gpu, operator: Exists}"));

    world_plan(w);

    assert_message(w, "web", "did not tolerate taint (taint=team=red:NoSchedule)");
}

// --- requirements

TEST_F(World, w, text_label_does_not_have_known_values) {
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT("team: red"));

    world_plan(w);

    assert_message(w, "web", "incompatible requirements, label \"team\" does not have known values");
    assert_reason(w, "web", 0, CHECK_REQUIREMENTS, "add requirement team In [red] to nodepool default");
}

TEST_F(World, w, text_label_with_a_typo_ends_like_a_known_one) {
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT("io.kubernetes.topology/zone: a"));

    world_plan(w);

    assert_message(w, "web",
                   "incompatible requirements, label \"io.kubernetes.topology/zone\" does not have known values (typo "
                   "of \"topology.kubernetes.io/zone\"?)");
}

TEST_F(World, w, text_label_with_a_typo_is_part_of_a_known_one) {
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT("zone: a"));

    world_plan(w);

    assert_message(w, "web",
                   "incompatible requirements, label \"zone\" does not have known values (typo of "
                   "\"topology.kubernetes.io/zone\"?)");
}

TEST_F(World, w, text_label_with_a_typo_of_the_pools_own) {
    world_pool(w, .name = "default", .requirements = IN("example.com/team-name", "red"));
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT("team-name: red"));

    world_plan(w);

    assert_message(w, "web",
                   "incompatible requirements, label \"team-name\" does not have known values (typo of "
                   "\"example.com/team-name\"?)");
}

TEST_F(World, w, text_requirements_of_one_key) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(ZONE ": c"));

    world_plan(w);

    assert_message(w, "web",
                   "incompatible requirements, key topology.kubernetes.io/zone, topology.kubernetes.io/zone In [c] not "
                   "in topology.kubernetes.io/zone In [a b]");
    assert_reason(w, "web", 0, CHECK_REQUIREMENTS,
                  "the pod wants topology.kubernetes.io/zone In [c], nodepool default gives "
                  "topology.kubernetes.io/zone In [a b]");
}

TEST_F(World, w, text_requirements_of_several_keys) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a") ", " IN(ARCH, "amd64"));
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(ZONE ": c, " ARCH ": arm64"));

    world_plan(w);

    assert_message(w, "web",
                   "incompatible requirements, key kubernetes.io/arch, kubernetes.io/arch In [arm64] not in "
                   "kubernetes.io/arch In [amd64]; key topology.kubernetes.io/zone, topology.kubernetes.io/zone In [c] "
                   "not in topology.kubernetes.io/zone In [a]");
}

TEST_F(World, w, text_requirements_with_more_than_five_values) {
    world_pool(w, .name = "default", .requirements = IN("load_table", "r1, r2, r3, r4, r5, r6, r7"));
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT("load_table: x"));

    world_plan(w);

    assert_message(w, "web",
                   "incompatible requirements, key load_table, load_table In [x] not in load_table In [r1 r2 r3 r4 r5 "
                   "and 2 others]");
}

// The text is that of the last variant, without preferences.
TEST_F(World, w, text_requirements_are_those_that_are_left_after_relaxation) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a"));
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec =
                   AFFINITY(NODE_BOTH(TERM(IN(ZONE, "b")) ", " TERM(IN(ZONE, "c")), PREFER_TERM(1, IN(ARCH, "x")))));

    world_plan(w);

    assert_message(w, "web",
                   "incompatible requirements, key topology.kubernetes.io/zone, topology.kubernetes.io/zone In [c] not "
                   "in topology.kubernetes.io/zone In [a]");
}

TEST_F(World, w, text_volume_requirements) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a"));
    world_object(w, "apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, annotations: "
                    "{pv.kubernetes.io/bind-completed: \"yes\"}}, spec: {volumeName: data}, status: {phase: Bound}");
    world_object(w, "apiVersion: v1, kind: PersistentVolume, metadata: {name: data}, spec: {csi: {driver: "
                    "ebs.csi.aws.com, volumeHandle: v}, nodeAffinity: {required: {nodeSelectorTerms: "
                    "[{matchExpressions: [" IN(ZONE, "b") "]}]}}}");
    world_pods(w, .name = "db", .requests = "cpu: 1", .spec = CLAIMS("data"));

    world_plan(w);

    assert_message(w, "db",
                   "incompatible volume requirements, key topology.kubernetes.io/zone, topology.kubernetes.io/zone In "
                   "[b] not in topology.kubernetes.io/zone In [a]");
    assert_reason(w, "db", 0, CHECK_VOLUMES,
                  "the pod wants topology.kubernetes.io/zone In [b], nodepool default gives "
                  "topology.kubernetes.io/zone In [a]");
}

TEST_F(World, w, text_volume_limits_of_all_types) {
    world_type(w, .name = "one", .capacity = "cpu: 8, memory: 8Gi, pods: 10", .price = 0.1,
               .volume_limits = "ebs.csi.aws.com: 1");
    plain_pool(w);
    world_object(w, "apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: "
                    "ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer");
    world_object(w, "apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}, spec: {storageClassName: fast}");
    world_object(w, "apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: b}, spec: {storageClassName: fast}");
    world_pods(w, .name = "db", .requests = "cpu: 1",
               .spec = "volumes: [" CLAIM_VOLUME("a") ", " CLAIM_VOLUME("b") "]");

    world_plan(w);

    assert_message(w, "db",
                   "would exceed volume limit for all instance type options (provisioner=ebs.csi.aws.com, "
                   "volume-count=2, volume-limit=1)");
    assert_reason(w, "db", 0, CHECK_VOLUME_LIMITS,
                  "the pod has 2 volumes of ebs.csi.aws.com, no type of nodepool default attaches more than 1");
}

// Volume claims that several pods share count too, once each.
TEST_F(World, w, text_volume_limits_with_shared_claims) {
    world_type(w, .name = "one", .capacity = "cpu: 8, memory: 8Gi, pods: 10", .price = 0.1,
               .volume_limits = "ebs.csi.aws.com: 1");
    plain_pool(w);
    world_object(w, "apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: "
                    "ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer");
    world_object(w, "apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}, spec: {storageClassName: fast}");
    world_object(w, "apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: b}, spec: {storageClassName: fast}");
    world_pods(w, .name = "db", .count = 2, .requests = "cpu: 1",
               .spec = "volumes: [" CLAIM_VOLUME("a") ", " CLAIM_VOLUME("b") "]");

    world_plan(w);

    assert_message(w, "db-1",
                   "would exceed volume limit for all instance type options (provisioner=ebs.csi.aws.com, "
                   "volume-count=2, volume-limit=1)");
}

// --- instance types: reqs, fit and offering

TEST_F(World, w, text_types_nothing_met) {
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(ZONE ": unknown"));

    world_plan(w);

    // No type is in the zone, so none has an offering there, and only a type with an offering can have room.
    assert_message(w, "web",
                   "no instance type met the scheduling requirements or had enough resources or had a required "
                   "offering" ASKED(", topology.kubernetes.io/zone In [unknown]", ONE_CPU));
    assert_reason(w, "web", 0, CHECK_TYPES,
                  "no instance type has the labels that the pod and nodepool default ask for: none is left by "
                  "topology.kubernetes.io/zone In [unknown]");
}

TEST_F(World, w, text_types_no_requirements_and_no_fit) {
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 100", .spec = SELECT(ARCH ": riscv64"));

    world_plan(w);

    assert_message(w, "web",
                   "no instance type met the scheduling requirements or had enough resources" ASKED(
                       ", kubernetes.io/arch In [riscv64]", "{\"cpu\":\"100\",\"pods\":\"1\"}"));
}

TEST_F(World, w, text_types_no_requirements) {
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(ARCH ": riscv64"));

    world_plan(w);

    assert_message(w, "web",
                   "no instance type met all requirements" ASKED(", kubernetes.io/arch In [riscv64]", ONE_CPU));
    assert_reason(w, "web", 0, CHECK_TYPES,
                  "no instance type has the labels that the pod and nodepool default ask for: none is left by "
                  "kubernetes.io/arch In [riscv64]");
}

TEST_F(World, w, text_types_no_fit) {
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 17");

    world_plan(w);

    assert_message(w, "web", "no instance type has enough resources" ASKED("", "{\"cpu\":\"17\",\"pods\":\"1\"}"));
    assert_reason(w, "web", 0, CHECK_TYPES, "the pod wants 17 cpu, the largest type has 16 free after daemons");
}

TEST_F(World, w, text_types_no_fit_with_a_million_cpus) {
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 1M");

    world_plan(w);

    assert_message(w, "web",
                   "no instance type has enough resources" ASKED(
                       "", "{\"cpu\":\"1M\",\"pods\":\"1\"}") " (CPU request >= 1 Million, m vs M typo?)");
}

TEST_F(World, w, text_types_no_fit_just_below_a_million_cpus) {
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 999999");

    world_plan(w);

    assert_message(w, "web", "no instance type has enough resources" ASKED("", "{\"cpu\":\"999999\",\"pods\":\"1\"}"));
}

TEST_F(World, w, text_types_no_fit_of_an_extended_resource) {
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 1, vendor.com/gpu: 1");

    world_plan(w);

    assert_message(
        w, "web",
        "no instance type has enough resources" ASKED("", "{\"cpu\":\"1\",\"pods\":\"1\",\"vendor.com/gpu\":\"1\"}"));
    assert_reason(w, "web", 0, CHECK_TYPES,
                  "the pod wants 1 vendor.com/gpu, the largest type has 0 free after daemons");
}

TEST_F(World, w, text_types_no_fit_of_all_at_once) {
    world_type(w, .name = "cpu", .capacity = "cpu: 16, memory: 4Gi, pods: 10", .price = 0.1);
    world_type(w, .name = "memory", .capacity = "cpu: 2, memory: 64Gi, pods: 10", .price = 0.1);
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 8, memory: 16Gi");

    world_plan(w);

    assert_message(
        w, "web",
        "no instance type has enough resources" ASKED("", "{\"cpu\":\"8\",\"memory\":\"16Gi\",\"pods\":\"1\"}"));
    assert_reason(w, "web", 0, CHECK_TYPES,
                  "no single type has all that the pod wants: lower its requests or widen nodepool default");
}

// Every type matches the labels, and none has an offering with that zone and capacity type. A type without an offering
// does not count as fitting (scheduling.md 3.4), so Karpenter's text names both.
TEST_F(World, w, text_types_no_offering) {
    world_type(w, .name = "split", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .zones = "");
    world_offering(w, .type = "split", .zone = "a", .capacity_type = "spot", .price = 0.1);
    world_offering(w, .type = "split", .zone = "b", .capacity_type = "on-demand", .price = 0.2);
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(ZONE ": a, " CAPACITY_TYPE ": on-demand"));

    world_plan(w);

    assert_message(w, "web",
                   "no instance type had enough resources or had a required offering, "
                   "requirements=karpenter.kwok.sh/kwoknodeclass In [default], karpenter.sh/capacity-type In "
                   "[on-demand], karpenter.sh/initialized In [true], karpenter.sh/nodepool In [default], "
                   "karpenter.sh/registered In [true], topology.kubernetes.io/zone In [a], resources=" ONE_CPU);
    assert_reason(w, "web", 0, CHECK_TYPES,
                  "no offering of a fitting type is available in the zones and capacity types asked for");
}

TEST_F(World, w, text_types_pair_fit_and_offering) {
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 6", .spec = SELECT(INSTANCE_TYPE ": small"));

    world_plan(w);

    // The large type fits and has an offering but is not the required type; the small one is, but is too small.
    assert_message(w, "web",
                   "no instance type which had enough resources and the required offering met the scheduling "
                   "requirements, requirements=karpenter.kwok.sh/kwoknodeclass In [default], "
                   "karpenter.sh/initialized In [true], karpenter.sh/nodepool In [default], karpenter.sh/registered In "
                   "[true], node.kubernetes.io/instance-type In [small], resources={\"cpu\":\"6\",\"pods\":\"1\"}");
    assert_reason(w, "web", 0, CHECK_TYPES, "the pod wants 6 cpu, the largest type has 2 free after daemons");
}

TEST_F(World, w, text_types_with_daemons) {
    plain_pool(w);
    world_daemon(w, "agent", "cpu: 500m, memory: 1Gi", NULL);
    world_pods(w, .name = "web", .requests = "cpu: 16");

    world_plan(w);

    assert_message(
        w, "web",
        "no instance type has enough resources" ASKED("", "{\"cpu\":\"16500m\",\"memory\":\"1Gi\",\"pods\":\"2\"}"));
    assert_reason(w, "web", 0, CHECK_TYPES, "the pod wants 16 cpu, the largest type has 15500m free after daemons");
}

TEST_F(World, w, text_types_with_daemons_that_differ_between_types) {
    plain_pool(w);
    world_daemon(w, "agent", "cpu: 500m", NULL);
    world_daemon(w, "arm", "cpu: 500m", SELECT(ARCH ": arm64"));
    world_pods(w, .name = "web", .requests = "cpu: 16");

    world_plan(w);

    assert_message(w, "web",
                   "no instance type has enough resources" ASKED(
                       "", "min={\"cpu\":\"16500m\",\"pods\":\"2\"}, max={\"cpu\":\"17\",\"pods\":\"3\"}"));
}

// --- host ports

// Q8: Karpenter's text does not mention ports; the check and the nearest miss do.
TEST_F(World, w, text_host_ports) {
    plain_pool(w);
    world_object(w, "apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent}, spec: {selector: {matchLabels: {d: "
                    "a}}, template: {metadata: {labels: {d: a}}, spec: {containers: [{name: c, image: i, ports: "
                    "[{containerPort: 80, hostPort: 8080}]}]}}}");
    world_object(w, "apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: c, image: i, "
                    "resources: {requests: {cpu: 1}}, ports: [{containerPort: 80, hostPort: 8080}]}]}");

    world_plan(w);

    assert_message(w, "web",
                   "no instance type met the scheduling requirements or had enough resources or had a required "
                   "offering" ASKED("", "{\"cpu\":\"1\",\"pods\":\"2\"}"));
    assert_reason(w, "web", 0, CHECK_HOST_PORTS, "a daemon on every type of nodepool default uses the pod's host port");
}

// --- minValues

TEST_F(World, w, text_min_values) {
    world_pool(w, .name = "default", .requirements = MIN_VALUES(INSTANCE_TYPE, "small, medium", "2"));
    world_pods(w, .name = "web", .requests = "cpu: 3");

    world_plan(w);

    assert_message(w, "web",
                   "minValues requirement is not met for label(s) (label(s)=[node.kubernetes.io/instance-type]), "
                   "requirements=karpenter.kwok.sh/kwoknodeclass In [default], karpenter.sh/initialized In [true], "
                   "karpenter.sh/nodepool In [default], karpenter.sh/registered In [true], "
                   "node.kubernetes.io/instance-type In [medium small] minValues 2, "
                   "resources={\"cpu\":\"3\",\"pods\":\"1\"}");
    assert_reason(w, "web", 0, CHECK_MIN_VALUES, "lower minValues of nodepool default or widen what the pod allows");
}

// The text names the keys that fail, not the first key with minValues.
TEST_F(World, w, text_min_values_names_the_keys_that_fail) {
    world_pool(w, .name = "default",
               .requirements = "{key: karpenter.sh/capacity-type, operator: Exists, minValues: 2}, "
                               "{key: node.kubernetes.io/instance-type, operator: Exists, minValues: 3}, "
                               "{key: kubernetes.io/arch, operator: Exists, minValues: 2}");
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(ARCH ": arm64"));

    world_plan(w);

    assert_message(w, "web",
                   "minValues requirement is not met for label(s) (label(s)=[kubernetes.io/arch "
                   "node.kubernetes.io/instance-type]), requirements=karpenter.kwok.sh/kwoknodeclass In [default], "
                   "karpenter.sh/capacity-type Exists minValues 2, karpenter.sh/initialized In [true], "
                   "karpenter.sh/nodepool In [default], karpenter.sh/registered In [true], kubernetes.io/arch In "
                   "[arm64] minValues 2, node.kubernetes.io/instance-type Exists minValues 3, resources=" ONE_CPU);
}

// Karpenter reports minValues before anything else about types, and a pod that fits no type fails them too. The check
// and the nearest miss give the actual reason.
TEST_F(World, w, text_min_values_come_before_other_complaints_about_types) {
    world_pool(w, .name = "default",
               .requirements = "{key: node.kubernetes.io/instance-type, operator: Exists, "
                               "minValues: 2}");
    world_pods(w, .name = "web", .requests = "cpu: 17");

    world_plan(w);

    assert_message(w, "web",
                   "minValues requirement is not met for label(s) (label(s)=[node.kubernetes.io/instance-type])" ASKED(
                       ", node.kubernetes.io/instance-type Exists minValues 2", "{\"cpu\":\"17\",\"pods\":\"1\"}"));
    assert_reason(w, "web", 0, CHECK_TYPES, "the pod wants 17 cpu, the largest type has 16 free after daemons");
}

TEST_F(World, w, text_min_values_with_a_rule_that_does_not_matter) {
    world_pool(w, .name = "default", .requirements = MIN_VALUES(INSTANCE_TYPE, "small, medium", "2"));
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 3", .spec = SPREAD(SKEW(ZONE, 1, WEB, "")));

    world_plan(w);

    assert_reason(w, "web", 0, CHECK_MIN_VALUES, "lower minValues of nodepool default or widen what the pod allows");
}

// Under BestEffort minValues are never the reason.
TEST_F(World, w, text_min_values_are_not_named_under_best_effort) {
    world_pool(w, .name = "default",
               .requirements = "{key: node.kubernetes.io/instance-type, operator: Exists, "
                               "minValues: 2}");
    world_best_effort(w);
    world_pods(w, .name = "web", .requests = "cpu: 17");

    world_plan(w);

    assert_message(w, "web",
                   "no instance type has enough resources" ASKED(
                       ", node.kubernetes.io/instance-type Exists minValues 2", "{\"cpu\":\"17\",\"pods\":\"1\"}"));
}

// --- topology

TEST_F(World, w, text_topology_spread) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1",
               .spec = SPREAD(SKEW(ZONE, 1, WEB, ", minDomains: 3")));

    world_plan(w);

    assert_message(
        w, "web-2",
        "unsatisfiable topology constraint for topology spread, key=topology.kubernetes.io/zone (counts = a: "
        "1, b: 1, podDomains = topology.kubernetes.io/zone Exists, nodeDomains = "
        "topology.kubernetes.io/zone In [a b]");
    assert_reason(w, "web-2", 0, CHECK_TOPOLOGY,
                  "no topology.kubernetes.io/zone is left where the pod's topology spread holds");
}

TEST_F(World, w, text_topology_affinity) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_pods(w, .name = "web", .requests = "cpu: 1",
               .spec = SELECT(ZONE ": a") ", " AFFINITY(NEAR(PODS(ZONE, "app: db", ""))));

    world_plan(w);

    assert_message(
        w, "web",
        "unsatisfiable topology constraint for pod affinity, key=topology.kubernetes.io/zone (counts = a: 0, "
        "b: 0, podDomains = topology.kubernetes.io/zone In [a], nodeDomains = topology.kubernetes.io/zone In "
        "[a b]");
    assert_reason(w, "web", 0, CHECK_TOPOLOGY,
                  "no topology.kubernetes.io/zone is left where the pod's pod affinity holds");
}

TEST_F(World, w, text_topology_anti_affinity) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_pods(w, .name = "web", .count = 3, .labels = WEB, .requests = "cpu: 1",
               .spec = AFFINITY(APART(PODS(ZONE, WEB, ""))));

    world_plan(w);

    assert_message(w, "web-2",
                   "unsatisfiable topology constraint for pod anti-affinity, key=topology.kubernetes.io/zone (counts = "
                   "a: 1, b: 1, podDomains = topology.kubernetes.io/zone Exists, nodeDomains = "
                   "topology.kubernetes.io/zone In [a b]");
}

TEST_F(World, w, text_topology_anti_affinity_of_others) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a"));
    world_node(w, .name = "node-a", .labels = ZONE ": a");
    world_pods(w, .name = "shy", .node = "node-a", .spec = AFFINITY(APART(PODS(ZONE, WEB, ""))));
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1");

    world_plan(w);

    assert_message(
        w, "web",
        "unsatisfiable topology constraint for pod anti-affinity, key=topology.kubernetes.io/zone (counts = "
        "a: 1, podDomains = topology.kubernetes.io/zone Exists, nodeDomains = topology.kubernetes.io/zone In "
        "[a]");
}

TEST_F(World, w, text_topology_of_an_unknown_key) {
    plain_pool(w);
    world_pods(w, .name = "web", .labels = WEB, .requests = "cpu: 1", .spec = SPREAD(SKEW("load_table", 1, WEB, "")));

    world_plan(w);

    assert_message(
        w, "web",
        "unsatisfiable topology constraint for topology spread, key=load_table (counts = , podDomains = load_table "
        "Exists, nodeDomains = load_table Exists");
}

TEST_F(World, w, text_topology_counts_at_most_25_domains) {
    char expected[2048];
    int at = 0;
    world_pool(w, .name = "default",
               .requirements =
                   IN("load_table", "r01, r02, r03, r04, r05, r06, r07, r08, r09, r10, r11, r12, r13, r14, r15, "
                                    "r16, r17, r18, r19, r20, r21, r22, r23, r24, r25, r26, r27"));
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = AFFINITY(NEAR(PODS("load_table", "app: db", ""))));

    world_plan(w);

    at += snprintf(expected + at, sizeof expected - (size_t)at,
                   "unsatisfiable topology constraint for pod affinity, key=load_table (counts = ");
    for (int i = 1; i <= 25; i++)
        at += snprintf(expected + at, sizeof expected - (size_t)at, "%sr%02d: 0", i > 1 ? ", " : "", i);
    snprintf(expected + at, sizeof expected - (size_t)at,
             " and 2 other(s), podDomains = load_table Exists, nodeDomains = load_table In [r01 r02 r03 r04 r05 and 22 "
             "others]");
    assert_message(w, "web", expected);
}

// Each rule alone leaves a zone, both together leave none.
TEST_F(World, w, text_topology_of_rules_that_exclude_each_other) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a, b"));
    world_node(w, .name = "node-a", .labels = ZONE ": a", .allocatable = "cpu: 0, memory: 1Gi, pods: 9");
    world_pods(w, .name = "web", .labels = WEB, .node = "node-a");
    world_pods(w, .name = "db", .labels = "app: db", .node = "node-a");
    world_pods(w, .name = "torn", .requests = "cpu: 1",
               .spec = AFFINITY(NEAR(PODS(ZONE, WEB, "")) ", " APART(PODS(ZONE, "app: db", ""))));

    world_plan(w);

    assert_message(
        w, "torn",
        "unsatisfiable topology constraint for pod affinity, key=topology.kubernetes.io/zone (counts = a: 1, "
        "b: 0, podDomains = topology.kubernetes.io/zone Exists, nodeDomains = topology.kubernetes.io/zone In "
        "[a b]");
}

// Topology is checked before types.
TEST_F(World, w, text_topology_comes_before_types) {
    world_pool(w, .name = "default", .requirements = IN(ZONE, "a"));
    world_pods(w, .name = "web", .requests = "cpu: 17", .spec = AFFINITY(NEAR(PODS(ZONE, "app: db", ""))));

    world_plan(w);

    assert_message(
        w, "web",
        "unsatisfiable topology constraint for pod affinity, key=topology.kubernetes.io/zone (counts = a: 0, "
        "podDomains = topology.kubernetes.io/zone Exists, nodeDomains = topology.kubernetes.io/zone In [a]");
}

// --- reserved

static void add_reservation(World *w) {
    world_type(w, .name = "booked", .capacity = "cpu: 4, memory: 8Gi, pods: 10", .price = 0.5);
    world_offering(w, .type = "booked", .zone = "a", .capacity_type = "reserved", .price = 0, .reservation = "cr-1",
                   .count = 1);
    world_pool(w, .name = "default", .requirements = IN(CAPACITY_TYPE, "reserved"));
}

TEST_F(World, w, text_reserved_used_up) {
    add_reservation(w);
    world_pods(w, .name = "web", .count = 2, .requests = "cpu: 3");

    world_plan(w);

    assert_message(w, "web-1",
                   "all compatible reserved offerings are full and no on-demand or spot fallback is available");
    assert_reason(w, "web-1", 0, CHECK_RESERVED,
                  "all reservations of nodepool default are taken: allow on-demand or spot");
}

TEST_F(World, w, text_reserved_used_up_with_a_rule_that_does_not_matter) {
    add_reservation(w);
    world_pods(w, .name = "web", .count = 2, .labels = WEB, .requests = "cpu: 1",
               .spec = AFFINITY(APART(PODS(HOST, WEB, ""))));

    world_plan(w);

    assert_reason(w, "web-1", 0, CHECK_RESERVED,
                  "all reservations of nodepool default are taken: allow on-demand or spot");
}

// --- pods that are not planned at all

TEST_F(World, w, text_hostname_selector) {
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = SELECT(HOST ": node-1"));

    const Plan *plan = world_plan(w);

    assert_int_equal(plan->unplaced.count, 1);
    assert_int_equal(plan->unplaced.items[0].reasons.count, 0);
    assert_true(slice_starts_with(plan->unplaced.items[0].message,
                                  SLICE("ignoring pod, using label kubernetes.io/hostname is not allowed as it might "
                                        "interfere with the internal provisioning "
                                        "logic; specify a well known label: [")));
}

TEST_F(World, w, text_pod_that_keeps_away) {
    plain_pool(w);
    world_pods(w, .name = "web", .requests = "cpu: 1", .spec = AFFINITY(NODE(TERM(ABSENT("karpenter.sh/nodepool")))));

    world_plan(w);

    assert_message(
        w, "web",
        "ignoring pod, configured to not run on a Karpenter provisioned node (requirement=karpenter.sh/nodepool "
        "DoesNotExist)");
}

// Pods of one class share their reasons.
TEST_F(World, w, text_is_the_same_for_pods_that_are_alike) {
    plain_pool(w);
    world_pods(w, .name = "web", .count = 3, .requests = "cpu: 17");

    const Plan *plan = world_plan(w);

    assert_int_equal(plan->class_count, 1);
    assert_int_equal(plan->unplaced.count, 3);
    for (uint32_t i = 1; i < 3; i++) {
        assert_ptr_equal(plan->unplaced.items[i].message.ptr, plan->unplaced.items[0].message.ptr);
        assert_ptr_equal(plan->unplaced.items[i].reasons.items, plan->unplaced.items[0].reasons.items);
    }
}

TEST(check_has_a_word_for_each) {
    for (Check check = CHECK_NONE; check <= CHECK_TYPES; check++)
        assert_true(strlen(check_text(check)) > 2);
    assert_string_equal(check_text(CHECK_MIN_VALUES), "minValues");
}
