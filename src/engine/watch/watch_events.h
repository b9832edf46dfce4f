// Events of watches, on their way into the State.
#pragma once

#include "engine/engine_parts.h"

void reflectors_init(Engine *engine);

// Starts all watches. ERR: one was refused permanently.
ErrCode reflectors_start(Engine *engine, Err *err);
void reflectors_free(Engine *engine);
void watch_event_take(Engine *engine, WatchEvent *mail);

// Restarts watches that have rested long enough; returns whether there were any.
bool reflectors_turn(Engine *engine);
Mono reflectors_next(const Engine *engine);
bool reflectors_are_listed(const Engine *engine);

// Calls `observe` of every controller for every object.
void reflectors_observe_all(Engine *engine);
