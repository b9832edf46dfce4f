// Bounds of the number of pods that a spread allows in each of its domains.
#pragma once

#include "sched/index/topology.h"

typedef struct {
    int64_t owners;  // pods of the plan that have the rule and are counted by it
    int64_t counted; // pods of the plan that it counts, including owners
    uint32_t count;
    uint32_t *atoms;       // domains
    int64_t *least, *most; // per domain: at least so many counted pods, at most so many owners
} DomainCounts;

// Fills in the rest, from the counts of a group before pods are placed. Every distribution that keeps max skew at the
// end (domains with owners are at most max skew above the minimum) is within the bounds. False: there is none.
// O(domains × pods).
bool domain_counts_make(DomainCounts *counts, Arena *arena, const TopologyGroup *group);
