// The work of a job that calls Kubernetes and the cloud.
#pragma once

#include "engine/job.h"

// Fills the completion of a step but its type, tag and time.
void job_call(EngineJob *job, uint32_t step);
