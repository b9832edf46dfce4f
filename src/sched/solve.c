// One solve, from input to plan.
#include "sched/solver.h"

#include <stdlib.h>

// --- preparation ----------------------------------------------------------------------------------------------------

// The domains that a spread's minimum is taken over: those that some pool could open a node in which the rule counts,
// and those of existing nodes. Kubernetes asks the nodes that exist; a pool's node may exist tomorrow.
// scheduling.md 5.6.
static void add_pool_domains(Solver *solver, TopologyGroup *group, const Pool *pool) {
    const NodeFilter *filter = group->filter == INDEX_NONE ? NULL : &solver->topology.filters.items[group->filter];
    const LabelKey *key = &solver->universe.keys.items[group->key];
    LabelSetId everything = LABEL_SET_EMPTY;
    const LabelSetId *terms = filter && filter->terms.count ? filter->terms.items : &everything;
    uint32_t term_count = filter && filter->terms.count ? filter->terms.count : 1;

    for (uint32_t i = 0; i < term_count; i++) {
        uint32_t state = state_step(&solver->states, pool->full_state, terms[i]);

        for (uint32_t atom = 0; state != STATE_NONE && atom < key->value_count; atom++) {
            if (bitset_has(state_key(&solver->states, state, group->key), atom) &&
                state_step(&solver->states, state, state_pin_set(&solver->states, group->key, atom)) != STATE_NONE)
                bitset_set(group->supported, atom);
        }
    }
}

static bool filter_takes_pool(const Solver *solver, const TopologyGroup *group, const Pool *pool) {
    const NodeFilter *filter;

    if (group->filter == INDEX_NONE)
        return true;
    filter = &solver->topology.filters.items[group->filter];
    return !filter->honor_taints || taints_are_tolerated(solver->universe.symbols, &pool->pool->template_spec.taints,
                                                         filter->tolerations, false);
}

static void add_node_domains(Solver *solver, TopologyGroup *group) {
    const LabelKey *key = &solver->universe.keys.items[group->key];

    for (uint32_t i = 0; i < solver->node_count; i++) {
        const Bin *bin = &solver->bins.items[i];
        const uint64_t *mask = state_key(&solver->states, bin->state, group->key);
        uint32_t atom = bitset_next(mask, key->words, 0);

        if (atom < key->value_count && bitset_count(mask, key->words) == 1 &&
            bin_filter(solver, group->filter, bin->state, bin_taints(bin)))
            bitset_set(group->supported, atom);
    }
}

static void find_domains(Solver *solver) {
    for (vec_each(TopologyGroup, group, &solver->topology.groups)) {
        if (group->kind != GROUP_SPREAD || group->key == INDEX_NONE)
            continue;
        for (vec_each(Pool, pool, &solver->pools)) {
            if (filter_takes_pool(solver, group, pool))
                add_pool_domains(solver, group, pool);
        }
        add_node_domains(solver, group);
        group->supported_count = bitset_count(group->supported, group->words);
    }
}

static Reservation *reservation_for(Solver *solver, Symbol id) {
    Reservation *added;

    for (vec_each(Reservation, reservation, &solver->reservations)) {
        if (reservation->id == id)
            return reservation;
    }
    added = vec_add(solver->arena, &solver->reservations);
    *added = (Reservation){id, INT64_MAX};
    return added;
}

static void find_reservations_of(Solver *solver, const InstanceType *type) {
    for (vec_each(Offering, offering, &type->offerings)) {
        Reservation *reservation;

        if (offering->capacity_type != NAME_RESERVED)
            continue;
        reservation = reservation_for(solver, offering->reservation_id);
        if (offering->reservation_capacity < reservation->left) // the least that any pool sees
            reservation->left = offering->reservation_capacity;
    }
}

static void find_reservations(Solver *solver) {
    for (vec_each(PlanPool, pool, &solver->input->pools)) {
        for (vec_each(InstanceType, type, pool->types))
            find_reservations_of(solver, type);
    }
}

// Which lists of tolerations tolerate which pools and nodes, once.
static void find_tolerated(Solver *solver) {
    ClassTable *classes = &solver->classes;
    const Symbols *symbols = solver->universe.symbols;

    solver->pool_words = bitset_words(solver->pools.count) + 1;
    solver->tolerated_pools =
        arena_array(solver->arena, uint64_t, (size_t)classes->tolerations.count * solver->pool_words);
    solver->tolerated_nodes = arena_array(solver->arena, uint64_t *, classes->tolerations.count);
    for (uint32_t i = 0; i < classes->tolerations.count; i++) {
        const TolerationVec *tolerations = &classes->tolerations.items[i];

        for (vec_each(Pool, pool, &solver->pools)) {
            if (pool_tolerated(pool, symbols, tolerations))
                bitset_set(solver->tolerated_pools + (size_t)i * solver->pool_words, pool->number);
        }
        solver->tolerated_nodes[i] = bitset_new(solver->arena, solver->node_count + 1);
        for (uint32_t bin = 0; bin < solver->node_count; bin++) {
            if (taints_are_tolerated(symbols, bin_taints(&solver->bins.items[bin]), tolerations, true))
                bitset_set(solver->tolerated_nodes[i], bin);
        }
    }
}

