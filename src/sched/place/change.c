// Taking pods from bins, and undoing changes.
#include "sched/place/change.h"

#include "sched/bin/blast_radius.h"
#include "sched/bin/claim.h"
#include "sched/bin/claim_price.h"
#include "sched/bin/limits.h"
#include "sched/bin/pod_rate.h"
#include "sched/bin/settle.h"
#include "sched/place/marginal_state.h"

#include <math.h>

void change_begin(Change *change, Solver *solver) {
    arena_free(&change->arena);
    *change = (Change){.solver = solver,
                       .bin_count = solver->bins.count,
                       .placing = arena_mark(solver->placing),
                       .bins = solver->bins.items};
    solver->change = change;
}

static double bin_price(Solver *solver, const Bin *bin) {
    if (!bin->pool || !bin->pods.count)
        return bin_forgone(solver, bin);
    return claim_price(solver, bin, bin->rows, NULL, NULL) + blast_radius_cost(solver, bin) + bin_forgone(solver, bin);
}

void change_save(Change *change, uint32_t number) {
    Solver *solver = change->solver;
    const Bin *bin = &solver->bins.items[number];
    size_t amounts = solver->classes.dimensions.count * sizeof(int64_t);
    SavedBin saved = {.bin = *bin};

    if (number >= change->bin_count)
        return; // undone as a whole
    for (vec_each(SavedBin, known, &change->saved)) {
        if (known->bin.number == number)
            return;
    }
    if (bin->pool) {
        saved.rows = arena_copy(&change->arena, bin->rows, bin->pool->table->words * sizeof *bin->rows);
        saved.used = arena_copy(&change->arena, bin->used, amounts);
        saved.charge = bin->charge ? arena_copy(&change->arena, bin->charge, amounts) : NULL;
    } else {
        saved.free = arena_copy(&change->arena, bin->free, amounts);
    }
    if (bin->pods.count)
        saved.pods = arena_copy(&change->arena, bin->pods.items, bin->pods.count * sizeof *bin->pods.items);
    if (bin->claims.count)
        saved.claims = arena_copy(&change->arena, bin->claims.items, bin->claims.count * sizeof *bin->claims.items);
    saved.price = bin_price(solver, bin);
    vec_push(&change->arena, &change->saved, saved);
}

void change_save_settled(Change *change) {
    const Solver *solver = change->solver;

    for (uint32_t i = 0; i < solver->topology.groups.count && !change->settled_saved; i++) {
        const TopologyGroup *group = &solver->topology.groups.items[i];

        if (group->supported)
            vec_push(&change->arena, &change->domains,
                     (SavedDomains){
                         i, arena_copy(&change->arena, group->supported, group->words * sizeof *group->supported)});
    }
    change->settled_saved = true;
}

void change_note(Change *change, uint32_t bin, uint32_t class, uint32_t count) {
    vec_push(&change->arena, &change->moves, (Move){bin, change->solver->bins.items[bin].state, class, (int32_t)count});
}

static void count_everywhere(Solver *solver, const Move *move, int32_t count) {
    const PodClass *class = &solver->classes.classes.items[move->class];
    const TaintVec *taints = bin_taints(&solver->bins.items[move->bin]);

    budget_spend(&solver->budget, 8 * (class->counted.count + class->inverse.count));
    for (vec_each(uint32_t, group, &class->counted))
        group_record(solver, *group, move->bin, move->state, taints, count);
    for (vec_each(uint32_t, group, &class->inverse))
        group_record(solver, *group, move->bin, move->state, taints, count);
}

// Returns the charge of a claim to its pool's limits.
static void give_back(Solver *solver, Bin *bin) {
    Pool *pool = bin->pool;

    if (!pool->limited || !bin->charge)
        return;
    for (uint32_t dim = 0; dim < solver->classes.dimensions.count; dim++) {
        if (pool->left[dim] != INT64_MAX)
            pool->left[dim] += bin->charge[dim];
    }
    bin->charge = NULL;
    if (pool->nodes_left != INT64_MAX)
        pool->nodes_left++;
}

// Restores the types that the pods taken away had excluded by their size or ports. Removes a claim without pods.
static void widen(Solver *solver, Bin *bin) {
    const Pool *pool = bin->pool;

    bitset_copy(bin->rows, label_state_at(&solver->states, bin->state)->rows, pool->table->words);
    pool_drop_port_conflicts(pool, bin->ports, bin->rows);
    room_fit(pool->room, bin->used, solver->zero, 0, bin->rows);
    if (bin->pods.count) {
        claim_charge(solver, bin);
        return;
    }
    give_back(solver, bin);
    claim_release(solver, bin);
    bin->undecided.count = 0;
    bin->gone = true;
}

