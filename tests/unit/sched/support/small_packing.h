// Packings of a handful of pods, drawn at random, and what they cost at least: by trying everything.
#pragma once

#include "base/random.h"
#include "sched/packing/packing.h"

// Draws 1 to 6 pods and up to 6 kinds of nodes, with pods per node, rules of "so many on a node", pods that only some
// kinds take, and existing nodes (each in some of the draws). Some kind takes every pod. packing_finish is yet to be
// called.
void small_packing_draw(Packing *packing, Arena *arena, Random *random);

// The least price of nodes that hold all pods. O(3^pods × kinds).
double small_packing_optimum(const Packing *packing);

// The most that the content of one node of the kind can be worth (`worth` per item).
double small_packing_best_content(const Packing *packing, uint32_t kind, const double *worth);

// Whether so many of each item go into one node of the kind.
bool small_packing_fits(const Packing *packing, uint32_t kind, const uint32_t *counts);
