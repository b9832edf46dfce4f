// The IAM policy of the role that tenon runs with: the calls that it makes (aws/service/operations.h), each on the
// resources and under the conditions that it needs. Reference aws.md 10.2.
//
// Pages and CloudFormation that give Karpenter its rights give tenon these as well; a test compares the actions with
// the table of calls.
#pragma once

#include "base/buffer.h"
#include "base/err.h"
#include "base/vec.h"

// Upstream's policies. X(NAME, "name")
#define POLICY_GROUPS(X)                                                                                               \
    X(LIFECYCLE, "NodeLifecycle")                                                                                      \
    X(IAM, "IAMIntegration")                                                                                           \
    X(EKS, "EKSIntegration")                                                                                           \
    X(INTERRUPTION, "Interruption")                                                                                    \
    X(ZONAL_SHIFT, "ZonalShift")                                                                                       \
    X(DISCOVERY, "ResourceDiscovery")

typedef enum {
#define X(name, text) POLICY_##name,
    POLICY_GROUPS(X)
#undef X
        POLICY_GROUP_COUNT // all of them
} PolicyGroup;

PolicyGroup policy_group_of(Slice name);          // POLICY_GROUP_COUNT: no such group
const char *policy_group_text(PolicyGroup group); // "all" of POLICY_GROUP_COUNT

// What the policy is for. Empty texts and false: not used.
typedef struct {
    Slice cluster, region, account; // needed
    Slice partition;                // empty: that of the region
    SliceVec node_roles;            // names, with their paths; none: KarpenterNodeRole-<cluster>
    SliceVec ssm_parameters;        // names of ssmParameter terms that are not AWS's own
    Slice queue;                    // name of the interruption queue
    bool isolated_vpc, zonal_shift, old_nodes;
    PolicyGroup group; // POLICY_GROUP_COUNT: all
} PolicyFacts;

// Appends the policy as JSON. O(statements). ERR_INVALID: a text is not what its place may have; the message names the
// flag of `tenon iam-policy`. ERR_NOT_FOUND: the group has no statement with these facts.
ErrCode policy_print(Buffer *out, const PolicyFacts *facts, Err *err);
