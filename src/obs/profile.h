// Profiles of the process for people: memory, and activity of threads.
//
// Go programs have their profiles below the same path; these are plain text, which `go tool pprof` cannot read. perf
// and gdb show more from outside: tenon is an ordinary C program with symbols.
#pragma once

#include "net/server.h"

// The route, and everything below it.
#define PROFILE_PATH "/debug/pprof/"

// Answers the list of profiles, or one of them. O(threads).
void profile_answer(void *self, const ServerRequest *request, ServerReply *reply);

// Print a profile. memory: the system's view and malloc's. threads: name, state, CPU time, and numbers of voluntary and
// involuntary context switches.
void profile_print_memory(Buffer *text);
void profile_print_threads(Buffer *text);
