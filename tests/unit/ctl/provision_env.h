// PlanEnv: a TestEnv with the provisioner, whose solves are made by the real planner.
//
// Pools are ready at once. Instance types: small (2 cpu, 4Gi, $0.1), large (8 cpu, 16Gi, $0.4), on-demand and
// spot in zone-a and zone-b; a type can be without capacity (sold_out).
#pragma once

#include "ctl/provision/parts.h"
#include "ctl/support/env_parts.h"
#include "sched/budget.h"
#include "sched/set_aside.h"
#include "text/duration.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    TestEnv *env;
    Arena types_arena, plan_arena;
    InstanceTypeVec *types;
    Snapshot *snapshot;
    Solved solved;
    Buffer history;
    uint32_t solves;
    const char *sold_out; // name of a type without available offerings, or NULL
} PlanEnv;

// --- instance types

static inline void require_value(PlanEnv *ps, Requirements *set, Symbol key, const char *value) {
    Requirement requirement = requirement_in(&ps->types_arena, key, env_symbol(ps->env, value));

    requirements_add(&ps->types_arena, state_symbols(ps->env->state), set, &requirement);
}

static inline void add_offerings(PlanEnv *ps, InstanceType *type, double price, bool available) {
    static const char *const zones[] = {"zone-a", "zone-b"}, *const kinds[] = {"on-demand", "spot"};

    for (uint32_t i = 0; i < 4; i++) {
        Offering *offering = vec_add(&ps->types_arena, &type->offerings);

        offering->zone = env_symbol(ps->env, zones[i / 2]);
        offering->capacity_type = env_symbol(ps->env, kinds[i % 2]);
        offering->price_per_hour = i % 2 ? price * 0.6 : price;
        offering->available = available;
        require_value(ps, &offering->requirements, NAME_ZONE, zones[i / 2]);
        require_value(ps, &offering->requirements, NAME_CAPACITY_TYPE, kinds[i % 2]);
    }
}

static inline void add_values(PlanEnv *ps, Requirements *set, Symbol key, const char *a, const char *b) {
    Expression expression = {.key = key, .op = OP_IN};
    Requirement requirement;

    vec_push(&ps->types_arena, &expression.values, env_symbol(ps->env, a));
    vec_push(&ps->types_arena, &expression.values, env_symbol(ps->env, b));
    requirement = requirement_make(&ps->types_arena, state_symbols(ps->env->state), &expression);
    requirements_add(&ps->types_arena, state_symbols(ps->env->state), set, &requirement);
}

static inline void add_type(PlanEnv *ps, const char *name, int64_t cpu, int64_t gib, double price) {
    InstanceType *type = vec_add(&ps->types_arena, ps->types);

    type->name = env_symbol(ps->env, name);
    require_value(ps, &type->requirements, NAME_INSTANCE_TYPE, name);
    require_value(ps, &type->requirements, NAME_ARCH, "amd64");
    require_value(ps, &type->requirements, NAME_OS, "linux");
    add_values(ps, &type->requirements, NAME_ZONE, "zone-a", "zone-b");
    add_values(ps, &type->requirements, NAME_CAPACITY_TYPE, "on-demand", "spot");
    resources_set(&ps->types_arena, &type->capacity, NAME_CPU, cpu * 1000);
    resources_set(&ps->types_arena, &type->capacity, NAME_MEMORY, gib << 30);
    resources_set(&ps->types_arena, &type->capacity, NAME_PODS, 110);
    add_offerings(ps, type, price, !ps->sold_out || strcmp(ps->sold_out, name) != 0);
}

// Makes the types again, for new symbols or another sold_out.
static inline void make_types(PlanEnv *ps) {
    ps->types = arena_new(&ps->types_arena, InstanceTypeVec);
    add_type(ps, "small", 2, 4, 0.1);
    add_type(ps, "large", 8, 16, 0.4);
    env_cloud(ps->env)->types = ps->types;
}

// --- life