// Removes the host ports of a class from a bin. No two pods of a bin have the same port, so no other pod needs them.
static void give_ports_back(Solver *solver, const PodClass *class, Bin *bin) {
    budget_spend(&solver->budget, class->ports ? 4 * port_set_count(bin->ports) : 0);
    bin->ports = port_set_without(solver->placing, bin->ports, class->ports);
}

static bool uses_claim(const Solver *solver, const Bin *bin, Symbol claim) {
    for (vec_each(const BinPods, pods, &bin->pods)) {
        for (vec_each(Symbol, shared, &solver->classes.classes.items[pods->class].shared_claims)) {
            if (*shared == claim)
                return true;
        }
    }
    return false;
}

// Detaches the volume claims that no pod left on the bin uses.
static void detach_claims(const Solver *solver, const PodClass *class, Bin *bin) {
    for (uint32_t i = bin->bound_claims; i < bin->claims.count && class->shared_claims.count;) {
        if (uses_claim(solver, bin, bin->claims.items[i])) {
            i++;
            continue;
        }
        for (uint32_t k = 0; k < class->shared_claims.count; k++) {
            uint32_t dim = dimension_of_driver(&solver->classes.dimensions, class->shared_drivers.items[k]);

            if (class->shared_claims.items[k] == bin->claims.items[i])
                (bin->pool ? bin->used : bin->free)[dim] += bin->pool ? -1 : 1;
        }
        bin->claims.items[i] = *vec_last(&bin->claims);
        bin->claims.count--;
    }
}

static void note_minimum(Change *change, uint32_t number) {
    const TopologyGroup *group = &change->solver->topology.groups.items[number];

    if (!topology_spreads_label(group))
        return;
    for (vec_each(const SpreadMinimum, known, &change->minimums)) {
        if (known->group == number)
            return;
    }
    vec_push(&change->arena, &change->minimums, (SpreadMinimum){number, topology_spread_minimum(group)});
}

void change_take(Change *change, uint32_t number, uint32_t index, uint32_t count) {
    Solver *solver = change->solver;
    Bin *bin = &solver->bins.items[number];
    BinPods *pods = &bin->pods.items[index];
    PodClass *class = &solver->classes.classes.items[pods->class];
    Move move = {number, bin->state, pods->class, -(int32_t)count};

    change_save(change, number);
    for (vec_each(uint32_t, group, &class->counted))
        note_minimum(change, *group);
    for (uint32_t dim = 0; dim < solver->classes.dimensions.count; dim++) {
        if (bin->pool)
            bin->used[dim] -= class->requests[dim] * count;
        else
            bin->free[dim] += class->requests[dim] * count;
    }
    give_ports_back(solver, class, bin);
    class->placed -= count;
    bin->pod_count -= count;
    pods->count -= count;
    if (!pods->count) {
        bin->pods.count--;
        memmove(pods, pods + 1, (bin->pods.count - index) * sizeof *pods);
    }
    count_everywhere(solver, &move, -(int32_t)count);
    vec_push(&change->arena, &change->moves, move);
    detach_claims(solver, class, bin);
    if (bin->pool)
        widen(solver, bin);
    marginal_note(solver, number, -(int32_t)count);
}

static bool limits_hold(const Solver *solver) {
    for (vec_each(const Pool, pool, &solver->pools)) {
        bool counts = pool->limited && !pool->exhausted; // what is over its limit without a claim is no change's doing

        for (uint32_t dim = 0; dim < solver->classes.dimensions.count && counts; dim++) {
            if (pool->left[dim] < 0)
                return false;
        }
    }
    return true;
}

double change_cost(Change *change) {
    Solver *solver = change->solver;
    double cost = 0;

    for (vec_each(SavedBin, saved, &change->saved)) {
        const Bin *bin = &solver->bins.items[saved->bin.number];

        cost += bin_price(solver, bin) - saved->price;
    }
    for (uint32_t i = change->bin_count; i < solver->bins.count; i++)
        cost += bin_price(solver, &solver->bins.items[i]);
    return limits_hold(solver) ? cost : INFINITY;
}

// Whether some placed pod keeps the spread. With PREFERENCES_WEIGH all of them may have dropped it.
static bool is_kept(const Solver *solver, uint32_t number) {
    if (!plan_weighs(solver->input))
        return true;
    for (vec_each(const Bin, bin, &solver->bins)) {
        for (vec_each(const BinPods, pods, &bin->pods)) {
            for (vec_each(const uint32_t, group,
                          &class_variant(&solver->classes.classes.items[pods->class], pods->variant)->groups)) {
                if (*group == number)
                    return true;
            }
        }
    }
    return false;
}

