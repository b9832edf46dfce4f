// FloorProof: prices of items that prove a floor, a price below which no packing, and so no plan, of some items can be.
//
// Prices are proven when no content of any kind of node is worth more than the node costs. Then every packing costs at
// least the worth of its items. Contents of kinds in limited supply (existing nodes, reservations) may be worth more
// than the node costs; that surplus is subtracted once for each node in supply. docs/design/floor.md has the proof,
// with rounding errors.
#pragma once

#include "sched/packing/packing.h"

typedef struct {
    double *worth;   // per item: proven price
    double *surplus; // per supply: the most that one node's content is worth above its price
    double value;    // the floor of all items of the packing, $ per hour
} FloorProof;

// Starts with the floor 0.
void floor_proof_init(FloorProof *proof, Arena *arena, const Packing *packing);

// Lowers `worth` until it is proven, and replaces `proof` if it proves more. `bounds`: per kind, the most that a
// content is worth at `worth`. O(kinds × items).
void floor_proof_offer(FloorProof *proof, const Packing *packing, const double *worth, const double *bounds);

// The floor of `counts` of the items (at most those of the packing), $ per hour. At least 0. O(items + supplies).
double floor_proof_value(const FloorProof *proof, const Packing *packing, const uint32_t *counts);
