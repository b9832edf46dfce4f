// The statements of the policy, as rows. Private to cli/aws.
#pragma once

#include "aws/protocol/operation.h"
#include "cli/aws/policy.h"

// In resources, keys and values of conditions "{cluster}", "{region}", "{account}", "{partition}" and "{queue}" stand
// for the facts; a resource "{roles}" or "{parameters}" stands for a list of them.
enum { POLICY_ACTIONS_MAX = 16, POLICY_RESOURCES_MAX = 8, POLICY_CONDITIONS_MAX = 8, POLICY_VALUES_MAX = 6 };

typedef struct {
    const char *test, *key; // "StringEquals", "aws:ResourceTag/karpenter.sh/nodepool"
    const char *values[POLICY_VALUES_MAX];
} PolicyCondition;

// With which facts a statement is needed.
typedef enum {
    NEEDED_ALWAYS,
    NEEDED_OUTSIDE, // not in an isolated VPC, which reaches neither IAM nor the price list
    NEEDED_WITH_QUEUE,
    NEEDED_WITH_ZONAL_SHIFT,
    NEEDED_WITH_OLD_NODES, // of Karpenter up to v0.27, whose instances are tagged when they get Machines
} PolicyNeed;

typedef struct {
    PolicyGroup group;
    PolicyNeed need;
    const char *sid;
    const AwsOperation *calls[POLICY_ACTIONS_MAX];
    const char *further; // an action that is no call, but asked for with one; NULL: none
    const char *resources[POLICY_RESOURCES_MAX];
    PolicyCondition conditions[POLICY_CONDITIONS_MAX];
} PolicyRow;

extern const PolicyRow policy_rows[];
extern const uint32_t policy_row_count;
