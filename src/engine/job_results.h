// What came of jobs.
#pragma once

#include "engine/engine_parts.h"

// Takes a job that is done: its answers into the State, its completions to the controller.
void jobs_take_results(Engine *engine, EngineJob *job);
