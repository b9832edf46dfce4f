// Why a class of pods did not fit: data first, texts on demand.
#pragma once

#include "model/requirement.h"
#include "model/resources.h"

typedef enum {
    CHECK_NONE,
    CHECK_POOL,        // the pool cannot give nodes to anybody (all types filtered out)
    CHECK_LIMIT_NODES, // limits.nodes is used up
    CHECK_LIMITS,      // every type is larger than what is left of a limit
    CHECK_TAINTS,
    CHECK_REQUIREMENTS,
    CHECK_VOLUMES, // requirements of volumes
    CHECK_TOPOLOGY,
    CHECK_MIN_VALUES,
    CHECK_HOST_PORTS,    // the ports of daemons
    CHECK_VOLUME_LIMITS, // more volumes than any type attaches
    CHECK_RESERVED,      // only reserved offerings, and none left
    CHECK_TYPES,         // no instance type meets requirements, resources and offering together
} Check;

// One pool's answer to one class: the first check that failed, Karpenter's text for it and the nearest miss.
typedef struct {
    Symbol pool;
    Check check;
    Symbol subject;          // the taint key, label key or resource it was about
    int64_t needed, nearest; // in base units of the resource, or counts
    Slice text;              // Karpenter's message (scheduling.md 5.5)
    Slice nearest_miss;      // what to change: "add toleration …", "raise limit cpu by 4"
} Reason;
typedef Vec(Reason) ReasonVec;

// A word for the check ("taints").
const char *check_text(Check check);
