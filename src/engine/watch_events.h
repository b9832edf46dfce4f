// What watches tell, on its way into the State.
#pragma once

#include "engine/engine_parts.h"

void reflectors_init(Engine *engine);

// Begins all watches. ERR: one was refused for good.
ErrCode reflectors_start(Engine *engine, Err *err);
void reflectors_free(Engine *engine);
void watch_event_take(Engine *engine, WatchEvent *mail);

// Restarts what has rested long enough; whether there was any.
bool reflectors_turn(Engine *engine);
Mono reflectors_next(const Engine *engine);
bool reflectors_are_listed(const Engine *engine);

// Tells the controllers of everything that is there.
void reflectors_observe_all(Engine *engine);
