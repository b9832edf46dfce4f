// Copies of intents that outlive the turn they were written in, and of what answers say.
#pragma once

#include "engine/job.h"

// Copies an intent from a turn's arena into a job's.
Intent intent_copy(Arena *arena, const Intent *intent);
NodeClaim *claim_copy(Arena *arena, const NodeClaim *claim);
// Copy an instance, or a list of them, that a call for several jobs returned, into one job's arena.
CloudInstance *instance_copy(Arena *arena, const CloudInstance *instance);
CloudInstanceVec *instances_copy(Arena *arena, const CloudInstanceVec *instances);
