// Journal lines of decisions and results. Nothing in them depends on addresses, symbol numbers or real time.
#pragma once

#include "engine/engine_parts.h"

// Writes the line of a job that was decided, and that of its results.
void journal_decided(Engine *engine, const EngineJob *job);
void journal_results(Engine *engine, const EngineJob *job);

// What the `ns` of a controller's keys is called in lines of the journal and of the log.
const char *journal_ns_label(const Controller *controller);
