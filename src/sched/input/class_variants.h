// What the preferences and rules of each class become.
#pragma once

#include "sched/input/pod_class.h"

// Makes variants, groups and incidence. Label classes and inverse groups of bound pods must exist by then.
void class_table_finish(ClassTable *table);

// Variants that differ in the term of required node affinity alone, beside each other. They are of equal standing:
// which of them a pod takes is a matter of price.
typedef struct {
    uint32_t first, count; // at most ALTERNATIVES_MAX; of more terms, those in a row
} Alternatives;
enum { ALTERNATIVES_MAX = 8 };

// The alternatives that a variant is one of. O(1).
Alternatives variant_alternatives(const PodClass *class, uint32_t variant);

// How many preferences a variant gives up; terms of node affinity are none. O(1).
uint32_t variant_level(const PodClass *class, uint32_t variant);

// The `at`-th variant when those that keep most come first and, among equals, the terms from the `turn`-th on. O(1).
uint32_t variant_in_turn(const PodClass *class, uint32_t at, uint32_t turn);

// Fills in the rules of a variant. O(rules of the class + groups that keep it away).
void variant_find_rules(const PodClass *class, uint32_t number);

// A variant with its rules.
static inline Variant *class_variant(const PodClass *class, uint32_t number) {
    if (!class->variants.items[number].has_rules)
        variant_find_rules(class, number);
    return &class->variants.items[number];
}
// The one that asks for least: what must hold, and nothing else.
static inline Variant *class_last_variant(const PodClass *class) {
    return class_variant(class, class->variants.count - 1);
}
