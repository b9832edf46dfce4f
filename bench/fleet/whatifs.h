// What-ifs of a fleet: what becomes of the pods of each node alone.
#pragma once

#include "fleet/fleet.h"

typedef struct {
    uint32_t count;
    int64_t median_ns; // of one what-if, and the longest of 99 in a hundred
    int64_t late_ns;
    int64_t total_ns; // of all, with facts and the preparation that they share
} WhatifFigures;

// Asks about each candidate of consolidation alone, whether or not its pods are worth its price: all of what a move
// takes, up to the replacements of a command, and nothing is kept. `budget`: of pools, percent; what-ifs need none.
WhatifFigures whatifs_time(Fleet *fleet, uint32_t budget);
