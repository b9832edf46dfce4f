// The mirror of a World: one State that shows what the API server holds, fed by one watch per kind.
//
// The watches hear each event once; it is decoded once, put in, and the components are told. A watch that the server
// ends (a fault) is started again at once, with a list where its revision was forgotten. Private to src/sim/world*.
#pragma once

#include "sim/api/api.h"
#include "state/state.h"

typedef struct Mirror Mirror;

// `tell` hears every change, inside of api_step: it must not call the API server.
Mirror *world_mirror_new(Kube kube, void (*tell)(void *context, const StateChange *change), void *context);
void world_mirror_free(Mirror *mirror);
State *world_mirror_state(const Mirror *mirror);
uint64_t world_mirror_events(const Mirror *mirror); // that were told so far
// Starts watches that ended again; whether there were any. O(1) when none.
bool world_mirror_repair(Mirror *mirror);
