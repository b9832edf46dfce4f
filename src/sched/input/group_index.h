// Which topology groups select which pods.
#pragma once

#include "sched/input/pod_class.h"

// Groups by their numbers, ascending, per label class.
typedef struct {
    U32Vec *counted; // forward groups that count its pods
    U32Vec *wanted;  // the affinity rules among these
    U32Vec *avoided; // inverse groups that select its pods; empty for label classes of no pending pod
} GroupIndex;

// Compares groups with label classes: forward groups with all, inverse groups, which say where pods that are placed may
// not go, with those of pending pods, and each only with those of the namespaces that it reaches, since most rules
// reach one. Stops when the budget is used up. O(groups that reach the namespace × label classes).
void group_index_make(ClassTable *table, GroupIndex *ret_index);
