// Host ports as sorted sets: those that a pod requests, and those that are used on a bin.
//
// Two ports conflict when port and protocol are equal, and the addresses are equal or one of them is the wildcard
// (0.0.0.0, ::). Sets are immutable. NULL is the empty set.
#pragma once

#include "model/objects.h"

typedef struct {
    uint32_t count;
    uint64_t ports[]; // protocol, port and address in one number; ascending, each once
} PortSet;

// The set of a pod's host ports; NULL when there are none. O(ports × log ports).
const PortSet *port_set_make(Arena *arena, const Symbols *symbols, const HostPortVec *ports);
const PortSet *port_set_copy(Arena *arena, const PortSet *set); // O(ports)
// Union, and difference. O(ports).
const PortSet *port_set_join(Arena *arena, const PortSet *a, const PortSet *b);
const PortSet *port_set_without(Arena *arena, const PortSet *set, const PortSet *without);
// The number of ports in a set. O(1).
static inline uint32_t port_set_count(const PortSet *set) {
    return set ? set->count : 0;
}
// O(ports).
bool port_sets_conflict(const PortSet *a, const PortSet *b);
bool port_sets_equal(const PortSet *a, const PortSet *b);
uint64_t port_set_hash(const PortSet *set);