static inline PlanEnv *plan_env(void) {
    PlanEnv *ps = calloc(1, sizeof *ps);

    assert_non_null(ps);
    ps->env = env_new(&provisioner_controller, NULL);
    ps->env->settings.search = (PlanSearch){.effort = EFFORT_FAST};
    make_types(ps);
    return ps;
}

static inline void plan_env_free(PlanEnv *ps) {
    env_free(ps->env); // frees the State first, the snapshot may outlive it
    snapshot_free(ps->snapshot);
    arena_free(&ps->plan_arena);
    arena_free(&ps->types_arena);
    buffer_free(&ps->history);
    free(ps);
}

static inline void plan_env_restart(PlanEnv *ps) {
    snapshot_free(ps->snapshot);
    ps->snapshot = NULL;
    arena_free(&ps->plan_arena);
    ps->plan_arena = (Arena){0};
    env_restart(ps->env);
    make_types(ps);
}

// Solves as the engine's solver does. No time passes meanwhile: deadlines are in steps.
static inline void plan_solve_now(PlanEnv *ps, const SolveIntent *solve) {
    State *state = env_state(ps->env);
    Arena *arena = &ps->plan_arena;
    PlanInput *input;
    Plan *plan;
    Vec(PoolTypes) types = {0};

    snapshot_free(ps->snapshot);
    arena_free(arena);
    *arena = (Arena){0};
    ps->snapshot = state_snapshot(state);
    input = arena_new(arena, PlanInput);
    plan = arena_new(arena, Plan);
    input->cluster = arena_new(arena, Cluster);
    snapshot_cluster(ps->snapshot, arena, input->cluster);
    for (vec_each(NodePool, pool, &input->cluster->node_pools)) {
        const Condition *ready = condition_get(&pool->conditions, state_symbols(state), SLICE("Ready"));

        vec_push(arena, &types, (PoolTypes){pool->meta.name, ps->types});
        if (!pool->is_static && !pool->meta.deleting && ready &&
            slice_eq_text(symbol_text(state_symbols(state), ready->status), "True"))
            vec_push(arena, &input->pools, (PlanPool){pool, ps->types});
    }
    input->nodes = node_views_make(arena, input->cluster, types.items, types.count);
    input->pending = pending_select(arena, input->cluster, &input->nodes, env_now_ns(ps->env));
    input->preferences = solve->preferences;
    input->search = solve->search;
    input->search.deadline_steps = (uint64_t)(solve->search.deadline_ns / NS_PER_US) * BUDGET_STEPS_PER_US;
    set_aside_uids(arena, input, &solve->set_aside);
    plan_solve(arena, input, plan);
    ps->solved = (Solved){input, plan};
    env_cloud(ps->env)->solved = &ps->solved;
    ps->solves++;
}

static inline int64_t due_ns(PlanEnv *ps) {
    return env_task(ps->env, &provisioner_controller, "")->due_ns;
}

// One turn, with plans of the real planner.
static inline void plan_turn(PlanEnv *ps) {
    const IntentVec *intents;

    ps->env->history = &ps->history;
    env_reconcile(ps->env, "");
    intents = env_intents(ps->env);
    for (uint32_t i = 0; i < intents->count; i++) {
        if (intents->items[i].type == INTENT_SOLVE)
            plan_solve_now(ps, &intents->items[i].solve);
    }
    env_carry_out(ps->env);
    ps->env->history = NULL;
}

// Runs for that long; returns the intents like env_run.
static inline const char *plan_run(PlanEnv *ps, const char *duration) {
    int64_t ns, until_ns;

    assert_int_equal(duration_parse(slice_of(duration), &ns, NULL), OK);
    until_ns = env_now_ns(ps->env) + ns;
    ps->history.len = 0;
    ps->env->history_from_ns = env_now_ns(ps->env);
    env_start(ps->env);
    env_tell(ps->env);
    for (uint32_t turns = 0; due_ns(ps) <= until_ns; turns++) {
        assert_true(turns < 10000);
        if (due_ns(ps) > ps->env->now_ns)
            ps->env->now_ns = due_ns(ps);
        plan_turn(ps);
    }
    ps->env->now_ns = until_ns;
    return arena_text(&ps->env->arena, buffer_slice(&ps->history));
}

