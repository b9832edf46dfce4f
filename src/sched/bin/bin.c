// Verdicts and commits.
#include "sched/bin/bin.h"

#include "sched/bin/claim_price.h"
#include "sched/bin/claim_types.h"

#include <math.h>

bool class_counts_for(const PodClass *class, uint32_t group) {
    uint32_t low = 0, high = class->counted.count; // sorted, as it is made in the order of the groups

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (class->counted.items[middle] < group)
            low = middle + 1;
        else
            high = middle;
    }
    return low < class->counted.count && class->counted.items[low] == group;
}

const TaintVec *bin_taints(const Bin *bin) {
    return bin->node ? &bin->node->taints : &bin->pool->pool->template_spec.taints;
}

static TopologyGroup *group_at(Solver *solver, uint32_t number) {
    return &solver->topology.groups.items[number];
}

// --- node filters

static Counted filter_row(const Solver *solver, const NodeFilter *filter, const uint64_t *row) {
    Counted answer = filter->terms.count ? COUNTED_NEVER : COUNTED_SURELY;

    for (vec_each(LabelSetId, term, &filter->terms)) {
        const LabelSet *set = label_set(&solver->universe, *term);

        if (row_within(&solver->universe, row, set))
            return COUNTED_SURELY;
        if (row_meets(&solver->universe, row, set))
            answer = COUNTED_PERHAPS;
    }
    return answer;
}

Counted bin_filter(Solver *solver, uint32_t filter, uint32_t state, const TaintVec *taints) {
    const NodeFilter *rule;
    uint64_t key = (uint64_t)filter << 32 | state;
    uint32_t answer;

    if (filter == INDEX_NONE)
        return COUNTED_SURELY;
    rule = &solver->topology.filters.items[filter];
    if (rule->honor_taints && !taints_are_tolerated(solver->universe.symbols, taints, rule->tolerations, false))
        return COUNTED_NEVER;
    answer = u64_map_get(&solver->filter_answers, key);
    if (answer == INDEX_NONE) {
        answer = (uint32_t)filter_row(solver, rule, label_state_at(&solver->states, state)->possible);
        u64_map_put(solver->arena, &solver->filter_answers, key, answer);
    }
    return (Counted)answer;
}

Counted claim_filter(Solver *solver, uint32_t filter, const Bin *bin, const uint64_t *rows) {
    Counted answer = bin_filter(solver, filter, bin->state, bin_taints(bin));
    Arena scratch = {0};
    uint64_t *row;

    if (answer != COUNTED_PERHAPS)
        return answer;
    row = arena_copy(&scratch, label_state_at(&solver->states, bin->state)->row,
                     (solver->universe.row_words + 1) * sizeof *row);
    type_table_possible(bin->pool->table, &solver->universe, rows, row);
    answer = filter_row(solver, &solver->topology.filters.items[filter], row);
    arena_free(&scratch);
    return answer;
}

static bool decide_bin(Solver *solver, Bin *bin, uint32_t group_number) {
    bool decided = false;

    for (uint32_t i = 0; i < bin->undecided.count;) {
        const Undecided *undecided = &bin->undecided.items[i];
        TopologyGroup *group = group_at(solver, undecided->group);
        Counted answer =
            undecided->group == group_number ? claim_filter(solver, group->filter, bin, bin->rows) : COUNTED_PERHAPS;

        if (answer == COUNTED_PERHAPS) {
            i++;
            continue;
        }
        topology_decide(group, undecided->atom, answer == COUNTED_SURELY, undecided->count);
        bin->decided = true;
        bin->undecided.items[i] = *vec_last(&bin->undecided);
        bin->undecided.count--;
        decided = true;
    }
    return decided;
}

bool bins_decide(Solver *solver, const PodClass *class) {
    bool decided = false;

    for (vec_each(uint32_t, number, &class_variant(class, 0)->groups)) {
        if (!group_at(solver, *number)->undecided)
            continue;
        for (uint32_t i = solver->node_count; i < solver->bins.count; i++)
            decided |= decide_bin(solver, &solver->bins.items[i], *number);
    }
    return decided;
}

// --- room

static bool claim_attached(const Bin *bin, Symbol claim) {
    for (vec_each(Symbol, attached, &bin->claims)) {
        if (*attached == claim)
            return true;
    }
    return false;
}