static void make_work_space(Solver *solver) {
    uint32_t words = 1, dims = solver->classes.dimensions.count;
    uint32_t rules = 1;

    for (vec_each(Pool, pool, &solver->pools)) {
        if (pool->table->words > words)
            words = pool->table->words;
        if (pool->min_values.count > rules)
            rules = pool->min_values.count;
    }
    solver->rows = arena_array(solver->arena, uint64_t, words);
    solver->fresh_rows = arena_array(solver->arena, uint64_t, words);
    solver->fresh_used = arena_array(solver->arena, int64_t, dims);
    solver->no_min_values = arena_array(solver->arena, int32_t, rules);
}

void solver_init(Solver *solver, Arena *arena, const PlanInput *input) {
    U32Vec *bound_groups;

    *solver = (Solver){.arena = arena, .input = input};
    universe_init(&solver->universe, arena, &input->cluster->symbols);
    topology_init(&solver->topology, arena, &solver->universe, input->cluster);
    class_table_collect(&solver->classes, arena, input, &solver->universe, &solver->topology);
    pools_mention(input, &solver->universe, &solver->pools, arena);
    solver_mention_nodes(solver);
    universe_freeze(&solver->universe);
    states_init(&solver->states, arena, &solver->universe);
    solver->added = arena_array(arena, int64_t, solver->classes.dimensions.count);
    solver->zero = arena_array(arena, int64_t, solver->classes.dimensions.count);
    pools_make(&solver->classes, &solver->states, &solver->pools);
    solver_make_bound_groups(solver, &bound_groups);
    class_table_finish(&solver->classes);
    solver_make_nodes(solver, bound_groups);
    find_domains(solver);
    find_reservations(solver);
    find_tolerated(solver);
    make_work_space(solver);
}

// --- placing --------------------------------------------------------------------------------------------------------

// What a failed search depends on: how often the groups of the variant changed, how many bins there are, and limits.
static uint64_t search_stamp(const Solver *solver, const Variant *variant) {
    uint64_t stamp = solver->bins.count + solver->limits_freed;

    for (vec_each(uint32_t, group, &variant->groups))
        stamp += solver->topology.groups.items[*group].changes;
    return stamp;
}

static void commit(Solver *solver, uint32_t bin, uint32_t class, uint32_t variant, const Placement *placement) {
    bin_commit(solver, &solver->bins.items[bin], class, variant, placement);
    if (solver->bins.items[bin].pool)
        claim_charge(solver, &solver->bins.items[bin]);
}

// Tries existing nodes, then open claims, in order. Pods placed; `ret_later`: a rule may change its mind.
static uint32_t place_in_bins(Solver *solver, uint32_t number, uint32_t variant_number, uint32_t want,
                              bool *ret_later) {
    const PodClass *class = &solver->classes.classes.items[number];
    Variant *variant = &class->variants.items[variant_number];
    bool closed = true; // every bin so far is closed for good

    for (uint32_t bin = variant->first_bin; bin < solver->bins.count; bin++) {
        Placement placement;
        Verdict verdict = bin_try(solver, &solver->bins.items[bin], class, variant, want, &placement);

        if (verdict == VERDICT_FITS) {
            commit(solver, bin, number, variant_number, &placement);
            return placement.count;
        }
        *ret_later |= verdict == VERDICT_NOT_NOW;
        closed &= verdict == VERDICT_NEVER;
        if (closed)
            variant->first_bin = bin + 1;
    }
    return 0;
}

// Pools by weight, then by name: the first that can open a claim.
static uint32_t place_in_new_claim(Solver *solver, uint32_t number, uint32_t variant_number, uint32_t want,
                                   bool *ret_later) {
    const PodClass *class = &solver->classes.classes.items[number];
    const Variant *variant = &class->variants.items[variant_number];

    for (vec_each(Pool, pool, &solver->pools)) {
        Placement placement;
        uint32_t bin = claim_open(solver, pool, class, variant, want, &placement, ret_later);

        if (bin == INDEX_NONE)
            continue;
        commit(solver, bin, number, variant_number, &placement);
        return placement.count;
    }
    return 0;
}

