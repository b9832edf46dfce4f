// The audit: each of its rules on a history that breaks it, and on the nearest one that does not. No tenon takes part:
// the test does itself what a tenon would do, through the audit's tables.
#include "sim/audit/audit_time.h"
#include "sim/support/cloudlet.h"

#include "text/duration.h"

#include <stdio.h>

#define FINALIZERS "{metadata: {finalizers: [karpenter.sh/termination]}}"

typedef struct {
    Cloudlet *cloudlet;
    World *world;
    Audit *audit;
    Kube kube;
    const Symbols *symbols;
    const NodeClaim *claim; // the program's, of stage_launch
    CloudInstance instance;
} Stage;

// --- doing

static void stage_open(Stage *stage) {
    memset(stage, 0, sizeof *stage);
    stage->cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    stage->world = stage->cloudlet->world;
    stage->symbols = state_symbols(stage->cloudlet->state);
    stage->audit = audit_new(stage->world, stage->cloudlet->cloud);
    stage->kube = audit_kube(stage->audit, world_kube(stage->world));
    stage->cloudlet->table = audit_cloud(stage->audit, stage->cloudlet->table, &stage->symbols);
}

static void patch_claim(Stage *stage, KubePart part, const char *yaml) {
    cluster_patch(stage->world, KUBE_NODE_CLAIM, "", "general-0", part, yaml);
    world_settle(stage->world);
}

static void make_claim(Stage *stage, bool has_finalizer) {
    stage->claim = cloudlet_claim(stage->cloudlet, "", "100m");
    if (has_finalizer)
        patch_claim(stage, KUBE_OBJECT, FINALIZERS);
    world_settle(stage->world);
}

static void launch(Stage *stage, const NodeClaim *claim) {
    assert_int_equal(cloudlet_launch(stage->cloudlet, claim, &stage->instance, NULL), OK);
    world_settle(stage->world);
}

static const char *provider_id(const Stage *stage) {
    static char text[128];

    snprintf(text, sizeof text, "%.*s", SLICE_ARG(symbol_text(stage->symbols, stage->instance.provider_id)));
    return text;
}

static void terminate(Stage *stage) {
    assert_int_equal(cloud_terminate(stage->cloudlet->table, stage->instance.provider_id, NULL), OK);
}

// A NodeClaim with an instance that runs.
static void make_instance(Stage *stage) {
    char status[256];

    make_claim(stage, true);
    launch(stage, stage->claim);
    snprintf(status, sizeof status, "{status: {providerID: '%s', nodeName: node-1}}", provider_id(stage));
    patch_claim(stage, KUBE_STATUS, status);
    cluster_run(stage->world, SECONDS(20));
    assert_int_equal(cloudlet_instance(stage->cloudlet, 0)->state, SIM_INSTANCE_RUNNING);
}

// `labels` and `taints` in flow style: what is registered.
static void make_node(Stage *stage, const char *labels, const char *taints) {
    cluster_create(
        stage->world,
        "{apiVersion: v1, kind: Node, metadata: {name: node-1, finalizers: [karpenter.sh/termination], labels: "
        "{karpenter.sh/registered: 'true'%s}}, spec: {providerID: '%s', taints: [%s]}}",
        labels, provider_id(stage), taints);
    world_settle(stage->world);
}

static void make_pod(Stage *stage) {
    cluster_create(stage->world,
                   "{apiVersion: v1, kind: Pod, metadata: {name: pod-1, namespace: default}, spec: {nodeName: "
                   "node-1, terminationGracePeriodSeconds: 30, containers: [{name: c, image: i}]}}");
    world_settle(stage->world);
}

// An instance, its node, and a pod on it.
static void make_inhabited(Stage *stage) {
    make_instance(stage);
    make_node(stage, ", karpenter.sh/nodepool: general", "");
    make_pod(stage);
}

static void set_deadline(Stage *stage, int64_t from_now_ns) {
    Arena arena = {0};
    char patch[256];
    Slice time = time_print(&arena, world_now_ns(stage->world) + from_now_ns);

    snprintf(patch, sizeof patch, "{metadata: {annotations: {karpenter.sh/nodeclaim-termination-timestamp: '%.*s'}}}",
             SLICE_ARG(time));
    patch_claim(stage, KUBE_OBJECT, patch);
    arena_free(&arena);
}

static KubeDeletion deletion(const Stage *stage, int64_t grace_s) {
    const Pod *pod = state_pod(world_state(stage->world), cluster_find(stage->world, KUBE_POD, "default", "pod-1"));

    return (KubeDeletion){
        .uid = symbol_text(world_symbols(stage->world), pod->uid), .has_grace = true, .grace_s = grace_s};
}

