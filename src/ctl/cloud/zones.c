// Which NodePools a zone matters to.
#include "ctl/cloud/zones.h"

#include "ctl/common/pool_facts.h"
#include "model/requirement.h"

static bool has_claim_in(const Turn *turn, const NodePool *pool, Symbol zone) {
    for (vec_each(const Handle, handle, state_claims_of_pool(turn->state, pool->meta.name))) {
        const NodeClaim *claim = state_node_claim(turn->state, *handle);

        if (labels_get(&claim->meta.labels, NAME_ZONE) == zone || labels_get(&claim->meta.labels, NAME_ZONE_ID) == zone)
            return true;
    }
    return false;
}

static bool allows(const Requirements *wanted, const Symbols *symbols, Symbol key, Symbol value) {
    const Requirement *requirement = requirements_get(wanted, key);

    return !requirement || requirement_has(symbols, requirement, value);
}

// The zone of an offering by its id, where it says one; NAME_EMPTY: it does not.
static Symbol zone_id_of(const Offering *offering) {
    const Requirement *id = requirements_get(&offering->requirements, NAME_ZONE_ID);

    return id && !id->complement && id->values.count == 1 ? id->values.items[0] : NAME_EMPTY;
}

// Whether the offering is in that zone, and the pool may use it.
static bool is_there(const Turn *turn, const Requirements *wanted, const Offering *offering, Symbol zone) {
    Symbol id = zone_id_of(offering);

    return (offering->zone == zone || id == zone) && allows(wanted, turn->symbols, NAME_ZONE, offering->zone) &&
           (id == NAME_EMPTY || allows(wanted, turn->symbols, NAME_ZONE_ID, id));
}

static bool has_offering_in(const Turn *turn, const NodePool *pool, Symbol zone) {
    const InstanceTypeVec *types = NULL;
    Requirements wanted = {0};
    CloudError error;

    if (cloud_instance_types(turn->cloud, pool, &types, &error) != OK)
        return false;
    for (vec_each(const Expression, expression, &pool->template_spec.requirements)) {
        Requirement requirement = requirement_make(turn->arena, turn->symbols, expression);

        requirements_add(turn->arena, turn->symbols, &wanted, &requirement);
    }
    for (vec_each(const InstanceType, type, types)) {
        for (vec_each(const Offering, offering, &type->offerings)) {
            if (is_there(turn, &wanted, offering, zone))
                return true;
        }
    }
    return false;
}

static void tell(Turn *turn, const NodePool *pool, const CloudMessage *message) {
    Slice zone = symbol_text(turn->symbols, message->zone);

    if (message->kind == CLOUD_MESSAGE_ZONE_LEFT)
        turn_event(turn, KUBE_NODE_POOL, &pool->meta, true, "ZonalShiftActive",
                   "Traffic is shifted away from zone %.*s: nothing is launched there", SLICE_ARG(zone));
    else
        turn_event(turn, KUBE_NODE_POOL, &pool->meta, false, "ZonalShiftCleared",
                   "Traffic is no longer shifted away from zone %.*s", SLICE_ARG(zone));
}

void zones_tell(Turn *turn, const CloudMessage *message) {
    if (message->kind != CLOUD_MESSAGE_ZONE_LEFT && message->kind != CLOUD_MESSAGE_ZONE_BACK)
        return;
    for (Handle at = state_next(turn->state, KUBE_NODE_POOL, HANDLE_NONE); at.generation;
         at = state_next(turn->state, KUBE_NODE_POOL, at)) {
        const NodePool *pool = state_node_pool(turn->state, at);

        if (pool_is_managed(pool, turn->symbols, turn->settings) &&
            (has_claim_in(turn, pool, message->zone) || has_offering_in(turn, pool, message->zone)))
            tell(turn, pool, message);
    }
}
