// The order of classes, and of the pods in them: that of pods (input/pod_order.h).
#pragma once

#include "sched/input/pod_class.h"

// Sorts the pods of one class, indexes into the pending pods of the table's input. O(pods) when they are in order
// already, as those of a workload are.
void class_order_members(const ClassTable *table, U32Vec *members);

// Sorts the classes, and `members` with them (sorted, per class), by their first pod. O(classes × log).
void class_order_classes(ClassTable *table, U32Vec *members);
