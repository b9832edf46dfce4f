// What a process that is asked for profiles tells: where its memory is, and what its threads have done. For people.
//
// Go's programs have their profiles below the same path; `go tool pprof` cannot read these, they are plain text.
// perf and gdb see more from outside: tenon is an ordinary C program with symbols.
#pragma once

#include "net/server.h"

// The route, and all below it.
#define PROFILE_PATH "/debug/pprof/"

// Answers the list of what there is, or one of it. O(threads).
void profile_answer(void *self, const ServerRequest *request, ServerReply *reply);

// The texts. memory: what the system has given and what malloc makes of it. threads: name, state, CPU time and how
// often each gave the CPU away by itself or had it taken.
void profile_print_memory(Buffer *text);
void profile_print_threads(Buffer *text);
