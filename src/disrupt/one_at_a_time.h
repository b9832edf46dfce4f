// Nodes of Provisioners go one method at a time: what one method found is carried out, nodes and all, before the next
// method of such nodes begins. Reference legacy.md 5.1, 5.2: R071 to R074.
//
// Their order is expiration, drift, emptiness, consolidation: so their drift comes before the emptiness of a pass, and
// expiration is a drift of theirs (ctl/claim/disruption.c). All empty nodes of a method go together, as before. Other
// pools are neither held up by this, nor hold it up.
#pragma once

#include "disrupt/round.h"

enum { ONE_AT_A_TIME_WAIT_S = 570 }; // as long as a node that goes is waited for

// Whether the candidate is a Provisioner's node. O(1).
bool candidate_is_old(const Round *round, const DisruptionCandidate *candidate);

// Whether nodes of Provisioners are on their way out: of a command, of this round or before, or deleted a short while
// ago. `ret_until_ns`: when the last of those deleted is waited for no more; INT64_MAX: it is no deletion. O(nodes).
bool round_old_is_busy(const Round *round, int64_t *ret_until_ns);