static void remove_pod(Stage *stage, const KubeDeletion *how) {
    assert_int_equal(kube_remove(stage->kube, (KubeRef){KUBE_POD, SLICE("default"), SLICE("pod-1")}, how, NULL), OK);
}

static void evict_pod(Stage *stage, const KubeDeletion *how) {
    assert_int_equal(kube_evict(stage->kube, (KubeRef){KUBE_POD, SLICE("default"), SLICE("pod-1")}, how, NULL), OK);
}

// --- a wrong and a right history for each rule

static void finalizer_first_wrong(Stage *stage) {
    make_claim(stage, false);
    launch(stage, stage->claim);
}

static void finalizer_first_right(Stage *stage) {
    make_claim(stage, true);
    launch(stage, stage->claim);
}

static void one_instance_wrong(Stage *stage) {
    NodeClaim other;

    make_claim(stage, true);
    launch(stage, stage->claim);
    other = *stage->claim;
    other.meta.uid = cloudlet_symbol(stage->cloudlet, "another token");
    launch(stage, &other);
}

static void one_instance_right(Stage *stage) {
    make_claim(stage, true);
    launch(stage, stage->claim);
    launch(stage, stage->claim);
}

static void use_limit(Stage *stage, int cpu) {
    char status[128];

    cluster_patch(stage->world, KUBE_NODE_POOL, "", "general", KUBE_OBJECT, "{spec: {limits: {cpu: '4'}}}");
    cluster_run(stage->world, MINUTES(2));
    make_claim(stage, true);
    snprintf(status, sizeof status, "{status: {capacity: {cpu: '%d'}}}", cpu);
    patch_claim(stage, KUBE_STATUS, status);
}

static void limits_wrong(Stage *stage) {
    use_limit(stage, 5);
}

static void limits_right(Stage *stage) {
    use_limit(stage, 4);
}

static void one_node_wrong(Stage *stage) {
    make_instance(stage);
    cluster_create(stage->world, "{apiVersion: v1, kind: Node, metadata: {name: twin}, spec: {providerID: '%s'}}",
                   provider_id(stage));
    world_settle(stage->world);
    make_node(stage, ", karpenter.sh/nodepool: general", "");
}

static void one_node_right(Stage *stage) {
    make_instance(stage);
    make_node(stage, ", karpenter.sh/nodepool: general", "");
}

static void tainted_claim(Stage *stage) {
    make_instance(stage);
    patch_claim(stage, KUBE_OBJECT, "{metadata: {labels: {team: a}}}");
}

static void synced_first_wrong(Stage *stage) {
    tainted_claim(stage);
    make_node(stage, ", karpenter.sh/nodepool: general", "");
}

static void synced_first_right(Stage *stage) {
    tainted_claim(stage);
    make_node(stage, ", karpenter.sh/nodepool: general, team: a", "");
}

static void evict_first_wrong(Stage *stage) {
    KubeDeletion how;

    make_inhabited(stage);
    set_deadline(stage, MINUTES(10));
    how = deletion(stage, 30);
    remove_pod(stage, &how);
}

// Twenty seconds are less than its grace period.
static void evict_first_right(Stage *stage) {
    KubeDeletion how;

    make_inhabited(stage);
    set_deadline(stage, SECONDS(20));
    how = deletion(stage, 20);
    remove_pod(stage, &how);
    remove_pod(stage, &how); // a tenon that was not told yet that it goes
}

static void grace_wrong(Stage *stage) {
    KubeDeletion how;

    make_inhabited(stage);
    set_deadline(stage, -SECONDS(1));
    how = deletion(stage, 0);
    remove_pod(stage, &how);
}

static void grace_right(Stage *stage) {
    KubeDeletion how;

    make_inhabited(stage);
    set_deadline(stage, -SECONDS(1));
    how = deletion(stage, 1);
    remove_pod(stage, &how);
}

static void uid_wrong(Stage *stage) {
    make_inhabited(stage);
    evict_pod(stage, NULL);
}

static void uid_right(Stage *stage) {
    KubeDeletion how;

    make_inhabited(stage);
    how = deletion(stage, 30);
    evict_pod(stage, &how);
}

static void drain_first_wrong(Stage *stage) {
    make_inhabited(stage);
    terminate(stage);
}

// The pod is gone for good: nothing on the node keeps the instance.
static void drain_first_right(Stage *stage) {
    KubeDeletion now = {.has_grace = true};

    make_inhabited(stage);
    kube_remove(world_kube(stage->world), (KubeRef){KUBE_POD, SLICE("default"), SLICE("pod-1")}, &now, NULL);
    world_settle(stage->world);
    terminate(stage);
}

static void gone_first_wrong(Stage *stage) {
    make_instance(stage);
    patch_claim(stage, KUBE_OBJECT, "{metadata: {finalizers: []}}");
}

