// Copies of intents that outlive the turn they were written in.
#pragma once

#include "engine/job.h"

// Copies an intent from a turn's arena into a job's.
Intent intent_copy(Arena *arena, const Intent *intent);
NodeClaim *claim_copy(Arena *arena, const NodeClaim *claim);
