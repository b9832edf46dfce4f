// Status conditions as Karpenter keeps them: a root condition Ready that sums up the conditions it depends on.
//
// One works on a copy: opened from the conditions of an object, changed, and written back as a whole. Whoever writes a
// list of conditions replaces it, so the patch has to carry the revision that the copy was made from.
// Behaviour: reference lifecycle.md 0.3 (awslabs/operatorpkg, status).
//
//     Conditions conditions = conditions_open(turn, &claim_condition_rules, &claim->meta, &claim->conditions);
//     conditions_set_unknown(&conditions, CLAIM_REGISTERED, "NodeNotFound", SLICE("Node not registered with cluster"));
//     if (conditions.changed)
//         turn_patch(turn, KUBE_NODE_CLAIM, …, KUBE_STATUS, conditions_patch(&conditions), claim->meta.revision);
#pragma once

#include "ctl/ctl.h"

// Which conditions Ready depends on, in the order in which missing ones are made.
typedef struct {
    const char *const *dependents;
    uint32_t count;
} ConditionRules;

extern const ConditionRules claim_condition_rules; // Launched, Registered, Initialized
extern const ConditionRules pool_condition_rules;  // ValidationSucceeded, NodeClassReady

#define CONDITION_READY "Ready"

typedef struct {
    Arena *arena;
    Symbols *symbols;
    const ConditionRules *rules;
    const ObjectMeta *meta;
    int64_t now_ns; // whole seconds, as the API keeps them
    ConditionVec list;
    bool changed; // the list is not what is stored
} Conditions;

// A copy in the turn's arena. Conditions that Ready depends on, and Ready, are Unknown (AwaitingReconciliation) since
// the creation of the object when they are not there; that alone counts as a change. O(conditions).
Conditions conditions_open(const Turn *turn, const ConditionRules *rules, const ObjectMeta *meta,
                           const ConditionVec *stored);

// NULL: absent (of independent types only).
const Condition *conditions_get(const Conditions *conditions, const char *type);
bool conditions_is_true(const Conditions *conditions, const char *type);
bool conditions_is_false(const Conditions *conditions, const char *type);
bool conditions_is_unknown(const Conditions *conditions, const char *type); // absent counts

// Each returns whether anything is different now, reason and message count. lastTransitionTime moves with the status
// only. What is set anew has the object's generation as observedGeneration, and while the object is deleting so have
// all others. Ready is computed anew. `message` must live as long as the turn.
bool conditions_set_true(Conditions *conditions, const char *type);
bool conditions_set_true_because(Conditions *conditions, const char *type, const char *reason, Slice message);
bool conditions_set_false(Conditions *conditions, const char *type, const char *reason, Slice message);
bool conditions_set_unknown(Conditions *conditions, const char *type, const char *reason, Slice message);

// Takes an independent condition away. Whether it was there.
bool conditions_clear(Conditions *conditions, const char *type);

// The merge patch {"status": {"conditions": […]}} with the full list, in the arena; callers may put more in.
Value *conditions_patch(const Conditions *conditions);
