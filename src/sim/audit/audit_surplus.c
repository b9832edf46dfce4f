// Instances that nobody named. A launch that was answered with more than was asked for, or was made twice, leaves some;
// garbage collection would hide them.
#include "sim/audit/audit_surplus.h"

#include "model/names.h"
#include "sim/audit/audit_facts.h"
#include "sim/audit/audit_rules.h"

static void count(Audit *audit, IndexMap *map, Symbol pool) {
    uint32_t before = u64_map_get(map, pool);

    u64_map_put(&audit->arena, map, pool, before == INDEX_NONE ? 1 : before + 1);
}

void audit_note_claim(Audit *audit, const NodeClaim *before, const NodeClaim *after) {
    const NodeClaim *claim = after ? after : before;
    Symbol pool = labels_get(&claim->meta.labels, NAME_NODEPOOL);

    if (claim->provider_id != SYMBOL_EMPTY)
        u64_map_put(&audit->arena, &audit->named, claim->provider_id, 1);
    else if (!after && pool != INDEX_NONE)
        count(audit, &audit->unlaunched, pool);
}

void audit_check_surplus(Audit *audit) {
    IndexMap surplus = {0};

    for (uint32_t number = 0; number < sim_cloud_instance_count(audit->cloud); number++) {
        const SimInstance *instance = sim_cloud_instance(audit->cloud, number);
        uint32_t allowed = u64_map_get(&audit->unlaunched, instance->pool);

        if (instance->claim_uid != SYMBOL_EMPTY || u64_map_get(&audit->named, instance->provider_id) != INDEX_NONE)
            continue;
        count(audit, &surplus, instance->pool);
        if (allowed == INDEX_NONE || u64_map_get(&surplus, instance->pool) > allowed)
            audit_violate(audit, AUDIT_ONE_INSTANCE,
                          "instance %.*s of NodePool %.*s was launched for no NodeClaim that could have wanted it",
                          SLICE_ARG(audit_text(audit, instance->provider_id)),
                          SLICE_ARG(audit_text(audit, instance->pool)));
    }
}
