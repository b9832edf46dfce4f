// The facts of disruption, made from manifests: what a controller would know of the cluster of a dump.
#pragma once

#include "cli/load.h"
#include "disrupt/facts.h"

// What a dump does not say, and what is taken for granted instead.
typedef struct {
    uint32_t quiet;        // claims that are taken to be Consolidatable: their consolidateAfter counts as over
    uint32_t drifted;      // claims that the dump calls Drifted
    uint32_t without_type; // NodePools, managed ones, whose instance types nobody knows
    uint32_t pending;      // pods that wait for a node: they are left alone
} FleetAssumptions;

// Changes the loaded cluster: every NodeClaim is taken to be quiet for as long as its pool asks for, and with
// `lifts_budgets` no pool has a budget. Called once. O(claims + pools + pods).
FleetAssumptions fleet_assume(Loaded *loaded, bool lifts_budgets);

// The facts of the cluster as it is now. Everything lives in `arena` or in what was loaded; to be made again when nodes
// come or go. O(nodes × log + pools).
void fleet_facts(Arena *arena, Loaded *loaded, int64_t now_ns, DisruptFacts *ret_facts);

// Adds a condition that is True, or makes it so.
void fleet_set_condition(Loaded *loaded, ConditionVec *conditions, const char *type);
