// Intersects the zones of a pod's requirement, of its volumes and of its topology rules.
#include "sched/input/effective_zone.h"

typedef struct {
    const Symbols *symbols;
    const Requirement *pod_zone;
    const RequirementsVec *volumes;
    const SymbolVec *valid;
    Symbol zone; // the last one found; NAME_EMPTY: none
    bool several;
} Search;

static bool is_valid(const Search *search, Symbol zone) {
    for (uint32_t i = 0; search->valid && i < search->valid->count; i++) {
        if (search->valid->items[i] == zone)
            return true;
    }
    return search->valid == NULL;
}

static bool is_reachable(const Search *search, Symbol zone) {
    for (vec_each(const Requirements, alternative, search->volumes)) {
        const Requirement *requirement = requirements_get(alternative, NAME_ZONE);

        if (!requirement || requirement_has(search->symbols, requirement, zone))
            return true;
    }
    return search->volumes->count == 0;
}

// Looks for zones of the list that every constraint allows.
static void try_zones(Search *search, const SymbolVec *zones) {
    for (vec_each(const Symbol, zone, zones)) {
        if (search->pod_zone && !requirement_has(search->symbols, search->pod_zone, *zone))
            continue;
        if (!is_reachable(search, *zone) || !is_valid(search, *zone))
            continue;
        search->several |= search->zone != NAME_EMPTY && search->zone != *zone;
        search->zone = *zone;
    }
}

static bool volumes_name_zones(const RequirementsVec *volumes) {
    for (vec_each(const Requirements, alternative, volumes)) {
        const Requirement *requirement = requirements_get(alternative, NAME_ZONE);

        if (!requirement || requirement->complement)
            return false;
    }
    return volumes->count > 0;
}

Slice effective_zone(const Symbols *symbols, const Requirement *pod_zone, const RequirementsVec *volumes,
                     const SymbolVec *valid) {
    Search search = {.symbols = symbols, .pod_zone = pod_zone, .volumes = volumes, .valid = valid};

    if (pod_zone && !pod_zone->complement) {
        try_zones(&search, &pod_zone->values);
    } else if (volumes_name_zones(volumes)) {
        for (vec_each(const Requirements, alternative, volumes))
            try_zones(&search, &requirements_get(alternative, NAME_ZONE)->values);
    } else if (valid) {
        try_zones(&search, valid);
    } else {
        return SLICE("flexible");
    }

    if (search.several)
        return SLICE("flexible");
    return search.zone == NAME_EMPTY ? SLICE("none") : symbol_text(symbols, search.zone);
}
