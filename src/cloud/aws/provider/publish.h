// Instances as the table has them. Their symbols are held for an hour or two (cloud/words.h). Private to
// cloud/aws/provider.
#pragma once

#include "cloud/aws/launch/instance.h"
#include "cloud/aws/provider/parts.h"

// An instance as the table's, with the types of the class that it was launched with.
CloudInstance provider_instance(AwsProvider *provider, Arena *arena, const InstanceFacts *facts, Slice class_name);
// The same with types and class at hand; either may be NULL.
CloudInstance instance_publish(AwsProvider *provider, Arena *arena, const InstanceFacts *facts,
                               const InstanceTypeVec *types, const EC2NodeClass *class);
