// Depth-first search over the items. Checks that more pods can only fail (room, rules of hosts) end a branch; the
// others are made for whole contents.
#include "sched/contents/fill.h"

#include "sched/contents/min_values.h"

#include <math.h>

typedef struct {
    SmallProblem *problem;
    SmallPlace *place;
    bool charged;
    SmallBase base;    // of the place's cell
    int8_t **launches; // per pool and content: 1: its minValues are met, -1: they are not, 0: not computed
    int64_t *free;     // [depth * dims]
    uint64_t steps;
} Filling;

bool small_is_charged(const SmallPlace *claim) {
    return claim->supply != INDEX_NONE || claim->pool->limited || claim->pool->nodes_left != INT64_MAX;
}

// --- minValues

static bool find_min_values(SmallProblem *problem, const SmallPlace *claim, uint32_t content) {
    uint32_t counts[SMALL_ITEMS_MAX];

    for (uint32_t item = 0; item < problem->item_count; item++)
        counts[item] = small_part(problem, content, item);
    return small_min_values_met(problem, claim, counts);
}

// Answers for claims without a reservation are kept, as they are equal in all claims of a pool.
static bool min_values_met(Filling *filling, const SmallPlace *place, uint32_t content) {
    SmallProblem *problem = filling->problem;
    int8_t *answer;

    if (!small_wants_values(problem, place->pool))
        return true;
    if (small_is_reserved(place)) {
        filling->steps -= filling->steps < 100 ? filling->steps : 100;
        return find_min_values(problem, place, content);
    }
    if (!filling->launches[place->pool->number])
        filling->launches[place->pool->number] = arena_array(problem->arena, int8_t, problem->content_count);
    answer = &filling->launches[place->pool->number][content];
    if (!*answer) {
        filling->steps -= filling->steps < 100 ? filling->steps : 100;
        *answer = find_min_values(problem, place, content) ? 1 : -1;
    }
    return *answer > 0;
}

// --- rules of hosts

static int64_t on_node(const SmallProblem *problem, const SmallPlace *place, uint32_t group) {
    return place->pool ? 0 : topology_on_bin(&problem->solver->topology.groups.items[group], place->bins.items[0]);
}

static bool caps_hold(const SmallProblem *problem, const SmallPlace *place, uint32_t content) {
    for (vec_each(const SmallCap, cap, &problem->caps)) {
        int64_t pods = (cap->items & problem->items_of[content]) ? small_pods(problem, content, cap->items) : 0;

        if (pods && pods + on_node(problem, place, cap->group) > cap->most)
            return false;
    }
    return true;
}

// A node may not have more pods than its whole domain.
static bool counts_hold(const SmallProblem *problem, const SmallPlace *place, uint32_t content) {
    for (vec_each(const SmallCount, count, &problem->counts)) {
        if (!count->at_least && (count->cells >> place->cell & 1) && (count->items & problem->items_of[content]) &&
            (double)small_pods(problem, content, count->items) > count->bound)
            return false;
    }
    return true;
}

// Whether owners of an affinity share the node with a pod that it counts, or may be the first. If the plan places no
// other counted pods, all owners must be on the first one's node.
static bool has_company(const SmallProblem *problem, const SmallPlace *place, uint32_t content,
                        const SmallCompany *company) {
    uint32_t items = problem->items_of[content];

    if (!(items & company->owners) || (items & company->others) || on_node(problem, place, company->group) > 0)
        return true;
    if (!company->may_start)
        return false;
    for (uint32_t item = 0; item < problem->item_count && !company->others; item++) {
        if (company->owners >> item & 1 && small_part(problem, content, item) < problem->items[item].count)
            return false;
    }
    return true;
}

static bool is_content(Filling *filling, uint32_t content) {
    const SmallPlace *place = filling->place;

    if (!(filling->problem->items_of[content] & place->openers))
        return false;
    for (vec_each(const SmallCompany, company, &filling->problem->companies)) {
        if (!has_company(filling->problem, place, content, company))
            return false;
    }
    return min_values_met(filling, place, content);
}

