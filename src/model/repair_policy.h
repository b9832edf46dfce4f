// Repair policies of a cloud: which conditions of a Node mean that it is sick, for how long that is tolerated, and what
// is done about it. Reference changes.md 1.4.
#pragma once

#include "base/slice.h"
#include "base/time.h"

typedef enum {
    REPAIR_REPLACE, // by another node
    REPAIR_REBOOT,  // where the cloud offers it
} RepairAction;

enum { REPAIR_PRIORITY_MAX = 100 };

// The policy says nothing about how long a drain may take.
#define REPAIR_NO_BOUND INT64_MAX

typedef struct {
    const char *condition, *status; // "KernelReady", "False"
    // Extended regular expression that is searched for in the condition's reason. NULL: the policy applies where no
    // other one of the same condition and status does.
    const char *reason;
    int64_t toleration_ns;
    int64_t bound_ns; // the longest a drain may take; 0: none; REPAIR_NO_BOUND
    uint32_t priority;
    RepairAction action;
} RepairPolicy;

typedef struct {
    const RepairPolicy *items; // of static storage duration
    uint32_t count;            // 0: no node is ever sick
} RepairPolicies;

// What is wrong with the set; NULL: nothing. O(policies²).
const char *repair_policies_fault(const RepairPolicies *policies);

// Whether the expression of a policy matches the reason. O(expression + reason).
bool repair_reason_matches(const char *expression, Slice reason);
