// Random scenarios, drawn from a seed: clusters, workloads and faults that nobody thought of.
//
// Each is an ordinary scenario file, so that a seed that failed can be read, reduced and kept. At its end everything is
// deleted: whatever happened before, no Node, NodeClaim or instance may be left.
#pragma once

#include "base/buffer.h"

// Appends the scenario of that seed, as YAML in JSON syntax. Equal seeds give equal texts. `aws`: all of its NodePools
// are AWS's; else some seeds are about KWOK.
void campaign_write(uint64_t seed, bool aws, Buffer *out);
// Mean number of intents between two kills of the scenario's tenon; 0: none.
uint32_t campaign_kill_every(uint64_t seed);
