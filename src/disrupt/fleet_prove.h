// Proof of commands of the fleet search: each is found again, all with one preparation of the solver.
#pragma once

#include "disrupt/round.h"

// A proposal whose nodes may all still go, and its answer.
typedef struct {
    const DisruptProposal *proposal;
    CandidateList nodes;
    ProvenProposal *proven;
} FleetProof;
typedef Vec(FleetProof) FleetProofVec;

// Fills in the answers, in order. The cost of fleet_replay (sched/fleet/replay.h).
void fleet_prove(Round *round, const FleetProofVec *proofs);
