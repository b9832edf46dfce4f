// An order of pods that depends on their age and names alone, so that plans do not depend on the order of the input.
#pragma once

#include "sched/input/pending.h"

// Compares pods by creation time (older first), namespace and name; numbers in names compare by value ("web-2" before
// "web-10"). Negative: `a` comes first. 0: both were expanded from one workload of a manifest, and are in the cluster
// in the order of their numbers.
int pod_order(const Symbols *symbols, const Pod *a, const Pod *b);

// Sorts pods of one cluster as they are served: the highest priority first, then by pod_order; equal ones stay in the
// order of the cluster. O(pods × log) comparisons of priorities and names.
void pods_queue(const Cluster *cluster, const Pod **pods, uint32_t count);

// Sorts pods of one cluster; equal ones stay in the order of the cluster. O(pods) when they are in order already, else
// O(pods × log) comparisons of names.
void pods_sort(const Symbols *symbols, PendingPodVec *pods);
