// SmallSplit: the cheapest assignment of all pods to nodes, where the price of a node depends on its place and content
// alone.
//
// Pods are assigned to the domains of one key first, so that the rules on that key are met exactly.
#pragma once

#include "sched/contents/problem.h"

// A domain of the key: cells whose nodes are assigned together.
typedef struct {
    uint64_t cells;
    const bool *deals; // per content: whether the domain may have these pods; NULL: any
    uint32_t first;    // its first stage
    uint32_t count;    // number of its stages
    uint32_t layer;    // its first layer in `rest`, which is for claims; those of the stages follow
} SmallDomain;
typedef Vec(SmallDomain) SmallDomainVec;

typedef struct {
    const SmallProblem *problem;
    uint32_t key;  // into keys: the key of the domains; INDEX_NONE: one domain has all cells
    uint64_t work; // work of small_split_solve, in elementary operations
    SmallDomainVec domains;
    Vec(uint32_t) stages; // single existing nodes: into problem->nodes
    double *rest;    // [layer * contents + content]: least price with the domain's claims and stages up to the layer
    uint32_t *taken; // parallel: content of the layer's node, or of one claim in the first layer
    double *dealt;   // [domain * contents + content]: least price in this domain and earlier ones
    uint32_t *given; // parallel: the part of the content that is in this domain
} SmallSplit;

// The number of pairs of a content and a part of it, which is the least work of a solve. Needs only the items.
// O(items).
uint64_t small_split_pairs(const SmallProblem *problem);

// Makes domains, and stages of existing nodes as long as one solve takes no more than `steps`. `ret_left`: per kind of
// node, how many are no stages. False: claims alone take more than `steps`.
bool small_split_init(SmallSplit *split, const SmallProblem *problem, uint64_t steps, uint32_t *ret_left);

// The index of a cell's domain. O(domains).
uint32_t small_split_domain(const SmallSplit *split, uint32_t cell);

// The least price of an assignment of all pods; INFINITY: there is none. `claims`: price per domain and content;
// `nodes`: price of a stage per cell and content. O(domains × pairs of a content and a part of it).
double small_split_solve(SmallSplit *split, const double *claims, const double *nodes);

// Calls `use` for each node of the last solution: `node` is an existing kind, or INDEX_NONE for a claim in the domain.
typedef void SmallUse(void *context, uint32_t domain, uint32_t node, uint32_t content);
void small_split_each(const SmallSplit *split, SmallUse *use, void *context);
