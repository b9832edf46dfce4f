// What the preferences and rules of each class become.
#pragma once

#include "sched/input/pod_class.h"

// Makes variants, groups and incidence. Label classes and inverse groups of bound pods must exist by then.
void class_table_finish(ClassTable *table);

// How many preferences a variant gives up; terms of node affinity are none. O(1).
uint32_t variant_level(const PodClass *class, uint32_t variant);

// The `at`-th variant when those that keep most come first and, among equals, the terms from the `turn`-th on. O(1).
uint32_t variant_in_turn(const PodClass *class, uint32_t at, uint32_t turn);
