// Calls of controllers, one at a time, and dispatch of the intents that they write.
#pragma once

#include "engine/engine_parts.h"

// Begins the Turn of one call; call_end dispatches the intents that were written in it.
Turn call_begin(Engine *engine, uint32_t controller, const Key *key);
void call_end(Engine *engine, Turn *turn);

// Calls `observe` of every controller with a change.
void call_observe(Engine *engine, const StateChange *change);
void call_start(Engine *engine);
void call_reconcile(Engine *engine, uint32_t controller, Key key);

// Calls `complete` of the batch's controller; without Controller.complete the engine handles the completions itself.
void call_complete(Engine *engine, EngineJob *job);

// The TurnHost of this engine's Turns.
TurnHost call_host(Engine *engine);

// Writes a log line about a controller's key (`key` may be NULL).
void engine_log(Engine *engine, LogLevel level, const char *message, const Controller *controller, const Key *key,
                const Slice *pairs, uint32_t pair_count);
