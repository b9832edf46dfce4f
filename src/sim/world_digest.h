// A number that says whether two runs were the same: every event of every kind, in order, with the whole object.
//
// For tests of determinism and for comparing builds. Costs a hash of each version of each object.
#pragma once

#include "sim/world.h"

typedef struct WorldDigest WorldDigest;

// Watches from now on (what is there counts as added). The world owns it.
WorldDigest *world_digest_new(World *world);
// Of what was told so far: settle first.
uint64_t world_digest(const WorldDigest *digest);
uint64_t world_digest_events(const WorldDigest *digest);
