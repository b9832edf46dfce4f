#include "ctl/disruption/disruption_env.h"

#include "model/names.h"

#include <stdlib.h>

DisruptionEnv *disruption_env;

// --- instance types

static void require_value(DisruptionEnv *env, Requirements *set, Symbol key, const char *value) {
    Requirement requirement = requirement_in(&env->types_arena, key, env_symbol(env->env, value));

    requirements_add(&env->types_arena, state_symbols(env->env->state), set, &requirement);
}

static void add_offering(DisruptionEnv *env, InstanceType *type, const char *capacity_type, double price) {
    Offering *offering = vec_add(&env->types_arena, &type->offerings);

    *offering = (Offering){.zone = env_symbol(env->env, "zone-a"),
                           .capacity_type = env_symbol(env->env, capacity_type),
                           .price_per_hour = price,
                           .available = true};
    require_value(env, &offering->requirements, NAME_ZONE, "zone-a");
    require_value(env, &offering->requirements, NAME_CAPACITY_TYPE, capacity_type);
}

static void require_capacity_types(DisruptionEnv *env, InstanceType *type) {
    Expression expression = {.key = NAME_CAPACITY_TYPE, .op = OP_IN};
    Requirement requirement;

    vec_push(&env->types_arena, &expression.values, NAME_ON_DEMAND);
    vec_push(&env->types_arena, &expression.values, NAME_SPOT);
    requirement = requirement_make(&env->types_arena, state_symbols(env->env->state), &expression);
    requirements_add(&env->types_arena, state_symbols(env->env->state), &type->requirements, &requirement);
}

static void add_type(DisruptionEnv *env, const char *name, int64_t cpu, double price) {
    InstanceType *type = vec_add(&env->types_arena, env->types);

    *type = (InstanceType){.name = env_symbol(env->env, name)};
    require_value(env, &type->requirements, NAME_INSTANCE_TYPE, name);
    require_value(env, &type->requirements, NAME_ARCH, "amd64");
    require_value(env, &type->requirements, NAME_OS, "linux");
    require_value(env, &type->requirements, NAME_ZONE, "zone-a");
    require_capacity_types(env, type);
    resources_set(&env->types_arena, &type->capacity, NAME_CPU, cpu * 1000);
    resources_set(&env->types_arena, &type->capacity, NAME_MEMORY, cpu << 31);
    resources_set(&env->types_arena, &type->capacity, NAME_PODS, 110);
    add_offering(env, type, "on-demand", price);
    add_offering(env, type, "spot", price * 0.6);
}

void make_types_again(DisruptionEnv *env) {
    env->types = arena_new(&env->types_arena, InstanceTypeVec);
    add_type(env, "small", 2, 0.1);
    add_type(env, "large", 8, 0.4);
    env_cloud(env->env)->types = env->types;
}

// --- looks, as the engine makes them

static void add_pools(DisruptionEnv *env, DisruptFacts *facts) {
    Arena *arena = &env->look_arena;
    Vec(RepairPolicies) policies = {0};

    for (vec_each(NodePool, pool, &facts->cluster->node_pools)) {
        vec_push(arena, &facts->pools, (PlanPool){pool, env->types});
        vec_push(arena, &policies, env_cloud(env->env)->repair_policies);
        if (!pool->is_static && !pool->meta.deleting)
            vec_push(arena, &facts->growing, (PlanPool){pool, env->types});
    }
    facts->repair_policies = policies.items;
}

static const Disrupted *look(TestEnv *test_env, const DisruptIntent *intent) {
    DisruptionEnv *env = disruption_env;
    Arena *arena = &env->look_arena;
    Disrupted *disrupted;
    DisruptFacts *facts;
    PoolTypes types = {.types = env->types};

    snapshot_free(env->snapshot);
    arena_free(arena);
    *arena = (Arena){0};
    env->snapshot = state_snapshot(test_env->state);
    facts = arena_new(arena, DisruptFacts);
    disrupted = arena_new(arena, Disrupted);
    facts->cluster = arena_new(arena, Cluster);
    snapshot_cluster(env->snapshot, arena, facts->cluster);
    add_pools(env, facts);
    types.pool = env_symbol(test_env, "default");
    facts->nodes = node_views_make(arena, facts->cluster, &types, 1);
    facts->wall_ns = env_now_ns(test_env);
    disruption_mark_nodes(arena, facts, intent);
    disruption_answer(arena, facts, &intent->options, intent, disrupted);
    env->looks += !intent->proposals.count;
    env->proofs += intent->proposals.count;
    return disrupted;
}

// --- life

DisruptionEnv *disruption_env_new(const char *disruption) {
    return disruption_env_new_with(disruption, CONSOLIDATION_CLASSIC);
}

DisruptionEnv *disruption_env_new_with(const char *disruption, Consolidation consolidation) {
    DisruptionEnv *env = calloc(1, sizeof *env);
    Settings settings = env_settings();

    assert_non_null(env);
    settings.consolidation = consolidation;
    settings.search = (PlanSearch){.effort = EFFORT_FAST};
    disruption_env = env;
    env->env = env_new(&disruption_controller, &settings);
    make_types_again(env);
    env_cloud(env->env)->look = look;
    env_put(env->env,
            "{kind: NodePool, metadata: {name: default}, spec: {disruption: {%s}}, status: {conditions: [Ready]}}",
            disruption);
    return env;
}

