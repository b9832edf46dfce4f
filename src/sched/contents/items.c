// Makes items of the placed classes, and masks of items of the rules of hosts.
#include "sched/contents/items.h"

#include "sched/packing/pack_signatures.h"

bool small_owns(const PodClass *class, uint32_t group) {
    return u32_vec_has(&class_last_variant(class)->groups, group);
}

// --- items

static bool same_list(const U32Vec *a, const U32Vec *b) {
    return a->count == b->count && (!a->count || memcmp(a->items, b->items, a->count * sizeof *a->items) == 0);
}

// Whether nothing that a plan or its price depends on tells pods of the two classes apart.
static bool are_alike(const Solver *solver, const PodClass *a, const PodClass *b) {
    return !a->shared_claims.count && !b->shared_claims.count &&
           memcmp(a->requests, b->requests, solver->classes.dimensions.count * sizeof *a->requests) == 0 &&
           pack_same_places(a, b) && same_list(&a->counted, &b->counted) && same_list(&a->inverse, &b->inverse) &&
           same_list(&a->avoided, &b->avoided) &&
           same_list(&class_variant(a, 0)->groups, &class_variant(b, 0)->groups) &&
           same_list(&class_last_variant(a)->groups, &class_last_variant(b)->groups);
}

static SmallItem *find_alike(SmallProblem *problem, uint32_t class) {
    const PodClass *classes = problem->solver->classes.classes.items;

    for (uint32_t item = 0; problem->merges && item < problem->item_count; item++) {
        if (are_alike(problem->solver, small_class(problem, item), &classes[class]))
            return &problem->items[item];
    }
    return NULL;
}

static bool add_items(SmallProblem *problem, const uint32_t *placed) {
    for (uint32_t i = 0; i < problem->solver->classes.classes.count; i++) {
        SmallItem *item = placed[i] ? find_alike(problem, i) : NULL;

        if (item)
            item->count += placed[i];
        if (item || !placed[i])
            continue;
        if (problem->item_count == SMALL_ITEMS_MAX)
            return false;
        problem->items[problem->item_count++] = (SmallItem){.class = i, .count = placed[i]};
    }
    return problem->item_count > 0;
}

bool small_number_contents(SmallProblem *problem) {
    uint64_t contents = 1;

    for (uint32_t item = 0; item < problem->item_count; item++) {
        problem->items[item].stride = (uint32_t)contents;
        contents *= (uint64_t)problem->items[item].count + 1;
        if (contents > SMALL_CONTENTS_MAX)
            return false;
    }
    problem->content_count = (uint32_t)contents;
    problem->items_of = arena_array(problem->arena, uint32_t, problem->content_count);
    for (uint32_t content = 0; content < problem->content_count; content++) {
        for (uint32_t item = 0; item < problem->item_count; item++)
            problem->items_of[content] |= (uint32_t)(small_part(problem, content, item) > 0) << item;
    }
    return true;
}

static void sum_demand(SmallProblem *problem) {
    uint32_t dims = problem->solver->classes.dimensions.count;

    problem->demand = arena_array(problem->arena, int64_t, dims);
    for (uint32_t item = 0; item < problem->item_count; item++) {
        for (uint32_t dim = 0; dim < dims; dim++) {
            int64_t amount, *sum = &problem->demand[dim];

            if (__builtin_mul_overflow(small_class(problem, item)->requests[dim], problem->items[item].count,
                                       &amount) ||
                __builtin_add_overflow(*sum, amount, sum))
                *sum = INT64_MAX / 4;
        }
    }
}

// --- rules of hosts

static bool share_group(const U32Vec *a, const U32Vec *b, const Topology *topology) {
    for (vec_each(const uint32_t, number, a)) {
        if (topology->groups.items[*number].key == INDEX_NONE && u32_vec_has(b, *number))
            return true;
    }
    return false;
}

// Whether pods of the two classes may not share a host, by a required anti-affinity or a host port of both.
static bool keep_apart(const Solver *solver, const PodClass *a, const PodClass *b) {
    if (port_sets_conflict(a->ports, b->ports))
        return true;
    return share_group(&a->inverse, &b->avoided, &solver->topology) ||
           share_group(&b->inverse, &a->avoided, &solver->topology);
}

static void find_apart(SmallProblem *problem) {
    for (uint32_t i = 0; i < problem->item_count; i++) {
        for (uint32_t j = 0; j < problem->item_count; j++) {
            if (keep_apart(problem->solver, small_class(problem, i), small_class(problem, j)))
                problem->items[i].apart |= UINT32_C(1) << j;
        }
    }
}

// The items that have the group's rule, and those that it counts.
static void split_by_group(const SmallProblem *problem, uint32_t group, uint32_t *ret_owners, uint32_t *ret_counted) {
    *ret_owners = *ret_counted = 0;
    for (uint32_t item = 0; item < problem->item_count; item++) {
        const PodClass *class = small_class(problem, item);

        *ret_owners |= (uint32_t)small_owns(class, group) << item;
        *ret_counted |= (uint32_t)class_counts_for(class, group) << item;
    }
}

static void add_host_rule(SmallProblem *problem, uint32_t number) {
    const TopologyGroup *group = &problem->solver->topology.groups.items[number];
    uint32_t owners, counted;

    split_by_group(problem, number, &owners, &counted);
    // The minimum is 0, as a node can always be added (scheduling.md 5.6).
    if (group->kind == GROUP_SPREAD && (owners & counted))
        vec_push(problem->arena, &problem->caps, (SmallCap){owners & counted, number, group->max_skew});
    if (group->kind == GROUP_AFFINITY && owners)
        vec_push(problem->arena, &problem->companies,
                 (SmallCompany){owners, counted & ~owners, number, *group->total == 0 && (owners & counted)});
}

bool small_make_items(SmallProblem *problem, const uint32_t *placed) {
    const Topology *topology = &problem->solver->topology;

    if (!add_items(problem, placed))
        return false;
    sum_demand(problem);
    find_apart(problem);
    for (uint32_t i = 0; i < topology->groups.count; i++) {
        if (topology->groups.items[i].key == INDEX_NONE)
            add_host_rule(problem, i);
    }
    return true;
}
