// The order of classes and of the pods in them, which is the order of pods (input/pod_order.h).
#pragma once

#include "sched/input/pod_class.h"

// Sorts the pods of one class (indexes into the pending pods of the table's input). O(pods) when they are in order
// already, as the pods of a workload are; else O(pods × log).
void class_order_members(const ClassTable *table, U32Vec *members);

// Sorts the classes by their first pod, and `members` (the sorted pods of each class) with them. O(classes × log).
void class_order_classes(ClassTable *table, U32Vec *members);
