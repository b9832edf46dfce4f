// Instances and errors of a fleet.
#include "cloud/aws/launch/fleet_answer.h"

#include "aws/call/kind.h"
#include "base/buffer.h"
#include "cloud/aws/launch/deal.h"
#include "cloud/aws/launch/failure.h"

#include <stdlib.h>

typedef struct {
    Arena *arena;
    Symbols *symbols;
    const Fleet *fleet;
    FleetReading *result;
} Reading;

static bool is_template_lost(Slice code) {
    return slice_eq_text(code, "InvalidLaunchTemplateName.NotFoundException");
}

// --- where

static const Ec2LaunchedOverride *override_of(const Ec2LaunchTemplateAndOverrides *where) {
    static const Ec2LaunchedOverride none;

    return where && where->overrides ? where->overrides : &none;
}

static Slice zone_of(const Fleet *fleet, const Ec2LaunchedOverride *override) {
    if (override->availability_zone.len)
        return override->availability_zone;
    for (vec_each(const ZoneSubnet, subnet, fleet->subnets)) {
        if (slice_eq(symbol_text(fleet->symbols, subnet->id), override->subnet_id))
            return symbol_text(fleet->symbols, subnet->zone);
    }
    return (Slice){0};
}

// Whether the type is of the group, and, of a group for a reservation, has a place of that in the zone.
static bool group_has(const Fleet *fleet, const TemplateGroup *group, const Ec2LaunchedOverride *override) {
    Slice zone = zone_of(fleet, override);

    for (vec_each(const InstanceType *const, type, &group->types)) {
        if (!slice_eq(symbol_text(fleet->symbols, (*type)->name), override->instance_type))
            continue;
        if (!group->key.reservation.id.len)
            return true;
        for (vec_each(const Offering, offering, &(*type)->offerings)) {
            if (slice_eq(symbol_text(fleet->symbols, offering->reservation_id), group->key.reservation.id) &&
                slice_eq(symbol_text(fleet->symbols, offering->zone), zone))
                return true;
        }
    }
    return false;
}

// The group that an entry of the answer is of; NULL: none. EC2 names templates by their ids alone, as a rule; a type
// and zone is of one group then, since overrides are asked for once.
static const TemplateGroup *group_of(const Fleet *fleet, const Ec2LaunchTemplateAndOverrides *where) {
    const Ec2LaunchTemplateSpecification *template = where ? where->launch_template_specification : NULL;
    Slice name = template ? template->launch_template_name : (Slice){0};

    for (uint32_t i = 0; i < fleet->groups->count; i++) {
        const TemplateGroup *group = &fleet->groups->items[i];

        if (name.len ? slice_eq(fleet->template_names.items[i], name) : group_has(fleet, group, override_of(where)))
            return group;
    }
    return fleet->groups->count == 1 ? fleet->groups->items : NULL;
}

// The subnet of a zone; empty: none was asked for.
static Slice subnet_of(const Fleet *fleet, Slice zone) {
    for (vec_each(const ZoneSubnet, subnet, fleet->subnets)) {
        if (slice_eq(symbol_text(fleet->symbols, subnet->zone), zone))
            return symbol_text(fleet->symbols, subnet->id);
    }
    return (Slice){0};
}

// --- marks

static void mark_offering(Reading *reading, Symbol type, Slice zone) {
    UnavailableMark mark = {.kind = UNAVAILABLE_OFFERING,
                            .capacity_type = reading->fleet->choice->capacity_type,
                            .type = type,
                            .zone = symbol_intern(reading->symbols, zone),
                            .partition = reading->fleet->partition};

    if (type == NAME_EMPTY || !zone.len)
        return;
    mark.group = symbol_intern(reading->symbols, reading->fleet->placement_group_id);
    vec_push(reading->arena, &reading->result->marks, mark);
}

// A spread group has seven instances in a zone, whatever their types.
static void mark_zone_of_group(Reading *reading, Slice zone) {
    if (!reading->fleet->placement_group_id.len)
        return;
    for (vec_each(const InstanceType, type, &reading->fleet->choice->types))
        mark_offering(reading, type->name, zone);
}

