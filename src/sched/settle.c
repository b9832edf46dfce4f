// What can still be decided when nothing moves any more: which domains a spread has to count, which capacity type a
// claim will get.
#include "sched/solver.h"

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
        if (!solver->bins.items[i].gone)
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

        if (!bin->gone && bin_filter(solver, group->filter, bin->state, bin_taints(bin)) == 1)
            changed |= settle_capacity_type(solver, bin);
    }
    return changed;
}

// When nothing moves any more, the plan's nodes are all there will be: a spread's minimum need not be taken over
// domains that a pool could open but no pod wanted. kube-scheduler asks only the nodes that exist.
bool settle_domains(Solver *solver) {
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
