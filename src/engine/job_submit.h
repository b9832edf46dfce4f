// Submission of jobs to the executor.
#pragma once

#include "engine/engine_parts.h"

// Submits the job of a controller, or gathers it with others like it.
void jobs_submit(Engine *engine, EngineJob *job);

// Submits what was gathered for as long as it is to be; returns whether there was any.
bool jobs_submit_gathered(Engine *engine);

// Submits a job that writes the events that wait in the recorder; returns whether there were any.
bool jobs_write_events(Engine *engine);
