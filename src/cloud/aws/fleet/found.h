// Instances found in EC2: descriptions asked for, page by page, and kept. Reference aws.md 2.1, 3.8.
#pragma once

#include "aws/call/pages.h"
#include "cloud/aws/launch/instance.h"

// An instance as it was described. Texts are copies.
typedef struct {
    InstanceFacts facts;
    SliceVec security_groups;
    Slice node_class;         // of its tags; empty: none
    bool has_name, has_claim; // tags Name, karpenter.sh/nodeclaim
    bool has_cluster;         // tag eks:eks-cluster-name
} FoundInstance;
typedef Vec(FoundInstance) FoundInstanceVec;

// How instances are asked for.
typedef struct {
    AwsClient *client;
    const AwsCallOptions *options; // of each call; NULL: none
    bool reserved_capacity;        // as of instance_described
    Slice cluster;                 // likewise
} InstanceFinder;

// All pages of a request, by id, each instance once; what has no id is passed over. O(n log n). Errors: as aws_pages.
ErrCode instances_find(const InstanceFinder *finder, Arena *arena, const Ec2DescribeInstancesInput *input,
                       FoundInstanceVec *ret_found, AwsOutcome *ret_outcome, Err *err);

// The instances of these ids, as instances_find, with those that have ended as long as EC2 shows them (about an hour);
// those that it does not know are not among them.
// One unknown id fails a request for several: they are then asked for by a filter, which passes it over.
ErrCode instances_find_ids(const InstanceFinder *finder, Arena *arena, const SliceVec *ids, FoundInstanceVec *ret_found,
                           AwsOutcome *ret_outcome, Err *err);

// Of a list by id. NULL: it is not among them. O(log n).
const FoundInstance *instances_found(const FoundInstanceVec *found, Slice id);

// Copies one into another arena.
FoundInstance found_instance_copy(Arena *arena, const FoundInstance *found);
