// The answer to an INTENT_DISRUPT: made from facts, away from the engine's thread.
#pragma once

#include "ctl/intent.h"

// Says which nodes of the facts are in a command, and which are nominated, which have not paid back: facts->node_bits.
// O(nodes + names).
void disruption_mark_nodes(Arena *arena, DisruptFacts *facts, const DisruptIntent *intent);

// Looks for commands, or proves the proposals (disrupt/pass.h). Everything returned lives in `arena` or in the facts.
void disruption_answer(Arena *arena, DisruptFacts *facts, const DisruptOptions *options, const DisruptIntent *intent,
                       Disrupted *ret_disrupted);
