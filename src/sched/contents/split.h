// The cheapest way to deal all pods to nodes, when the price of a node depends on its place and content alone.
//
// Where rules count pods in the domains of one key, the pods are dealt to its domains first, so that such rules are
// kept to the letter.
#pragma once

#include "sched/contents/problem.h"

// Cells whose nodes are dealt together.
typedef struct {
    uint64_t cells;
    const bool *deals; // per content: whether the domain may have these pods; NULL: any
    uint32_t first;    // of its stages
    uint32_t count;    // of them
    uint32_t layer;    // of `rest`: claims; the stages follow
} SmallDomain;
typedef Vec(SmallDomain) SmallDomainVec;

typedef struct {
    const SmallProblem *problem;
    uint32_t key;  // into keys: its rules are kept; INDEX_NONE: one domain has all cells
    uint64_t work; // of one deal, in elementary operations
    SmallDomainVec domains;
    Vec(uint32_t) stages; // nodes that exist, one by one: into problem->nodes
    double *rest;         // [layer * contents + content]: least price on claims of the domain and its first stages
    uint32_t *taken;      // parallel: the content of the stage's node, of a claim in the first layer
    double *dealt;        // [domain * contents + content]: least price in this domain and earlier ones
    uint32_t *given;      // parallel: what the domain gets of it
} SmallSplit;

// Pairs of a content and a part of it: the steps that a deal takes at least. Items are enough to ask. O(items).
uint64_t small_split_pairs(const SmallProblem *problem);

// Nodes become stages as long as one deal takes no more than `steps`; `ret_left` (per kind of node) is how many are
// left over. False: claims alone take more.
bool small_split_init(SmallSplit *split, const SmallProblem *problem, uint64_t steps, uint32_t *ret_left);

// The domain of a cell. O(domains).
uint32_t small_split_domain(const SmallSplit *split, uint32_t cell);

// The least price of all pods; INFINITY: they cannot be dealt. `claims` per domain and content, `nodes` per cell and
// content: what nodes that are stages cost. O(domains × contents × contents below them).
double small_split_solve(SmallSplit *split, const double *claims, const double *nodes);

// The nodes that make it, one call each: of a kind of node that exists, or (INDEX_NONE) a claim in the domain.
typedef void SmallUse(void *context, uint32_t domain, uint32_t node, uint32_t content);
void small_split_each(const SmallSplit *split, SmallUse *use, void *context);
