// What can still be decided when nothing moves any more: which domains a spread has to count, which capacity type a
// claim will get.
#include "sched/bin/settle.h"

#include "sched/bin/claim_price.h"
#include "sched/bin/claim_types.h"
#include "sched/bin/limits.h"

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

static void add_domain(Solver *solver, const TopologyGroup *group, const uint64_t *allowed, uint32_t state,
                       const TaintVec *taints, uint64_t *mask) {
    uint32_t atom = bitset_next(allowed, group->words, 0);

    if (atom != UINT32_MAX && bitset_has(group->supported, atom) && bitset_count(allowed, group->words) == 1 &&
        bin_filter(solver, group->filter, state, taints))
        bitset_set(mask, atom);
}

// What a claim may still become on a key: what its state allows and some offering of its types has.
static void claim_domains(const Solver *solver, const Bin *bin, uint32_t key, uint32_t words, uint64_t *ret_mask) {
    const TypeTable *table = bin->pool->table;
    const LabelState *state = label_state_at(&solver->states, bin->state);
    const uint64_t *allowed = label_state_key(&solver->states, bin->state, key);

    memset(ret_mask, 0, words * sizeof *ret_mask);
    for (bitset_each(shape, state->shapes, bitset_words(table->shape_count))) {
        const uint64_t *offered;

        if (!bitset_intersects(table->shapes[shape].rows, bin->rows, table->words))
            continue;
        offered = label_set_mask(label_set(&solver->universe, table->shapes[shape].set), key);
        for (uint32_t i = 0; i < words; i++)
            ret_mask[i] |= offered ? offered[i] & allowed[i] : allowed[i];
    }
}

// The domains of a spread, of those that the rule counts, that nodes will be in: the plan's and all existing ones, for
// those that go away are counted while they are there.
static void domains_with_nodes(Solver *solver, const TopologyGroup *group, uint64_t *ret_mask) {
    Arena scratch = {0};
    uint64_t *mask = bitset_new(&scratch, group->words * 64);

    for (uint32_t i = 0; i < solver->input->nodes.count; i++)
        add_domain(solver, group, label_state_key(&solver->states, solver->node_states[i], group->key),
                   solver->node_states[i], &solver->input->nodes.items[i].taints, ret_mask);
    for (uint32_t i = solver->node_count; i < solver->bins.count; i++) {
        const Bin *bin = &solver->bins.items[i];

        if (bin->gone)
            continue;
        claim_domains(solver, bin, group->key, group->words, mask);
        add_domain(solver, group, mask, bin->state, bin_taints(bin), ret_mask);
    }
    arena_free(&scratch);
}

bool brings_domain(Solver *solver, const Bin *bin) {
    Arena scratch = {0};
    bool brings = false;

    for (uint32_t i = 0; i < solver->topology.groups.count && !brings; i++) {
        const TopologyGroup *group = &solver->topology.groups.items[i];
        uint64_t *mask;

        if (group->kind != GROUP_SPREAD || group->key == INDEX_NONE ||
            !bin_filter(solver, group->filter, bin->state, bin_taints(bin)))
            continue;
        mask = bitset_new(&scratch, group->words * 64);
        claim_domains(solver, bin, group->key, group->words, mask);
        for (uint32_t atom = solver->universe.keys.items[group->key].value_count;
             atom < solver->universe.keys.items[group->key].atoms; atom++)
            bitset_clear(mask, atom); // no domains
        brings = !bitset_is_subset(mask, group->supported, group->words);
    }
    arena_free(&scratch);
    return brings;
}

// Ties a claim to the capacity type it is expected to get, so that a rule about capacity types can tell what it is.
// Whether that changed the claim.
static bool settle_capacity_type(Solver *solver, Bin *bin) {
    uint32_t key = universe_key(&solver->universe, NAME_CAPACITY_TYPE), state;
    const Offering *offering;
    uint64_t *rows = solver->fresh_rows;

    claim_price(solver, bin, bin->rows, NULL, &offering);
    state = label_state_step(
        &solver->states, bin->state,
        label_state_pin_set(&solver->states, key, universe_atom(&solver->universe, key, offering->capacity_type)));
    if (state == LABEL_STATE_NONE || state == bin->state)
        return false;
    bitset_copy(rows, bin->rows, bin->pool->table->words);
    if (!bitset_and(rows, label_state_at(&solver->states, state)->rows, bin->pool->table->words) ||
        (bin->pool->min_values.count && !claim_min_values_met(solver, bin, state, rows)))
        return false;
    bin->state = state;
    bitset_copy(bin->rows, rows, bin->pool->table->words);
    claim_charge(solver, bin);
    return true;
}

// Of claims that the rule may count, those of which it cannot tell whether it does, or in which capacity type.
static bool settle_claims(Solver *solver, const TopologyGroup *group) {
    bool changed = false;

    for (uint32_t i = solver->node_count; i < solver->bins.count; i++) {
        Bin *bin = &solver->bins.items[i];
        Counted counted = bin->gone ? COUNTED_NEVER : bin_filter(solver, group->filter, bin->state, bin_taints(bin));

        if (counted == COUNTED_PERHAPS || (counted && group->topology_key == NAME_CAPACITY_TYPE))
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
            solver->domains_settled = changed = true;
        }
        arena_free(&scratch);
    }
    return changed;
}
