// spec.disruption of a NodePool: what may be disrupted voluntarily, when, and how many nodes at a time. Reference
// lifecycle.md 4.4, 4.6.
#pragma once

#include "base/vec.h"
#include "text/cron.h"

// Why a node is disrupted: the words that budgets and metrics use, in the order of the definition.
typedef enum {
    DISRUPTION_UNDERUTILIZED,
    DISRUPTION_EMPTY,
    DISRUPTION_DRIFTED,
    DISRUPTION_UNHEALTHY,
    DISRUPTION_REASON_COUNT,
} DisruptionReason;

// "Underutilized", "Empty", "Drifted", "Unhealthy".
extern const char *const disruption_reason_words[DISRUPTION_REASON_COUNT];

// One of spec.disruption.budgets: how many nodes of a pool may be disrupted at the same time.
typedef struct {
    uint32_t nodes; // a number, or per cent of the pool's nodes
    bool percent;
    uint32_t reasons; // bits 1 << DisruptionReason
    bool scheduled;   // it counts from each time of `schedule` on for `duration_ns`; else always
    CronSchedule schedule;
    int64_t duration_ns;
    Slice fault; // why the schedule cannot be read; empty: it can. The pool allows no disruption then
} PoolBudget;
typedef Vec(PoolBudget) PoolBudgetVec;

typedef enum {
    CONSOLIDATE_WHEN_EMPTY,
    CONSOLIDATE_WHEN_EMPTY_OR_UNDERUTILIZED,
    CONSOLIDATE_BALANCED,
    CONSOLIDATION_POLICY_COUNT,
} ConsolidationPolicy;

// "WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced".
extern const char *const consolidation_policy_words[CONSOLIDATION_POLICY_COUNT];

enum { DURATION_NEVER = -1 }; // of expireAfter and consolidateAfter: Never

// spec.disruption of a NodePool, with the definition's defaults.
typedef struct {
    ConsolidationPolicy policy;
    int64_t consolidate_after_ns; // DURATION_NEVER: neither emptiness nor consolidation
    PoolBudgetVec budgets;        // all of them hold; none: no limit
} PoolDisruption;
