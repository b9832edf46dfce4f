// Variants of classes: the preferences that a pod keeps, and the topology groups that bind it then.
#pragma once

#include "sched/input/pod_class.h"

// Makes the variants of all classes, the topology groups of their rules, and the lists of which group counts or avoids
// which class. The label classes and inverse groups of bound pods must exist before.
void class_table_finish(ClassTable *table);

// Adjacent variants that differ in the term of required node affinity alone. Any of them satisfies the pod equally, so
// price decides which one is used.
typedef struct {
    uint32_t first, count; // at most ALTERNATIVES_MAX; more terms are split into several such ranges
} Alternatives;
enum { ALTERNATIVES_MAX = 8 };

// The range of alternatives that contains a variant. O(1).
Alternatives variant_alternatives(const PodClass *class, uint32_t variant);

// The number of preferences that a variant gives up; 0 where they are weighed. Terms of required node affinity do not
// count as preferences. O(1).
uint32_t variant_level(const PodClass *class, uint32_t variant);

// The `at`-th variant in an order with the fewest preferences given up first and, among equals, the node affinity terms
// rotated so that the `turn`-th comes first. O(1).
uint32_t variant_in_turn(const PodClass *class, uint32_t at, uint32_t turn);

// Fills in `groups`, `keys` and `bin_checks` of a variant. O(rules of the class + groups that avoid it).
void variant_find_rules(const PodClass *class, uint32_t number);

// The first of the variants that keep exactly these preferred rules (bits of PodClass.preferred), made if there are
// none yet, which invalidates pointers to variants of the class. O(variants + terms × label keys).
uint32_t class_variant_keeping(PodClass *class, uint32_t kept);

// A variant with its rules, which are filled in on the first call.
static inline Variant *class_variant(const PodClass *class, uint32_t number) {
    if (!class->variants.items[number].has_rules)
        variant_find_rules(class, number);
    return &class->variants.items[number];
}
// The variant without any preference.
static inline Variant *class_last_variant(const PodClass *class) {
    return class_variant(class, (class->weighed ? class->relaxations : class->variants.count) - 1);
}
