// The one call of a job that was gathered from others, and its results dealt to them.
#pragma once

#include "engine/job.h"

// Calls the cloud for all of job->gathered and fills their completions, except type, tag and time. Each gets its
// result with memory of its own. O(size of the results).
void gathered_call(EngineJob *job);
