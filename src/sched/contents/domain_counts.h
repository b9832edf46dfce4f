// How many pods a spread wants in each of its domains.
#pragma once

#include "sched/solver.h"

typedef struct {
    int64_t owners;  // pods to come that have the rule and are counted by it
    int64_t counted; // pods to come that it counts, these included
    uint32_t count;
    uint32_t *atoms;       // domains
    int64_t *least, *most; // per domain: of the pods that are counted at least, of owners at most
} DomainCounts;

// Fills the rest for a group as it is before pods are placed, so that every level deal is within the counts: final
// counts of domains with owners are at most max skew above the least. False: no deal is level. O(domains × pods).
bool domain_counts_make(DomainCounts *counts, Arena *arena, const TopologyGroup *group);
