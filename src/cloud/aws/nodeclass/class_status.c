// The status as Values.
#include "cloud/aws/nodeclass/class_status.h"

#include "text/duration.h"
#include "text/value_edit.h"

#include <stdlib.h>

const char *const class_conditions[CLASS_CONDITION_COUNT] = {
#define X(name, text) text,
    CLASS_CONDITIONS(X)
#undef X
};

#define PUT(arena, map, key, value) ((void)value_put((arena), (map), SLICE(key), (value)))

// Sets a text member unless it is empty.
static void put_text(Arena *arena, Value *map, const char *key, Slice text) {
    if (text.len)
        value_put(arena, map, slice_of(key), value_string(text));
}

Value class_subnets_value(Arena *arena, const Symbols *symbols, const SubnetStatusVec *subnets) {
    Value list = value_list();

    for (vec_each(const SubnetStatus, subnet, subnets)) {
        Value *map = value_append(arena, &list, value_map());

        PUT(arena, map, "id", value_string(symbol_text(symbols, subnet->id)));
        PUT(arena, map, "zone", value_string(symbol_text(symbols, subnet->zone)));
        put_text(arena, map, "zoneID", symbol_text(symbols, subnet->zone_id));
    }
    return list;
}

static int groups_by_id(const void *a, const void *b) {
    return slice_cmp(((const SecurityGroupStatus *)a)->id, ((const SecurityGroupStatus *)b)->id);
}

Value class_groups_value(Arena *arena, SecurityGroupStatusVec *groups) {
    Value list = value_list();

    if (groups->count)
        qsort(groups->items, groups->count, sizeof *groups->items, groups_by_id);
    for (vec_each(const SecurityGroupStatus, group, groups)) {
        Value *map = value_append(arena, &list, value_map());

        PUT(arena, map, "id", value_string(group->id));
        put_text(arena, map, "name", group->name);
    }
    return list;
}

static int by_key_length(const void *a, const void *b, void *symbols) {
    Slice left = symbol_text(symbols, ((const Expression *)a)->key);
    Slice right = symbol_text(symbols, ((const Expression *)b)->key);

    if (left.len != right.len)
        return left.len < right.len ? -1 : 1;
    return slice_cmp(left, right);
}

static Value requirements_value(Arena *arena, const Symbols *symbols, const ExpressionVec *requirements) {
    Symbols handle = *symbols;
    Value list = value_list();
    ExpressionVec sorted = {0};

    for (vec_each(const Expression, expression, requirements))
        vec_push(arena, &sorted, *expression);
    if (sorted.count)
        qsort_r(sorted.items, sorted.count, sizeof *sorted.items, by_key_length, &handle);
    for (vec_each(const Expression, expression, &sorted)) {
        Value *map = value_append(arena, &list, value_map());

        PUT(arena, map, "key", value_string(symbol_text(symbols, expression->key)));
        PUT(arena, map, "operator", value_string(slice_of(operator_text(expression->op))));
        if (expression->values.count) {
            Value *values = value_put(arena, map, SLICE("values"), value_list());

            for (vec_each(const Symbol, value, &expression->values))
                value_append(arena, values, value_string(symbol_text(symbols, *value)));
        }
    }
    return list;
}

Value class_amis_value(Arena *arena, const Symbols *symbols, const AmiStatusVec *amis) {
    Value list = value_list();

    for (vec_each(const AmiStatus, ami, amis)) {
        Value *map = value_append(arena, &list, value_map());

        PUT(arena, map, "id", value_string(ami->id));
        put_text(arena, map, "name", ami->name);
        if (ami->deprecated)
            PUT(arena, map, "deprecated", value_bool(true));
        PUT(arena, map, "requirements", requirements_value(arena, symbols, &ami->requirements));
    }
    return list;
}

static int reservations_by_id(const void *a, const void *b, void *symbols) {
    return symbol_cmp(symbols, ((const CapacityReservation *)a)->id, ((const CapacityReservation *)b)->id);
}

Value class_reservations_value(Arena *arena, const Symbols *symbols, CapacityReservationVec *reservations) {
    Symbols handle = *symbols;
    Value list = value_list();

    if (reservations->count)
        qsort_r(reservations->items, reservations->count, sizeof *reservations->items, reservations_by_id, &handle);
    for (vec_each(const CapacityReservation, reservation, reservations)) {
        Value *map = value_append(arena, &list, value_map());

        PUT(arena, map, "availabilityZone", value_string(symbol_text(symbols, reservation->zone)));
        if (reservation->end_ns)
            PUT(arena, map, "endTime", value_string(time_print(arena, reservation->end_ns)));
        PUT(arena, map, "id", value_string(symbol_text(symbols, reservation->id)));
        PUT(arena, map, "instanceMatchCriteria", value_string(reservation->match_criteria));
        PUT(arena, map, "instanceType", value_string(symbol_text(symbols, reservation->instance_type)));
        PUT(arena, map, "interruptible", value_bool(reservation->interruptible));
        PUT(arena, map, "ownerID", value_string(reservation->owner_id));
        PUT(arena, map, "reservationType", value_string(symbol_text(symbols, reservation->type)));
        PUT(arena, map, "state", value_string(symbol_text(symbols, reservation->state)));
    }
    return list;
}

static Value or_null(Value list) {
    return list.list.count ? list : value_null();
}

Value class_status_patch(Arena *arena, const Symbols *symbols, EC2NodeClass *class) {
    Value patch = value_map(), *status = value_put(arena, &patch, SLICE("status"), value_map());
    Slice profile = class->found.instance_profile;

    PUT(arena, status, "subnets", or_null(class_subnets_value(arena, symbols, &class->subnets)));
    PUT(arena, status, "securityGroups", or_null(class_groups_value(arena, &class->found.security_groups)));
    PUT(arena, status, "capacityReservations", or_null(class_reservations_value(arena, symbols, &class->reservations)));
    PUT(arena, status, "amis", or_null(class_amis_value(arena, symbols, &class->found.amis)));
    PUT(arena, status, "instanceProfile", profile.len ? value_string(profile) : value_null());
    return patch;
}
