// Reasons of drift, in upstream's order.
#include "cloud/aws/drift.h"

Slice drift_by_hash(const DriftHashes *hashes) {
    if (!hashes->claim_hash.len || !hashes->claim_hash_version.len || !hashes->class_hash.len ||
        !hashes->class_hash_version.len || !slice_eq(hashes->claim_hash_version, hashes->class_hash_version) ||
        slice_eq(hashes->claim_hash, hashes->class_hash))
        return SLICE("");
    return SLICE("NodeClassDrift");
}

static ErrCode fail_unresolved(const Symbols *symbols, const EC2NodeClass *class, const char *what, Err *err) {
    return err_set(err, ERR_INVALID, "EC2NodeClass %.*s: its status has no %s yet, so nothing is said of drift",
                   SLICE_ARG(symbol_text(symbols, class->meta.name)), what);
}

static bool has_group(const SliceVec *ids, Slice id) {
    for (vec_each(const Slice, other, ids)) {
        if (slice_eq(*other, id))
            return true;
    }
    return false;
}

// As sets.
static bool groups_differ(const SecurityGroupStatusVec *wanted, const SliceVec *present) {
    for (vec_each(const SecurityGroupStatus, group, wanted)) {
        if (!has_group(present, group->id))
            return true;
    }
    for (vec_each(const Slice, id, present)) {
        bool known = false;

        for (vec_each(const SecurityGroupStatus, group, wanted))
            known |= slice_eq(group->id, *id);
        if (!known)
            return true;
    }
    return false;
}

static bool subnet_is_known(const Symbols *symbols, const SubnetStatusVec *subnets, Slice id) {
    for (vec_each(const SubnetStatus, subnet, subnets)) {
        if (slice_eq(symbol_text(symbols, subnet->id), id))
            return true;
    }
    return false;
}

static bool reservation_is_known(const Symbols *symbols, const CapacityReservationVec *reservations, Slice id) {
    for (vec_each(const CapacityReservation, reservation, reservations)) {
        if (slice_eq(symbol_text(symbols, reservation->id), id))
            return true;
    }
    return false;
}

static ErrCode image_drifts(Arena *arena, Symbols *symbols, const EC2NodeClass *class, const InstanceType *type,
                            Slice image_id, bool *ret_drifts, Err *err) {
    AmiRequirementsVec requirements = ami_requirements(arena, symbols, &class->found.amis);
    const AmiStatus *ami = ami_for_type(symbols, &class->found.amis, &requirements, type);

    if (!class->found.amis.count)
        return fail_unresolved(symbols, class, "images", err);
    if (!ami)
        return err_set(err, ERR_INVALID, "EC2NodeClass %.*s: no image fits the instance type %.*s",
                       SLICE_ARG(symbol_text(symbols, class->meta.name)), SLICE_ARG(symbol_text(symbols, type->name)));
    *ret_drifts = !slice_eq(ami->id, image_id);
    return OK;
}

ErrCode drift_by_facts(Arena *arena, Symbols *symbols, const EC2NodeClass *class, const InstanceType *type,
                       const DriftInstance *instance, Slice placement_group, Slice *ret_reason, Err *err) {
    bool image = false;
    Slice reason = {0};

    TRY(image_drifts(arena, symbols, class, type, instance->image_id, &image, err));
    if (!image && !class->found.security_groups.count)
        return fail_unresolved(symbols, class, "security groups", err);
    if (!image && !class->subnets.count)
        return fail_unresolved(symbols, class, "subnets", err);
    if (image)
        reason = SLICE("AMIDrift");
    else if (groups_differ(&class->found.security_groups, &instance->security_groups))
        reason = SLICE("SecurityGroupDrift");
    else if (!subnet_is_known(symbols, &class->subnets, instance->subnet_id))
        reason = SLICE("SubnetDrift");
    else if (instance->reservation_id.len &&
             !reservation_is_known(symbols, &class->reservations, instance->reservation_id))
        reason = SLICE("CapacityReservationDrift");
    else if (!slice_eq(instance->claim_placement_group, placement_group))
        reason = SLICE("PlacementGroupDrift");
    *ret_reason = reason;
    return OK;
}
