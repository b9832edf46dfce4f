// The checker: whether kube-scheduler could carry out a plan, within every rule of the pools.
//
// It shares no code with the planner. It reads manifests, a catalogue and a plan as Value trees and lists the
// violations. Kinds of violations, each reported by the file named in checker/verify.h and checker/topology.h:
//   unknown-pod missing-pod duplicate-pod not-pending ignored-pod unknown-node unknown-pool unknown-type
//   static-pool pool-not-ready empty-claim deleting-node
//   requirements no-offering taints node-affinity volumes host-ports resources volume-limits min-values
//   anti-affinity affinity spread undecided-domain
//   limits reservation choice price type-order requests weight missed
// tests/property/README.md explains each kind, and what is left out.
#pragma once

#include "text/value.h"

typedef struct {
    Slice kind;
    Slice pod;  // "ns/name" of a pod; or the name of a claim, node or pool; empty: the whole plan
    Slice text; // one line
} Violation;
typedef Vec(Violation) ViolationVec;

typedef struct {
    bool ignore_preferences; // --preference-policy Ignore: does not change what the checker requires
    bool best_effort_min_values;
} CheckOptions;

// Reads {"preferencePolicy": "Respect"|"Ignore", "minValuesPolicy": "Strict"|"BestEffort"}; NULL: the defaults.
CheckOptions check_options_read(const Value *options);

// Appends the violations of `plan`; none: accepted. Memory: `arena`. ERR_INVALID: manifests, catalogue or plan cannot
// be read. O(pods + rules × bins + unschedulable × types × offerings).
ErrCode check_plan(Arena *arena, const DocumentVec *manifests, const Value *catalog, const Value *plan,
                   const CheckOptions *options, ViolationVec *violations, Err *err);
