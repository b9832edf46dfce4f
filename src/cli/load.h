// Loading: texts to the planner's input, which is a cluster and the instance types of each NodePool.
#pragma once

#include "cli/plan.h"

typedef struct {
    Cluster cluster;
    Arena arena;                             // of types and documents
    PlanPoolVec pools;                       // those that may get nodes for pods
    PlanPoolVec managed;                     // with PlanOptions.consolidate: all pools
    Vec(const InstanceTypeVec *) catalogues; // with it: each list of types that prices are looked up in
    Slice price_source;                      // where the prices of the types come from, in words
    WarningVec warnings;
} Loaded;

// ERR_INVALID, ERR_TOO_LARGE, ERR_NOT_FOUND (region): `err` names file, line and field. Call loaded_free in any case.
ErrCode load_input(const PlanOptions *options, Loaded *ret_loaded, Err *err);
void loaded_free(Loaded *loaded);
