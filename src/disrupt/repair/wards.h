// How many nodes of each NodePool, zone and image there are, are sick, and were repaired lately.
#pragma once

#include "disrupt/repair/history.h"
#include "disrupt/repair/sickness.h"

typedef enum { WARD_POOL, WARD_ZONE, WARD_IMAGE, WARD_KINDS } WardKind;

typedef struct {
    uint32_t total, sick; // sick: with a condition that a policy names, however short a time
    uint32_t repaired;    // within REPAIR_WINDOW_MIN
    int64_t repaired_ns;  // the first of them
} Ward;

typedef struct {
    IndexMap index; // kind and name to index into `items`
    Vec(Ward) items;
    uint32_t sick;     // nodes
    int64_t awaits_ns; // when the next toleration ends; INT64_MAX: none is running
} Wards;

// Counts the nodes that have a NodeClaim that is not going away. O(nodes × (pools + conditions × policies)).
Wards wards_make(Arena *arena, const DisruptFacts *facts);

// The name of the node's ward: of its pool, its zone, or its image; NAME_EMPTY: none.
Symbol ward_name(const NodeView *view, WardKind kind);
// NULL: there is none of that name.
const Ward *ward_find(const Wards *wards, WardKind kind, Symbol name);
