// The step of a job that plans.
#pragma once

#include "engine/job.h"

// Plans for the job's snapshot and fills the completion of the step, except type, tag and time.
void job_solve(EngineJob *job, uint32_t step);
