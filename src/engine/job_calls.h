// Steps of a job that call Kubernetes or the cloud.
#pragma once

#include "engine/job.h"

// Makes the calls of a step and fills its completion, except type, tag and time.
void job_call(EngineJob *job, uint32_t step);
