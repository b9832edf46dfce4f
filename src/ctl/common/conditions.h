// Status conditions as Karpenter keeps them: a root condition Ready that sums up the conditions it depends on.
//
// The functions work on a copy: opened from an object's conditions, changed, and written back as a whole. Writing a
// list of conditions replaces it, so the patch has to carry the resourceVersion that the copy was made from.
// Behaviour: reference lifecycle.md 0.3 (awslabs/operatorpkg, status).
//
//     Conditions conditions = conditions_open(turn, &claim_condition_rules, &claim->meta, &claim->conditions);
//     conditions_set_unknown(&conditions, CLAIM_REGISTERED, "NodeNotFound", SLICE("Node not registered with cluster"));
//     if (conditions.changed)
//         turn_patch(turn, KUBE_NODE_CLAIM, …, KUBE_STATUS, conditions_patch(&conditions), claim->meta.revision);
#pragma once

#include "ctl/ctl.h"

// The conditions that Ready depends on, in the order in which missing ones are added.
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
    bool changed; // whether the list differs from what is stored
} Conditions;

// Copies the stored conditions into the turn's arena. Ready and the conditions it depends on are added where they are
// missing: Unknown (AwaitingReconciliation) since the creation of the object; that alone counts as a change.
// O(conditions).
Conditions conditions_open(const Turn *turn, const ConditionRules *rules, const ObjectMeta *meta,
                           const ConditionVec *stored);

// The condition; NULL: absent, which only independent types can be.
const Condition *conditions_get(const Conditions *conditions, const char *type);
bool conditions_is_true(const Conditions *conditions, const char *type);
bool conditions_is_false(const Conditions *conditions, const char *type);
bool conditions_is_unknown(const Conditions *conditions, const char *type); // an absent one counts as Unknown

// Each setter returns whether status, reason or message changed, and recomputes Ready. lastTransitionTime moves only
// when the status changes. observedGeneration becomes the object's generation in the condition that is set, and, while
// the object is being deleted, in all others too. `message` must live as long as the turn.
bool conditions_set_true(Conditions *conditions, const char *type);
bool conditions_set_true_because(Conditions *conditions, const char *type, const char *reason, Slice message);
bool conditions_set_false(Conditions *conditions, const char *type, const char *reason, Slice message);
bool conditions_set_unknown(Conditions *conditions, const char *type, const char *reason, Slice message);

// Removes an independent condition. Returns whether it was present.
bool conditions_clear(Conditions *conditions, const char *type);

// The merge patch {"status": {"conditions": […]}} with the full list, in the arena; callers may add to it.
Value *conditions_patch(const Conditions *conditions);