static void mark_reservation(Reading *reading, const Ec2FleetError *error) {
    const TemplateGroup *group = group_of(reading->fleet, error->launch_template_and_overrides);
    UnavailableMark mark = {.kind = UNAVAILABLE_RESERVATION};

    if (!group || !group->key.reservation.id.len)
        return;
    mark.id = symbol_intern(reading->symbols, group->key.reservation.id);
    if (slice_eq_text(error->error_code, "ReservationCapacityExceeded"))
        vec_push(reading->arena, &reading->result->empty_reservations, mark.id);
    else
        vec_push(reading->arena, &reading->result->marks, mark);
}

static void mark_subnet(Reading *reading, const Ec2FleetError *error) {
    Slice id = override_of(error->launch_template_and_overrides)->subnet_id;
    UnavailableMark mark = {.kind = UNAVAILABLE_SUBNET};

    if (!slice_eq_text(error->error_code, "InsufficientFreeAddressesInSubnet") || !id.len)
        return;
    mark.id = symbol_intern(reading->symbols, id);
    vec_push(reading->arena, &reading->result->marks, mark);
    vec_push(reading->arena, &reading->result->empty_subnets, mark.id);
}

static void mark_spot(Reading *reading) {
    UnavailableMark mark = {.kind = UNAVAILABLE_CAPACITY_TYPE, .capacity_type = NAME_SPOT};

    reading->result->spot_role_is_denied = true;
    vec_push(reading->arena, &reading->result->marks, mark);
}

static void mark(Reading *reading, const Ec2FleetError *error, AwsFaultKind kind) {
    const Ec2LaunchedOverride *override = override_of(error->launch_template_and_overrides);
    bool is_reserved = reading->fleet->choice->capacity_type == NAME_RESERVED;
    Slice zone = zone_of(reading->fleet, override);

    mark_subnet(reading, error);
    if (kind == AWS_SPREAD_GROUP_FULL && !is_reserved)
        mark_zone_of_group(reading, zone);
    else if (kind == AWS_CAPACITY && is_reserved)
        mark_reservation(reading, error);
    else if (kind == AWS_CAPACITY)
        mark_offering(reading, symbol_intern(reading->symbols, override->instance_type), zone);
    else if (kind == AWS_SPOT_ROLE_DENIED && !is_reserved)
        mark_spot(reading);
}

// --- errors

static bool is_want_of_capacity(AwsFaultKind kind) {
    return kind == AWS_CAPACITY || kind == AWS_SPREAD_GROUP_FULL || kind == AWS_SPOT_ROLE_DENIED;
}

static AwsFaultKind kind_of(const Ec2FleetError *error) {
    return aws_fault_kind(error->error_code, error->error_message, 0);
}

static Slice text_of(Arena *arena, Slice code, Slice message) {
    return arena_printf(arena, "%.*s: %.*s", SLICE_ARG(code), SLICE_ARG(message));
}

static void add_failure(Reading *reading, const Ec2FleetError *error) {
    Slice text = text_of(reading->arena, error->error_code, error->error_message);

    vec_push(reading->arena, &reading->result->failures,
             (FleetFailure){slice_of(launch_failure_reason(text)),
                            zone_of(reading->fleet, override_of(error->launch_template_and_overrides))});
}

// All errors, each text once.
static Slice join(Arena *arena, const Ec2FleetErrorVec *errors) {
    SliceVec seen = {0};
    Buffer text = {0};
    Slice joined;

    for (vec_each(const Ec2FleetError, error, errors)) {
        Slice one = text_of(arena, error->error_code, error->error_message);
        bool is_new = true;

        for (vec_each(const Slice, other, &seen))
            is_new = is_new && !slice_eq(*other, one);
        if (!is_new)
            continue;
        buffer_append(&text, seen.count ? SLICE("; ") : SLICE(""));
        buffer_append(&text, one);
        vec_push(arena, &seen, one);
    }
    joined = arena_slice(arena, buffer_slice(&text));
    buffer_free(&text);
    return joined;
}

