// Lines for Journal. Nothing in them depends on addresses, numbers of symbols, or real time.
#pragma once

#include "engine/engine_parts.h"

// journal.c: lines for Journal. Nothing in them depends on addresses, numbers of symbols, or real time.
void journal_decided(Engine *engine, const EngineJob *job);
void journal_results(Engine *engine, const EngineJob *job);
