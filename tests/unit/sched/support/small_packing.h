// Random packings of a few pods, and their optimum by exhaustive search.
#pragma once

#include "base/random.h"
#include "sched/packing/packing.h"

// Draws 1 to 6 pods and up to 6 kinds of nodes; some draws have limits of pods per node, rules that limit how many pods
// share a node, pods that only some kinds take, and existing nodes. At least one kind takes every pod. The caller must
// call packing_finish.
void small_packing_draw(Packing *packing, Arena *arena, Random *random);

// The least price of nodes that hold all pods. O(3^pods × kinds).
double small_packing_optimum(const Packing *packing);

// The most that the content of one node of the kind can be worth (`worth` per item).
double small_packing_best_content(const Packing *packing, uint32_t kind, const double *worth);

// Whether these counts of items fit into one node of the kind.
bool small_packing_fits(const Packing *packing, uint32_t kind, const uint32_t *counts);
