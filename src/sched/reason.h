// Reason: why a pool cannot take a class of pods, as data and text.
#pragma once

#include "model/requirement.h"
#include "model/resources.h"

typedef enum {
    CHECK_NONE,
    CHECK_POOL,        // the pool cannot create nodes (no instance type is left)
    CHECK_LIMIT_NODES, // limits.nodes is used up
    CHECK_LIMITS,      // every type is larger than what is left of a limit
    CHECK_TAINTS,
    CHECK_REQUIREMENTS,
    CHECK_VOLUMES, // requirements of volumes
    CHECK_TOPOLOGY,
    CHECK_MIN_VALUES,
    CHECK_HOST_PORTS,    // daemons use the host ports
    CHECK_VOLUME_LIMITS, // more volumes than any type can attach
    CHECK_RESERVED,      // only reserved offerings, of which none is left
    CHECK_TYPES,         // no instance type meets requirements, resources and offering together
} Check;

// The first check of a pool that a class fails, with Karpenter's text for it and the nearest miss.
typedef struct {
    Symbol pool;
    Check check;
    Symbol subject;          // taint key, label key or resource
    int64_t needed, nearest; // in base units of the resource, or counts
    Slice text;              // Karpenter's message (scheduling.md 5.5)
    Slice nearest_miss;      // a change that would help: "add toleration …", "raise limit cpu by 4"
} Reason;
typedef Vec(Reason) ReasonVec;

// The name of the check, for example "taints".
const char *check_text(Check check);
