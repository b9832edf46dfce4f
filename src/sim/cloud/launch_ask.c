// Karpenter's part of a launch: the offerings that a CreateFleet requests. Behaviour: reference aws.md 3.2; for KWOK
// lifecycle.md 8.
//
// Left out: capacity blocks and interruptible reservations; free addresses of subnets (3.3).
#include "sim/cloud/launch_ask.h"

#include <stdlib.h>

enum { TYPES_MAX = 60 };

static bool allows(const SimLaunch *launch, Symbol key, Symbol value) {
    const Requirement *requirement = requirements_get(&launch->launch->requirements, key);

    return !requirement || requirement_has(&launch->view->symbols, requirement, value);
}

static SimCapacityType kind_of(const Offering *offering) {
    return offering->capacity_type == NAME_RESERVED ? SIM_RESERVED
           : offering->capacity_type == NAME_SPOT   ? SIM_SPOT
                                                    : SIM_ON_DEMAND;
}

// --- offerings that fit

static bool offering_fits(const SimLaunch *launch, const Offering *offering) {
    return offering->available && allows(launch, NAME_ZONE, offering->zone) &&
           allows(launch, NAME_CAPACITY_TYPE, offering->capacity_type) &&
           requirements_intersect(&launch->view->symbols, &offering->requirements, &launch->launch->requirements, NULL);
}

static void add_type(SimLaunch *launch, uint32_t at) {
    const InstanceType *type = &launch->types->items[at];

    if (!allows(launch, NAME_INSTANCE_TYPE, type->name) ||
        !resources_fit(&launch->launch->claim->requests, &launch->class->allocatable[at]) ||
        !requirements_intersect(&launch->view->symbols, &type->requirements, &launch->launch->requirements, NULL))
        return;
    for (uint32_t i = 0; i < type->offerings.count; i++) {
        const Offering *offering = &type->offerings.items[i];

        if (launch->class->pools[at][i] != INDEX_NONE && offering_fits(launch, offering))
            vec_push(launch->arena, &launch->candidates,
                     (LaunchCandidate){.type = at,
                                       .offering = i,
                                       .pool = launch->class->pools[at][i],
                                       .kind = kind_of(offering),
                                       .price = offering->price_per_hour});
    }
}

// --- offerings that are dropped

static bool is_of_kind(const SimLaunch *launch, const LaunchCandidate *candidate, uint32_t kind) {
    (void)launch;
    return candidate->kind == kind;
}

// Whether the type is neither bare metal nor has accelerators.
static bool is_plain(const SimLaunch *launch, const LaunchCandidate *candidate, uint32_t unused) {
    (void)unused;
    return !launch->class->is_exotic[candidate->type];
}

typedef bool (*Keep)(const SimLaunch *launch, const LaunchCandidate *candidate, uint32_t parameter);

// Drops the candidates for which `keep` is false, unless it is false for all; returns whether it was true for any.
static bool prefer(SimLaunch *launch, Keep keep, uint32_t parameter) {
    uint32_t kept = 0;

    for (uint32_t i = 0; i < launch->candidates.count; i++) {
        if (keep(launch, &launch->candidates.items[i], parameter))
            launch->candidates.items[kept++] = launch->candidates.items[i];
    }
    if (kept == 0) // then no candidate was moved
        return false;
    launch->candidates.count = kept;
    return true;
}

// Drops spot offerings that cost more than the cheapest on-demand one.
static void drop_dear_spot(SimLaunch *launch) {
    double cheapest = -1;
    uint32_t kept = 0;

    for (vec_each(const LaunchCandidate, candidate, &launch->candidates)) {
        if (candidate->kind == SIM_ON_DEMAND && (cheapest < 0 || candidate->price < cheapest))
            cheapest = candidate->price;
    }
    if (cheapest < 0)
        return;
    for (uint32_t i = 0; i < launch->candidates.count; i++) {
        const LaunchCandidate *candidate = &launch->candidates.items[i];

        if (candidate->kind != SIM_SPOT || candidate->price <= cheapest)
            launch->candidates.items[kept++] = *candidate;
    }
    launch->candidates.count = kept;
}

