// What a Provisioner of v0.31 does with pods: an interpreter of the object as a user wrote it.
//
// It follows the reference (legacy.md 2, 5.4) and shares no code with src/legacy, src/model or src/sched: the converter
// and the planner are held to it together. It knows what the generator of this folder makes: pods with requests, a node
// selector and tolerations, and no nodes that are there already.
#pragma once

#include "old/types.h"
#include "text/value.h"

// What becomes of a pod that is alone.
typedef struct {
    bool is_placed;
    int64_t price_micro; // of the cheapest launch that a pool of the highest weight may make
    int64_t weight;      // of these pools
} OldOutcome;

// `provisioners` and `pod`: JSON objects. O(provisioners × types × requirements).
OldOutcome old_outcome(const ValueList *provisioners, const Value *pod);

// Whether a Provisioner may launch that offering for the pods together. O(pods × requirements).
bool old_may_launch(const Value *provisioner, const Value *pods, uint32_t count, const OldType *type, uint32_t zone,
                    uint32_t capacity);

// Whether the Provisioner has a limit, and whether machines of these types are within it together. O(types).
bool old_has_limits(const Value *provisioner);
bool old_limits_let(const Value *provisioner, const OldType *const *types, uint32_t count);

// How nodes go.
typedef struct {
    bool goes_empty, is_consolidated, expires;
    int64_t empty_s, expire_s;
} OldFuture;

OldFuture old_future(const Value *provisioner);

// Whether the webhook takes the Provisioner (of what the generator gets wrong).
bool old_is_taken(const Value *provisioner);

// Whether an AWSNodeTemplate's selector (a map of the given name in its settings) picks a resource with these tags.
bool old_selects(const Value *selector, const Value *tags);
