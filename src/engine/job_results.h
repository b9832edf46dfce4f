// Results of completed jobs.
#pragma once

#include "engine/engine_parts.h"

// Handles a completed job: applies its answers to the State, and passes its completions to the controller.
void jobs_take_results(Engine *engine, EngineJob *job);