// --- the cheapest types

typedef struct {
    uint32_t type;
    double price; // of its cheapest candidate
} TypePrice;

static int by_price(const void *a, const void *b) {
    const TypePrice *x = a, *y = b;

    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    return (x->type > y->type) - (x->type < y->type);
}

// Candidates are in the order of types: each type is a run of them.
static void keep_cheapest_types(SimLaunch *launch) {
    bool *keeps = arena_array(launch->arena, bool, launch->types->count);
    Vec(TypePrice) types = {0};
    uint32_t kept = 0;

    for (vec_each(const LaunchCandidate, candidate, &launch->candidates)) {
        if (types.count == 0 || vec_last(&types)->type != candidate->type)
            vec_push(launch->arena, &types, (TypePrice){candidate->type, candidate->price});
        else if (candidate->price < vec_last(&types)->price)
            vec_last(&types)->price = candidate->price;
    }
    if (types.count <= TYPES_MAX)
        return;
    qsort(types.items, types.count, sizeof *types.items, by_price);
    for (uint32_t i = 0; i < TYPES_MAX; i++)
        keeps[types.items[i].type] = true;
    for (uint32_t i = 0; i < launch->candidates.count; i++) {
        if (keeps[launch->candidates.items[i].type])
            launch->candidates.items[kept++] = launch->candidates.items[i];
    }
    launch->candidates.count = kept;
}

// --- minValues (scheduling.md 2.7)

static bool has_min_values(const SimLaunch *launch) {
    for (vec_each(const Requirement, requirement, &launch->launch->requirements)) {
        if (requirement->min_values > 0)
            return true;
    }
    return false;
}

// Number of values of a label among the remaining types.
static uint32_t count_values(const SimLaunch *launch, Symbol key, uint32_t enough) {
    uint32_t last = INDEX_NONE;
    SymbolVec values = {0};

    for (vec_each(const LaunchCandidate, candidate, &launch->candidates)) {
        const Requirement *of_type = requirements_get(&launch->types->items[candidate->type].requirements, key);

        if (candidate->type == last || !of_type || of_type->complement)
            continue;
        last = candidate->type;
        for (vec_each(const Symbol, value, &of_type->values)) {
            bool known = false;

            for (uint32_t i = 0; i < values.count && !known; i++)
                known = values.items[i] == *value;
            if (!known)
                vec_push(launch->arena, &values, *value);
        }
        if (values.count >= enough)
            break;
    }
    return values.count;
}

// With the best-effort policy the planner has lowered the numbers to what exists.
static bool min_values_are_met(const SimLaunch *launch) {
    for (vec_each(const Requirement, requirement, &launch->launch->requirements)) {
        uint32_t wanted = requirement->min_values > 0 ? (uint32_t)requirement->min_values : 0;

        if (wanted && count_values(launch, requirement->key, wanted) < wanted)
            return false;
    }
    return true;
}

// --- all steps

// Selects reserved, else spot, else on-demand, whichever there is.
static void choose_kind(SimLaunch *launch) {
    static const SimCapacityType order[] = {SIM_RESERVED, SIM_SPOT, SIM_ON_DEMAND};

    for (uint32_t i = 0; i < SIM_CAPACITY_TYPES; i++) {
        if (prefer(launch, is_of_kind, order[i]))
            return;
    }
}

void cloud_ask(SimLaunch *launch) {
    bool min_values = has_min_values(launch);

    for (uint32_t i = 0; i < launch->types->count; i++)
        add_type(launch, i);
    if (launch->is_kwok)
        return; // KWOK takes the cheapest of all
    if (!min_values) {
        prefer(launch, is_plain, 0);
        drop_dear_spot(launch);
    }
    keep_cheapest_types(launch);
    if (min_values && !min_values_are_met(launch))
        launch->candidates.count = 0;
    choose_kind(launch);
}
