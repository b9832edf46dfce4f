// The audit: each of its rules on a history that breaks it, and on a similar one that does not, but for those of
// voluntary disruption (test_audit_disruption.c). The test itself makes the calls that a tenon would make, through the
// audit's tables.
#include "sim/audit/audit_time.h"
#include "sim/support/cloudlet.h"
#include "sim/support/violations.h"

#include "text/duration.h"

#include <stdio.h>

#define FINALIZERS "{metadata: {finalizers: [karpenter.sh/termination]}}"

typedef struct {
    Cloudlet *cloudlet;
    World *world;
    Audit *audit;
    Kube kube;
    const Symbols *symbols;
    const NodeClaim *claim; // the program's, of env_launch
    CloudInstance instance;
} TestEnv;

// --- actions

static void env_open(TestEnv *env) {
    memset(env, 0, sizeof *env);
    env->cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    env->world = env->cloudlet->world;
    env->symbols = state_symbols(env->cloudlet->state);
    env->audit = audit_new(env->world, env->cloudlet->cloud);
    env->kube = audit_kube(env->audit, world_kube(env->world));
    env->cloudlet->table = audit_cloud(env->audit, env->cloudlet->table, &env->symbols);
}

static void patch_claim(TestEnv *env, KubePart part, const char *yaml) {
    cluster_patch(env->world, KUBE_NODE_CLAIM, "", "general-0", part, yaml);
    world_settle(env->world);
}

static void make_claim(TestEnv *env, bool has_finalizer) {
    env->claim = cloudlet_claim(env->cloudlet, "", "100m");
    if (has_finalizer)
        patch_claim(env, KUBE_OBJECT, FINALIZERS);
    world_settle(env->world);
}

static void launch(TestEnv *env, const NodeClaim *claim) {
    assert_int_equal(cloudlet_launch(env->cloudlet, claim, &env->instance, NULL), OK);
    world_settle(env->world);
}

static const char *provider_id(const TestEnv *env) {
    static char text[128];

    snprintf(text, sizeof text, "%.*s", SLICE_ARG(symbol_text(env->symbols, env->instance.provider_id)));
    return text;
}

static void terminate(TestEnv *env) {
    assert_int_equal(cloud_terminate(env->cloudlet->table, env->instance.provider_id, NULL), OK);
}

// A NodeClaim with an instance that runs.
static void make_instance(TestEnv *env) {
    char status[256];

    make_claim(env, true);
    launch(env, env->claim);
    snprintf(status, sizeof status, "{status: {providerID: '%s', nodeName: node-1}}", provider_id(env));
    patch_claim(env, KUBE_STATUS, status);
    cluster_run(env->world, SECONDS(20));
    assert_int_equal(cloudlet_instance(env->cloudlet, 0)->state, SIM_INSTANCE_RUNNING);
}

// `labels` and `taints` in flow style: what is registered.
static void make_node(TestEnv *env, const char *labels, const char *taints) {
    cluster_create(
        env->world,
        "{apiVersion: v1, kind: Node, metadata: {name: node-1, finalizers: [karpenter.sh/termination], labels: "
        "{karpenter.sh/registered: 'true'%s}}, spec: {providerID: '%s', taints: [%s]}}",
        labels, provider_id(env), taints);
    world_settle(env->world);
}

static void make_pod(TestEnv *env) {
    cluster_create(env->world,
                   "{apiVersion: v1, kind: Pod, metadata: {name: pod-1, namespace: default}, spec: {nodeName: "
                   "node-1, terminationGracePeriodSeconds: 30, containers: [{name: c, image: i}]}}");
    world_settle(env->world);
}

// An instance, its node, which is on its way out, and a pod on it.
static void make_inhabited(TestEnv *env) {
    make_instance(env);
    make_node(env, ", karpenter.sh/nodepool: general", "{key: karpenter.sh/disrupted, effect: NoSchedule}");
    make_pod(env);
}

static void set_deadline(TestEnv *env, int64_t from_now_ns) {
    Arena arena = {0};
    char patch[256];
    Slice time = time_print(&arena, world_now_ns(env->world) + from_now_ns);

    snprintf(patch, sizeof patch, "{metadata: {annotations: {karpenter.sh/nodeclaim-termination-timestamp: '%.*s'}}}",
             SLICE_ARG(time));
    patch_claim(env, KUBE_OBJECT, patch);
    arena_free(&arena);
}

