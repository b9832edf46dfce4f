// What the replacements of a part of the fleet may become, so that they are never dearer than the nodes that go.
#pragma once

#include "disrupt/round.h"

// Copies the claims and narrows them: whatever is launched, they cost less together than the nodes. Each may cost its
// expected price plus its share of what is saved. A launch that may be spot is not on-demand, which would be dearer if
// spot failed. Spot nodes are replaced by spot only if the gate allows it and the replacement keeps a choice of
// offerings. False: a claim has nothing left. O(claims × types × offerings).
bool fleet_replace(Arena *arena, const Round *round, const CandidateList *nodes, const PlannedClaimVec *claims,
                   PlannedClaimVec *ret_claims);
