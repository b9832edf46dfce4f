// The cluster that a job works on, made from its snapshot: objects, NodePools with their instance types, nodes.
#pragma once

#include "engine/job.h"
#include "sched/plan.h"

typedef struct {
    Cluster *cluster;
    PlanPoolVec pools;   // managed ones whose instance types can be resolved
    PlanPoolVec growing; // of them, those that may get new nodes for pods: dynamic, ready, and not deleting
    NodeViewVec nodes;
} JobCluster;

// All of it is in the job's arena. The room of nodes that do not become ready is taken off them; their pods still count
// for other pods' constraints. O(objects).
JobCluster job_cluster_make(EngineJob *job);

// The search as it was asked for, with the engine's clock, and ended when the engine ends. In virtual life no time goes
// by while a plan is made: there the deadline is one in steps, and comes where it would come at their usual pace.
PlanSearch job_search(EngineJob *job, const PlanSearch *asked);
