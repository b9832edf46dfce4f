// "aws:///us-east-1a/i-0a".
#include "cloud/aws/provider/instance_ids.h"

#include "cloud/aws/provider/neighbours.h"
#include "cloud/aws/provider_id.h"

InstanceId instance_id_of(const AwsProvider *provider, Symbol provider_id) {
    InstanceId id = {.provider_id = symbol_text(&provider->symbols, provider_id)};
    Slice prefix = SLICE("aws:///");

    id.id = provider_instance_id(id.provider_id);
    if (id.id.len && slice_starts_with(id.provider_id, prefix) && id.provider_id.len > prefix.len + id.id.len)
        id.zone = slice_first(slice_from(id.provider_id, prefix.len), id.provider_id.len - prefix.len - id.id.len - 1);
    return id;
}

InstanceIdVec instance_ids_of(Arena *arena, const AwsProvider *provider, const Symbol *provider_ids, uint32_t count) {
    InstanceIdVec ids = {0};

    for (uint32_t i = 0; i < count; i++)
        vec_push(arena, &ids, instance_id_of(provider, provider_ids[i]));
    return ids;
}

bool instance_zone_is_left(AwsProvider *provider, const InstanceId *id) {
    return id->zone.len && provider->neighbours->zone_is_left(provider, id->zone);
}
