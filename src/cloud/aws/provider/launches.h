// Launches: from NodeClaims to instances, exactly one for each. Reference aws.md 3; 2.2.
#pragma once

#include "aws/service/ec2_network.h"
#include "cloud/aws/provider/classes.h"

ProviderLaunches *provider_launches_new(AwsProvider *provider);
void provider_launches_free(ProviderLaunches *launches);

// Of the table; launches of several classes and wishes in one call are several fleets.
void provider_launch_many(AwsProvider *provider, Arena *arena, const CloudLaunch *const *launches, uint32_t count,
                          CloudResult *ret_results);

// Subnets were described: their free addresses.
void provider_subnets_seen(AwsProvider *provider, const Ec2SubnetVec *subnets);
// Deletes the launch templates that were made for a class. ERR_*: some could not be.
ErrCode provider_templates_delete(AwsProvider *provider, Slice class_name, CloudError *error);

// Whether this process launched the instance within the last minute: EC2's descriptions may not show it yet, so that it
// is not gone.
bool provider_launched_lately(AwsProvider *provider, Slice id);
