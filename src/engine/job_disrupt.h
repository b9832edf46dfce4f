// The step of a job that looks for what may be disrupted.
#pragma once

#include "engine/job.h"

// Looks at the job's snapshot and fills the completion of the step, except type, tag and time.
void job_disrupt(EngineJob *job, uint32_t step);