static bool spreads_hold(const Change *change) {
    for (vec_each(const SpreadMinimum, before, &change->minimums)) {
        const TopologyGroup *group = &change->solver->topology.groups.items[before->group];

        if (topology_spread_minimum(group) < before->minimum && !topology_spread_holds(group) &&
            is_kept(change->solver, before->group))
            return false;
        // Fewer domains than before may be too few. If they are too few already, the least count is 0 anyway.
        if (change->solver->domains_settled && group->min_domains > 0 &&
            group->supported_count >= (uint32_t)group->min_domains)
            return false;
    }
    return true;
}

// Whether settled spreads hold with the domains of the changed claims, which are added to them.
static bool settled_bear(Change *change) {
    Solver *solver = change->solver;

    for (vec_each(const SavedBin, saved, &change->saved)) {
        const Bin *bin = &solver->bins.items[saved->bin.number];

        if (!bin->pool || bin->gone)
            continue;
        if (brings_domain(solver, bin))
            return false;
        change_save_settled(change);
        add_claim_to_settled(solver, bin);
    }
    return true; // claim_open has checked the new claims
}

// Whether there are no more claims with lowered minValues than before.
static bool min_values_hold(const Change *change) {
    const Solver *solver = change->solver;
    uint32_t before = 0, after = 0;

    for (vec_each(const SavedBin, saved, &change->saved)) {
        before += saved->bin.min_values_relaxed;
        after +=
            solver->bins.items[saved->bin.number].min_values_relaxed && !solver->bins.items[saved->bin.number].gone;
    }
    for (uint32_t i = change->bin_count; i < solver->bins.count; i++)
        after += solver->bins.items[i].min_values_relaxed;
    return after <= before;
}

bool change_holds(Change *change) {
    return spreads_hold(change) && min_values_hold(change) &&
           (!change->solver->domains_settled || settled_bear(change));
}

void change_keep(Change *change) {
    change->solver->change = NULL;
}

// Restores a claim's charge against the limits.
static void restore_charge(Solver *solver, Bin *bin, const SavedBin *saved) {
    if (!bin->pool->limited)
        return;
    give_back(solver, bin);
    bin->charge = saved->bin.charge;
    if (!bin->charge)
        return;
    memcpy(bin->charge, saved->charge, solver->classes.dimensions.count * sizeof *bin->charge);
    for (uint32_t dim = 0; dim < solver->classes.dimensions.count; dim++) {
        if (bin->pool->left[dim] != INT64_MAX)
            bin->pool->left[dim] -= bin->charge[dim];
    }
    if (bin->pool->nodes_left != INT64_MAX)
        bin->pool->nodes_left--;
}

static void restore_bin(Solver *solver, const SavedBin *saved) {
    Bin *bin = &solver->bins.items[saved->bin.number];
    size_t amounts = solver->classes.dimensions.count * sizeof(int64_t);

    if (bin->pool) {
        restore_charge(solver, bin, saved);
        if (bin->gone && !saved->bin.gone)
            claim_reserve(solver, bin);
        *bin = saved->bin;
        memcpy(bin->rows, saved->rows, bin->pool->table->words * sizeof *bin->rows);
        memcpy(bin->used, saved->used, amounts);
    } else {
        *bin = saved->bin;
        memcpy(bin->free, saved->free, amounts);
    }
    if (bin->pods.count)
        memcpy(bin->pods.items, saved->pods, bin->pods.count * sizeof *saved->pods);
    if (bin->claims.count)
        memcpy(bin->claims.items, saved->claims, bin->claims.count * sizeof *saved->claims);
    marginal_note(solver, bin->number, 0);
}

void change_undo(Change *change) {
    Solver *solver = change->solver;
    int32_t placed = 0;

    solver->change = NULL;
    for (uint32_t i = change->moves.count; i-- > 0;) {
        const Move *move = &change->moves.items[i];

        count_everywhere(solver, move, -move->count);
        solver->classes.classes.items[move->class].placed -= (uint32_t)move->count;
        placed += move->count;
    }
    for (vec_each(const SavedDomains, saved, &change->domains)) {
        TopologyGroup *group = &solver->topology.groups.items[saved->group];

        bitset_copy(group->supported, saved->supported, group->words);
    }
    for (uint32_t i = solver->bins.count; i-- > change->bin_count;) {
        Bin *bin = &solver->bins.items[i];

        if (!bin->gone) {
            give_back(solver, bin);
            claim_release(solver, bin);
        }
        marginal_forget(solver, i);
    }
    solver->bins.count = change->bin_count;
    for (vec_each(SavedBin, saved, &change->saved))
        restore_bin(solver, saved);
    marginal_note(solver, INDEX_NONE, placed ? -placed : 0);
    if (solver->bins.items == change->bins) // else the array has grown and is in the memory that would be freed
        arena_rewind(solver->placing, change->placing);
}

void change_free(Change *change) {
    arena_free(&change->arena);
    *change = (Change){0};
}
