// The cheapest way to deal all pods to nodes, when the price of a node depends on its content alone.
#pragma once

#include "sched/contents/problem.h"

typedef struct {
    const SmallProblem *problem;
    uint64_t pairs;       // steps of splitting by claims
    Vec(uint32_t) stages; // nodes that exist, one by one: into problem->nodes
    double *rest;         // [stage * contents + content]: least price of the content on claims and the first stages
    uint32_t *taken;      // parallel: the content of the stage's node; in stage 0 of a claim
} SmallSplit;

// Nodes become stages as long as one deal takes no more than `steps`; `ret_left` (per kind of node) is how many are
// left over. False: claims alone take more.
bool small_split_init(SmallSplit *split, const SmallProblem *problem, uint64_t steps, uint32_t *ret_left);

// The least price of all pods; INFINITY: they cannot be dealt. `claims` per content, `nodes` per cell and content: what
// nodes that are stages cost. O(contents × contents below them).
double small_split_solve(SmallSplit *split, const double *claims, const double *nodes);

// The contents that make it, one call each: the node's kind (INDEX_NONE: a claim).
typedef void SmallUse(void *context, uint32_t node, uint32_t content);
void small_split_each(const SmallSplit *split, SmallUse *use, void *context);
