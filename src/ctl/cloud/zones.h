// Zones that traffic is shifted away from, or back to: events on the NodePools that could use them. Reference
// aws.md 7.9.
#pragma once

#include "ctl/ctl.h"

// Intends the events about message->zone, a zone's name or its id, for a message of that kind: on the provider's
// NodePools that have a NodeClaim there, or whose requirements allow it while one of their instance types is offered
// there. O(pools × offerings + claims).
void zones_tell(Turn *turn, const CloudMessage *message);