const int64_t *bin_added(Solver *solver, const Bin *bin, const PodClass *class) {
    if (!class->shared_claims.count)
        return class->requests;
    memcpy(solver->added, class->requests, solver->classes.dimensions.count * sizeof *solver->added);
    for (uint32_t i = 0; i < class->shared_claims.count; i++) {
        if (!claim_attached(bin, class->shared_claims.items[i]))
            solver->added[dimension_of_driver(&solver->classes.dimensions, class->shared_drivers.items[i])]++;
    }
    return solver->added;
}

static uint32_t node_fit_count(const Solver *solver, const Bin *bin, const int64_t *added, uint32_t limit) {
    for (uint32_t dim = 0; dim < solver->classes.dimensions.count; dim++) {
        if (added[dim] <= 0)
            continue; // resources that a pod does not request may be overcommitted, as for kube-scheduler
        if (added[dim] > bin->free[dim])
            return 0;
        if (bin->free[dim] / added[dim] < (int64_t)limit)
            limit = (uint32_t)(bin->free[dim] / added[dim]);
    }
    return limit;
}

// The number of pods that some of the types `rows` has room for at once. That all fit is the usual case and tested
// first.
static uint32_t claim_room_count(Solver *solver, const Bin *bin, const int64_t *added, const uint64_t *rows,
                                 uint32_t limit) {
    bitset_copy(solver->fewer_rows, rows, bin->pool->table->words);
    if (room_fit(bin->pool->room, bin->used, added, limit, solver->fewer_rows))
        return limit;
    return room_fit_count(bin->pool->room, bin->used, added, rows, limit);
}

// The types that have room for `count` more pods suffice for minValues.
static bool can_list_with(Solver *solver, const Bin *bin, uint32_t state, const int64_t *added, const uint64_t *rows,
                          uint32_t count) {
    bitset_copy(solver->fewer_rows, rows, bin->pool->table->words);
    return room_fit(bin->pool->room, bin->used, added, count, solver->fewer_rows) &&
           claim_can_list(solver, bin, state, solver->fewer_rows);
}

// The most pods, of `limit`, that leave a claim the types that minValues need, one pod being possible. Found by
// halving.
static uint32_t claim_list_count(Solver *solver, const Bin *bin, uint32_t state, const int64_t *added,
                                 const uint64_t *rows, uint32_t limit) {
    uint32_t most = 1;

    if (limit == 1 || can_list_with(solver, bin, state, added, rows, limit))
        return limit;
    for (uint32_t too_many = limit; too_many - most > 1;) {
        uint32_t middle = most + (too_many - most) / 2;

        if (can_list_with(solver, bin, state, added, rows, middle))
            most = middle;
        else
            too_many = middle;
    }
    return most;
}

// Sets the types of a claim with a further pod in `state`, and returns the number of pods that fit at once; 0: no type
// is left.
static uint32_t claim_fit_count(Solver *solver, const Bin *bin, const PodClass *class, uint32_t state, uint32_t limit) {
    const Pool *pool = bin->pool;
    const int64_t *added = bin_added(solver, bin, class);
    uint64_t *rows = solver->rows;

    bitset_copy(rows, bin->rows, pool->table->words);
    if (!bitset_and(rows, label_state_at(&solver->states, state)->rows, pool->table->words))
        return 0;
    pool_drop_port_conflicts(pool, class->ports, rows);
    if (!pool->charge_largest) // else all of its types are within its charge
        pool_limit_rows(pool, bin->charge, rows);
    if (limit < 1 || !room_fit(pool->room, bin->used, added, 1, rows))
        return 0;
    if (pool->min_values.count && !claim_can_list(solver, bin, state, rows))
        return 0;
    if (limit > 1)
        limit = claim_room_count(solver, bin, added, rows, limit);
    return pool->min_values.count ? claim_list_count(solver, bin, state, added, rows, limit) : limit;
}

// --- topology

// With rules on several keys, combinations of domains are tried. Usual rules are on one or two keys; rules on all
// labels of an instance type have more combinations than can be tried, so this is the limit.
enum { DOMAINS_TRIED_MAX = 1024 };

