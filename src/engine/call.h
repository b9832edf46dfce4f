// Calling controllers, one at a time, and sending what they intend on its way.
#pragma once

#include "engine/engine_parts.h"

// A turn for one call; what was intended is dispatched by call_end.
Turn call_begin(Engine *engine, uint32_t controller, const Key *key);
void call_end(Engine *engine, Turn *turn);

// Tells every controller of a change.
void call_observe(Engine *engine, const StateChange *change);
void call_start(Engine *engine);
void call_reconcile(Engine *engine, uint32_t controller, Key key);

// What came of a batch; without Controller.complete the engine decides itself.
void call_complete(Engine *engine, EngineJob *job);

// The host of Turns.
TurnHost call_host(Engine *engine);

// A line of the log about a controller's key (`key` may be NULL).
void engine_log(Engine *engine, LogLevel level, const char *message, const char *controller, const Key *key,
                const Slice *pairs, uint32_t pair_count);
