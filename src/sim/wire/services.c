// Which file answers what, and what many answers need.
#include "aws/service/ec2_image.h"
#include "aws/service/ec2_instance.h"
#include "aws/service/ec2_network.h"
#include "aws/service/ec2_reservation.h"
#include "aws/service/ec2_spot_price.h"
#include "aws/service/ec2_status.h"
#include "aws/service/ec2_type.h"
#include "aws/service/eks.h"
#include "aws/service/iam.h"
#include "aws/service/pricing.h"
#include "aws/service/sqs.h"
#include "aws/service/ssm.h"
#include "sim/wire/wire_parts.h"

const WireService wire_services[] = {
    {&ec2_create_fleet, wire_create_fleet, false},
    {&ec2_run_instances, wire_run_instances, false},
    {&ec2_create_launch_template, wire_create_template, false},
    {&ec2_describe_launch_templates, wire_describe_templates, false},
    {&ec2_delete_launch_template, wire_delete_template, false},
    {&ec2_describe_instances, wire_describe_instances, false},
    {&ec2_terminate_instances, wire_terminate_instances, false},
    {&ec2_reboot_instances, wire_reboot_instances, false},
    {&ec2_create_tags, wire_create_tags, false},
    {&ec2_describe_instance_status, wire_describe_status, false},
    {&ec2_describe_instance_types, wire_describe_types, true},
    {&ec2_describe_instance_type_offerings, wire_describe_offerings, true},
    {&ec2_describe_spot_price_history, wire_describe_spot_prices, false},
    {&ec2_describe_subnets, wire_describe_subnets, false},
    {&ec2_describe_security_groups, wire_describe_groups, false},
    {&ec2_describe_images, wire_describe_images, false},
    {&ec2_describe_capacity_reservations, wire_describe_reservations, false},
    {&ec2_describe_placement_groups, wire_describe_placement_groups, false},
    {&ssm_get_parameter, wire_get_parameter, false},
    {&eks_describe_cluster, wire_describe_cluster, false},
    {&pricing_get_products, wire_get_products, true},
    {&iam_get_instance_profile, wire_get_profile, false},
    {&iam_create_instance_profile, wire_create_profile, false},
    {&iam_add_role_to_instance_profile, wire_add_role, false},
    {&iam_remove_role_from_instance_profile, wire_remove_role, false},
    {&iam_delete_instance_profile, wire_delete_profile, false},
    {&iam_list_instance_profiles, wire_list_profiles, false},
    {&sqs_get_queue_url, wire_get_queue_url, false},
    {&sqs_receive_message, wire_receive, false},
    {&sqs_delete_message, wire_delete_message, false},
    {NULL, NULL, false},
};

Slice wire_page(Arena *arena, Slice token, AwsInteger wanted, uint32_t most, uint32_t count, uint32_t *ret_from,
                uint32_t *ret_to) {
    int64_t from = 0, size = wanted.has && wanted.value > 0 && wanted.value < most ? wanted.value : most;

    if (token.len && (!slice_to_int64(token, &from) || from < 0 || from > count))
        from = count;
    *ret_from = (uint32_t)from;
    *ret_to = count - *ret_from > size ? *ret_from + (uint32_t)size : count;
    return *ret_to < count ? arena_printf(arena, "%u", *ret_to) : (Slice){0};
}

// --- EC2 as a whole

WireFault wire_refuse_call(SimAws *aws, SimApi api) {
    switch (sim_account_call(aws->cloud, api)) {
    case OK:
        return wire_fine();
    case ERR_THROTTLED:
        return (WireFault){503, "RequestLimitExceeded", SLICE("Request limit exceeded.")};
    case ERR_TIMEOUT:
        return (WireFault){504, "RequestTimeout", SLICE("no answer in time")};
    default:
        return (WireFault){500, "InternalError", SLICE("An internal error has occurred")};
    }
}

// --- filters and tags

bool wire_passes(const Ec2FilterVec *filters, bool (*has)(const void *thing, Slice name, Slice value),
                 const void *thing) {
    for (vec_each(const Ec2Filter, filter, filters)) {
        bool passes = false;

        for (vec_each(const Slice, value, &filter->values))
            passes = passes || has(thing, filter->name, *value);
        if (!passes)
            return false;
    }
    return true;
}

static const Slice TAG = SLICE_INIT("tag:");

bool wire_tags_have(const Ec2TagVec *tags, Slice filter, Slice value) {
    for (vec_each(const Ec2Tag, tag, tags)) {
        if (slice_eq_text(filter, "tag-key") && slice_eq(tag->key, value))
            return true;
        if (slice_starts_with(filter, TAG) && slice_eq(slice_from(filter, TAG.len), tag->key) &&
            slice_eq(tag->value, value))
            return true;
    }
    return false;
}

void wire_tag(Arena *arena, Ec2TagVec *tags, Slice key, Slice value) {
    for (vec_each(Ec2Tag, tag, tags)) {
        if (slice_eq(tag->key, key)) {
            tag->value = arena_slice(arena, value);
            return;
        }
    }
    vec_push(arena, tags, (Ec2Tag){arena_slice(arena, key), arena_slice(arena, value)});
}

Slice wire_tag_of(const Ec2TagVec *tags, const char *key) {
    for (vec_each(const Ec2Tag, tag, tags)) {
        if (slice_eq_text(tag->key, key))
            return tag->value;
    }
    return (Slice){0};
}