typedef struct {
    Solver *solver;
    const Bin *bin;
    const PodClass *class;
    const Variant *variant;
    bool not_now; // a spread or affinity rule, or a limit, did not allow it
    uint32_t state, count;
    uint32_t tried; // number of domains that were tried
} Search;

// The number of pods that the hostname groups allow.
static uint32_t bin_allowance(Search *search, uint32_t limit) {
    for (vec_each(uint32_t, number, &search->variant->bin_checks)) {
        const TopologyGroup *group = group_at(search->solver, *number);
        bool self = class_counts_for(search->class, *number);

        limit = topology_bin_allowance(group, self, search->bin->number, limit);
        if (limit == 0) {
            search->not_now |= group->kind == GROUP_AFFINITY;
            break;
        }
    }
    return limit;
}

static void allow_domains(Search *search, const KeyRule *rule, uint64_t *mask) {
    for (vec_each(uint32_t, number, &rule->checks)) {
        const TopologyGroup *group = group_at(search->solver, *number);

        topology_allow(&search->solver->topology, group, class_counts_for(search->class, *number), mask);
        budget_spend(&search->solver->budget, 32 + 32 * group->words);
        search->not_now |= group->kind == GROUP_SPREAD || group->kind == GROUP_AFFINITY;
    }
}

// The number of pods that may go to a domain at once.
static uint32_t domain_allowance(const Search *search, const KeyRule *rule, uint32_t atom, uint32_t limit) {
    for (vec_each(uint32_t, number, &rule->checks))
        limit = topology_allowance(group_at(search->solver, *number), class_counts_for(search->class, *number), atom,
                                   limit);
    return limit;
}

// The count by which a domain is chosen: the highest of the spreads' counts. All the same if domains may be uneven.
static int64_t domain_load(const Search *search, const KeyRule *rule, uint32_t atom) {
    int64_t load = 0;

    if (search->solver->uneven)
        return 0;
    for (vec_each(uint32_t, number, &rule->checks)) {
        const TopologyGroup *group = group_at(search->solver, *number);

        if (group->kind == GROUP_SPREAD && group->most[atom] > load)
            load = group->most[atom];
    }
    return load;
}

// The price of the claim in that state with one pod more of the class; 0 for a node.
static double settled_price(const Search *search, uint32_t state) {
    Solver *solver = search->solver;
    const Bin *bin = search->bin;
    uint64_t *rows = solver->fewer_rows;
    const LaunchOption *launch;

    if (bin->node)
        return 0;
    bitset_copy(rows, bin->rows, bin->pool->table->words);
    pool_drop_port_conflicts(bin->pool, search->class->ports, rows);
    if (!bitset_and(rows, label_state_at(&solver->states, state)->rows, bin->pool->table->words) ||
        !room_fit(bin->pool->room, bin->used, search->class->requests, 1, rows))
        return INFINITY;
    launch = launch_order_choice(claim_launch_order(solver, bin->pool, state), rows);
    return launch ? launch->price : INFINITY;
}

// The rank of a domain among equally loaded ones: the cheapest, then the first by name. Further attempts vary the price
// a little, and every other attempt goes by name only, starting from different names.
static double domain_rank(Search *search, const KeyRule *rule, uint32_t state, uint32_t atom) {
    uint32_t attempt = search->solver->attempt;
    uint32_t values = search->solver->universe.keys.items[rule->key].value_count;

    if (state == LABEL_STATE_NONE)
        return INFINITY;
    if (attempt == 0)
        return settled_price(search, state);
    if (attempt % 2 == 0)
        return settled_price(search, state) * (0.7 + random_below(&search->solver->random, 600) / 1000.0);
    return attempt % 4 == 1 ? (atom + attempt / 2) % values : values - (atom + attempt / 2) % values;
}

