// WorldDigest: a hash of a run's whole history: every event of every kind, in order, with its object.
//
// For tests of determinism and for comparing builds. Costs a hash of each version of each object.
#pragma once

#include "sim/world.h"

typedef struct WorldDigest WorldDigest;

// Starts now (existing objects count as added). The world owns it.
WorldDigest *world_digest_new(World *world);
// The hash of all events delivered so far: call world_settle first.
uint64_t world_digest(const WorldDigest *digest);
uint64_t world_digest_events(const WorldDigest *digest);