// --- contents

static void keep(Filling *filling, uint32_t content) {
    const SmallPlace *place = filling->place;

    if (!content || (!filling->charged && filling->base.prices[content] <= place->price) ||
        !is_content(filling, content))
        return;
    if (filling->charged) {
        vec_push(filling->problem->arena, &filling->place->contents, content);
        return;
    }
    filling->base.prices[content] = place->price;
    filling->base.claims[content] = (uint32_t)(place - filling->problem->claims.items);
}

// Whether a further pod of the item may be on the host. Subtracts its requests from `free`.
static bool add_pod(Filling *filling, uint32_t item, uint32_t content, uint32_t part, int64_t *free) {
    const SmallProblem *problem = filling->problem;
    const int64_t *requests = small_class(problem, item)->requests;

    if (part == 0 ? (problem->items_of[content] & problem->items[item].apart) != 0
                  : problem->items[item].apart >> item & 1)
        return false;
    for (uint32_t dim = 0; dim < problem->solver->classes.dimensions.count; dim++) {
        if (requests[dim] > 0 && (free[dim] -= requests[dim]) < 0)
            return false;
    }
    content += problem->items[item].stride;
    return caps_hold(problem, filling->place, content) && counts_hold(problem, filling->place, content);
}

// Decides the items below `left`, the last one first, so that contents are found in the order of their numbers.
static void visit(Filling *filling, uint32_t left, uint32_t content) {
    const SmallProblem *problem = filling->problem;
    uint32_t dims = problem->solver->classes.dimensions.count, item = left - 1;
    int64_t *free = filling->free + (size_t)(problem->item_count - left) * dims, *next = free + dims;

    if (left == 0) {
        keep(filling, content);
        return;
    }
    for (uint32_t part = 0; filling->steps; part++) {
        filling->steps--;
        memcpy(next, free, dims * sizeof *free);
        visit(filling, left - 1, content);
        memcpy(next, free, dims * sizeof *free);
        if (part == problem->items[item].count || !(filling->place->items >> item & 1) ||
            !add_pod(filling, item, content, part, next))
            return;
        memcpy(free, next, dims * sizeof *free);
        content += problem->items[item].stride;
    }
}

static void fill_place(Filling *filling, SmallPlace *place, const SmallBase *base) {
    size_t first = (size_t)place->cell * filling->problem->content_count;

    filling->place = place;
    filling->charged = !place->pool || small_is_charged(place);
    filling->base = (SmallBase){base->prices + first, base->claims + first};
    memcpy(filling->free, place->room, filling->problem->solver->classes.dimensions.count * sizeof *place->room);
    visit(filling, filling->problem->item_count, 0);
}

bool small_fill(SmallProblem *problem, uint64_t steps, SmallBase *ret_base) {
    size_t cells = (size_t)problem->cells.count * problem->content_count;
    SmallBase base = {arena_array(problem->arena, double, cells), arena_array(problem->arena, uint32_t, cells)};
    Filling filling = {.problem = problem, .steps = steps};

    filling.launches = arena_alloc_array(problem->arena, sizeof *filling.launches, problem->solver->pools.count);
    filling.free = arena_array(problem->arena, int64_t,
                               (size_t)(problem->item_count + 2) * problem->solver->classes.dimensions.count);
    for (size_t i = 0; i < cells; i++)
        base.prices[i] = INFINITY;
    for (vec_each(SmallPlace, claim, &problem->claims))
        fill_place(&filling, claim, &base);
    for (vec_each(SmallPlace, node, &problem->nodes))
        fill_place(&filling, node, &base);
    *ret_base = base;
    return budget_spend(&problem->solver->budget, steps - filling.steps) && filling.steps;
}
