// Proven prices of items, and the floor that they make: no packing, and so no plan, of some items costs less.
//
// Prices are proven when no content of any kind of node is worth more than the node costs. Then every packing costs at
// least the worth of what it holds; where kinds run out (existing nodes, reservations) their contents may be worth more
// than they cost, which is taken off as often as there are such nodes. docs/design/floor.md has the argument and why
// rounding cannot break it.
#pragma once

#include "sched/packing/packing.h"

typedef struct {
    double *worth;   // per item: proven
    double *surplus; // per supply: what one node's content may be worth above its price
    double value;    // what they prove for all items of the packing, $ per hour
} FloorProof;

// A proof of 0.
void floor_proof_init(FloorProof *proof, Arena *arena, const Packing *packing);

// Lowers `worth` until it is proven and keeps it when it proves more than `proof` does. `bounds` (per kind) limit what
// a content is worth at `worth`. O(kinds × items).
void floor_proof_offer(FloorProof *proof, const Packing *packing, const double *worth, const double *bounds);

// What the proof says for `counts` of the items (at most those of the packing). At least 0.
double floor_proof_value(const FloorProof *proof, const Packing *packing, const uint32_t *counts);
