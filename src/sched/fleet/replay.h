// Parts that were found a while ago, made again in the fleet as it is now.
#pragma once

#include "sched/fleet/fleet.h"

typedef struct {
    FleetFate fate; // GOES, or why the sources stay; STAYS_NO_ROOM: what it needs is not there any more
    FleetPart part; // if they go
} FleetOutcome;
typedef Vec(FleetOutcome) FleetOutcomeVec;

// Judges groups in their order, each with those before it that go carried out. No group uses what another one frees or
// buys: no source takes pods, and each group has its own claims. Pods go where the group says or, where it says nothing
// or that is not possible any more, into free room. All groups share one preparation: what each costs on top is what
// its own pods cost. Everything returned lives in `arena` or in the input. O(solver_init + moved pods).
void fleet_replay(Arena *arena, const FleetInput *input, const FleetGroupVec *groups, FleetOutcomeVec *ret_outcomes);
