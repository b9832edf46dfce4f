// The mirror of a World: one State that shows what the API server holds, fed by one watch per kind.
//
// The watches hear each event once; it is decoded once, put in, and the components are told. A watch that the server
// ends (a fault) is started again at once, with a list where its revision was forgotten. Private to src/sim/world*.
#pragma once

#include "sim/api/api.h"
#include "state/state.h"

typedef struct Mirror Mirror;

// `tell` hears every change, inside of api_step: it must not call the API server.
Mirror *mirror_new(Kube kube, void (*tell)(void *context, const StateChange *change), void *context);
void mirror_free(Mirror *mirror);
State *mirror_state(const Mirror *mirror);
uint64_t mirror_events(const Mirror *mirror); // that were told so far
// Starts watches that ended again; whether there were any. O(1) when none.
bool mirror_repair(Mirror *mirror);
