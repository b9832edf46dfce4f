// Mirror of a World: a State that shows what the API server has, fed by one watch per kind.
//
// Each event is decoded and applied once, then the components observe it. A watch that the server ends (a fault) is
// restarted at once, with a list if its revision was dropped. Private to src/sim/world*.
#pragma once

#include "sim/api/api.h"
#include "state/state.h"

typedef struct Mirror Mirror;

// `tell` gets every change, inside api_step: it must not call the API server.
Mirror *world_mirror_new(Kube kube, void (*tell)(void *context, const StateChange *change), void *context);
void world_mirror_free(Mirror *mirror);
State *world_mirror_state(const Mirror *mirror);
uint64_t world_mirror_events(const Mirror *mirror); // number of events so far
// Restarts watches that have ended; returns whether there were any. O(1) when none.
bool world_mirror_repair(Mirror *mirror);
