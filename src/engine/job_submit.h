// Submission of jobs to the executor.
#pragma once

#include "engine/engine_parts.h"

// Submits the job of a controller.
void jobs_submit(Engine *engine, EngineJob *job);

// Submits a job that writes the events that wait in the recorder; returns whether there were any.
bool jobs_write_events(Engine *engine);