// The best domain in the mask: the least loaded, then by rank. `ret_state`: the label state when pinned to it.
static uint32_t best_domain(Search *search, const KeyRule *rule, uint32_t state, const uint64_t *mask, uint32_t words,
                            uint32_t *ret_state) {
    LabelStates *states = &search->solver->states;
    uint32_t best = INDEX_NONE;
    int64_t best_load = INT64_MAX;
    double best_rank = INFINITY;

    for (bitset_each(atom, mask, words)) {
        int64_t load = domain_load(search, rule, atom);
        uint32_t next;
        double rank;

        budget_spend(&search->solver->budget, 128);
        if (load > best_load)
            continue;
        next = label_state_step(states, state, label_state_pin_set(states, rule->key, atom));
        rank = domain_rank(search, rule, next, atom);
        if (best != INDEX_NONE && load == best_load && rank >= best_rank)
            continue;
        best = atom;
        best_load = load;
        best_rank = rank;
        *ret_state = next;
    }
    return best;
}

static bool settle_keys(Search *search, uint32_t at, uint32_t state, uint32_t limit);

// Tries the domains, best first, until one leads to a place. Clears the mask.
static bool settle_domain(Search *search, uint32_t at, uint32_t state, uint32_t limit, uint64_t *mask, uint32_t words) {
    const KeyRule *rule = &search->variant->keys.items[at];
    uint32_t next = LABEL_STATE_NONE, atom;

    while (search->tried++ < DOMAINS_TRIED_MAX &&
           (atom = best_domain(search, rule, state, mask, words, &next)) != INDEX_NONE) {
        uint32_t allowance = domain_allowance(search, rule, atom, limit);

        bitset_clear(mask, atom);
        if (next != LABEL_STATE_NONE && allowance && settle_keys(search, at + 1, next, allowance))
            return true;
    }
    return false;
}

// Whether the label state of a claim leaves several domains of the key.
static bool is_open(const Solver *solver, const uint64_t *mask, uint32_t key) {
    const LabelKey *label_key = &solver->universe.keys.items[key];
    uint32_t domains = 0;

    for (bitset_each(atom, mask, label_key->words)) {
        if (atom < label_key->value_count)
            domains++;
    }
    return domains > 0 && bitset_count(mask, label_key->words) > 1;
}

static bool settle_key(Search *search, uint32_t at, uint32_t state, uint32_t limit) {
    Solver *solver = search->solver;
    const KeyRule *rule = &search->variant->keys.items[at];
    const LabelKey *key = &solver->universe.keys.items[rule->key];
    uint64_t small[16], *mask = small;
    Arena scratch = {0};
    bool settled;

    if (key->words > 16)
        mask = arena_array_raw(&scratch, uint64_t, key->words);
    bitset_copy(mask, label_state_key(&solver->states, state, rule->key), key->words);
    allow_domains(search, rule, mask);
    if (bitset_is_empty(mask, key->words)) {
        settled = false;
    } else if (rule->pin && is_open(solver, mask, rule->key)) {
        for (uint32_t atom = key->value_count; atom < key->atoms; atom++)
            bitset_clear(mask, atom);
        settled = settle_domain(search, at, state, limit, mask, key->words);
    } else {
        uint32_t atom = bitset_next(mask, key->words, 0), next;

        next = bitset_eq(mask, label_state_key(&solver->states, state, rule->key), key->words)
                   ? state
                   : label_state_step(&solver->states, state, label_state_mask_set(&solver->states, rule->key, mask));
        if (atom < key->value_count)
            limit = domain_allowance(search, rule, atom, limit);
        settled = next != LABEL_STATE_NONE && limit && settle_keys(search, at + 1, next, limit);
    }
    arena_free(&scratch);
    return settled;
}

static bool settle_keys(Search *search, uint32_t at, uint32_t state, uint32_t limit) {
    if (at < search->variant->keys.count)
        return settle_key(search, at, state, limit);
    search->count = search->bin->node ? node_fit_count(search->solver, search->bin,
                                                       bin_added(search->solver, search->bin, search->class), limit)
                                      : claim_fit_count(search->solver, search->bin, search->class, state, limit);
    search->state = state;
    search->not_now |= search->count == 0 && search->bin->pool && search->bin->pool->limited; // limits may be freed
    return search->count > 0;
}

// --- the verdict

static bool taints_allow(const Solver *solver, const Bin *bin, const Variant *variant) {
    if (bin->node)
        return bitset_has(solver->tolerated_nodes[variant->tolerations], bin->number);
    return bitset_has(solver->tolerated_pools + (size_t)variant->tolerations * solver->pool_words, bin->pool->number);
}

