// Whether a Node is sick by its cloud's repair policies, and what follows. Reference changes.md 1.4, 1.5.
#pragma once

#include "disrupt/facts.h"

typedef struct {
    bool is_watched;   // it reports a condition that a policy names, for however short a time
    int64_t awaits_ns; // when the next toleration ends that has not ended yet; INT64_MAX: none is running
    // Of the policies whose toleration has ended, the one that decides: NULL: none, the node is not to be repaired. A
    // replacement goes before a reboot, then the higher priority, then the earlier end, then the name of the condition.
    const RepairPolicy *policy;
    int64_t since_ns; // when its toleration ended
    int64_t bound_ns; // the shortest of all policies whose toleration has ended; REPAIR_NO_BOUND
} Sickness;

// A toleration counts from the condition's last transition, or from the Node's creation where that is later; nothing is
// remembered. O(conditions × policies).
Sickness sickness_of(const Node *node, const RepairPolicies *policies, const Symbols *symbols, int64_t now_ns);

// The same of one of facts->nodes, by the policies of its pool; one without a Node, or of no pool, is not sick.
// O(pools) more.
Sickness sickness_in(const DisruptFacts *facts, uint32_t node);
