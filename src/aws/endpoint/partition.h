// Partitions: the clouds that regions belong to, each with domains of its own. Reference aws.md 8.
#pragma once

#include "base/slice.h"

// Hosts of IAM, which a partition has one of, and whose names follow no rule.
typedef struct {
    const char *usual, *fips, *dual_stack, *fips_dual_stack;
    const char *signing_region;
} AwsIamHosts;

typedef struct {
    const char *name;              // "aws-cn", as in ARNs
    const char *regions;           // the first words of its regions' names: "us eu ap"
    const char *dns_suffix;        // "amazonaws.com.cn"
    const char *dual_stack_suffix; // "api.amazonwebservices.com.cn"
    AwsIamHosts iam;
} AwsPartition;

// The partition of a region; of a name that no partition knows, the commercial one, as the SDKs do. O(1).
const AwsPartition *aws_partition_of(Slice region);
