// The order of pods: by what they are, and not by where they stand in the input, so that the order of documents decides
// nothing.
#pragma once

#include "sched/input/pending.h"

// Older pods come first; then by namespace and name, in which numbers count as numbers ("web-2" before "web-10").
// Negative: `a` comes first. 0: pods that were made from one workload, in whichever order they are; their names differ
// in a number, and they were made in its order.
int pod_order(const Symbols *symbols, const Pod *a, const Pod *b);

// Sorts pods of one cluster. O(pods) when they are in order already, O(pods × log) comparisons of names else.
void pods_sort(const Symbols *symbols, PendingPodVec *pods);
