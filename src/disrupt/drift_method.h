// Drift: nodes that are not what their NodePool asks for any more, one after the other. Reference lifecycle.md 4.8.
#pragma once

#include "disrupt/round.h"

// One command for one node and as many replacements as its pods need: nodes without pods first, then the one that has
// been drifted for longest; one whose pods find no place is passed over, with a note.
void drift_find(Round *round);
// The same among the nodes of Provisioners, which drift_find leaves alone: theirs comes before emptiness
// (disrupt/one_at_a_time.h).
void drift_find_old(Round *round);
