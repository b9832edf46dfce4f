// Host ports as sorted sets: what a pod asks for, what is taken on a bin.
//
// Two ports conflict when port and protocol are the same, and the addresses are, or one of them is every address
// (0.0.0.0, ::). Sets do not change once they are made. NULL is the empty set.
#pragma once

#include "model/objects.h"

typedef struct {
    uint32_t count;
    uint64_t ports[]; // protocol, port and address in one number; ascending, each once
} PortSet;

// O(ports × log ports).
const PortSet *port_set_make(Arena *arena, const Symbols *symbols, const HostPortVec *ports);
// Those of either; those of `set` that are not in `without`. O(ports).
const PortSet *port_set_join(Arena *arena, const PortSet *a, const PortSet *b);
const PortSet *port_set_without(Arena *arena, const PortSet *set, const PortSet *without);
// How many ports a set has: what joining it costs. O(1).
static inline uint32_t port_set_count(const PortSet *set) {
    return set ? set->count : 0;
}
// O(ports).
bool port_sets_conflict(const PortSet *a, const PortSet *b);
bool port_sets_equal(const PortSet *a, const PortSet *b);
uint64_t port_set_hash(const PortSet *set);
