// The members of CreateFleet.
#include "cloud/aws/launch/fleet_request.h"

#include "cloud/aws/launch/client_token.h"

// --- overrides

static bool is_listed(const Ec2FleetOverrideVec *overrides, Slice type, Slice zone) {
    for (vec_each(const Ec2FleetOverride, other, overrides)) {
        if (slice_eq(other->instance_type, type) && slice_eq(other->availability_zone, zone))
            return true;
    }
    return false;
}

// Whether the offering belongs to the group's template: to its reservation, or to none.
static bool is_of_group(const Fleet *fleet, const TemplateGroup *group, const Offering *offering) {
    return launch_offering_is_usable(offering) && offering->capacity_type == fleet->choice->capacity_type &&
           slice_eq(symbol_text(fleet->symbols, offering->reservation_id), group->key.reservation.id);
}

static void add_overrides(Arena *arena, const Fleet *fleet, const TemplateGroup *group, const InstanceType *type,
                          Ec2FleetOverrideVec *overrides) {
    Slice name = symbol_text(fleet->symbols, type->name);

    for (vec_each(const Offering, offering, &type->offerings)) {
        const ZoneSubnet *subnet = subnets_of_zone(fleet->subnets, offering->zone);
        Slice zone = symbol_text(fleet->symbols, offering->zone);

        if (!subnet || !is_of_group(fleet, group, offering) || is_listed(overrides, name, zone))
            continue;
        vec_push(arena, overrides,
                 (Ec2FleetOverride){.instance_type = name,
                                    .subnet_id = symbol_text(fleet->symbols, subnet->id),
                                    .image_id = group->key.image_id,
                                    .availability_zone = zone,
                                    .priority = aws_real(offering->price_per_hour)});
    }
}

static Ec2FleetTemplateConfigVec template_configs(Arena *arena, const Fleet *fleet) {
    Ec2FleetTemplateConfigVec configs = {0};

    for (uint32_t i = 0; i < fleet->groups->count; i++) {
        const TemplateGroup *group = &fleet->groups->items[i];
        Ec2LaunchTemplateSpecification *template = arena_new(arena, Ec2LaunchTemplateSpecification);
        Ec2FleetOverrideVec overrides = {0};

        template->launch_template_name = fleet->template_names.items[i];
        template->version = SLICE("$Latest");
        for (vec_each(const InstanceType *const, type, &group->types))
            add_overrides(arena, fleet, group, *type, &overrides);
        if (overrides.count && template->launch_template_name.len)
            vec_push(arena, &configs, (Ec2FleetTemplateConfig){template, overrides});
    }
    return configs;
}

// --- what is bought, and how EC2 chooses

static const Ec2AllocationOptions *strategy(Arena *arena, Slice name) {
    Ec2AllocationOptions *options = arena_new(arena, Ec2AllocationOptions);

    options->allocation_strategy = name;
    return options;
}

// All groups are for one kind of reservations.
static Slice set_reserved(Arena *arena, const Fleet *fleet, Ec2CreateFleetInput *input) {
    const TemplateReservation *reservation = &fleet->groups->items[0].key.reservation;
    Ec2ReservedCapacityOptions *options = arena_new(arena, Ec2ReservedCapacityOptions);

    if (slice_eq_text(reservation->type, "capacity-block"))
        return SLICE("capacity-block");
    if (reservation->interruptible) {
        vec_push(arena, &options->reservation_types, SLICE("interruptible-capacity-reservation"));
        input->reserved_capacity_options = options;
        return SLICE("reserved-capacity");
    }
    input->on_demand_options = strategy(arena, fleet->price_overlay ? SLICE("prioritized") : SLICE("lowest-price"));
    return SLICE("on-demand");
}

static Slice set_options(Arena *arena, const Fleet *fleet, Ec2CreateFleetInput *input) {
    if (fleet->choice->capacity_type == NAME_RESERVED)
        return set_reserved(arena, fleet, input);
    if (fleet->choice->capacity_type == NAME_SPOT) {
        input->spot_options = strategy(arena, fleet->price_overlay ? SLICE("capacity-optimized-prioritized")
                                                                   : SLICE("price-capacity-optimized"));
        return SLICE("spot");
    }
    input->on_demand_options = strategy(arena, fleet->price_overlay ? SLICE("prioritized") : SLICE("lowest-price"));
    return SLICE("on-demand");
}

// --- tags

// The tags with the token's, which keeps their order by key.
static Ec2TagVec with_token(Arena *arena, const Ec2TagVec *tags, Slice token) {
    Ec2Tag mark = {SLICE(LAUNCH_TOKEN_TAG), token};
    Ec2TagVec all = {0};
    bool is_in = false;

    for (vec_each(const Ec2Tag, tag, tags)) {
        int order = slice_cmp(tag->key, mark.key);

        if (!is_in && order >= 0) {
            vec_push(arena, &all, mark);
            is_in = true;
        }
        if (order != 0)
            vec_push(arena, &all, *tag);
    }
    if (!is_in)
        vec_push(arena, &all, mark);
    return all;
}

static void set_tags(Arena *arena, const Fleet *fleet, Ec2CreateFleetInput *input) {
    Ec2TagVec tags = class_tags(arena, &fleet->class->launch.tags, &fleet->owner);

    vec_push(arena, &input->tag_specifications, (Ec2TagSpecification){SLICE("instance"), tags});
    vec_push(arena, &input->tag_specifications, (Ec2TagSpecification){SLICE("volume"), tags});
    vec_push(arena, &input->tag_specifications, (Ec2TagSpecification){SLICE("fleet"), tags});
}

// --- all of it

// What the token is of, besides the request: the claims, and the tokens that EC2 would answer with what it answered
// before.
static SliceVec signed_texts(Arena *arena, const Fleet *fleet) {
    SliceVec texts = {0};

    for (vec_each(const Slice, claim, &fleet->claims))
        vec_push(arena, &texts, *claim);
    for (vec_each(const Slice, token, &fleet->spent))
        vec_push(arena, &texts, *token);
    return texts;
}

ErrCode fleet_request(Arena *arena, const Fleet *fleet, Ec2CreateFleetInput *ret_input, CloudError *error) {
    Ec2CreateFleetInput input = {.type = SLICE("instant")};
    Ec2TargetCapacity *target = arena_new(arena, Ec2TargetCapacity);
    SliceVec texts = signed_texts(arena, fleet);
    Err err = {0};

    CHECK(fleet->template_names.count == fleet->groups->count, "a name for each group");
    input.launch_template_configs = template_configs(arena, fleet);
    if (!input.launch_template_configs.count)
        return cloud_fail(error, ERR_INVALID,
                          "no capacity offerings are currently available given the constraints: no subnet of the "
                          "EC2NodeClass is in a zone of them, or no image is for their types");
    if (!fleet->min_values_relaxed && fleet->class->launch.context.len)
        input.context = fleet->class->launch.context;
    target->total_target_capacity = aws_integer(fleet->claims.count);
    target->default_target_capacity_type = set_options(arena, fleet, &input);
    input.target_capacity = target;
    set_tags(arena, fleet, &input);
    if (fleet_client_token(arena, &input, &texts, &input.client_token, &err) != OK)
        return cloud_fail(error, err.code, "%s", err.text);
    input.tag_specifications.items[0].tags =
        with_token(arena, &input.tag_specifications.items[0].tags, input.client_token);
    *ret_input = input;
    return OK;
}
