// The preferred rules of a pod as one list, for PREFERENCES_WEIGH.
#pragma once

#include "model/objects.h"

typedef enum {
    RULE_NODE_AFFINITY,
    RULE_POD_AFFINITY,
    RULE_POD_ANTI_AFFINITY,
    RULE_SPREAD, // with ScheduleAnyway
    RULE_TAINTS, // PreferNoSchedule
} PreferredKind;

typedef struct {
    PreferredKind kind;
    uint32_t index; // into the spec's list of that kind
    int32_t weight;
} PreferredRule;
typedef Vec(PreferredRule) PreferredRuleVec;

// The weight of spreads and taints, which have none in Kubernetes: the middle of the scale.
enum { RULE_WEIGHT_DEFAULT = 50 };

// Sets of rules are bit masks. The heaviest rules have a bit each, all others share the last one.
enum { RULE_BITS = 16 };

// The rules, heaviest first; those of equal weight by kind, then in the order of the spec. `soft_taints`: some pool or
// node has PreferNoSchedule taints. O(rules²).
PreferredRuleVec preferred_rules(Arena *arena, const PodSpec *spec, const TopologySpreadVec *spreads, bool soft_taints);

static inline uint32_t preferred_rule_bit(uint32_t number) {
    return 1U << (number < RULE_BITS ? number : RULE_BITS - 1);
}

// The mask of all rules.
static inline uint32_t preferred_rules_all(const PreferredRuleVec *rules) {
    return rules->count >= RULE_BITS ? (1U << RULE_BITS) - 1 : (1U << rules->count) - 1;
}

// The sum of the worths of the rules whose bits are set, as a fraction of the pod's rate: weight / 100, but 0.99 for a
// weight of 100, so that no single rule opens a node while there is free room. O(rules).
double preferred_rules_worth(const PreferredRuleVec *rules, uint32_t bits);