static void gone_first_right(Stage *stage) {
    make_instance(stage);
    terminate(stage);
    cluster_run(stage->world, MINUTES(1));
    patch_claim(stage, KUBE_OBJECT, "{metadata: {finalizers: []}}");
}

// A claim that says nothing of its instance can go without it: its finalizer is nobody's.
static void lose_claim(Stage *stage) {
    make_claim(stage, true);
    launch(stage, stage->claim);
    patch_claim(stage, KUBE_OBJECT, "{metadata: {finalizers: []}}");
    cluster_delete(stage->world, KUBE_NODE_CLAIM, "", "general-0");
}

static void no_orphan_wrong(Stage *stage) {
    lose_claim(stage);
    cluster_run(stage->world, MINUTES(8));
}

static void no_orphan_right(Stage *stage) {
    lose_claim(stage);
    cluster_run(stage->world, MINUTES(4));
    terminate(stage);
    cluster_run(stage->world, MINUTES(4));
}

static void begin_to_go(Stage *stage) {
    make_claim(stage, true);
    cluster_delete(stage->world, KUBE_NODE_CLAIM, "", "general-0");
}

static void no_stuck_wrong(Stage *stage) {
    begin_to_go(stage);
    cluster_run(stage->world, MINUTES(62));
    audit_end(stage->audit);
}

static void no_stuck_right(Stage *stage) {
    begin_to_go(stage);
    cluster_run(stage->world, MINUTES(30));
    patch_claim(stage, KUBE_OBJECT, "{metadata: {finalizers: []}}");
    cluster_run(stage->world, MINUTES(32));
    audit_end(stage->audit);
}

// One nano-dollar for each instance is lost by cutting off.
static void money_wrong(Stage *stage) {
    SimBill bill = {.nano_dollars = 1000, .by_type[SIM_SPOT].nano_dollars = 1000};

    audit_balance(stage->audit, &bill, 997, 2);
}

static void money_right(Stage *stage) {
    SimBill bill = {.nano_dollars = 1000, .by_type[SIM_SPOT].nano_dollars = 1000};

    audit_balance(stage->audit, &bill, 998, 2);
    make_instance(stage);
    cluster_run(stage->world, MINUTES(10));
    audit_end(stage->audit);
}

static const struct {
    void (*wrong)(Stage *stage), (*right)(Stage *stage);
} histories[AUDIT_RULE_COUNT] = {
    [AUDIT_FINALIZER_FIRST] = {finalizer_first_wrong, finalizer_first_right},
    [AUDIT_ONE_INSTANCE] = {one_instance_wrong, one_instance_right},
    [AUDIT_LIMITS] = {limits_wrong, limits_right},
    [AUDIT_ONE_NODE] = {one_node_wrong, one_node_right},
    [AUDIT_SYNCED_FIRST] = {synced_first_wrong, synced_first_right},
    [AUDIT_EVICT_FIRST] = {evict_first_wrong, evict_first_right},
    [AUDIT_GRACE] = {grace_wrong, grace_right},
    [AUDIT_UID] = {uid_wrong, uid_right},
    [AUDIT_DRAIN_FIRST] = {drain_first_wrong, drain_first_right},
    [AUDIT_GONE_FIRST] = {gone_first_wrong, gone_first_right},
    [AUDIT_NO_ORPHAN] = {no_orphan_wrong, no_orphan_right},
    [AUDIT_NO_STUCK] = {no_stuck_wrong, no_stuck_right},
    [AUDIT_MONEY] = {money_wrong, money_right},
};

// --- tests

// How often the rule was broken by it; breaking another one is a mistake of the test.
static uint32_t count_violations(AuditRule rule, void (*history)(Stage *stage)) {
    uint32_t count = 0;
    Stage stage;

    assert_non_null(history);
    stage_open(&stage);
    history(&stage);
    for (vec_each(const Violation, violation, audit_violations(stage.audit))) {
        if (violation->rule != rule)
            fail_msg("in a history of %s: %s: %.*s", audit_rule_name(rule), audit_rule_name(violation->rule),
                     SLICE_ARG(violation->text));
        count++;
    }
    assert_int_equal(count, audit_violation_count(stage.audit));
    cloudlet_free(stage.cloudlet);
    return count;
}

TEST(every_rule_sees_that_it_is_broken) {
    for (AuditRule rule = 0; rule < AUDIT_RULE_COUNT; rule++) {
        if (count_violations(rule, histories[rule].wrong) != 1)
            fail_msg("%s is not noticed once", audit_rule_name(rule));
    }
}

TEST(no_rule_complains_of_what_is_right) {
    for (AuditRule rule = 0; rule < AUDIT_RULE_COUNT; rule++) {
        if (count_violations(rule, histories[rule].right) != 0)
            fail_msg("%s is not broken", audit_rule_name(rule));
    }
}

