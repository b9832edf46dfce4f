// From a snapshot to the input of a solve or of a look for what may be disrupted.
#include "engine/job_cluster.h"

#include "ctl/common/claim_facts.h"
#include "ctl/common/pool_facts.h"
#include "sched/budget.h"

typedef Vec(PoolTypes) PoolTypesVec;

// A pool that may not grow only says what its nodes and its unlaunched claims are. One whose instance types cannot be
// resolved is left out; its controller reports why (reference lifecycle.md 5.3).
static void add_pools(EngineJob *job, JobCluster *of, PoolTypesVec *types_of) {
    const EngineShared *shared = job->shared;

    for (vec_each(NodePool, pool, &of->cluster->node_pools)) {
        const InstanceTypeVec *types;
        CloudError error;

        if (!pool_is_managed(pool, shared->symbols, &shared->settings) ||
            cloud_instance_types(shared->cloud, pool, &types, &error) != OK)
            continue;
        vec_push(&job->arena, types_of, (PoolTypes){pool->meta.name, types});
        vec_push(&job->arena, &of->pools, (PlanPool){pool, types});
        if (!pool->is_static && !pool->meta.deleting && pool_is_ready(pool, shared->symbols))
            vec_push(&job->arena, &of->growing, (PlanPool){pool, types});
    }
}

static void close_stuck_nodes(EngineJob *job, NodeViewVec *nodes) {
    for (vec_each(NodeView, node, nodes)) {
        if (node->claim && claim_is_stuck(node->claim, job->shared->symbols, &job->shared->settings, job->decided_ns))
            node->allocatable = (Resources){0};
    }
}

JobCluster job_cluster_make(EngineJob *job) {
    JobCluster of = {.cluster = arena_new(&job->arena, Cluster)};
    PoolTypesVec types_of = {0};

    snapshot_cluster(job->snapshot, &job->arena, of.cluster);
    add_pools(job, &of, &types_of);
    of.nodes = node_views_make(&job->arena, of.cluster, types_of.items, types_of.count);
    close_stuck_nodes(job, &of.nodes);
    return of;
}

static int64_t monotonic_ns(void *context) {
    return clock_now(*(const Clock *)context).ns;
}

PlanSearch job_search(EngineJob *job, const PlanSearch *asked) {
    PlanSearch search = *asked;

    search.now_ns = monotonic_ns;
    search.now_context = &job->shared->clock;
    search.deadline_steps = (uint64_t)(asked->deadline_ns / NS_PER_US) * BUDGET_STEPS_PER_US;
    search.cancelled = &job->shared->ends;
    return search;
}
