// The repairs of the last minutes, as the annotation tenon.sh/repairs of NodePools records them: whoever leads after a
// restart goes on at the same pace.
//
// "2026-11-23T00:10:00Z/us-east-1a/ami-1,…": when, in which zone, of which image. The pace: within ten minutes at most
// one node in twenty of a zone is repaired, and one in twenty of an image, at least one each. A detector that is wrong,
// an image that makes its nodes sick and a zone that fails then cost few nodes before somebody looks.
#pragma once

#include "model/objects.h"

enum { REPAIR_WINDOW_MIN = 10, REPAIR_PACE_PERCENT = 5, REPAIR_HISTORY_MAX = 64 };

typedef struct {
    int64_t at_ns;
    Slice zone, image;
} PastRepair;
typedef Vec(PastRepair) PastRepairVec;

// Reads the repairs of the last REPAIR_WINDOW_MIN from a NodePool's annotation; what cannot be read is left out. Texts
// are those of the annotation. O(length).
PastRepairVec repair_history_read(Arena *arena, const NodePool *pool, const Symbols *symbols, int64_t now_ns);

// The annotation's text with one more repair, without those that are older. Nobody repairs a node of a pool whose
// history has REPAIR_HISTORY_MAX.
Slice repair_history_add(Arena *arena, const NodePool *pool, const Symbols *symbols, PastRepair repair);

// How many nodes of `total` in one zone, or of one image, may be repaired within REPAIR_WINDOW_MIN.
uint32_t repair_pace(uint32_t total);
