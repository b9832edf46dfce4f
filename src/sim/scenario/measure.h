// Measures: values that a scenario can expect by name, besides counts of objects.
#pragma once

#include "sim/cloud/cloud_sim.h"
#include "sim/scenario/select.h"
#include "sim/scenario/statistics.h"

// X(NAME, "name", "unit", "what it is")
#define SCENARIO_MEASURES(X)                                                                                           \
    X(LAUNCHES, "launches", "", "instances launched since the start")                                                  \
    X(LAUNCH_CALLS, "launch-calls", "", "CreateFleet calls that the cloud answered")                                   \
    X(CLOUD_CALLS, "cloud-calls", "", "calls to the cloud's API")                                                      \
    X(INTERRUPTIONS, "interruptions", "", "spot instances taken back")                                                 \
    X(INSTANCES, "instances", "", "instances that are pending or running now")                                         \
    X(CLAIMS_CREATED, "claims-created", "", "NodeClaims created since the start")                                      \
    X(NODES_JOINED, "nodes-joined", "", "Nodes that joined since the start")                                           \
    X(PENDING, "pending-pods", "", "pods without a node now, those of DaemonSets left out")                            \
    X(RUNNING, "running-pods", "", "pods that run now, those of DaemonSets left out")                                  \
    X(DISRUPTED, "disrupted-pods", "", "pods that went away unfinished with their node since the start")               \
    X(BIND_P50, "bind-p50", "s", "median time from a pod's creation to its node")                                      \
    X(BIND_P99, "bind-p99", "s", "99th percentile of it")                                                              \
    X(RUN_P50, "run-p50", "s", "median time from a pod's creation until it runs")                                      \
    X(RUN_P99, "run-p99", "s", "99th percentile of it")                                                                \
    X(MONEY, "money", "$", "what the instances have cost so far")                                                      \
    X(NODE_HOURS, "node-hours", "h", "hours that Nodes were there, in all")

typedef enum {
#define X(name, ...) MEASURE_##name,
    SCENARIO_MEASURES(X)
#undef X
        MEASURE_COUNT
} Measure;

typedef struct {
    const char *name, *unit, *text;
} MeasureInfo;

const MeasureInfo *measure_info(Measure measure);
// The measure of that name; MEASURE_COUNT: none.
Measure measure_find(Slice name);

// Sources of the measures.
typedef struct {
    World *world;
    SimCloud *cloud;
    RunStatistics *statistics;
} Measures;

double measure_take(const Measures *measures, Measure measure);
// Number of objects in the embedded API server that the selection matches. O(objects of the kind).
uint32_t measure_count(const Measures *measures, const Selection *selection);
