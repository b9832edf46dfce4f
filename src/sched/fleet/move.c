// Tries moves.
#include "sched/fleet/move.h"

#include "sched/fleet/bound.h"
#include "sched/fleet/parts.h"
#include "sched/input/class_variants.h"
#include "sched/place/displaced.h"
#include "sched/place/marginal.h"
#include "sched/place/marginal_room.h"
#include "sched/place/marginal_state.h"
#include "sched/place/rebuild.h"

#include <math.h>
#include <stdlib.h>

// --- order of placing

typedef struct {
    uint32_t class;
    bool follows;
    uint8_t freedom;
    double size;
} ClassRank;

static int compare_ranks(const void *a, const void *b) {
    const ClassRank *x = a, *y = b;

    if (x->follows != y->follows)
        return x->follows ? 1 : -1;
    if (x->freedom != y->freedom)
        return x->freedom < y->freedom ? -1 : 1;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->class > y->class) - (x->class < y->class);
}

void fleet_order_classes(FleetSearch *search) {
    uint32_t count = search->solver->classes.classes.count;
    Arena scratch = {0};
    ClassRank *ranks = arena_array(&scratch, ClassRank, count);
    Displacing displacing;

    search->rank = arena_array(search->arena, uint32_t, count);
    displacing_init(&displacing, search->solver, &scratch);
    for (uint32_t i = 0; i < count; i++)
        ranks[i] = (ClassRank){i, displacing.follows[i], displacing.freedom[i], displacing.size[i]};
    if (count)
        qsort(ranks, count, sizeof *ranks, compare_ranks);
    for (uint32_t i = 0; i < count; i++)
        search->rank[ranks[i].class] = i;
    arena_free(&scratch);
}

// --- emptying

typedef struct {
    FleetSearch *search;
    const MoveSet *set;
    BinPodsVec pods; // to be placed
    double most;     // that the other places may cost, $ per hour
} Trial;

static void empty(Trial *trial, uint32_t number) {
    FleetSearch *search = trial->search;
    const Bin *bin = &search->solver->bins.items[number];

    change_save(&search->change, number);
    while (bin->pods.count) {
        BinPods pods = *vec_last(&bin->pods);

        vec_push(&search->trial, &trial->pods, pods);
        change_take(&search->change, number, bin->pods.count - 1, pods.count);
    }
}

static void remove_source(Trial *trial, uint32_t source) {
    FleetSearch *search = trial->search;
    const FleetSource *of = &search->input->sources.items[source];
    uint32_t bin = search->bin_of_source[source];

    empty(trial, bin);
    search->solver->bins.items[bin].gone = true;
    marginal_forget(search->solver, bin);
    trial->most += of->price_per_hour - of->disruption;
}

static int compare_pods(const void *a, const void *b, void *context) {
    const uint32_t *rank = context;
    const BinPods *x = a, *y = b;

    return (rank[x->class] > rank[y->class]) - (rank[x->class] < rank[y->class]);
}

// Entries of one class become one.
static void merge_entries(Trial *trial) {
    uint32_t kept = 0;

    if (trial->pods.count)
        qsort_r(trial->pods.items, trial->pods.count, sizeof *trial->pods.items, compare_pods, trial->search->rank);
    for (uint32_t i = 0; i < trial->pods.count; i++) {
        BinPods *pods = &trial->pods.items[i];

        if (kept && trial->pods.items[kept - 1].class == pods->class)
            trial->pods.items[kept - 1].count += pods->count;
        else
            trial->pods.items[kept++] = *pods;
    }
    trial->pods.count = kept;
}

// --- placing

static bool place_pods(Trial *trial, const BinPods *pods) {
    Solver *solver = trial->search->solver;
    const PodClass *class = &solver->classes.classes.items[pods->class];
    uint32_t left = pods->count;

    for (uint32_t i = 0; i < class->variants.count && left; i += variant_alternatives(class, i).count) {
        uint32_t placed = 1;

        while (left && placed && fleet_goes_on(trial->search)) {
            placed = marginal_move(solver, pods->class, i, left, &MOVE_ANYWHERE);
            left -= placed;
        }
    }
    return !left;
}

// What the open change costs, $ per hour, with the overhead of what it buys.
static double cost_of(const Trial *trial) {
    double cost = change_cost(&trial->search->change);

    return cost > 0 ? cost * (1 + trial->search->input->claim_overhead) : cost;
}

// Stops as soon as the other places cost too much. False: some pods have no place.
static bool place_all(Trial *trial) {
    if (trial->set->told)
        return told_place(trial->search, trial->set->told, &trial->pods);
    for (vec_each(const BinPods, pods, &trial->pods)) {
        if (!place_pods(trial, pods))
            return false;
        if (cost_of(trial) >= trial->most)
            return true;
    }
    return true;
}

// --- judging

static bool is_accepted(Trial *trial) {
    FleetSearch *search = trial->search;
    FleetPart part;

    if (!search->input->accepts)
        return true;
    part = part_propose(search, &trial->set->sources);
    return search->input->accepts(search->input->context, &part);
}

