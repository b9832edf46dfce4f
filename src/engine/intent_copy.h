// Intents that outlive the call that had them.
#pragma once

#include "engine/job.h"

// Intents out of a turn's arena into a job's (intent_copy.c).
Intent intent_copy(Arena *arena, const Intent *intent);
NodeClaim *claim_copy(Arena *arena, const NodeClaim *claim);
