// Solving a case and measuring it.
#pragma once

#include "cases.h"

typedef struct {
    PlanSearch search;      // without a clock: measure brings its own
    uint32_t repeat;        // timed solves, at least 1
    uint32_t warm_up;       // solves before them
    uint32_t limit_seconds; // for building and solving the case; 0: none
} MeasureOptions;

typedef struct {
    const BenchCase *of;
    uint32_t pods, bound_pods, existing_nodes, types; // of the input
    uint32_t classes, claims, nodes_used, unplaced;   // of the plan
    double price_per_hour, floor_per_hour;            // floor: NAN when not computed
    Strategy strategy;
    int64_t build_ns;              // making the scene
    int64_t select_ns;             // node_views_make and pending_select, best; not part of total
    int64_t best_ns, median_ns;    // plan_solve as a whole
    PlanTimings timings;           // of the best solve
    uint64_t rss_before, rss_peak; // bytes of the process: when the scene is made, and the most it ever had
} Measurement;

// Makes and solves the case in a process of its own, so that memory is that of this case alone. Prints nothing.
// ERR_TIMEOUT: over the limit. ERR_IO: the process ended by itself (`err` says how). Errors of making the case.
ErrCode measure_case(const BenchCase *bench_case, const CaseOptions *of_case, const MeasureOptions *options,
                     Measurement *ret_measurement, Err *err);
