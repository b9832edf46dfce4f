// Random scenarios: clusters, workloads and faults that nobody thought of, drawn from a seed.
//
// Each is a scenario file like any other, so that a seed that failed can be looked at, cut down and kept. At its end
// everything is deleted: whatever happened before, no Node, no NodeClaim and no instance may be left.
#pragma once

#include "base/buffer.h"

// Appends the scenario of that seed, as YAML in JSON's form. Equal seeds, equal texts.
void campaign_write(uint64_t seed, Buffer *out);
// How often its tenon is killed: mean number of intents between two kills; 0: never.
uint32_t campaign_kill_every(uint64_t seed);
