// Small random worlds for tests, with chosen features.
#pragma once

#include "base/random.h"
#include "sched/support/world_plan.h"

// Features of a random world. Without any it has one pool, types of its own, and pods without rules.
enum {
    RANDOM_TOPOLOGY = 1 << 0,  // spread, affinity and anti-affinity, per zone and per node
    RANDOM_SELECTORS = 1 << 1, // pods that want a zone or a capacity type
    RANDOM_POOLS = 1 << 2,     // several pools: weights, taints, capacity types
    RANDOM_NODES = 1 << 3,     // existing nodes, with pods on them
    RANDOM_LIMITS = 1 << 4,    // on CPU, memory and nodes of pools; tight and ample ones
    RANDOM_RESERVED = 1 << 5,  // capacity reservations
    RANDOM_PORTS = 1 << 6,     // pods with host ports
    RANDOM_ALL = (1 << 7) - 1,
};

// Fills an empty world.
void random_world(World *world, Random *random, uint32_t features);

// Makes `count` random worlds (test_random_cases) with seeds 1, 2, … and calls `test` with each. If it fails,
// random_teardown prints the seed: files whose tests call this have AFTER_EACH(random_teardown).
void each_random_world(uint32_t count, uint32_t features, void (*test)(World *world, Random *random));
void random_teardown(void);