// Checks whose result only gets worse as the bin fills: a class that fails one can never go there.
static bool may_ever(Solver *solver, const Bin *bin, const PodClass *class, const Variant *variant,
                     uint32_t *ret_state) {
    const int64_t *added = class->requests;

    if (!taints_allow(solver, bin, variant) || (class->moved && bin->node && bin->node->keeps_out_moved))
        return false;
    *ret_state = bin->pods.count ? label_state_join(&solver->states, bin->state, variant->labels)
                                 : label_state_step(&solver->states, bin->state, variant->labels);
    if (*ret_state == LABEL_STATE_NONE)
        return false;
    if (port_sets_conflict(class->ports, bin->ports))
        return false;
    if (bin->node)
        return node_fit_count(solver, bin, bin_added(solver, bin, class), 1) > 0;
    bitset_copy(solver->rows, bin->rows, bin->pool->table->words);
    return room_fit(bin->pool->room, bin->used, added, 1, solver->rows);
}

uint32_t class_site_state(LabelStates *states, uint32_t state, const PodClass *class, const Variant *variant,
                          uint32_t site) {
    state = label_state_step(states, state, variant->labels);
    if (state == LABEL_STATE_NONE || !class->volume_alternatives.count)
        return state;
    return label_state_step(states, state, class->volume_alternatives.items[site]);
}

// Alternatives of a class's volumes, cheapest first, as far as Solver.disorder lets prices decide; at most so many are
// compared.
typedef struct {
    uint32_t count, sites[8];
    double prices[8];
} SiteOrder;

static double site_rank(const Search *search, uint32_t state) {
    Solver *solver = search->solver;

    if (state == LABEL_STATE_NONE)
        return INFINITY;
    if (solver->disorder <= 0)
        return settled_price(search, state);
    return settled_price(search, state) * (1 + solver->disorder * random_below(&solver->random, 1000) / 1000.0);
}

static SiteOrder order_sites(const Search *search, uint32_t state) {
    LabelStates *states = &search->solver->states;
    SiteOrder order = {0};

    for (uint32_t site = 0; site < search->class->volume_alternatives.count && order.count < 8; site++) {
        uint32_t next = label_state_step(states, state, search->class->volume_alternatives.items[site]);
        double price = site_rank(search, next);
        uint32_t at = order.count++;

        for (; at > 0 && order.prices[at - 1] > price; at--) {
            order.prices[at] = order.prices[at - 1];
            order.sites[at] = order.sites[at - 1];
        }
        order.prices[at] = price;
        order.sites[at] = site;
    }
    return order;
}

static bool settle_site(Search *search, uint32_t state, uint32_t limit, uint32_t site) {
    uint32_t next = label_state_step(&search->solver->states, state, search->class->volume_alternatives.items[site]);

    return next != LABEL_STATE_NONE && settle_keys(search, 0, next, limit);
}

// `state`: the label state with the variant's labels.
static bool settle_volumes(Search *search, uint32_t state, uint32_t limit) {
    uint32_t count = search->class->volume_alternatives.count;
    SiteOrder order;

    if (!count)
        return settle_keys(search, 0, state, limit);
    if (count == 1)
        return settle_site(search, state, limit, 0);
    order = order_sites(search, state);
    for (uint32_t i = 0; i < count; i++) {
        if (settle_site(search, state, limit, i < order.count ? order.sites[i] : i))
            return true;
    }
    return false;
}

// The estimated time of a verdict, in steps of the budget.
static uint64_t verdict_steps(const Variant *variant) {
    enum { VERDICT_STEPS = BUDGET_STEPS_PER_US / 8, RULE_STEPS = BUDGET_STEPS_PER_US / 16 };

    return VERDICT_STEPS + RULE_STEPS * (variant->keys.count + variant->bin_checks.count);
}

