// Provider ids taken apart. Private to cloud/aws/provider.
#pragma once

#include "cloud/aws/provider/parts.h"

// Texts are shared with the symbols.
typedef struct {
    Slice provider_id;
    Slice id;   // "i-0a"; empty: it is no provider id of EC2's
    Slice zone; // by name
} InstanceId;
typedef Vec(InstanceId) InstanceIdVec;

InstanceId instance_id_of(const AwsProvider *provider, Symbol provider_id);
InstanceIdVec instance_ids_of(Arena *arena, const AwsProvider *provider, const Symbol *provider_ids, uint32_t count);

// Whether the cluster is shifted away from the instance's zone: it is left alone until the shift is over.
bool instance_zone_is_left(AwsProvider *provider, const InstanceId *id);
