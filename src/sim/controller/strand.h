// Strands: calls in whose midst virtual time passes. Whatever blocks in a real process (a call of AWS, a wait between
// two tries) blocks a strand, and the world goes on.
//
// A strand is a thread, but never two run at once: the world's thread waits while a strand has its turn, and a strand
// that waits has none until an alarm of the world gives it one. So equal seeds give equal histories, and what is the
// world's thread's is a strand's, too, during its turn.
#pragma once

#include "sim/world.h"

typedef struct Strands Strands;

Strands *strands_new(World *world);
void strands_free(Strands *strands); // when none is under way

// Runs `work` on a strand until it waits for the first time, or ends. `ended` is called when it has ended, on the
// world's thread, unless it was hurried. On the world's thread, from an alarm or a reaction.
void strands_begin(Strands *strands, void (*work)(void *context), void (*ended)(void *context), void *context);

// In a strand: waits so long. False, at once: it is being hurried.
bool strands_rest(Strands *strands, int64_t ns);
// In a strand: waits until it is hurried.
void strands_rest_forever(Strands *strands);

// All that are under way go on to their ends without waiting; returns when they have.
void strands_hurry(Strands *strands);