static KubeDeletion deletion(const TestEnv *env, int64_t grace_s) {
    const Pod *pod = state_pod(world_state(env->world), cluster_find(env->world, KUBE_POD, "default", "pod-1"));

    return (KubeDeletion){
        .uid = symbol_text(world_symbols(env->world), pod->uid), .has_grace = true, .grace_s = grace_s};
}

static void remove_pod(TestEnv *env, const KubeDeletion *how) {
    assert_int_equal(kube_remove(env->kube, (KubeRef){KUBE_POD, SLICE("default"), SLICE("pod-1")}, how, NULL), OK);
}

static void evict_pod(TestEnv *env, const KubeDeletion *how) {
    assert_int_equal(kube_evict(env->kube, (KubeRef){KUBE_POD, SLICE("default"), SLICE("pod-1")}, how, NULL), OK);
}

// --- a history for each rule that breaks it, and one that does not

static void finalizer_first_wrong(TestEnv *env) {
    make_claim(env, false);
    launch(env, env->claim);
}

static void finalizer_first_right(TestEnv *env) {
    make_claim(env, true);
    launch(env, env->claim);
}

static void one_instance_wrong(TestEnv *env) {
    NodeClaim other;

    make_claim(env, true);
    launch(env, env->claim);
    other = *env->claim;
    other.meta.uid = cloudlet_symbol(env->cloudlet, "another token");
    launch(env, &other);
}

static void one_instance_right(TestEnv *env) {
    make_claim(env, true);
    launch(env, env->claim);
    launch(env, env->claim);
}

static void use_limit(TestEnv *env, int cpu) {
    char status[128];

    cluster_patch(env->world, KUBE_NODE_POOL, "", "general", KUBE_OBJECT, "{spec: {limits: {cpu: '4'}}}");
    cluster_run(env->world, MINUTES(2));
    make_claim(env, true);
    snprintf(status, sizeof status, "{status: {capacity: {cpu: '%d'}}}", cpu);
    patch_claim(env, KUBE_STATUS, status);
}

static void limits_wrong(TestEnv *env) {
    use_limit(env, 5);
}

static void limits_right(TestEnv *env) {
    use_limit(env, 4);
}

static void one_node_wrong(TestEnv *env) {
    make_instance(env);
    cluster_create(env->world, "{apiVersion: v1, kind: Node, metadata: {name: twin}, spec: {providerID: '%s'}}",
                   provider_id(env));
    world_settle(env->world);
    make_node(env, ", karpenter.sh/nodepool: general", "");
}

static void one_node_right(TestEnv *env) {
    make_instance(env);
    make_node(env, ", karpenter.sh/nodepool: general", "");
}

static void tainted_claim(TestEnv *env) {
    make_instance(env);
    patch_claim(env, KUBE_OBJECT, "{metadata: {labels: {team: a}}}");
}

static void synced_first_wrong(TestEnv *env) {
    tainted_claim(env);
    make_node(env, ", karpenter.sh/nodepool: general", "");
}

static void synced_first_right(TestEnv *env) {
    tainted_claim(env);
    make_node(env, ", karpenter.sh/nodepool: general, team: a", "");
}

static void evict_first_wrong(TestEnv *env) {
    KubeDeletion how;

    make_inhabited(env);
    set_deadline(env, MINUTES(10));
    how = deletion(env, 30);
    remove_pod(env, &how);
}

// Twenty seconds are shorter than its grace period.
static void evict_first_right(TestEnv *env) {
    KubeDeletion how;

    make_inhabited(env);
    set_deadline(env, SECONDS(20));
    how = deletion(env, 20);
    remove_pod(env, &how);
    remove_pod(env, &how); // by a tenon whose watch did not report its deletion yet
}

static void grace_wrong(TestEnv *env) {
    KubeDeletion how;

    make_inhabited(env);
    set_deadline(env, -SECONDS(1));
    how = deletion(env, 0);
    remove_pod(env, &how);
}

static void grace_right(TestEnv *env) {
    KubeDeletion how;

    make_inhabited(env);
    set_deadline(env, -SECONDS(1));
    how = deletion(env, 1);
    remove_pod(env, &how);
}

