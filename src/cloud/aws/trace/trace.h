// LaunchTrace: what a launch of a NodeClaim asks EC2 for, worked out without asking anybody.
//
// The same functions as in a launch (launch, template), in its order; what a launch knows from memory (marks of what
// has no capacity, addresses in flight, prices of the day) is as if nothing had happened yet.
#pragma once

#include "aws/service/ec2_launch.h"
#include "aws/service/ec2_launch_template.h"
#include "cloud/cloud.h"

// Borrowed. Empty texts: unknown.
typedef struct {
    Symbols *symbols;
    const NodeClaim *claim;
    const EC2NodeClass *class;    // with defaults and status
    const InstanceTypeVec *types; // of the class in the region
    Slice region;
    Slice cluster_name, cluster_endpoint, ca_bundle, service_cidr, dns_ip;
    bool reserved_capacity; // gate ReservedCapacity
    bool min_values_strict; // policy of minValues
} LaunchTraceFacts;

typedef struct {
    uint32_t types; // that are launched with it
    Ec2CreateLaunchTemplateInput input;
    Slice user_data; // of the input, decoded; empty: none
} LaunchTraceTemplate;
typedef Vec(LaunchTraceTemplate) LaunchTraceTemplateVec;

typedef struct {
    Symbol capacity_type;
    uint32_t types; // that are asked for
    LaunchTraceTemplateVec templates;
    Ec2CreateFleetInput fleet;
} LaunchTrace;

// What of the status a launch cannot do without is missing: "status.subnets", …; empty: nothing. O(1).
SliceVec launch_trace_missing(Arena *arena, const EC2NodeClass *class);

// Works it out; texts are shared or in `arena`. O(types × (keys + offerings)). ERR_CAPACITY: nothing is left to launch;
// ERR_INVALID: the class has an unknown family, or user data that is not in its form.
ErrCode launch_trace(Arena *arena, const LaunchTraceFacts *facts, LaunchTrace *ret_trace, CloudError *error);
