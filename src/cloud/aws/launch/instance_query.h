// Requests that find instances. Reference aws.md 2.1, 3.8.
#pragma once

#include "aws/service/ec2_instance.h"

// All instances of the cluster that a NodePool and an EC2NodeClass were written on, except those that have ended: they
// are found by their tags alone. Pages of 1000. Texts are shared. O(1).
Ec2DescribeInstancesInput instances_list(Arena *arena, Slice cluster);

// The instances of the launch with that client token, those that have ended too: all of them are needed to tell which
// claim has which (deal.h). O(1).
Ec2DescribeInstancesInput instances_of_launch(Arena *arena, Slice cluster, Slice token);
