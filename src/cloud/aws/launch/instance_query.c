// Filters of DescribeInstances.
#include "cloud/aws/launch/instance_query.h"

#include "cloud/aws/filters.h"
#include "cloud/aws/launch/fleet_request.h"

enum { PAGE = 1000 };

static void add_states(Arena *arena, Ec2FilterVec *filters) {
    static const char *const states[] = {"pending", "running", "stopping", "stopped", "shutting-down"};
    Ec2Filter filter = {.name = SLICE("instance-state-name")};

    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        vec_push(arena, &filter.values, slice_of(states[i]));
    vec_push(arena, filters, filter);
}

Ec2DescribeInstancesInput instances_list(Arena *arena, Slice cluster) {
    Ec2DescribeInstancesInput input = {.max_results = aws_integer(PAGE)};

    ec2_filter_add(arena, &input.filters, SLICE("tag-key"), SLICE("karpenter.sh/nodepool"));
    ec2_filter_add(arena, &input.filters, SLICE("tag-key"), SLICE("karpenter.k8s.aws/ec2nodeclass"));
    ec2_filter_add(arena, &input.filters, SLICE("tag:eks:eks-cluster-name"), cluster);
    add_states(arena, &input.filters);
    return input;
}

Ec2DescribeInstancesInput instances_of_launch(Arena *arena, Slice cluster, Slice token) {
    Ec2DescribeInstancesInput input = {.max_results = aws_integer(PAGE)};

    ec2_filter_add(arena, &input.filters, SLICE("tag:eks:eks-cluster-name"), cluster);
    ec2_filter_add(arena, &input.filters, SLICE("tag:" LAUNCH_TOKEN_TAG), token);
    return input;
}
