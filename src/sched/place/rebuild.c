// One trial of ruin and recreate.
//
// Topology counts are exact all the time, so the rules of pods that are placed again hold. The rules of pods that stay
// hold too: change_holds checks the minimums of spreads, and pods with affinity to displaced pods are displaced with
// them.
#include "sched/place/rebuild.h"

#include "sched/input/pod_priority.h"
#include "sched/place/marginal_state.h"

#include <math.h>

void rebuild_init(Rebuild *rebuild, Solver *solver, const int32_t *home_weight) {
    *rebuild = (Rebuild){.solver = solver};
    outweighed_init(&rebuild->outweighed, solver, home_weight);
    displacing_init(&rebuild->displacing, solver, solver->arena);
}

void rebuild_free(Rebuild *rebuild) {
    change_free(&rebuild->change);
    arena_free(&rebuild->arena);
}

// --- bins that may be emptied

// Not claims with a count that was decided by restricting their types, which cannot be undone.
bool rebuild_may_empty(const Bin *bin) {
    return bin->pods.count && !bin->decided;
}

// --- dependents

static bool bin_has_owner(const Solver *solver, const Bin *bin, uint32_t group) {
    for (vec_each(const BinPods, pods, &bin->pods)) {
        if (u32_vec_has(&class_variant(&solver->classes.classes.items[pods->class], pods->variant)->groups, group))
            return true;
    }
    return false;
}

static bool share_domain(const Solver *solver, const TopologyGroup *group, const Bin *a, const Bin *b) {
    return group->key != INDEX_NONE &&
           bitset_intersects(label_state_key(&solver->states, a->state, group->key),
                             label_state_key(&solver->states, b->state, group->key), group->words);
}

// Adds the bins, in a domain of `bin`, with pods that have the affinity rule. False: as rebuild_add_dependents.
static bool add_owners(const Rebuild *rebuild, const Bin *bin, uint32_t number, U32Vec *bins, uint32_t most) {
    const Solver *solver = rebuild->solver;
    const TopologyGroup *group = &solver->topology.groups.items[number];

    for (vec_each(const Bin, other, &solver->bins)) {
        if (other == bin || !share_domain(solver, group, bin, other) || u32_vec_has(bins, other->number) ||
            !bin_has_owner(solver, other, number))
            continue;
        if (bins->count == most || !rebuild_may_empty(other))
            return false;
        vec_push(solver->arena, bins, other->number);
    }
    return true;
}

bool rebuild_add_dependents(const Rebuild *rebuild, U32Vec *bins, uint32_t most) {
    const Solver *solver = rebuild->solver;

    for (uint32_t i = 0; i < bins->count; i++) { // it grows
        const Bin *bin = &solver->bins.items[bins->items[i]];

        for (vec_each(const BinPods, pods, &bin->pods)) {
            for (vec_each(uint32_t, number, &solver->classes.classes.items[pods->class].wanted)) {
                if (!add_owners(rebuild, bin, *number, bins, most))
                    return false;
            }
        }
    }
    return true;
}

// --- result

// Change of the number of placed pods of a priority.
typedef struct {
    int32_t priority;
    int64_t count; // additional pods
} Tier;
typedef Vec(Tier) TierVec;

static void tier_add(Arena *arena, TierVec *tiers, int32_t priority, int64_t count) {
    for (vec_each(Tier, tier, tiers)) {
        if (tier->priority == priority) {
            tier->count += count;
            return;
        }
    }
    vec_push(arena, tiers, (Tier){priority, count});
}

// Above 0: in the highest priority that differs, more pods are placed than before; 0: as many of each, which may be
// other ones.
static int compare_placed(Rebuild *rebuild, const uint32_t *before) {
    const PodClassVec *classes = &rebuild->solver->classes.classes;
    const Cluster *cluster = rebuild->solver->input->cluster;
    TierVec tiers = {0};
    const Tier *decides = NULL;

    for (uint32_t i = 0; i < classes->count; i++) {
        if (classes->items[i].placed != before[i])
            tier_add(&rebuild->arena, &tiers, pod_priority(cluster, classes->items[i].pod),
                     (int64_t)classes->items[i].placed - before[i]);
    }
    for (vec_each(const Tier, tier, &tiers)) {
        if (tier->count && (!decides || tier->priority > decides->priority))
            decides = tier;
    }
    return !decides ? 0 : decides->count > 0 ? 1 : -1;
}

static uint32_t *placed_before(Rebuild *rebuild) {
    const PodClassVec *classes = &rebuild->solver->classes.classes;
    uint32_t *placed = arena_array(&rebuild->arena, uint32_t, classes->count);

    for (uint32_t i = 0; i < classes->count; i++)
        placed[i] = classes->items[i].placed;
    return placed;
}

// `before`: placed pods per class; NULL: all were placed.
static bool is_better(Rebuild *rebuild, const uint32_t *before) {
    int placed = before ? compare_placed(rebuild, before) : marginal_state(rebuild->solver)->remaining > 0 ? -1 : 0;
    double cost;

    if (placed < 0 || !change_holds(&rebuild->change))
        return false;
    cost = change_cost(&rebuild->change);
    return cost < (placed > 0 ? INFINITY : -1e-9) && outweighed_holds(&rebuild->outweighed);
}

// Rebuilds the bin index when trials have left many bin groups without bins, since every search visits all groups.
static void drop_dead_groups(Solver *solver) {
    if (marginal_state(solver)->bin_index.bin_groups.count > 2 * solver->bins.count + 64)
        marginal_renew(solver);
}

// The cost at which placing is given up. A claim may become cheaper as it fills: a dear spot type goes before a cheap
// one on demand, until pods exclude it. So trials of plans with few claims, which cost little, go on to the end.
static double cost_to_stop_at(const Solver *solver, const uint32_t *before) {
    enum { FEW_CLAIMS = 16 };

    return before || solver->bins.count - solver->node_count <= FEW_CLAIMS ? INFINITY : -1e-9;
}

bool rebuild_try(Rebuild *rebuild, const U32Vec *bins) {
    Displacing *displacing = &rebuild->displacing;
    const uint32_t *before = NULL;

    arena_free(&rebuild->arena);
    displacing->pods = (DisplacedVec){0};
    displacing->arena = &rebuild->arena;
    drop_dead_groups(rebuild->solver);
    if (marginal_state(rebuild->solver)->remaining)
        before = placed_before(rebuild);
    change_begin(&rebuild->change, rebuild->solver);
    for (vec_each(uint32_t, bin, bins))
        displaced_take(displacing, &rebuild->change, *bin);
    if (before)
        displaced_add_left_over(displacing);
    displaced_place(displacing, &rebuild->change, cost_to_stop_at(rebuild->solver, before));
    if (is_better(rebuild, before)) {
        change_keep(&rebuild->change);
        return true;
    }
    change_undo(&rebuild->change);
    return false;
}
