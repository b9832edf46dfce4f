// Decides, after all pods are placed, the domains that a spread counts and the domains of claims.
#include "sched/bin/settle.h"

#include "sched/bin/claim_price.h"
#include "sched/bin/claim_types.h"
#include "sched/bin/limits.h"

#include <math.h>

static bool class_has_spread(const Solver *solver, const PodClass *class, uint32_t group) {
    for (vec_each(uint32_t, number, &class_last_variant(class)->groups)) {
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

// The values of a key that a claim may still have: those of its label state that some offering of its types has.
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

// Keeps the atoms that are domains, which a missing label and an unknown value are not.
static void keep_values(const Solver *solver, uint32_t key, uint64_t *mask) {
    const LabelKey *label_key = &solver->universe.keys.items[key];

    for (uint32_t atom = label_key->value_count; atom < label_key->atoms; atom++)
        bitset_clear(mask, atom);
}

// The domains of a claim. False: the spread counts all of them already, or does not count the claim.
static bool brought_domains(Solver *solver, const Bin *bin, const TopologyGroup *group, uint64_t *ret_mask) {
    if (!topology_spreads_label(group) || !bin_filter(solver, group->filter, bin->state, bin_taints(bin)))
        return false;
    claim_domains(solver, bin, group->key, group->words, ret_mask);
    keep_values(solver, group->key, ret_mask);
    return !bitset_is_subset(ret_mask, group->supported, group->words);
}

// Whether the spread would still hold with one more domain, without pods.
static bool bears_empty_domain(const TopologyGroup *group) {
    for (bitset_each(atom, group->supported, group->words)) {
        if (group->most[atom] > group->max_skew)
            return false;
    }
    return true;
}

static uint64_t *widest_mask(const Solver *solver, Arena *scratch) {
    uint32_t words = 0;

    for (vec_each(const TopologyGroup, group, &solver->topology.groups)) {
        if (group->words > words)
            words = group->words;
    }
    return bitset_new(scratch, words * 64);
}

bool brings_domain(Solver *solver, const Bin *bin) {
    Arena scratch = {0};
    uint64_t *mask = widest_mask(solver, &scratch);
    bool brings = false;

    for (uint32_t i = 0; i < solver->topology.groups.count && !brings; i++) {
        const TopologyGroup *group = &solver->topology.groups.items[i];

        brings = brought_domains(solver, bin, group, mask) && !bears_empty_domain(group);
    }
    arena_free(&scratch);
    return brings;
}

uint32_t state_in_settled(Solver *solver, const Pool *pool, uint32_t state) {
    for (uint32_t i = 0; i < solver->topology.groups.count && state != LABEL_STATE_NONE; i++) {
        const TopologyGroup *group = &solver->topology.groups.items[i];

        if (topology_spreads_label(group) && !bears_empty_domain(group) &&
            bin_filter(solver, group->filter, state, &pool->pool->template_spec.taints))
            state = label_state_step(&solver->states, state,
                                     label_state_mask_set(&solver->states, group->key, group->supported));
    }
    return state;
}

void add_claim_to_settled(Solver *solver, const Bin *bin) {
    Arena scratch = {0};
    uint64_t *mask = widest_mask(solver, &scratch);

    for (vec_each(TopologyGroup, group, &solver->topology.groups)) {
        if (brought_domains(solver, bin, group, mask))
            bitset_or(group->supported, mask, group->words);
    }
    arena_free(&scratch);
}

// --- claims

// Narrows the claim to `state` and the types `rows`, which is overwritten. False: impossible, and nothing changed.
static bool narrow_claim(Solver *solver, Bin *bin, uint32_t state, uint64_t *rows) {
    uint32_t words = bin->pool->table->words;

    if (state == LABEL_STATE_NONE || !bitset_and(rows, label_state_at(&solver->states, state)->rows, words) ||
        !claim_can_list(solver, bin, state, rows))
        return false;
    bin->state = state;
    bitset_copy(bin->rows, rows, words);
    claim_charge(solver, bin);
    return true;
}

// Pins a claim to one value of a label. Returns whether that changed it.
static bool pin_claim(Solver *solver, Bin *bin, uint32_t key, uint32_t atom) {
    uint32_t state = label_state_step(&solver->states, bin->state, label_state_pin_set(&solver->states, key, atom));

    bitset_copy(solver->fresh_rows, bin->rows, bin->pool->table->words);
    return state != bin->state && narrow_claim(solver, bin, state, solver->fresh_rows);
}

static bool pin_claim_to(Solver *solver, Bin *bin, Symbol key_name, Symbol value) {
    uint32_t key = universe_key(&solver->universe, key_name);

    return key != INDEX_NONE && pin_claim(solver, bin, key, universe_atom(&solver->universe, key, value));
}

// Removes the types for which a node filter differs from its result for the expected one. Returns whether there were
// any.
static bool keep_alike(Solver *solver, uint32_t filter, Bin *bin) {
    Arena scratch = {0};
    uint32_t words = bin->pool->table->words, expected = bitset_next(bin->rows, words, 0);
    uint64_t *single = bitset_new(&scratch, words * 64), *alike = bitset_new(&scratch, words * 64);
    Counted answer;
    bool changed;

    claim_price(solver, bin, bin->rows, &expected, NULL);
    bitset_set(single, expected);
    answer = claim_filter(solver, filter, bin, single);
    for (bitset_each(row, bin->rows, words)) {
        memset(single, 0, words * sizeof *single);
        bitset_set(single, row);
        if (claim_filter(solver, filter, bin, single) == answer)
            bitset_set(alike, row);
    }
    changed = !bitset_eq(alike, bin->rows, words) && narrow_claim(solver, bin, bin->state, alike);
    bin->decided |= changed;
    arena_free(&scratch);
    return changed;
}

// Decides whether a rule counts a claim for which its filter is undecided: restricts the claim towards the offering
// that is expected, no more than needed. Returns whether that changed the claim.
static bool settle_counted(Solver *solver, const TopologyGroup *group, Bin *bin) {
    const Offering *offering;
    bool changed;

    claim_price(solver, bin, bin->rows, NULL, &offering);
    changed = pin_claim_to(solver, bin, NAME_CAPACITY_TYPE, offering->capacity_type);
    if (claim_filter(solver, group->filter, bin, bin->rows) == COUNTED_PERHAPS)
        changed |= keep_alike(solver, group->filter, bin);
    if (claim_filter(solver, group->filter, bin, bin->rows) == COUNTED_PERHAPS &&
        pin_claim_to(solver, bin, NAME_ZONE, offering->zone)) {
        keep_alike(solver, group->filter, bin);
        changed = true;
    }
    return changed;
}

static bool settle_counted_claims(Solver *solver, const TopologyGroup *group) {
    bool changed = false;

    for (uint32_t i = solver->node_count; i < solver->bins.count; i++) {
        Bin *bin = &solver->bins.items[i];

        if (!bin->gone && claim_filter(solver, group->filter, bin, bin->rows) == COUNTED_PERHAPS)
            changed |= settle_counted(solver, group, bin);
    }
    return changed;
}

// --- domains

// The domains of a spread in which there will be nodes, certainly and possibly.
typedef struct {
    uint64_t *certain, *possible;
} Domains;

static void add_domains(const TopologyGroup *group, const uint64_t *allowed, Counted counted, Domains *domains) {
    bool certain = counted == COUNTED_SURELY && bitset_count(allowed, group->words) == 1;

    for (uint32_t i = 0; i < group->words && counted; i++)
        (certain ? domains->certain : domains->possible)[i] |= allowed[i] & group->supported[i];
}

// The price of a claim when pinned to one of its domains; INFINITY: impossible.
static double price_in_domain(Solver *solver, const Bin *bin, uint32_t key, uint32_t atom) {
    Bin pinned = *bin;

    pinned.state = label_state_step(&solver->states, bin->state, label_state_pin_set(&solver->states, key, atom));
    return pinned.state == LABEL_STATE_NONE ? INFINITY : claim_price(solver, &pinned, bin->rows, NULL, NULL);
}

// Pins a claim to one of its domains: one that certainly has nodes if there is any, since another one would be a
// further domain with too few pods; of these the cheapest.
static bool settle_domain(Solver *solver, const TopologyGroup *group, Bin *bin, uint64_t *domains,
                          const uint64_t *certain) {
    while (!bitset_is_empty(domains, group->words)) {
        uint32_t best = INDEX_NONE;
        double best_price = INFINITY;
        bool best_certain = false;

        for (bitset_each(atom, domains, group->words)) {
            bool has_nodes = bitset_has(certain, atom);
            double price = price_in_domain(solver, bin, group->key, atom);

            if (best != INDEX_NONE && (has_nodes != best_certain ? best_certain : price >= best_price))
                continue;
            best = atom;
            best_price = price;
            best_certain = has_nodes;
        }
        bitset_clear(domains, best);
        if (pin_claim(solver, bin, group->key, best))
            return true;
    }
    return false;
}

// Adds the domains of all nodes that the rule counts. Nodes that are being deleted count while they exist.
static void add_node_domains(Solver *solver, const TopologyGroup *group, Domains *domains) {
    for (uint32_t i = 0; i < solver->input->nodes.count; i++)
        add_domains(group, label_state_key(&solver->states, solver->node_states[i], group->key),
                    bin_filter(solver, group->filter, solver->node_states[i], &solver->input->nodes.items[i].taints),
                    domains);
}

// Adds the domains of claims: of those that have only one, or, with `tie`, of all, pinning those that have several to
// one. Returns whether any was pinned.
static bool add_claim_domains(Solver *solver, const TopologyGroup *group, bool tie, Domains *domains) {
    Arena scratch = {0};
    uint64_t *mask = bitset_new(&scratch, group->words * 64);
    bool changed = false;

    for (uint32_t i = solver->node_count; i < solver->bins.count; i++) {
        Bin *bin = &solver->bins.items[i];
        Counted counted = bin->gone ? COUNTED_NEVER : claim_filter(solver, group->filter, bin, bin->rows);

        if (!counted)
            continue;
        claim_domains(solver, bin, group->key, group->words, mask);
        if (bitset_count(mask, group->words) > 1) {
            if (!tie)
                continue;
            keep_values(solver, group->key, mask);
            changed |= settle_domain(solver, group, bin, mask, domains->certain);
            claim_domains(solver, bin, group->key, group->words, mask);
        }
        add_domains(group, mask, counted, domains);
    }
    arena_free(&scratch);
    return changed;
}

// Takes a spread's minimum over the domains that will have nodes. A claim that may be in several is pinned to one, so
// that no node appears in a domain that is not counted. Returns whether anything changed.
static bool settle_group(Solver *solver, TopologyGroup *group) {
    Arena scratch = {0};
    Domains domains = {bitset_new(&scratch, group->words * 64), bitset_new(&scratch, group->words * 64)};
    bool changed = settle_counted_claims(solver, group);
    uint32_t certain;

    add_node_domains(solver, group, &domains);
    add_claim_domains(solver, group, false, &domains);
    changed |= add_claim_domains(solver, group, true, &domains);
    certain = bitset_count(domains.certain, group->words);
    bitset_or(domains.certain, domains.possible, group->words);
    if (!bitset_is_empty(domains.certain, group->words) &&
        (!bitset_eq(domains.certain, group->supported, group->words) || group->supported_count != certain)) {
        bitset_copy(group->supported, domains.certain, group->words);
        group->supported_count = certain;
        solver->domains_settled = changed = true;
    }
    group->changes += changed;
    arena_free(&scratch);
    return changed;
}

// Has a spread count the domains that it counted at first. False: it does not hold over these, and counts what it did.
static bool loosen_spread(TopologyGroup *group, const TopologyGroup *initial) {
    TopologyGroup settled = *group;

    group->supported = initial->supported;
    group->supported_count = initial->supported_count;
    if (topology_spread_holds(group)) {
        bitset_copy(settled.supported, initial->supported, group->words);
        group->supported = settled.supported;
        return true;
    }
    *group = settled;
    return false;
}

void loosen_spreads(Solver *solver, const TopologyGroup *initial) {
    for (uint32_t i = 0; i < solver->topology.groups.count; i++) {
        TopologyGroup *group = &solver->topology.groups.items[i];

        if (topology_spreads_label(group) && loosen_spread(group, &initial[i]))
            group->changes++;
    }
}

bool domains_are_waited_for(const Solver *solver) {
    for (uint32_t i = 0; i < solver->topology.groups.count; i++) {
        if (topology_spreads_label(&solver->topology.groups.items[i]) && spread_is_waited_for(solver, i))
            return true;
    }
    return false;
}

// After all pods are placed, the nodes of the plan are known, so a spread's minimum need not include domains that pools
// could open but no pod needed. kube-scheduler considers existing nodes only.
bool settle_domains(Solver *solver) {
    bool changed = false;

    for (uint32_t i = 0; i < solver->topology.groups.count; i++) {
        TopologyGroup *group = &solver->topology.groups.items[i];

        if (topology_spreads_label(group) && spread_is_waited_for(solver, i))
            changed |= settle_group(solver, group);
    }
    return changed;
}