// Of a single source, and of those that go together or not at all; of other groups only the gain.
static void note_fate(Trial *trial, FleetFate fate, double gain) {
    bool is_single = trial->set->sources.count == 1 || trial->set->told;

    for (vec_each(const uint32_t, source, &trial->set->sources)) {
        FleetVerdict *verdict = &trial->search->verdicts[*source];

        if (is_single)
            verdict->fate = fate;
        if (!isnan(gain) && !(verdict->gain >= gain))
            verdict->gain = gain;
    }
}

static bool judge(Trial *trial, double *ret_gain) {
    FleetSearch *search = trial->search;

    if (!place_all(trial) || !change_holds(&search->change)) {
        note_fate(trial, STAYS_NO_ROOM, NAN);
        return false;
    }
    *ret_gain = trial->most - cost_of(trial);
    if (*ret_gain <= search->input->saving_least) {
        note_fate(trial, STAYS_NO_GAIN, *ret_gain);
        return false;
    }
    if (!is_accepted(trial)) {
        note_fate(trial, STAYS_REFUSED, *ret_gain);
        return false;
    }
    note_fate(trial, STAYS_UNTRIED, *ret_gain); // part_keep has the last word
    return true;
}

// --- budgets

static bool has_budget(FleetSearch *search, const MoveSet *set) {
    bool has = true;
    uint32_t taken = 0;

    for (; taken < set->sources.count && has; taken++) {
        uint32_t *left = &search->left[search->input->sources.items[set->sources.items[taken]].budget];

        has = *left > 0;
        *left -= has;
    }
    for (uint32_t i = 0; i < taken - !has; i++)
        search->left[search->input->sources.items[set->sources.items[i]].budget]++;
    return has;
}

static void spend_budget(FleetSearch *search, const MoveSet *set) {
    for (vec_each(const uint32_t, source, &set->sources))
        search->left[search->input->sources.items[*source].budget]--;
}

// --- dependents

enum { DEPENDENTS_MOST = 16 }; // bins of a move with those whose pods rely on pods of the others

static bool add_dependent(FleetSearch *search, MoveSet *set, uint32_t bin) {
    uint32_t source;

    if (bin >= search->solver->node_count) {
        vec_push(&search->trial, &set->claims, bin);
        return true;
    }
    source = search->source_of_bin[bin];
    if (source == INDEX_NONE || search->verdicts[source].fate == STAYS_OCCUPIED)
        return false;
    vec_push(&search->trial, &set->sources, source);
    return true;
}

// Pods whose affinity rules count pods that go must go with them. False: some may not.
static bool add_dependents(FleetSearch *search, const MoveSet *set, MoveSet *ret_set) {
    const Rebuild rebuild = {.solver = search->solver};
    U32Vec bins = {0};
    uint32_t count = set->sources.count + set->claims.count;

    *ret_set = (MoveSet){.told = set->told};
    for (vec_each(const uint32_t, source, &set->sources)) {
        vec_push(&search->trial, &ret_set->sources, *source);
        vec_push(&search->trial, &bins, search->bin_of_source[*source]);
    }
    for (vec_each(const uint32_t, claim, &set->claims)) {
        vec_push(&search->trial, &ret_set->claims, *claim);
        vec_push(&search->trial, &bins, *claim);
    }
    if (!rebuild_add_dependents(&rebuild, &bins, count + (set->told ? 0 : DEPENDENTS_MOST)))
        return false;
    for (uint32_t i = count; i < bins.count; i++) {
        if (!add_dependent(search, ret_set, bins.items[i]))
            return false;
    }
    return true;
}

// --- the move

// Rebuilds the bin index when moves have left many groups without bins.
static void drop_dead_groups(FleetSearch *search) {
    if (marginal_state(search->solver)->bin_index.bin_groups.count > 2 * search->solver->bins.count + 64)
        fleet_renew_index(search);
}

static bool try_move(Trial *trial, double *ret_gain) {
    FleetSearch *search = trial->search;
    const MoveSet *set = trial->set;

    search->tried++;
    change_begin(&search->change, search->solver);
    for (vec_each(const uint32_t, source, &set->sources))
        remove_source(trial, *source);
    for (vec_each(const uint32_t, claim, &set->claims))
        empty(trial, *claim);
    merge_entries(trial);
    if (!judge(trial, ret_gain) || !fleet_goes_on(search)) {
        change_undo(&search->change);
        return false;
    }
    part_keep(search, &set->sources);
    spend_budget(search, set);
    search->kept++;
    change_keep(&search->change);
    return true;
}

// Nodes that stay never lose pods.
static void remember_room(FleetSearch *search, const MoveSet *set) {
    for (vec_each(const uint32_t, source, &set->sources)) {
        for (vec_each(const BinPods, pods, &search->solver->bins.items[search->bin_of_source[*source]].pods))
            marginal_remember_room(search->solver, pods->class);
    }
}

bool fleet_move(FleetSearch *search, const MoveSet *asked, double *ret_gain) {
    MoveSet set;
    Trial trial = {.search = search, .set = asked};

    *ret_gain = NAN;
    arena_free(&search->trial);
    drop_dead_groups(search);
    if (!add_dependents(search, asked, &set)) {
        note_fate(&trial, STAYS_NO_ROOM, NAN);
        return false;
    }
    trial.set = &set;
    if (!has_budget(search, &set)) {
        note_fate(&trial, STAYS_BUDGET, NAN);
        return false;
    }
    if (!set.told)
        remember_room(search, &set);
    return try_move(&trial, ret_gain);
}
