// The solver's job: from a snapshot to a plan. All of it is in the job's arena, which lives until the completion was
// delivered. Behaviour: reference scheduling.md 4.1 (pods), 5.1 (pools), 7.2 (nodes).
#include "engine/job_solve.h"

#include "ctl/common/claim_facts.h"
#include "sched/budget.h"
#include "sched/set_aside.h"

typedef Vec(PoolTypes) PoolTypesVec;

static bool is_ready(const Symbols *symbols, const NodePool *pool) {
    const Condition *ready = condition_get(&pool->conditions, symbols, SLICE("Ready"));

    return ready && slice_eq_text(symbol_text(symbols, ready->status), "True");
}

static bool is_managed(const EngineShared *shared, const NodePool *pool) {
    const NodeClassRef *ref = &pool->template_spec.node_class;

    return slice_eq(symbol_text(shared->symbols, ref->group), shared->settings.node_class_group) &&
           slice_eq(symbol_text(shared->symbols, ref->kind), shared->settings.node_class_kind);
}

// Whether the pool may get new nodes. Other pools only say what their unlaunched claims may become.
static bool may_grow(const EngineShared *shared, const NodePool *pool) {
    return !pool->is_static && !pool->meta.deleting && is_ready(shared->symbols, pool);
}

// Adds the pools. A pool whose instance types cannot be resolved is left out; its controller reports why (lifecycle.md
// 5.3).
static void add_pools(EngineJob *job, PlanInput *input, PoolTypesVec *types_of) {
    for (vec_each(NodePool, pool, &input->cluster->node_pools)) {
        const InstanceTypeVec *types;
        CloudError error;

        if (!is_managed(job->shared, pool) || cloud_instance_types(job->shared->cloud, pool, &types, &error) != OK)
            continue;
        vec_push(&job->arena, types_of, (PoolTypes){pool->meta.name, types});
        if (may_grow(job->shared, pool))
            vec_push(&job->arena, &input->pools, (PlanPool){pool, types});
    }
}

// Takes the room off nodes that do not become ready; their pods still count for other pods' constraints.
static void close_stuck_nodes(EngineJob *job, NodeViewVec *nodes) {
    for (vec_each(NodeView, node, nodes)) {
        if (node->claim && claim_is_stuck(node->claim, job->shared->symbols, &job->shared->settings, job->decided_ns))
            node->allocatable = (Resources){0};
    }
}

static int64_t monotonic_ns(void *context) {
    return clock_now(*(const Clock *)context).ns;
}

// In virtual life no time goes by while a plan is made: there the deadline is one in steps, and comes where it would
// come at their usual pace.
static PlanSearch search_of(EngineJob *job, const PlanSearch *asked) {
    PlanSearch search = *asked;

    search.now_ns = monotonic_ns;
    search.now_context = &job->shared->clock;
    search.deadline_steps = (uint64_t)(asked->deadline_ns / NS_PER_US) * BUDGET_STEPS_PER_US;
    search.cancelled = &job->shared->ends;
    return search;
}

void job_solve(EngineJob *job, uint32_t step) {
    const SolveIntent *intent = &job->intents[step].solve;
    PlanInput *input = arena_new(&job->arena, PlanInput);
    Plan *plan = arena_new(&job->arena, Plan);
    Solved *solved = arena_new(&job->arena, Solved);
    PoolTypesVec types_of = {0};

    input->cluster = arena_new(&job->arena, Cluster);
    snapshot_cluster(job->snapshot, &job->arena, input->cluster);
    add_pools(job, input, &types_of);
    input->nodes = node_views_make(&job->arena, input->cluster, types_of.items, types_of.count);
    close_stuck_nodes(job, &input->nodes);
    input->pending = pending_select(&job->arena, input->cluster, &input->nodes, job->decided_ns);
    input->default_spread = job->shared->settings.default_spread;
    input->preferences = intent->preferences;
    input->min_values = intent->min_values;
    input->max_instance_types = intent->max_instance_types;
    input->search = search_of(job, &intent->search);
    set_aside_uids(&job->arena, input, &intent->set_aside);
    input->digests = job->shared->digests;
    plan_solve(&job->arena, input, plan);
    type_digests_sweep(job->shared->digests);
    *solved = (Solved){input, plan};
    if (plan->cancelled)
        job->completions[step].code = ERR_GONE; // it is told to nobody
    job->completions[step].solved = solved;
}
