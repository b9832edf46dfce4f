// Names of launch templates. Reference aws.md 3.5.
#pragma once

#include "aws/service/ec2_launch_template.h"

#define TEMPLATE_NAME_PREFIX "karpenter.k8s.aws/"

// The prefix and a 64-bit hash, in decimal, of everything in the template; the same on every machine and in every run.
// The class's name counts, because its tags are in it. O(size).
Slice template_name(Arena *arena, const Ec2LaunchTemplateData *data);