static void uid_wrong(TestEnv *env) {
    make_inhabited(env);
    evict_pod(env, NULL);
}

static void uid_right(TestEnv *env) {
    KubeDeletion how;

    make_inhabited(env);
    how = deletion(env, 30);
    evict_pod(env, &how);
}

static void drain_first_wrong(TestEnv *env) {
    make_inhabited(env);
    terminate(env);
}

// The pod is gone, so nothing on the node keeps the instance.
static void drain_first_right(TestEnv *env) {
    KubeDeletion now = {.has_grace = true};

    make_inhabited(env);
    kube_remove(world_kube(env->world), (KubeRef){KUBE_POD, SLICE("default"), SLICE("pod-1")}, &now, NULL);
    world_settle(env->world);
    terminate(env);
}

static void gone_first_wrong(TestEnv *env) {
    make_instance(env);
    patch_claim(env, KUBE_OBJECT, "{metadata: {finalizers: []}}");
}

static void gone_first_right(TestEnv *env) {
    make_instance(env);
    terminate(env);
    cluster_run(env->world, MINUTES(1));
    patch_claim(env, KUBE_OBJECT, "{metadata: {finalizers: []}}");
}

// A claim without providerID can be removed without its instance.
static void lose_claim(TestEnv *env) {
    make_claim(env, true);
    launch(env, env->claim);
    patch_claim(env, KUBE_OBJECT, "{metadata: {finalizers: []}}");
    cluster_delete(env->world, KUBE_NODE_CLAIM, "", "general-0");
}

static void no_orphan_wrong(TestEnv *env) {
    lose_claim(env);
    cluster_run(env->world, MINUTES(8));
}

static void no_orphan_right(TestEnv *env) {
    lose_claim(env);
    cluster_run(env->world, MINUTES(4));
    terminate(env);
    cluster_run(env->world, MINUTES(4));
}

static void begin_to_go(TestEnv *env) {
    make_claim(env, true);
    cluster_delete(env->world, KUBE_NODE_CLAIM, "", "general-0");
}

static void no_stuck_wrong(TestEnv *env) {
    begin_to_go(env);
    cluster_run(env->world, MINUTES(62));
    audit_end(env->audit);
}

static void no_stuck_right(TestEnv *env) {
    begin_to_go(env);
    cluster_run(env->world, MINUTES(30));
    patch_claim(env, KUBE_OBJECT, "{metadata: {finalizers: []}}");
    cluster_run(env->world, MINUTES(32));
    audit_end(env->audit);
}

// Rounding down loses up to one nano-dollar per instance.
static void money_wrong(TestEnv *env) {
    SimBill bill = {.nano_dollars = 1000, .by_type[SIM_SPOT].nano_dollars = 1000};

    audit_balance(env->audit, &bill, 997, 2);
}

static void money_right(TestEnv *env) {
    SimBill bill = {.nano_dollars = 1000, .by_type[SIM_SPOT].nano_dollars = 1000};

    audit_balance(env->audit, &bill, 998, 2);
    make_instance(env);
    cluster_run(env->world, MINUTES(10));
    audit_end(env->audit);
}