// --- allowances

TEST(an_instance_may_end_with_its_pods_once_the_deadline_has_passed) {
    Stage stage;

    stage_open(&stage);
    make_inhabited(&stage);
    set_deadline(&stage, SECONDS(60));
    cluster_run(stage.world, SECONDS(61));
    terminate(&stage);
    assert_int_equal(audit_violation_count(stage.audit), 0);
    cloudlet_free(stage.cloudlet);
}

TEST(delays_count_from_the_birth_of_a_tenon) {
    Stage stage;

    stage_open(&stage);
    lose_claim(&stage);
    cluster_run(stage.world, MINUTES(5));
    audit_excuse(stage.audit);
    cluster_run(stage.world, MINUTES(5));
    assert_int_equal(audit_violation_count(stage.audit), 0);
    cluster_run(stage.world, MINUTES(3));
    assert_int_equal(audit_violation_count(stage.audit), 1);
    cloudlet_free(stage.cloudlet);
}

// tenon was not told yet that the pod has a successor of the same name: the API server refuses, nothing happens.
TEST(a_deletion_that_means_an_earlier_pod_is_none) {
    KubeDeletion how = {.uid = SLICE("earlier"), .has_grace = true, .grace_s = 30};
    Stage stage;

    stage_open(&stage);
    make_inhabited(&stage);
    assert_int_equal(kube_remove(stage.kube, (KubeRef){KUBE_POD, SLICE("default"), SLICE("pod-1")}, &how, NULL),
                     ERR_CONFLICT);
    assert_int_equal(audit_violation_count(stage.audit), 0);
    cloudlet_free(stage.cloudlet);
}

static void attach_volume(Stage *stage) {
    cluster_create(stage->world, "{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: a}, spec: "
                                 "{attacher: ebs.csi.aws.com, nodeName: node-1, source: {persistentVolumeName: v}}}");
    world_settle(stage->world);
}

TEST(a_volume_holds_an_instance_like_a_pod) {
    Stage stage;

    stage_open(&stage);
    make_instance(&stage);
    make_node(&stage, ", karpenter.sh/nodepool: general", "");
    attach_volume(&stage);
    terminate(&stage);
    assert_int_equal(audit_violation_count(stage.audit), 1);
    assert_int_equal(audit_violations(stage.audit)->items[0].rule, AUDIT_DRAIN_FIRST);
    cloudlet_free(stage.cloudlet);
}

// How many promises are broken by ending an instance so long after a pod with a volume went from it that no drain waits
// for.
static uint64_t violations_of_an_end_after(int64_t delay_ns) {
    KubeDeletion now = {.has_grace = true};
    uint64_t count;
    Stage stage;

    stage_open(&stage);
    make_instance(&stage);
    make_node(&stage, ", karpenter.sh/nodepool: general", "");
    cluster_create(stage.world,
                   "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: default}, "
                   "spec: {volumeName: v}}");
    cluster_create(stage.world, "{apiVersion: v1, kind: Pod, metadata: {name: pod-1, namespace: default}, spec: "
                                "{nodeName: node-1, tolerations: [{operator: Exists}], volumes: [{name: data, "
                                "persistentVolumeClaim: {claimName: c}}], containers: [{name: c, image: i}]}}");
    attach_volume(&stage);
    kube_remove(world_kube(stage.world), (KubeRef){KUBE_POD, SLICE("default"), SLICE("pod-1")}, &now, NULL);
    cluster_run(stage.world, delay_ns);
    terminate(&stage);
    count = audit_violation_count(stage.audit);
    cloudlet_free(stage.cloudlet);
    return count;
}

// tenon, which did not wait for such a volume, may not have been told yet that it should.
TEST(a_volume_that_nobody_waited_for_is_excused_for_a_minute) {
    assert_int_equal(violations_of_an_end_after(SECONDS(2)), 0);
    assert_int_equal(violations_of_an_end_after(SECONDS(61)), 1);
}

TEST(a_registered_node_without_a_finalizer_may_not_just_go) {
    Stage stage;

    stage_open(&stage);
    make_instance(&stage);
    make_node(&stage, ", karpenter.sh/nodepool: general", "");
    cluster_patch(stage.world, KUBE_NODE, "", "node-1", KUBE_OBJECT, "{metadata: {finalizers: []}}");
    world_settle(stage.world);
    assert_int_equal(audit_violation_count(stage.audit), 1);
    cluster_delete(stage.world, KUBE_NODE, "", "node-1");
    world_settle(stage.world);
    assert_int_equal(audit_violation_count(stage.audit), 2);
    assert_int_equal(audit_violations(stage.audit)->items[1].rule, AUDIT_GONE_FIRST);
    cloudlet_free(stage.cloudlet);
}