void disruption_env_free(DisruptionEnv *env) {
    env_free(env->env); // frees the State first, the snapshot may outlive it
    snapshot_free(env->snapshot);
    arena_free(&env->look_arena);
    arena_free(&env->types_arena);
    free(env);
}

void disruption_env_restart(DisruptionEnv *env) {
    snapshot_free(env->snapshot);
    env->snapshot = NULL;
    env_restart(env->env);
    make_types_again(env);
}

// --- objects

static const char *cpus_of(const char *type) {
    return strcmp(type, "large") == 0 ? "8" : "2";
}

static void put_node_of(DisruptionEnv *env, const char *claim, const char *node, const char *type,
                        const char *capacity_type) {
    env_put(
        env->env,
        "{kind: Node, metadata: {name: %s, labels: {karpenter.sh/nodepool: default, karpenter.sh/registered: 'true',"
        " karpenter.sh/initialized: 'true', node.kubernetes.io/instance-type: %s, karpenter.sh/capacity-type: %s,"
        " topology.kubernetes.io/zone: zone-a, kubernetes.io/hostname: %s, kubernetes.io/arch: amd64,"
        " kubernetes.io/os: linux, karpenter.kwok.sh/kwoknodeclass: default}},"
        " spec: {providerID: 'kwok://%s'}, status: {conditions: [Ready], capacity: {cpu: '%s', memory: 16Gi, pods: "
        "'110'},"
        " allocatable: {cpu: '%s', memory: 16Gi, pods: '110'}}}",
        node, type, capacity_type, node, claim, cpus_of(type), cpus_of(type));
}

void put_pool_node(DisruptionEnv *env, const char *name, const char *type, const char *capacity_type) {
    env_put(env->env,
            "{kind: NodeClaim, metadata: {name: %s, finalizers: [karpenter.sh/termination],"
            " labels: {karpenter.sh/nodepool: default, node.kubernetes.io/instance-type: %s,"
            " karpenter.sh/capacity-type: %s, topology.kubernetes.io/zone: zone-a}},"
            " status: {providerID: 'kwok://%s', conditions: [Launched, Registered, Initialized, Consolidatable]}}",
            name, type, capacity_type, name);
    put_node_of(env, name, name, type, capacity_type);
}

// As the node lifecycle controller does: the server gives new nodes a taint.
static void let_be_ready(DisruptionEnv *env, const char *node) {
    env_put(env->env, "{kind: Node, metadata: {name: %s}, spec: {taints: []}}", node);
}

void put_foreign_node(DisruptionEnv *env, const char *name) {
    env_put(env->env,
            "{kind: Node, metadata: {name: %s, labels: {topology.kubernetes.io/zone: zone-a, kubernetes.io/hostname: "
            "%s, kubernetes.io/arch: amd64, kubernetes.io/os: linux}}, status: {conditions: [Ready], capacity: {cpu: "
            "'8', memory: 16Gi, pods: '110'}, allocatable: {cpu: '8', memory: 16Gi, pods: '110'}}}",
            name, name);
    let_be_ready(env, name);
}

void let_join(DisruptionEnv *env, const char *claim, const char *type, const char *capacity_type) {
    env_put(env->env,
            "{kind: NodeClaim, metadata: {name: %s, labels: {node.kubernetes.io/instance-type: %s,"
            " karpenter.sh/capacity-type: %s, topology.kubernetes.io/zone: zone-a}},"
            " status: {providerID: 'kwok://%s', conditions: [Launched, Registered, Initialized]}}",
            claim, type, capacity_type, claim);
    put_node_of(env, claim, claim, type, capacity_type);
}

void put_bound_pod(DisruptionEnv *env, const char *name, const char *node, const char *cpu) {
    env_put(env->env,
            "{kind: Pod, metadata: {name: %s, labels: {app: web}}, spec: {nodeName: %s, containers: [{name: main, "
            "image: app,"
            " resources: {requests: {cpu: '%s'}}}]}, status: {phase: Running}}",
            name, node, cpu);
}

const char *replacement_name(DisruptionEnv *env) {
    const State *state = env->env->state;
    const char *name = NULL;
    Handle handle = HANDLE_NONE;

    while ((handle = state_next(state, KUBE_NODE_CLAIM, handle)).generation) {
        const NodeClaim *claim = state_node_claim(state, handle);

        if (labels_get(&claim->meta.annotations, NAME_COMMAND) == INDEX_NONE)
            continue;
        assert_null(name);
        name = arena_text(&env->env->arena, symbol_text(state_symbols(state), claim->meta.name));
    }
    return name;
}

bool is_tainted(DisruptionEnv *env, const char *node) {
    return strstr(env_part(env->env, KUBE_NODE, node, "spec.taints"), "karpenter.sh/disrupted") != NULL;
}