// --- objects

static inline void put_ready_pool(PlanEnv *ps, const char *name, const char *spec) {
    env_put(ps->env, "{kind: NodePool, metadata: {name: %s}, spec: {%s}, status: {conditions: [Ready]}}", name, spec);
}

// An environment with the pool "default".
static inline PlanEnv *with_pool(void) {
    PlanEnv *ps = plan_env();

    put_ready_pool(ps, "default", "");
    return ps;
}

// A pod that kube-scheduler found no node for. `more`: further members of the spec, each beginning with a comma.
static inline void put_waiting_pod(PlanEnv *ps, const char *name, const char *cpu, const char *more) {
    env_put(ps->env,
            "{kind: Pod, metadata: {name: %s, labels: {app: web}}, spec: {containers: [{name: main, image: app,"
            " resources: {requests: {cpu: '%s'}}}]%s}, status: {phase: Pending,"
            " conditions: [PodScheduled=False/Unschedulable]}}",
            name, cpu, more);
}

// Name of the nth claim of the State, in the order of slots; NULL: there are fewer.
static inline const char *nth_claim(PlanEnv *ps, uint32_t n) {
    State *state = env_state(ps->env);

    for (Handle handle = state_next(state, KUBE_NODE_CLAIM, HANDLE_NONE); handle.generation;
         handle = state_next(state, KUBE_NODE_CLAIM, handle)) {
        if (n-- == 0)
            return arena_text(&ps->env->arena,
                              symbol_text(state_symbols(state), state_node_claim(state, handle)->meta.name));
    }
    return NULL;
}

// Gives the claim its instance and a Node with that CPU, and initializes it.
static inline void bring_up(PlanEnv *ps, const char *claim, const char *cpu) {
    env_put(ps->env,
            "{kind: NodeClaim, metadata: {name: %s}, status: {providerID: 'kwok://%s', nodeName: n-%s,"
            " capacity: {cpu: '%s', memory: 16Gi, pods: '110'}, allocatable: {cpu: '%s', memory: 16Gi, pods: '110'},"
            " conditions: [Launched, Registered, Initialized, Ready]}}",
            claim, claim, claim, cpu, cpu);
    env_put(ps->env,
            "{kind: Node, metadata: {name: n-%s, labels: {karpenter.sh/nodepool: default,"
            " karpenter.kwok.sh/kwoknodeclass: default, karpenter.sh/registered: 'true',"
            " karpenter.sh/initialized: 'true', node.kubernetes.io/instance-type: large,"
            " topology.kubernetes.io/zone: zone-a, karpenter.sh/capacity-type: spot, kubernetes.io/arch: amd64,"
            " kubernetes.io/os: linux}}, spec: {providerID: 'kwok://%s'},"
            " status: {conditions: [Ready], capacity: {cpu: '%s', memory: 16Gi, pods: '110'},"
            " allocatable: {cpu: '%s', memory: 16Gi, pods: '110'}}}",
            claim, claim, cpu, cpu);
    // The API server taints every new Node not-ready; the node lifecycle controller takes it away once it is ready.
    env_put(ps->env, "{kind: Node, metadata: {name: n-%s}, spec: {taints: null}}", claim);
}

static inline Provisioner *provisioner_of(PlanEnv *ps) {
    return env_self(ps->env, &provisioner_controller);
}

static inline uint32_t count_text(const char *text, const char *part) {
    uint32_t count = 0;

    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

static inline void assert_has(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

static inline void assert_has_not(const char *text, const char *part) {
    if (strstr(text, part))
        fail_msg("\"%s\" is in:\n%s", part, text);
}
