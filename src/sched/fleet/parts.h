// Parts of a fleet search: nodes that go together, and the claims and nodes that take their pods.
//
// A part is named by one of its sources. Parts are linked when a move puts pods into another one's claim, or empties a
// node that another one has filled.
#pragma once

#include "sched/fleet/state.h"

void parts_init(FleetSearch *search);

// The source that names the part of a source. O(1) amortised.
uint32_t part_of(FleetSearch *search, uint32_t source);

// The part that there would be if the open change were kept: `sources` go, and everything that the change touches is
// linked. In the search's memory of one move. O(sources that go + claims × types).
FleetPart part_propose(FleetSearch *search, const U32Vec *sources);

// Links what the open change touches, notes where its pods went, and marks `sources` as gone. O(bins touched).
void part_keep(FleetSearch *search, const U32Vec *sources);

// The source that names the part of a claim's bin.
uint32_t part_of_claim(FleetSearch *search, uint32_t bin);

// Links the parts of two sources.
void part_link(FleetSearch *search, uint32_t source, uint32_t other);

// All parts, by gain for disruption, with their pods, in `arena`. O(pods × log).
FleetPartVec parts_write(FleetSearch *search, Arena *arena);