Verdict bin_try(Solver *solver, const Bin *bin, const PodClass *class, const Variant *variant, uint32_t want,
                Placement *ret_placement) {
    Search search = {.solver = solver, .bin = bin, .class = class, .variant = variant};
    uint32_t state, limit = class->ports || class->shared_claims.count ? 1 : want;

    budget_spend(&solver->budget, verdict_steps(variant) + (class->ports ? 4 * port_set_count(bin->ports) : 0));
    if (bin->gone || !may_ever(solver, bin, class, variant, &state))
        return VERDICT_NEVER;
    limit = bin_allowance(&search, limit);
    if (limit == 0)
        return search.not_now ? VERDICT_NOT_NOW : VERDICT_NEVER;
    if (!settle_volumes(&search, state, limit))
        return search.not_now ? VERDICT_NOT_NOW : VERDICT_NEVER;
    *ret_placement = (Placement){.state = search.state, .count = search.count, .rows = solver->rows};
    return VERDICT_FITS;
}

// --- the commit

void group_record(Solver *solver, uint32_t group_number, uint32_t number, uint32_t state, const TaintVec *taints,
                  int32_t count) {
    TopologyGroup *group = group_at(solver, group_number);
    Counted accepted = bin_filter(solver, group->filter, state, taints);

    if (accepted == COUNTED_NEVER)
        return;
    if (group->key != INDEX_NONE)
        topology_record(&solver->topology, group, label_state_key(&solver->states, state, group->key),
                        accepted == COUNTED_SURELY, count);
    else if (number != INDEX_NONE)
        topology_record_bin(&solver->topology, group, number, count);
    else
        topology_record_elsewhere(group, count);
}

// Records pods of a claim for which the group's filter is undecided.
static void note_undecided(Solver *solver, Bin *bin, uint32_t number, int32_t count) {
    const TopologyGroup *group = group_at(solver, number);
    const uint64_t *mask;
    uint32_t atom;

    if (group->key == INDEX_NONE || bin_filter(solver, group->filter, bin->state, bin_taints(bin)) != COUNTED_PERHAPS)
        return;
    mask = label_state_key(&solver->states, bin->state, group->key);
    atom = bitset_next(mask, group->words, 0);
    if (bitset_count(mask, group->words) == 1 && atom < solver->universe.keys.items[group->key].value_count)
        vec_push(solver->placing, &bin->undecided, (Undecided){number, atom, count});
}

static void attach_claims(Solver *solver, Bin *bin, const PodClass *class) {
    for (vec_each(Symbol, claim, &class->shared_claims)) {
        if (!claim_attached(bin, *claim))
            vec_push(solver->placing, &bin->claims, *claim);
    }
}

static void note_pods(Solver *solver, Bin *bin, uint32_t class, uint32_t variant, uint32_t count) {
    if (bin->pods.count && vec_last(&bin->pods)->class == class && vec_last(&bin->pods)->variant == variant)
        vec_last(&bin->pods)->count += count;
    else
        vec_push(solver->placing, &bin->pods, (BinPods){class, variant, count});
}

void bin_commit(Solver *solver, Bin *bin, uint32_t number, uint32_t variant, const Placement *placement) {
    PodClass *class = &solver->classes.classes.items[number];
    const int64_t *added = bin_added(solver, bin, class);
    int32_t count = (int32_t)placement->count;

    for (uint32_t dim = 0; dim < solver->classes.dimensions.count; dim++) {
        if (bin->node)
            bin->free[dim] -= added[dim] * count;
        else
            bin->used[dim] += added[dim] * count;
    }
    bin->state = placement->state;
    if (!bin->node) {
        bitset_copy(bin->rows, placement->rows, bin->pool->table->words);
        room_fit(bin->pool->room, bin->used, solver->zero, 0, bin->rows);
    }
    if (class->ports)
        bin->ports = port_set_join(solver->placing, bin->ports, class->ports);
    attach_claims(solver, bin, class);
    note_pods(solver, bin, number, variant, placement->count);
    bin->pod_count += placement->count;
    class->placed += placement->count;
    budget_spend(&solver->budget, 8 * (class->counted.count + class->inverse.count) + 4 * port_set_count(bin->ports));
    for (vec_each(uint32_t, group, &class->counted)) {
        group_record(solver, *group, bin->number, bin->state, bin_taints(bin), count);
        if (bin->pool && group_at(solver, *group)->kind == GROUP_SPREAD)
            note_undecided(solver, bin, *group, count);
    }
    for (vec_each(uint32_t, group, &class->inverse))
        group_record(solver, *group, bin->number, bin->state, bin_taints(bin), count);
}