static const struct {
    void (*wrong)(TestEnv *env), (*right)(TestEnv *env);
} histories[AUDIT_BUDGET] = {
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

static uint32_t count_in_history(AuditRule rule, bool is_broken) {
    void (*history)(TestEnv * env) = is_broken ? histories[rule].wrong : histories[rule].right;
    uint32_t count;
    TestEnv env;

    assert_non_null(history);
    env_open(&env);
    history(&env);
    count = violations_of(env.audit, rule);
    cloudlet_free(env.cloudlet);
    return count;
}

TEST(every_rule_sees_that_it_is_broken) {
    assert_rules_see_what_is_wrong(0, AUDIT_BUDGET, count_in_history);
}

TEST(no_rule_complains_of_what_is_right) {
    assert_rules_pass_what_is_right(0, AUDIT_BUDGET, count_in_history);
}

// --- allowances

TEST(an_instance_may_end_with_its_pods_once_the_deadline_has_passed) {
    TestEnv env;

    env_open(&env);
    make_inhabited(&env);
    set_deadline(&env, SECONDS(60));
    cluster_run(env.world, SECONDS(61));
    terminate(&env);
    assert_int_equal(audit_violation_count(env.audit), 0);
    cloudlet_free(env.cloudlet);
}

TEST(delays_count_from_the_birth_of_a_tenon) {
    TestEnv env;

    env_open(&env);
    lose_claim(&env);
    cluster_run(env.world, MINUTES(5));
    audit_excuse(env.audit);
    cluster_run(env.world, MINUTES(5));
    assert_int_equal(audit_violation_count(env.audit), 0);
    cluster_run(env.world, MINUTES(3));
    assert_int_equal(audit_violation_count(env.audit), 1);
    cloudlet_free(env.cloudlet);
}

// tenon's watch did not report yet that the pod was replaced by one of the same name: the API server refuses the call.
TEST(a_deletion_that_means_an_earlier_pod_is_none) {
    KubeDeletion how = {.uid = SLICE("earlier"), .has_grace = true, .grace_s = 30};
    TestEnv env;

    env_open(&env);
    make_inhabited(&env);
    assert_int_equal(kube_remove(env.kube, (KubeRef){KUBE_POD, SLICE("default"), SLICE("pod-1")}, &how, NULL),
                     ERR_CONFLICT);
    assert_int_equal(audit_violation_count(env.audit), 0);
    cloudlet_free(env.cloudlet);
}

static void attach_volume(TestEnv *env) {
    cluster_create(env->world, "{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: a}, spec: "
                               "{attacher: ebs.csi.aws.com, nodeName: node-1, source: {persistentVolumeName: v}}}");
    world_settle(env->world);
}

TEST(a_volume_holds_an_instance_like_a_pod) {
    TestEnv env;

    env_open(&env);
    make_instance(&env);
    make_node(&env, ", karpenter.sh/nodepool: general", "");
    attach_volume(&env);
    terminate(&env);
    assert_int_equal(audit_violation_count(env.audit), 1);
    assert_int_equal(audit_violations(env.audit)->items[0].rule, AUDIT_DRAIN_FIRST);
    cloudlet_free(env.cloudlet);
}

// The number of violations when an instance ends `delay_ns` after a pod with a volume left it for which no drain waits.
static uint64_t violations_of_an_end_after(int64_t delay_ns) {
    KubeDeletion now = {.has_grace = true};
    uint64_t count;
    TestEnv env;

    env_open(&env);
    make_instance(&env);
    make_node(&env, ", karpenter.sh/nodepool: general", "");
    cluster_create(env.world, "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, namespace: default}, "
                              "spec: {volumeName: v}}");
    cluster_create(env.world, "{apiVersion: v1, kind: Pod, metadata: {name: pod-1, namespace: default}, spec: "
                              "{nodeName: node-1, tolerations: [{operator: Exists}], volumes: [{name: data, "
                              "persistentVolumeClaim: {claimName: c}}], containers: [{name: c, image: i}]}}");
    attach_volume(&env);
    kube_remove(world_kube(env.world), (KubeRef){KUBE_POD, SLICE("default"), SLICE("pod-1")}, &now, NULL);
    cluster_run(env.world, delay_ns);
    terminate(&env);
    count = audit_violation_count(env.audit);
    cloudlet_free(env.cloudlet);
    return count;
}

// tenon's watch may not have reported yet that it should wait for such a volume.
TEST(an_instance_may_end_with_a_volume_within_a_minute) {
    assert_int_equal(violations_of_an_end_after(SECONDS(2)), 0);
    assert_int_equal(violations_of_an_end_after(SECONDS(61)), 1);
}

TEST(a_registered_node_without_a_finalizer_may_not_just_go) {
    TestEnv env;

    env_open(&env);
    make_instance(&env);
    make_node(&env, ", karpenter.sh/nodepool: general", "");
    cluster_patch(env.world, KUBE_NODE, "", "node-1", KUBE_OBJECT, "{metadata: {finalizers: []}}");
    world_settle(env.world);
    assert_int_equal(audit_violation_count(env.audit), 1);
    cluster_delete(env.world, KUBE_NODE, "", "node-1");
    world_settle(env.world);
    assert_int_equal(audit_violation_count(env.audit), 2);
    assert_int_equal(audit_violations(env.audit)->items[1].rule, AUDIT_GONE_FIRST);
    cloudlet_free(env.cloudlet);
}
