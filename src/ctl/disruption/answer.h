// The answer to an INTENT_DISRUPT: made from facts, away from the engine's thread.
#pragma once

#include "ctl/intent.h"

// Says which nodes of the facts are in a command, and which are nominated: facts->node_bits. O(nodes + names).
void disruption_mark_nodes(Arena *arena, DisruptFacts *facts, const DisruptIntent *intent);

// Looks for commands, or proves the proposals one after the other: each is proved as if those before it had been
// carried out. What stands behind one that needs replacements is not looked at. Changes facts->nodes. Everything
// returned lives in `arena` or in the facts.
void disruption_answer(Arena *arena, DisruptFacts *facts, const DisruptOptions *options, const DisruptIntent *intent,
                       Disrupted *ret_disrupted);