// Places some pods of the class under the first variant that finds a place; how many.
static uint32_t place_some(Solver *solver, uint32_t number) {
    const PodClass *class = &solver->classes.classes.items[number];

    for (uint32_t i = 0; i < class->variants.count; i++) {
        Variant *variant = &class->variants.items[i];
        uint64_t stamp = search_stamp(solver, variant);
        uint32_t placed, want = class->count - class->placed;
        bool later = false;

        if (variant->failed && (variant->failed_stamp == stamp || variant->failed_stamp == UINT64_MAX))
            continue;
        placed = place_in_bins(solver, number, i, want, &later);
        if (!placed)
            placed = place_in_new_claim(solver, number, i, want, &later);
        if (placed)
            return placed;
        variant->failed = true;
        variant->failed_stamp = search_stamp(solver, variant);
    }
    return 0;
}

static int compare_classes(const void *a, const void *b, void *context) {
    const Solver *solver = context;
    const PodClass *x = &solver->classes.classes.items[*(const uint32_t *)a];
    const PodClass *y = &solver->classes.classes.items[*(const uint32_t *)b];
    uint32_t cpu = dimension_of(&solver->classes.dimensions, NAME_CPU);
    uint32_t memory = dimension_of(&solver->classes.dimensions, NAME_MEMORY);

    if (x->requests[cpu] != y->requests[cpu])
        return x->requests[cpu] > y->requests[cpu] ? -1 : 1;
    if (x->requests[memory] != y->requests[memory])
        return x->requests[memory] > y->requests[memory] ? -1 : 1;
    if (x->pod->created_ns != y->pod->created_ns)
        return x->pod->created_ns < y->pod->created_ns ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first); // the order of the input
}

// When nothing else moves: lets the first waiting affinity group start a domain. False: none is waiting.
static bool start_waiting_group(Solver *solver, const uint32_t *order) {
    for (uint32_t i = 0; i < solver->classes.classes.count; i++) {
        const PodClass *class = &solver->classes.classes.items[order[i]];

        if (class->placed == class->count)
            continue;
        for (vec_each(uint32_t, number, &class->variants.items[0].groups)) {
            TopologyGroup *group = &solver->topology.groups.items[*number];

            if (!group->waits)
                continue;
            topology_start(group);
            return true;
        }
    }
    return false;
}

static bool class_has_spread(const Solver *solver, const PodClass *class, uint32_t group) {
    for (vec_each(uint32_t, number, &class->variants.items[class->variants.count - 1].groups)) {
        if (*number == group && solver->topology.groups.items[group].kind == GROUP_SPREAD)
            return true;
    }
    return false;
}

static bool spread_is_waited_for(const Solver *solver, uint32_t group) {
    for (vec_each(const PodClass, class, &solver->classes.classes)) {
        if (class->placed < class->count && class_has_spread(solver, class, group))
            return true;
    }
    return false;
}

static void add_domain(Solver *solver, const TopologyGroup *group, uint32_t state, const TaintVec *taints,
                       uint64_t *mask) {
    const uint64_t *allowed = state_key(&solver->states, state, group->key);
    uint32_t atom = bitset_next(allowed, group->words, 0);

    if (atom != UINT32_MAX && bitset_has(group->supported, atom) && bitset_count(allowed, group->words) == 1 &&
        bin_filter(solver, group->filter, state, taints))
        bitset_set(mask, atom);
}

// The domains of a spread, of those that the rule counts, that nodes will be in: the plan's and all existing ones, for
// those that go away are counted while they are there.
static void domains_with_nodes(Solver *solver, const TopologyGroup *group, uint64_t *ret_mask) {
    for (uint32_t i = 0; i < solver->input->nodes.count; i++)
        add_domain(solver, group, solver->node_states[i], &solver->input->nodes.items[i].taints, ret_mask);
    for (uint32_t i = solver->node_count; i < solver->bins.count; i++)
        add_domain(solver, group, solver->bins.items[i].state, bin_taints(&solver->bins.items[i]), ret_mask);
}

// Ties a claim to the capacity type it is expected to get, so that a rule about capacity types can tell what it is.
// Whether that changed the claim.
static bool settle_capacity_type(Solver *solver, Bin *bin) {
    uint32_t key = universe_key(&solver->universe, NAME_CAPACITY_TYPE), state;
    const Offering *offering;
    uint64_t *rows = solver->fresh_rows;

    claim_price(solver, bin, bin->rows, NULL, &offering);
    state =
        state_step(&solver->states, bin->state,
                   state_pin_set(&solver->states, key, universe_atom(&solver->universe, key, offering->capacity_type)));
    if (state == STATE_NONE || state == bin->state)
        return false;
    bitset_copy(rows, bin->rows, bin->pool->table->words);
    if (!bitset_and(rows, state_at(&solver->states, state)->rows, bin->pool->table->words) ||
        (bin->pool->min_values.count && !claim_min_values_met(solver, bin, state, rows)))
        return false;
    bin->state = state;
    bitset_copy(bin->rows, rows, bin->pool->table->words);
    claim_charge(solver, bin);
    return true;
}

