// Finds the pools that could have served a pod on a new node of its own: the heaviest of them should be opened.
#include "exact/problem.h"

#include <math.h>

// Bit set of the keys of rules between nodes that affect the item: a new node in another domain is no substitute.
static uint64_t ruled_keys(const Problem *problem, uint32_t item) {
    uint64_t keys = 0;

    for (vec_each(const SpreadRule, rule, &problem->spreads))
        keys |= rule->matched && (rule->owners | rule->matched) >> item & 1 ? UINT64_C(1) << rule->key : 0;
    for (vec_each(const AntiRule, rule, &problem->antis))
        keys |= (rule->owners | rule->matched) >> item & 1 ? UINT64_C(1) << rule->key : 0;
    for (vec_each(const AffinityRule, rule, &problem->affinities)) {
        if (rule->key != INDEX_NONE)
            keys |= (rule->owners | rule->others) >> item & 1 ? UINT64_C(1) << rule->key : 0;
    }
    for (vec_each(const Forbidden, entry, &problem->forbidden)) {
        if (entry->key != INDEX_NONE)
            keys |= entry->items >> item & 1 ? UINT64_C(1) << entry->key : 0;
    }
    return keys;
}

// Whether an item can only be where its company is: then its whole content has to be served.
static bool needs_company(const Problem *problem, uint32_t item) {
    for (vec_each(const AffinityRule, rule, &problem->affinities)) {
        if (rule->key == INDEX_NONE && rule->owners >> item & 1)
            return true;
    }
    return false;
}

static bool is_same_place(const Problem *problem, uint64_t keys, uint32_t one, uint32_t other) {
    for (uint32_t i = 0; i < problem->keys.count; i++) {
        if (keys >> i & 1 && problem->cells.items[one].domains.items[i] != problem->cells.items[other].domains.items[i])
            return false;
    }
    return true;
}

static void add_served(Problem *problem, Served served) {
    for (vec_each(Served, known, &problem->served)) {
        if (known->item == served.item && known->cell == served.cell && !known->limited && !served.limited) {
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
                     .charge = way->offering->capacity};

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
            add_served(problem, (Served){.item = item, .cell = launchable.cell, .weight = pool->weight});
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
            if (family->ways.count && !is_reserved(family) && !needs_company(problem, i))
                find_served_of(problem, family, i);
        }
    }
}

static bool serves(const Problem *problem, const Served *served, uint32_t item, uint32_t cell) {
    return served->item == item && is_same_place(problem, ruled_keys(problem, item), served->cell, cell);
}

// The weight of the heaviest pool without limits that accepts a whole content on one node of the same domains.
static int64_t content_weight(Problem *problem, uint32_t content, uint32_t cell) {
    uint32_t items = content_items(problem, content);
    int64_t weight = INT64_MIN;
    uint64_t keys = 0;

    for (uint32_t i = 0; i < problem->items.count; i++)
        keys |= items >> i & 1 ? ruled_keys(problem, i) : 0;
    for (vec_each(const Family, family, &problem->families)) {
        const Pool *pool = family->claim->pool;

        if (pool->weight <= weight || pool->limits.present || family->wants_values || !family->ways.count ||
            is_reserved(family))
            continue;
        for (vec_each(const Way, way, &family->ways)) {
            Amounts requests = content_requests(problem, content);

            judge_amounts_add(&requests, &way->daemons);
            if ((items & ~way->accepts) == 0 && is_same_place(problem, keys, way->cell, cell) &&
                judge_resource_short(&requests, &way->offering->allocatable) == RESOURCE_MAX &&
                !exact_volumes_exceed(problem, content, &way->type->volume_limits, NULL))
                weight = pool->weight;
        }
    }
    return weight;
}

int64_t exact_served_weight(Problem *problem, uint32_t item, uint32_t content, uint32_t cell) {
    int64_t weight = INT64_MIN;

    if (needs_company(problem, item))
        return content_weight(problem, content, cell);
    for (vec_each(const Served, served, &problem->served)) {
        if (!served->limited && served->weight > weight && serves(problem, served, item, cell))
            weight = served->weight;
    }
    return weight;
}

// Compares what two ways need of the limits of their pools, as a share of what is left.
static double share_of_limits(const Problem *problem, const Served *served) {
    double most = 0;

    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        double left = (double)problem->limits_left[served->limited - problem->world.pools.items].of[i];

        if (amounts_has(&served->limited->limits, i) && left > 0)
            most = fmax(most, (double)served->charge.of[i] / left);
    }
    return most;
}

uint32_t exact_served_within_limits(const Problem *problem, uint32_t item, uint32_t cell, int64_t heavier_than) {
    uint32_t best = INDEX_NONE;

    for (uint32_t i = 0; i < problem->served.count; i++) {
        const Served *served = &problem->served.items[i];

        if (served->limited && served->weight > heavier_than && serves(problem, served, item, cell) &&
            (best == INDEX_NONE ||
             share_of_limits(problem, served) < share_of_limits(problem, &problem->served.items[best])))
            best = i;
    }
    return best;
}