// What the claims without an instance are told.
static void set_error(Reading *reading, const Ec2FleetErrorVec *errors) {
    AwsFaultKind other = AWS_FINE;
    Slice text = join(reading->arena, errors);

    for (vec_each(const Ec2FleetError, error, errors)) {
        AwsFaultKind kind = kind_of(error);

        if (!is_want_of_capacity(kind) && other == AWS_FINE)
            other = kind;
        reading->result->template_is_lost |= is_template_lost(error->error_code);
    }
    if (!errors->count)
        launch_failure(&reading->result->error, ERR_IO, SLICE("too few instances returned"));
    else if (other == AWS_FINE)
        cloud_fail(&reading->result->error, ERR_CAPACITY, "%.*s", SLICE_ARG(text));
    else
        launch_failure(&reading->result->error, aws_fault_kind_error(other), text);
}

// --- instances

static int by_id(const void *a, const void *b) {
    return slice_cmp(((const FleetInstance *)a)->id, ((const FleetInstance *)b)->id);
}

static void add_instances(Reading *reading, const Ec2FleetInstances *launched) {
    const Ec2LaunchedOverride *override = override_of(launched->launch_template_and_overrides);

    for (vec_each(const Slice, id, &launched->instance_ids)) {
        FleetInstance *instance = vec_add(reading->arena, &reading->result->instances);

        *instance = (FleetInstance){
            .id = *id,
            .type = launched->instance_type.len ? launched->instance_type : override->instance_type,
            .zone = zone_of(reading->fleet, override),
            .subnet_id = override->subnet_id,
            .image_id = override->image_id,
            .group = group_of(reading->fleet, launched->launch_template_and_overrides),
        };
        if (!instance->subnet_id.len)
            instance->subnet_id = subnet_of(reading->fleet, instance->zone);
        if (!instance->image_id.len && instance->group)
            instance->image_id = instance->group->key.image_id;
    }
}

static void deal(Reading *reading) {
    FleetInstanceVec *instances = &reading->result->instances;
    SliceVec ids = {0}, dealt;

    if (instances->count)
        qsort(instances->items, instances->count, sizeof *instances->items, by_id);
    for (vec_each(const FleetInstance, instance, instances))
        vec_push(reading->arena, &ids, instance->id);
    dealt = fleet_deal(reading->arena, &reading->fleet->claims, &ids);
    for (uint32_t i = 0; i < instances->count; i++)
        instances->items[i].claim = dealt.items[i];
}

void fleet_answer(Arena *arena, Symbols *symbols, const Fleet *fleet, const Ec2CreateFleetOutput *output,
                  FleetReading *ret_result) {
    FleetReading result = {0};
    Reading reading = {arena, symbols, fleet, &result};

    for (vec_each(const Ec2FleetInstances, launched, &output->instances))
        add_instances(&reading, launched);
    deal(&reading);
    for (vec_each(const Ec2FleetError, error, &output->errors)) {
        mark(&reading, error, kind_of(error));
        add_failure(&reading, error);
    }
    if (result.instances.count < fleet->claims.count)
        set_error(&reading, &output->errors);
    result.template_is_lost &= !result.instances.count;
    *ret_result = result;
}

void fleet_refused(Arena *arena, const AwsFault *fault, FleetReading *ret_result) {
    Slice text = text_of(arena, fault->code, fault->message);
    FleetReading result = {.template_is_lost = is_template_lost(fault->code)};

    launch_failure(&result.error, aws_fault_kind_error(aws_fault_kind(fault->code, fault->message, fault->status)),
                   text);
    vec_push(arena, &result.failures, (FleetFailure){.reason = slice_of(launch_failure_reason(text))});
    *ret_result = result;
}

SubnetUseVec fleet_used_subnets(Arena *arena, Symbols *symbols, const Fleet *fleet, const FleetReading *result,
                                bool is_ipv6) {
    SubnetUseVec used = {0};

    for (vec_each(const FleetInstance, instance, &result->instances))
        vec_push(arena, &used,
                 subnet_use(symbols, &fleet->choice->types, instance->type, instance->subnet_id, is_ipv6));
    return used;
}
