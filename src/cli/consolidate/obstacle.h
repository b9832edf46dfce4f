// Why nodes stay, by the texts of their events, and what a user can do about it.
#pragma once

#include "cli/consolidate/future.h"

typedef struct {
    const char *prefix; // of the event's text; NULL: there is no event
    const char *reason, *advice;
} Obstacle;

// Of a node that stays. Never NULL.
const Obstacle *obstacle_of(const FleetNode *node);

// All of them, in the order in which reports list them.
extern const uint32_t obstacle_count;
const Obstacle *obstacle_at(uint32_t number);
