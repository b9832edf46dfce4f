// Price floor of a moment: a plan of all pods that want to run on new nodes only.
//
// tenon's actual price may be higher because pods change over time: nodes that were right an hour ago still exist.
#include "sim/scenario/run_floor.h"

#include "model/names.h"
#include "sched/plan.h"

#include <math.h>

// Unbinds all pods that need a node.
static void unbind(Cluster *cluster) {
    uint32_t kept = 0;

    for (uint32_t i = 0; i < cluster->pods.count; i++) {
        Pod *pod = &cluster->pods.items[i];

        if (pod->deleted_ns || pod_is_terminal(pod))
            continue;
        pod->node_name = NAME_EMPTY;
        pod->unschedulable = true;
        cluster->pods.items[kept++] = *pod;
    }
    cluster->pods.count = kept;
    cluster->nodes.count = 0;
    cluster->node_claims.count = 0;
}

static void take_pools(Run *run, Arena *arena, PlanInput *input) {
    for (vec_each(const NodePool, pool, &input->cluster->node_pools)) {
        PlanPool plan_pool = {.pool = pool};
        CloudError error;

        if (!pool->is_static && cloud_instance_types(sim_view_cloud(run->view), pool, &plan_pool.types, &error) == OK)
            vec_push(arena, &input->pools, plan_pool);
    }
}

double run_floor(Run *run) {
    Arena arena = {0};
    Snapshot *snapshot = world_snapshot(run->world);
    Cluster cluster;
    PlanInput input = {.cluster = &cluster, .search = {.strategies = 1u << STRATEGY_MARGINAL_PRICE}};
    Plan plan;
    double floor_per_hour;

    snapshot_cluster(snapshot, &arena, &cluster);
    unbind(&cluster);
    input.search.skip_improvement = true;
    take_pools(run, &arena, &input);
    input.pending = pending_select(&arena, &cluster, &input.nodes, world_now_ns(run->world));
    plan_solve(&arena, &input, &plan);
    floor_per_hour = plan.floor_per_hour;
    arena_free(&arena);
    snapshot_free(snapshot);
    return floor_per_hour;
}
