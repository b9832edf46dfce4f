#include "sim/support/audited_fleet.h"

#include "text/duration.h"

#include <stdio.h>

// --- the cluster

void fleet_open(Fleet *fleet) {
    memset(fleet, 0, sizeof *fleet);
    fleet->cloudlet = cloudlet_new(1, (SimCloudConfig){0});
    fleet->world = fleet->cloudlet->world;
    fleet->symbols = state_symbols(fleet->cloudlet->state);
    fleet->audit = audit_new(fleet->world, fleet->cloudlet->cloud);
    fleet->kube = audit_kube(fleet->audit, world_kube(fleet->world));
    fleet->cloudlet->table = audit_cloud(fleet->audit, fleet->cloudlet->table, &fleet->symbols);
}

const char *fleet_name(const char *what, uint32_t worker) {
    static char text[4][32];
    static uint32_t next;

    snprintf(text[++next % 4], sizeof text[0], "%s-%u", what, worker);
    return text[next % 4];
}

void fleet_patch(Fleet *fleet, KubeKind kind, const char *name, const char *format, ...) {
    char yaml[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(yaml, sizeof yaml, format, args);
    va_end(args);
    cluster_patch(fleet->world, kind, "", name, strstr(yaml, "status:") == yaml + 1 ? KUBE_STATUS : KUBE_OBJECT, yaml);
    world_settle(fleet->world);
}

// A NodeClaim with an instance of that type that runs, and its Node, neither of them initialized.
uint32_t fleet_join(Fleet *fleet, const char *type) {
    uint32_t worker = fleet->workers++;
    char requirements[256];
    const NodeClaim *claim;
    CloudInstance instance;
    Slice id;

    snprintf(requirements, sizeof requirements,
             "{key: node.kubernetes.io/instance-type, operator: In, values: [%s]}, {key: karpenter.sh/capacity-type, "
             "operator: In, values: [on-demand]}",
             type);
    claim = cloudlet_claim(fleet->cloudlet, requirements, "100m");
    fleet_patch(fleet, KUBE_NODE_CLAIM, fleet_name("general", worker),
                "{metadata: {finalizers: [karpenter.sh/termination]}}");
    assert_int_equal(cloudlet_launch(fleet->cloudlet, claim, &instance, NULL), OK);
    id = symbol_text(fleet->symbols, instance.provider_id);
    fleet_patch(fleet, KUBE_NODE_CLAIM, fleet_name("general", worker),
                "{status: {providerID: '%.*s', nodeName: node-%u}}", SLICE_ARG(id), worker);
    cluster_run(fleet->world, SECONDS(20));
    cluster_create(fleet->world,
                   "{apiVersion: v1, kind: Node, metadata: {name: node-%u, finalizers: [karpenter.sh/termination], "
                   "labels: {karpenter.sh/registered: 'true', karpenter.sh/nodepool: general}}, spec: {providerID: "
                   "'%.*s'}, status: {conditions: [{type: Ready, status: 'True'}]}}",
                   worker, SLICE_ARG(id));
    world_settle(fleet->world);
    return worker;
}

void fleet_initialize(Fleet *fleet, uint32_t worker) {
    fleet_patch(fleet, KUBE_NODE, fleet_name("node", worker),
                "{metadata: {labels: {karpenter.sh/initialized: 'true'}}}");
    fleet_patch(fleet, KUBE_NODE_CLAIM, fleet_name("general", worker),
                "{status: {conditions: [" CONDITION("Initialized", "True", "Initialized") "]}}");
}

void fleet_make_consolidatable(Fleet *fleet, uint32_t worker, bool is_it) {
    fleet_patch(fleet, KUBE_NODE_CLAIM, fleet_name("general", worker),
                "{status: {conditions: [" CONDITION("Initialized", "True", "Initialized") ", " CONDITION(
                    "Consolidatable", "%s", "Consolidatable") "]}}",
                is_it ? "True" : "False");
}

void fleet_set_budgets(Fleet *fleet, const char *budgets) {
    fleet_patch(fleet, KUBE_NODE_POOL, "general", "{spec: {disruption: {budgets: [%s]}}}", budgets);
}

// Three nodes that may be consolidated, and have been for a while.
void fleet_open_workers(Fleet *fleet) {
    for (uint32_t i = 0; i < WORKERS; i++) {
        fleet_initialize(fleet, fleet_join(fleet, "m5.large"));
        fleet_make_consolidatable(fleet, i, true);
    }
    cluster_run(fleet->world, MINUTES(2));
}

// --- what tenon writes

void fleet_mark(Fleet *fleet, uint32_t worker, const char *command, uint32_t awaited) {
    fleet_patch(fleet, KUBE_NODE, fleet_name("node", worker),
                "{metadata: {annotations: {tenon.sh/command: %s/candidate/awaits-%u}}, spec: {taints: [{key: "
                "karpenter.sh/disrupted, effect: NoSchedule}]}}",
                command, awaited);
}

void fleet_unmark(Fleet *fleet, uint32_t worker) {
    fleet_patch(fleet, KUBE_NODE, fleet_name("node", worker),
                "{metadata: {annotations: {tenon.sh/command: null}}, spec: {taints: []}}");
}

void fleet_tell(Fleet *fleet, uint32_t worker, const char *reason) {
    fleet_patch(fleet, KUBE_NODE_CLAIM, fleet_name("general", worker),
                "{status: {conditions: [" CONDITION("Initialized", "True", "Initialized") ", " CONDITION(
                    "Consolidatable", "True", "Consolidatable") ", " CONDITION("DisruptionReason", "True", "%s") "]}}",
                reason);
}

void fleet_disrupt(Fleet *fleet, uint32_t worker, const char *reason) {
    fleet_mark(fleet, worker, fleet_name("command", worker), 0);
    fleet_tell(fleet, worker, reason);
}

uint32_t fleet_launch_replacement(Fleet *fleet, const char *command, const char *type) {
    uint32_t worker = fleet_join(fleet, type);

    fleet_patch(fleet, KUBE_NODE_CLAIM, fleet_name("general", worker),
                "{metadata: {annotations: {tenon.sh/command: %s/replacement/joins}}}", command);
    return worker;
}

void fleet_remove_claim(Fleet *fleet, uint32_t worker) {
    const char *name = fleet_name("general", worker);
    KubeRef ref = {KUBE_NODE_CLAIM, {0}, slice_of(name)};
    const NodeClaim *claim =
        state_node_claim(world_state(fleet->world), cluster_find(fleet->world, KUBE_NODE_CLAIM, "", name));
    KubeDeletion how = {.uid = symbol_text(world_symbols(fleet->world), claim->meta.uid)};

    assert_int_equal(kube_remove(fleet->kube, ref, &how, NULL), OK);
    world_settle(fleet->world);
}

void fleet_make_pod(Fleet *fleet, uint32_t worker, const char *annotations) {
    Arena arena = {0};
    Slice now = time_print(&arena, world_now_ns(fleet->world));

    cluster_create(fleet->world,
                   "{apiVersion: v1, kind: Pod, metadata: {name: pod-%u, namespace: default, labels: {app: a}, "
                   "annotations: {%s}}, spec: {nodeName: node-%u, containers: [{name: c, image: i}]}, status: {phase: "
                   "Running, startTime: '%.*s', conditions: [{type: Ready, status: 'True'}]}}",
                   worker, annotations, worker, SLICE_ARG(now));
    cluster_patch(fleet->world, KUBE_POD, "default", fleet_name("pod", worker), KUBE_STATUS,
                  arena_text(&arena, arena_printf(&arena,
                                                  "{status: {phase: Running, startTime: '%.*s', conditions: [{type: "
                                                  "Ready, status: 'True'}]}}",
                                                  SLICE_ARG(now))));
    world_settle(fleet->world);
    arena_free(&arena);
}

void fleet_make_pod_budget(Fleet *fleet, const char *name, int allowed) {
    char status[64];

    cluster_create(fleet->world,
                   "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: %s, namespace: default}, spec: "
                   "{maxUnavailable: 1, selector: {matchLabels: {app: a}}}}",
                   name);
    snprintf(status, sizeof status, "{status: {disruptionsAllowed: %d}}", allowed);
    cluster_patch(fleet->world, KUBE_POD_DISRUPTION_BUDGET, "default", name, KUBE_STATUS, status);
    world_settle(fleet->world);
}

void fleet_evict(Fleet *fleet) {
    const Pod *pod = state_pod(world_state(fleet->world), cluster_find(fleet->world, KUBE_POD, "default", "pod-0"));
    KubeDeletion how = {.uid = symbol_text(world_symbols(fleet->world), pod->uid)};

    assert_int_equal(kube_evict(fleet->kube, (KubeRef){KUBE_POD, SLICE("default"), SLICE("pod-0")}, &how, NULL), OK);
}

// --- violations

uint32_t fleet_violations(AuditRule rule, void (*history)(Fleet *fleet)) {
    uint32_t count;
    Fleet fleet;

    assert_non_null(history);
    fleet_open(&fleet);
    history(&fleet);
    count = violations_of(fleet.audit, rule);
    cloudlet_free(fleet.cloudlet);
    return count;
}
