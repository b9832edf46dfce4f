// Prepares a solver: everything that does not depend on placements.
#include "sched/prepare.h"

#include "sched/bin/blast_radius.h"
#include "sched/bin/nodes.h"
#include "sched/bin/pod_rate.h"
#include "sched/input/class_variants.h"

// Adds to the domains over which a spread's minimum is taken those in which the pool could create a node that the rule
// counts. kube-scheduler considers the domains of existing nodes only (add_node_domains). scheduling.md 5.6.
static void add_pool_domains(Solver *solver, TopologyGroup *group, const Pool *pool) {
    const NodeFilter *filter = group->filter == INDEX_NONE ? NULL : &solver->topology.filters.items[group->filter];
    const LabelKey *key = &solver->universe.keys.items[group->key];
    LabelSetId everything = LABEL_SET_EMPTY;
    const LabelSetId *terms = filter && filter->terms.count ? filter->terms.items : &everything;
    uint32_t term_count = filter && filter->terms.count ? filter->terms.count : 1;

    for (uint32_t i = 0; i < term_count; i++) {
        uint32_t state = label_state_step(&solver->states, pool->full_state, terms[i]);

        for (uint32_t atom = 0; state != LABEL_STATE_NONE && atom < key->value_count; atom++) {
            if (bitset_has(label_state_key(&solver->states, state, group->key), atom) &&
                label_state_step(&solver->states, state, label_state_pin_set(&solver->states, group->key, atom)) !=
                    LABEL_STATE_NONE)
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
        const uint64_t *mask = label_state_key(&solver->states, bin->state, group->key);
        uint32_t atom = bitset_next(mask, key->words, 0);

        if (atom < key->value_count && bitset_count(mask, key->words) == 1 &&
            bin_filter(solver, group->filter, bin->state, bin_taints(bin)))
            bitset_set(group->supported, atom);
    }
}

// Steps of the budget: per pending pod, per existing node or pod, per group and pool.
enum {
    COLLECT_STEPS = BUDGET_STEPS_PER_US / 4,
    MENTION_STEPS = BUDGET_STEPS_PER_US / 4,
    DOMAIN_STEPS = BUDGET_STEPS_PER_US / 2
};

static void find_domains(Solver *solver) {
    for (vec_each(TopologyGroup, group, &solver->topology.groups)) {
        if (!topology_spreads_label(group))
            continue;
        if (!budget_spend(&solver->budget, DOMAIN_STEPS * (uint64_t)(solver->pools.count + solver->node_count)))
            return;
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
        if (offering->reservation_capacity < reservation->left) // the least of all pools' offerings
            reservation->left = offering->reservation_capacity;
    }
}

static void find_reservations(Solver *solver) {
    const PlanPoolVec *pools = &solver->input->pools;

    for (uint32_t i = 0; i < pools->count; i++) {
        if (!plan_pool_has_new_types(solver->input, i))
            continue;
        for (vec_each(InstanceType, type, pools->items[i].types))
            find_reservations_of(solver, type);
    }
}

// Finds the pools and nodes that each list of tolerations tolerates.
static void find_tolerated(Solver *solver) {
    ClassTable *classes = &solver->classes;
    const Symbols *symbols = solver->universe.symbols;

    solver->pool_words = bitset_words(solver->pools.count) + 1;
    solver->pool_bits = arena_array(solver->arena, uint64_t, (size_t)ALTERNATIVES_MAX * solver->pool_words);
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
    solver->fewer_rows = arena_array(solver->arena, uint64_t, words);
    solver->tied_rows = arena_array(solver->arena, uint64_t, words);
    solver->tried_rows = arena_array(solver->arena, uint64_t, words);
    solver->fresh_rows = arena_array(solver->arena, uint64_t, words);
    solver->fresh_used = arena_array(solver->arena, int64_t, dims);
    solver->no_min_values = arena_array(solver->arena, int32_t, rules);
}

// Collects classes, pools and the labels of nodes. False: the budget is used up.
static bool collect(Solver *solver) {
    const PlanInput *input = solver->input;

    universe_init(&solver->universe, solver->arena, &input->cluster->symbols);
    topology_init(&solver->topology, solver->arena, &solver->universe, input->cluster);
    class_table_collect(&solver->classes, solver->arena, input, &solver->universe, &solver->topology);
    solver->classes.budget = &solver->budget;
    if (!budget_spend(&solver->budget, COLLECT_STEPS * (uint64_t)input->pending.count))
        return false;
    pools_mention(input, &solver->universe, &solver->pools, solver->arena);
    solver_mention_nodes(solver);
    universe_freeze(&solver->universe);
    return budget_spend(&solver->budget, MENTION_STEPS * (uint64_t)input->nodes.count);
}

static bool make_bins(Solver *solver) {
    BoundPod *bound;

    label_states_init(&solver->states, solver->arena, &solver->universe);
    solver->added = arena_array(solver->arena, int64_t, solver->classes.dimensions.count);
    solver->zero = arena_array(solver->arena, int64_t, solver->classes.dimensions.count);
    pools_make(&solver->classes, &solver->states, &solver->pools);
    quanta_make(solver->arena, &solver->classes, &solver->pools, &solver->quanta);
    solver_find_bound(solver, &bound);
    class_table_finish(&solver->classes);
    if (budget_is_over(&solver->budget))
        return false;
    solver_make_nodes(solver, bound);
    return budget_spend(&solver->budget, MENTION_STEPS * (uint64_t)solver->input->cluster->pods.count);
}

static const double PREPARE_SHARE = 0.5; // at most this share of the deadline

bool solver_init(Solver *solver, Arena *arena, const PlanInput *input) {
    *solver = (Solver){.arena = arena, .placing = arena, .input = input};
    budget_init(&solver->budget, &input->search);
    if (!input->search.patient) // the other half is for placing
        budget_begin_share(&solver->budget, PREPARE_SHARE);
    if (!collect(solver) || !make_bins(solver))
        return false;
    for (vec_each(const PodClass, class, &solver->classes.classes))
        solver->pod_count += class->count;
    find_domains(solver);
    find_reservations(solver);
    find_tolerated(solver);
    make_work_space(solver);
    blast_radius_init(solver);
    solver_find_rates(solver);
    if (budget_is_over(&solver->budget))
        return false;
    budget_end_part(&solver->budget);
    return true;
}