static bool settle_claims(Solver *solver, const TopologyGroup *group) {
    bool changed = false;

    for (uint32_t i = solver->node_count; i < solver->bins.count; i++) {
        Bin *bin = &solver->bins.items[i];

        if (bin_filter(solver, group->filter, bin->state, bin_taints(bin)) == 1)
            changed |= settle_capacity_type(solver, bin);
    }
    return changed;
}

// When nothing moves any more, the plan's nodes are all there will be: a spread's minimum need not be taken over
// domains that a pool could open but no pod wanted. kube-scheduler asks only the nodes that exist.
static bool settle_domains(Solver *solver) {
    bool changed = false;

    for (uint32_t i = 0; i < solver->topology.groups.count; i++) {
        TopologyGroup *group = &solver->topology.groups.items[i];
        Arena scratch = {0};
        uint64_t *mask;

        if (group->kind != GROUP_SPREAD || group->key == INDEX_NONE || !spread_is_waited_for(solver, i))
            continue;
        if (settle_claims(solver, group)) { // its undecided counts can be decided now
            group->changes++;
            changed = true;
        }
        mask = bitset_new(&scratch, group->words * 64);
        domains_with_nodes(solver, group, mask);
        if (!bitset_is_empty(mask, group->words) && !bitset_eq(mask, group->supported, group->words)) {
            bitset_copy(group->supported, mask, group->words);
            group->supported_count = bitset_count(mask, group->words);
            group->changes++;
            changed = true;
        }
        arena_free(&scratch);
    }
    return changed;
}

// One pass over the classes that still have pods without a home; whether any was placed.
static bool place_classes(Solver *solver, const uint32_t *order) {
    bool progress = false;

    for (uint32_t i = 0; i < solver->classes.classes.count; i++) {
        const PodClass *class = &solver->classes.classes.items[order[i]];

        while (class->placed < class->count && (place_some(solver, order[i]) || bins_decide(solver, class)))
            progress = true;
    }
    return progress;
}

void solver_place(Solver *solver) {
    uint32_t count = solver->classes.classes.count;
    uint32_t *order = arena_array(solver->arena, uint32_t, count);

    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, compare_classes, solver);
    // Again while pods that others wait for find places.
    while (place_classes(solver, order) || start_waiting_group(solver, order) || settle_domains(solver))
        continue;
}

// --- attempts -------------------------------------------------------------------------------------------------------

// Greedy choices between equal domains can lock pods out: those of a volume's zone, of an affine group that started in
// the wrong place, or at a limit. When pods are left over for such a reason, the input is small and other choices
// exist, it is solved again with other ties, and the solution that places most pods is kept.
enum { ATTEMPTS = 6, ATTEMPT_PODS_MAX = 5000 };

static uint32_t placed_count(const Solver *solver) {
    uint32_t placed = 0;

    for (vec_each(const PodClass, class, &solver->classes.classes))
        placed += class->placed;
    return placed;
}

static bool choices_matter(const Solver *solver) {
    bool limited = false;

    if (solver->input->pending.count > ATTEMPT_PODS_MAX)
        return false;
    for (vec_each(const Pool, pool, &solver->pools))
        limited |= pool->limited;
    for (vec_each(const PodClass, class, &solver->classes.classes)) {
        if (class->placed < class->count &&
            (limited || vec_last(&class->variants)->keys.count || vec_last(&class->variants)->bin_checks.count))
            return true;
    }
    return false;
}

// One solution in memory of its own; a solver holds pointers into itself, so it stays where it was made.
typedef struct {
    Arena work;
    Solver solver;
} Attempt;

static Attempt *attempt_make(Arena *arena, const PlanInput *input, uint32_t number) {
    Attempt *attempt = arena_new(arena, Attempt);

    solver_init(&attempt->solver, &attempt->work, input);
    attempt->solver.attempt = number;
    solver_place(&attempt->solver);
    return attempt;
}

void plan_solve(Arena *arena, const PlanInput *input, Plan *ret_plan) {
    Arena attempts = {0};
    Attempt *best = attempt_make(&attempts, input, 0);
    uint32_t count = choices_matter(&best->solver) ? ATTEMPTS : 1;

    for (uint32_t number = 1; number < count; number++) {
        Attempt *attempt = attempt_make(&attempts, input, number), *worse = attempt;

        if (placed_count(&attempt->solver) > placed_count(&best->solver)) {
            worse = best;
            best = attempt;
        }
        arena_free(&worse->work);
    }
    best->solver.result = arena;
    solver_write_plan(&best->solver, ret_plan);
    arena_free(&best->work);
    arena_free(&attempts);
}
