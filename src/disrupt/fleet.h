// Consolidation of the whole fleet: any number of nodes to any number of cheaper ones (docs/design/disrupt-fleet.md).
#pragma once

#include "disrupt/round.h"
#include "disrupt/worth/demand.h"
#include "sched/fleet/fleet.h"

// Adds commands that make the fleet cheaper, as many as budgets allow, by saving for disruption; notes for the nodes
// that stay why they do, with a number. The cost of sched/fleet/fleet.h.
void fleet_find(Round *round);

// --- its parts

// The question to sched's search.
typedef struct {
    Round *round;
    CandidateList candidates; // per source
    FleetInput input;         // its context is this struct
    U32Vec homes;
    PoolAmountVec rooms; // of the pools, once the commands that were made have been carried out
    int64_t *waits_ns;   // per source: how much longer its room must not be needed (disrupt/worth/lasting.h)
    bool is_waited_for;  // one of these is not 0
} FleetQuestion;

// Whether the search may let the candidate go at all.
bool fleet_may_take(const Round *round, const DisruptionCandidate *candidate);

// Candidates that it may not take are left out of the question's.
void fleet_ask(Round *round, const CandidateList *candidates, FleetQuestion *ret_question);

// The command that carries out a part. False: the part may not be.
bool fleet_command(FleetQuestion *question, const FleetPart *part, DisruptCommand *ret_command);

// The replacements of a part, copied and narrowed (fleet_replace.h). False: the part may not be.
bool fleet_part_replacements(Arena *arena, const FleetQuestion *question, const FleetPart *part,
                             PlannedClaimVec *ret_claims);
