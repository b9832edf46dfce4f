// Which pools consolidation had better wait for until they come to rest.
//
// After most of a pool's pods went, or after a burst, nodes come to rest one after the other. A round for those that
// did moves pods onto the others, which then have to wait anew, and whose pods, moved a moment ago, are dear to move
// again: it is better to wait for a while, and to find one round for nearly all of them. A pool that is never at rest
// holds up no other.
#pragma once

#include "disrupt/round.h"

// Notes the pools (Round.is_restless) of which ten nodes or more, and a twentieth of all, may not be consolidated yet
// because pods came or went. Whether there are any. O(nodes + pools).
bool rest_look(Round *round);
