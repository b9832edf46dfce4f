// Plan and order.
#include "disrupt/outlook.h"

#include "model/pod_predicates.h"
#include "text/duration.h"

#include <math.h>
#include <stdlib.h>

// Nodes whose savings ratios differ by less than about a fifth share a place: the order is not to change with each pod.
static const double PLACES_PER_DOUBLING = 4;

// --- the plan

static Slice name_of(const Round *round, uint32_t node) {
    return symbol_text(&round->facts->cluster->symbols, round->facts->nodes.items[node].name);
}

static bool has_room(const Resources *room, const Resources *asked) {
    for (vec_each(const ResourceAmount, amount, asked)) {
        if (!demand_has_room(amount->amount, resources_get(room, amount->resource)))
            return false;
    }
    return true;
}

// Whether the pool's pods have room without the node as well: then it is taken out of `rooms`.
static bool take_room(const Round *round, PoolAmountVec *rooms, const DisruptionCandidate *candidate) {
    Symbol pool = candidate->pool->pool->meta.name;
    Resources *room = pool_amount(rooms, pool), *asked = pool_amount(&round->pass->demand, pool), after;

    if (!room || !asked)
        return false;
    after = resources_copy(round->arena, room);
    resources_subtract(round->arena, &after, &round->facts->nodes.items[candidate->node].allocatable);
    if (!has_room(&after, asked))
        return false;
    *room = after;
    return true;
}

// Of nodes that the fleet search held back, those that can all be gone together, the most saving first.
static void plan(Round *round, bool *planned) {
    const DisruptionCandidateVec *all = round_all(round, DISRUPTION_GRACEFUL);
    PoolAmountVec rooms;
    CandidateList held = {0};

    for (vec_each(const DisruptionCandidate, candidate, all)) {
        if (round->is_held[candidate->node] && !round->is_gone[candidate->node])
            vec_push(round->arena, &held, candidate);
    }
    if (!held.count)
        return;
    rooms = demand_rooms(round->arena, round->facts);
    candidates_sort_by_savings(&held);
    for (vec_each(const DisruptionCandidate *, candidate, &held))
        planned[(*candidate)->node] = take_room(round, &rooms, *candidate);
}

// --- the order

typedef enum { ORDER_PLANNED, ORDER_DRIFTED, ORDER_OTHERS } OrderClass;

typedef struct {
    uint32_t node;
    OrderClass class;
    double step; // of savings, of ORDER_OTHERS: the higher the sooner
    Slice name;
} Place;
typedef Vec(Place) PlaceVec;

static int compare_groups(const Place *a, const Place *b) {
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    return a->step > b->step ? -1 : a->step < b->step;
}

static int compare_places(const void *a, const void *b) {
    int groups = compare_groups(a, b);

    return groups ? groups : slice_cmp(((const Place *)a)->name, ((const Place *)b)->name);
}

// Whether scale-in and the end of Jobs can empty the node.
static bool can_be_emptied(const Round *round, uint32_t node) {
    for (vec_each(const Pod *const, at, &round->node_pods.pods[node])) {
        const Pod *pod = *at;

        if (pod->ns != NAME_KUBE_SYSTEM && !pod_is_mirror(pod) && !pod_is_daemon(pod) && !pod_is_of_replica_set(pod) &&
            !pod_is_owned_by(pod, NAME_BATCH_V1, NAME_JOB))
            return false;
    }
    return true;
}

// False: consolidation would not take the node, now or later.
static bool is_for_savings(const DisruptionCandidate *candidate) {
    const NodePool *pool = candidate->pool->pool;

    return !pool->is_static && pool->disruption.consolidate_after_ns != DURATION_NEVER && candidate->price_per_hour > 0;
}

static bool classify(const Round *round, const DisruptionCandidate *candidate, const bool *planned, Place *ret_place) {
    const NodeClaim *claim = round->facts->nodes.items[candidate->node].claim;

    *ret_place = (Place){.node = candidate->node, .name = name_of(round, candidate->node)};
    if (round->is_gone[candidate->node] || planned[candidate->node]) {
        ret_place->class = ORDER_PLANNED;
    } else if (condition_is_true(&claim->conditions, &round->facts->cluster->symbols, SLICE("Drifted"))) {
        ret_place->class = ORDER_DRIFTED;
    } else if (is_for_savings(candidate)) {
        ret_place->class = ORDER_OTHERS;
        ret_place->step = floor(PLACES_PER_DOUBLING * log2(candidate_savings_ratio(candidate)));
    } else {
        return false;
    }
    return true;
}

// The nodes of commands have taken from the budgets already.
static bool is_within_budget(const Round *round, PoolBudgetsVec *budgets, const Place *place) {
    Symbol pool = round->facts->nodes.items[place->node].pool;
    DisruptionReason reason = place->class == ORDER_DRIFTED ? DISRUPTION_DRIFTED : DISRUPTION_UNDERUTILIZED;

    if (round->is_gone[place->node])
        return true;
    if (!pool_budgets_left(budgets, pool, reason))
        return false;
    pool_budgets_take(budgets, pool);
    return true;
}

static void rank(Round *round, const bool *planned, uint32_t *places) {
    PlaceVec list = {0};
    PoolBudgetsVec budgets = {0};
    const Place *last = NULL;
    uint32_t place = 0;
    Place one;

    for (vec_each(const DisruptionCandidate, candidate, round_all(round, DISRUPTION_GRACEFUL))) {
        if (candidate_is_open(candidate) && candidate->pool && classify(round, candidate, planned, &one) &&
            can_be_emptied(round, candidate->node))
            vec_push(round->arena, &list, one);
    }
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, compare_places);
    for (vec_each(const PoolBudgets, of_pool, &round->budgets))
        vec_push(round->arena, &budgets, *of_pool);
    for (vec_each(const Place, at, &list)) {
        if (!is_within_budget(round, &budgets, at))
            continue;
        place += !last || compare_groups(last, at) != 0;
        places[at->node] = place;
        last = at;
    }
}

void outlook_find(Round *round) {
    bool *planned = arena_array(round->arena, bool, round->facts->nodes.count);
    uint32_t *places = arena_array(round->arena, uint32_t, round->facts->nodes.count);

    plan(round, planned);
    if (round->options->ranks)
        rank(round, planned, places);
    for (uint32_t node = 0; node < round->facts->nodes.count; node++) {
        if (planned[node] || places[node])
            vec_push(round->arena, &round->pass->outlooks,
                     (DisruptOutlook){.node = node, .place = places[node], .is_planned = planned[node]});
    }
    round->pass->has_outlooks = true;
}
