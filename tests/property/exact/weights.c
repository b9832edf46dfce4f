// Finds the pools that could have served a pod on a new node of its own: the heaviest of them should be opened.
#include "exact/problem.h"

// Whether rules between nodes affect the item: then a new node in another domain is no substitute.
static bool is_ruled(const Problem *problem, uint32_t item) {
    uint32_t items = 0;

    for (vec_each(const SpreadRule, rule, &problem->spreads))
        items |= rule->matched ? rule->owners | rule->matched : 0;
    for (vec_each(const AntiRule, rule, &problem->antis))
        items |= rule->owners | rule->matched;
    for (vec_each(const AffinityRule, rule, &problem->affinities))
        items |= rule->owners | rule->others;
    for (vec_each(const Forbidden, entry, &problem->forbidden))
        items |= entry->items;
    return items >> item & 1;
}

// Whether the rule of weights applies to the item: pods with affinity on the host cannot open a node.
static bool is_asked(const Problem *problem, uint32_t item) {
    for (vec_each(const AffinityRule, rule, &problem->affinities)) {
        if (rule->key == INDEX_NONE && rule->owners >> item & 1)
            return false;
    }
    return true;
}

// OR terms are tried in order, each on all pools: a lighter pool may win with an earlier term.
static bool holds_by_first_term(Problem *problem, const Family *family, const Way *way, uint32_t item) {
    Shape shape = {&family->claim->states, &way->offering->states, NULL};
    PodClass class = *item_class(problem, item);

    if (class.terms.count > 1)
        class.terms.count = 1;
    return judge_class_holds_on(&problem->world, &class, &shape);
}

static bool is_same_place(const Problem *problem, uint32_t one, uint32_t other) {
    for (uint32_t i = 0; i < problem->keys.count; i++) {
        if (problem->cells.items[one].domains.items[i] != problem->cells.items[other].domains.items[i])
            return false;
    }
    return true;
}

static void add_served(Problem *problem, uint32_t item, uint32_t cell, int64_t weight) {
    for (vec_each(Served, known, &problem->served)) {
        if (known->item == item && known->cell == cell) {
            known->weight = weight > known->weight ? weight : known->weight;
            return;
        }
    }
    vec_push(problem->world.arena, &problem->served, (Served){item, cell, weight});
}

static void find_served_of(Problem *problem, const Family *family, uint32_t item) {
    uint32_t content = problem->items.items[item].stride;
    int64_t weight = family->claim->pool->weight;
    Launchable launchable;

    if (family->wants_values) {
        if (item_class(problem, item)->terms.count <= 1 &&
            exact_launchable(problem, family, content, NULL, &launchable))
            add_served(problem, item, launchable.cell, weight);
        return;
    }
    for (vec_each(const Way, way, &family->ways)) {
        if (way->accepts >> item & 1 && holds_by_first_term(problem, family, way, item) &&
            !exact_volumes_exceed(problem, content, &way->type->volume_limits, NULL))
            add_served(problem, item, way->cell, weight);
    }
}

static bool is_reserved(const Family *family) {
    return family->ways.items[0].offering->reservation_capacity >= 0;
}

void exact_find_served(Problem *problem) {
    for (vec_each(const Family, family, &problem->families)) {
        for (uint32_t i = 0; i < problem->items.count; i++) {
            if (!family->claim->pool->limits.present && !is_reserved(family) && is_asked(problem, i))
                find_served_of(problem, family, i);
        }
    }
}

int64_t exact_served_weight(const Problem *problem, uint32_t item, uint32_t cell) {
    bool ruled = is_ruled(problem, item);
    int64_t weight = INT64_MIN;

    for (vec_each(const Served, served, &problem->served)) {
        if (served->item == item && served->weight > weight && (!ruled || is_same_place(problem, served->cell, cell)))
            weight = served->weight;
    }
    return weight;
}
