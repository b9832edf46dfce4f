// The case "fleet": passes of consolidation over thousands of nodes.
#pragma once

#include "fleet/fleet.h"
#include "report.h"

#define FLEET_CASE "fleet"
enum { FLEET_PODS = 100000 };

typedef struct {
    uint32_t nodes, pods; // of the fleet
    uint32_t sample;      // only so many of its nodes, with their pods; 0: all
    uint64_t seed;
    uint32_t repeat;        // of each pass; the median counts
    uint32_t limit_seconds; // 0: none
} FleetOptions;

// Fills an empty fleet: exactly so many nodes with exactly so many pods. ERR_INVALID: a plan for more has not so many;
// the fleet is to be freed in any case.
ErrCode fleet_case_make(Fleet *fleet, const FleetOptions *options, Err *err);

// Makes the fleet, and measures passes in it, and in what they make of it, in a process of its own. Prints one line for
// each of both. ERR_TIMEOUT: over the limit. Errors of fleet_case_make.
ErrCode fleet_case_run(const FleetOptions *options, ReportFormat format, Err *err);

// Writes the fleet as manifests, as write_case does.
ErrCode fleet_case_write(const FleetOptions *options, const char *folder, Err *err);
