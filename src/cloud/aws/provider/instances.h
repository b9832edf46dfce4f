// Instances that exist: found, tagged, restarted, ended, compared with their NodeClass. Reference aws.md 3.8, 7.2, 7.3,
// 7.9, 7.10.
//
// What the last whole list said of each instance is kept: drift is found by it without a call for each instance, and in
// zones that the cluster is shifted away from it stands for EC2's answer.
#pragma once

#include "cloud/aws/provider/parts.h"

ProviderInstances *provider_instances_new(AwsProvider *provider);
void provider_instances_free(ProviderInstances *instances);

// Of the table.
ErrCode provider_list(AwsProvider *provider, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error);
void provider_get_many(AwsProvider *provider, Arena *arena, const Symbol *provider_ids, uint32_t count,
                       CloudResult *ret_results);
void provider_terminate_many(AwsProvider *provider, Arena *arena, const Symbol *provider_ids, uint32_t count,
                             CloudResult *ret_results);
ErrCode provider_reboot(AwsProvider *provider, Symbol provider_id, Slice operation, CloudError *error);
ErrCode provider_tag(AwsProvider *provider, const NodeClaim *claim, CloudError *error);
ErrCode provider_is_drifted(AwsProvider *provider, const NodeClaim *claim, Slice *ret_reason, CloudError *error);
