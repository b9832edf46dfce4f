// Finds the pools that could have served a pod on a new node of its own: the heaviest of them should be opened.
#include "exact/problem.h"

#include <math.h>

// Bit set of the keys of rules that decide in which domains an item may be: a new node in another domain is no
// substitute for one of these. A spread or an affinity of others that only counts it keeps it out of no domain.
static uint64_t ruled_keys(const Problem *problem, uint32_t item) {
    uint64_t keys = 0;

    for (vec_each(const SpreadRule, rule, &problem->spreads))
        keys |= rule->owners >> item & 1 ? UINT64_C(1) << rule->key : 0;
    for (vec_each(const AntiRule, rule, &problem->antis))
        keys |= (rule->owners | rule->matched) >> item & 1 ? UINT64_C(1) << rule->key : 0;
    for (vec_each(const AffinityRule, rule, &problem->affinities))
        keys |= rule->key != INDEX_NONE && rule->owners >> item & 1 ? UINT64_C(1) << rule->key : 0;
    return keys;
}

bool exact_needs_company(const Problem *problem, uint32_t item) {
    for (vec_each(const AffinityRule, rule, &problem->affinities)) {
        if (rule->key == INDEX_NONE && rule->owners >> item & 1)
            return true;
    }
    return false;
}

// Whether a node in cell `one` is in the domains of cell `other`, where a claim may be open to several.
static bool is_same_place(const Problem *problem, uint64_t keys, uint32_t one, uint32_t other) {
    for (uint32_t i = 0; i < problem->keys.count; i++) {
        uint32_t here = problem->cells.items[one].domains.items[i],
                 there = problem->cells.items[other].domains.items[i];

        if (keys >> i & 1 && here != there && (there != DOMAIN_OPEN || here == DOMAIN_ABSENT))
            return false;
    }
    return true;
}

static void add_served(Problem *problem, Served served) {
    for (vec_each(Served, known, &problem->served)) {
        if (known->item == served.item && known->cell == served.cell && known->soft == served.soft && !known->limited &&
            !served.limited) {
            known->weight = served.weight > known->weight ? served.weight : known->weight;
            return;
        }
    }
    vec_push(problem->world.arena, &problem->served, served);
}

// What a limit has left in addition to that charge; negative: it does not fit.
int64_t exact_limit_slack(const Problem *problem, const Pool *pool, const Amounts *charge, uint32_t resource) {
    return problem->limits_left[pool - problem->world.pools.items].of[resource] - charge->of[resource];
}

// Whether the charge is within what the limits leave when the plan opens no claim of the pool.
static bool fits_limits(const Problem *problem, const Pool *pool, const Amounts *charge) {
    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        if (amounts_has(&pool->limits, i) && exact_limit_slack(problem, pool, charge, i) < 0)
            return false;
    }
    return true;
}

static Served served_by(const Family *family, const Way *way, uint32_t item) {
    const Pool *pool = family->claim->pool;
    Served served = {.item = item,
                     .cell = way->cell,
                     .weight = pool->weight,
                     .limited = pool->limits.present ? pool : NULL,
                     .charge = way->offering->capacity,
                     .soft = way->soft >> item & 1};

    served.charge.of[RESOURCE_NODES] = 1;
    return served;
}

// With minValues a node is charged with the largest of its types: each type is tried as the largest.
static void find_served_within(Problem *problem, const Family *family, uint32_t item) {
    const Pool *pool = family->claim->pool;

    for (vec_each(const Way, way, &family->ways)) {
        Served served = served_by(family, way, item);
        Launchable launchable;
        Amounts box = {.present = pool->limits.present & ~(UINT32_C(1) << RESOURCE_NODES)};

        memcpy(box.of, way->offering->capacity.of, sizeof box.of);
        if (!fits_limits(problem, pool, &served.charge) ||
            !exact_launchable(problem, family, problem->items.items[item].stride, &box, &launchable))
            continue;
        served.cell = launchable.cell;
        add_served(problem, served);
    }
}

static void find_served_of(Problem *problem, const Family *family, uint32_t item) {
    uint32_t content = problem->items.items[item].stride;
    const Pool *pool = family->claim->pool;
    Launchable launchable;

    if (family->wants_values && pool->limits.present)
        return find_served_within(problem, family, item);
    if (family->wants_values) {
        if (exact_launchable(problem, family, content, NULL, &launchable))
            add_served(problem, (Served){.item = item,
                                         .cell = launchable.cell,
                                         .weight = pool->weight,
                                         .soft = launchable.choice->soft >> item & 1});
        return;
    }
    for (vec_each(const Way, way, &family->ways)) {
        Served served = served_by(family, way, item);

        if (way->accepts >> item & 1 && !exact_volumes_exceed(problem, content, &way->type->volume_limits, NULL) &&
            (!served.limited || fits_limits(problem, pool, &served.charge)))
            add_served(problem, served);
    }
}

static bool is_reserved(const Family *family) {
    return family->ways.items[0].offering->reservation_capacity >= 0;
}

void exact_find_served(Problem *problem) {
    for (vec_each(const Family, family, &problem->families)) {
        for (uint32_t i = 0; i < problem->items.count; i++) {
            if (family->ways.count && !is_reserved(family) && !exact_needs_company(problem, i))
                find_served_of(problem, family, i);
        }
    }
}

bool exact_is_same_place(const Problem *problem, uint32_t item, uint32_t one, uint32_t other) {
    return is_same_place(problem, ruled_keys(problem, item), one, other);
}

// ---- contents and limits

static bool way_holds(Problem *problem, const Way *way, uint32_t content) {
    Amounts requests = content_requests(problem, content);

    judge_amounts_add(&requests, &way->daemons);
    return (content_items(problem, content) & ~way->accepts) == 0 &&
           judge_resource_short(&requests, &way->offering->allocatable) == RESOURCE_MAX &&
           !exact_volumes_exceed(problem, content, &way->type->volume_limits, NULL);
}

static bool family_holds(Problem *problem, const Family *family, uint32_t content, uint64_t keys, uint32_t cell) {
    Launchable launchable;

    if (family->wants_values)
        return exact_launchable(problem, family, content, NULL, &launchable) &&
               is_same_place(problem, keys, launchable.cell, cell);
    for (vec_each(const Way, way, &family->ways)) {
        if (is_same_place(problem, keys, way->cell, cell) && way_holds(problem, way, content))
            return true;
    }
    return false;
}

int64_t exact_content_weight(Problem *problem, uint32_t content, uint32_t cell, uint32_t minding) {
    int64_t weight = INT64_MIN;
    uint64_t keys = 0;

    for (uint32_t i = 0; i < problem->items.count; i++)
        keys |= content_of(problem, content, i) ? ruled_keys(problem, i) : 0;
    for (vec_each(const Family, family, &problem->families)) {
        const Pool *pool = family->claim->pool;

        if (pool->weight > weight && !pool->limits.present && family->ways.count && !is_reserved(family) &&
            !(family->soft & minding) && family_holds(problem, family, content, keys, cell))
            weight = pool->weight;
    }
    return weight;
}

double exact_share_of_limits(const Problem *problem, const Served *served) {
    double most = 0;

    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        double left = (double)problem->limits_left[served->limited - problem->world.pools.items].of[i];

        if (amounts_has(&served->limited->limits, i) && left > 0)
            most = fmax(most, (double)served->charge.of[i] / left);
    }
    return most;
}
