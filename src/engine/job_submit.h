// Jobs on their way out.
#pragma once

#include "engine/engine_parts.h"

// Hands a job of a controller to the executor.
void jobs_submit(Engine *engine, EngineJob *job);

// Writes down waiting events; whether there were any.
bool jobs_write_events(Engine *engine);
