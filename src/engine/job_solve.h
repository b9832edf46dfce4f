// The work of a job that plans.
#pragma once

#include "engine/job.h"

// Fills the completion of a step but its type, tag and time.
void job_solve(EngineJob *job, uint32_t step);
