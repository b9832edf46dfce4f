// Instance types to groups.
#include "cloud/aws/template/groups.h"

static bool reservation_eq(const TemplateReservation *a, const TemplateReservation *b) {
    return slice_eq(a->id, b->id) && slice_eq(a->type, b->type) && a->interruptible == b->interruptible;
}

static bool key_eq(const TemplateKey *a, const TemplateKey *b) {
    return slice_eq(a->image_id, b->image_id) && a->max_pods == b->max_pods && a->efa_count == b->efa_count &&
           reservation_eq(&a->reservation, &b->reservation);
}

static void add(Arena *arena, TemplateGroupVec *groups, const TemplateKey *key, const InstanceType *type) {
    TemplateGroup *group;

    for (vec_each(TemplateGroup, other, groups)) {
        if (key_eq(&other->key, key)) {
            vec_push(arena, &other->types, type);
            return;
        }
    }
    group = vec_add(arena, groups);
    group->key = *key;
    vec_push(arena, &group->types, type);
}

static TemplateReservation reservation_of(const TemplateGrouping *grouping, Symbol id) {
    TemplateReservation reservation = {symbol_text(grouping->symbols, id), SLICE("default"), false};

    for (vec_each(const CapacityReservation, known, &grouping->class->reservations)) {
        if (known->id != id)
            continue;
        reservation.type = symbol_text(grouping->symbols, known->type);
        reservation.interruptible = known->interruptible;
    }
    return reservation;
}

// Whether an earlier offering of the type has the same reservation.
static bool was_seen(const InstanceType *type, const Offering *offering) {
    for (const Offering *other = type->offerings.items; other < offering; other++) {
        if (other->available && other->reservation_id == offering->reservation_id)
            return true;
    }
    return false;
}

static void add_reserved(Arena *arena, const TemplateGrouping *grouping, TemplateGroupVec *groups, TemplateKey *key,
                         const InstanceType *type) {
    for (vec_each(const Offering, offering, &type->offerings)) {
        bool usable = offering->capacity_type == NAME_RESERVED && offering->available &&
                      offering->reservation_capacity > 0 && offering->reservation_id != NAME_EMPTY;

        if (!usable || was_seen(type, offering))
            continue;
        key->reservation = reservation_of(grouping, offering->reservation_id);
        add(arena, groups, key, type);
    }
}

TemplateGroupVec template_groups(Arena *arena, const TemplateGrouping *grouping, const InstanceTypeRefVec *types) {
    const AmiStatusVec *amis = &grouping->class->found.amis;
    AmiRequirementsVec requirements = ami_requirements(arena, grouping->symbols, amis);
    Symbol efa = symbol_intern(grouping->symbols, SLICE("vpc.amazonaws.com/efa"));
    TemplateGroupVec groups = {0};

    for (vec_each(const InstanceType *, type, types)) {
        const AmiStatus *ami = ami_for_type(grouping->symbols, amis, &requirements, *type);
        TemplateKey key = {.max_pods = resources_get(&(*type)->capacity, NAME_PODS)};

        if (!ami)
            continue;
        key.image_id = ami->id;
        if (grouping->requests_efa)
            key.efa_count = (uint32_t)resources_get(&(*type)->capacity, efa);
        if (grouping->capacity_type == NAME_RESERVED)
            add_reserved(arena, grouping, &groups, &key, *type);
        else
            add(arena, &groups, &key, *type);
    }
    return groups;
}
