// The AWS provider of a simulated tenon: its session over a transport in memory, and where its time goes.
#pragma once

#include "sim/controller/process_parts.h"

// Makes the provider of a life, which asks nobody yet.
Cloud process_wire_begin(SimProcess *process);
// What a process does before it leads (aws_provider_probe), on a strand. Then `started` is called, or, if it failed,
// the process ends, as a real one does, and is started again after a while.
void process_wire_probe(SimProcess *process, void (*started)(SimProcess *process));
// Frees it, when no strand is under way.
void process_wire_end(SimProcess *process);

// The process will die at a call of a strand that is soon: before its effect, or after it.
void process_wire_doom(SimProcess *process);
