// The strategy that places pods where they add the least to the price.
//
// Classes that are hardest to place come first. Pods of a class are placed, in this order, on existing nodes; on claims
// whose expected type has room already, those with the least room first; then where the price per pod is lowest: on a
// claim that grows by one or a few steps of its launch order, or on a new claim. The price of a step is divided by the
// pods of the class's size that it has room for, at most the pods that are left, since other pods will fill it.
#include "sched/place/marginal.h"

#include "sched/bin/blast_radius.h"
#include "sched/bin/claim.h"
#include "sched/bin/claim_price.h"
#include "sched/index/lanes.h"
#include "sched/input/class_variants.h"
#include "sched/place/commit.h"
#include "sched/place/first_fit.h"
#include "sched/place/marginal_room.h"
#include "sched/place/marginal_state.h"

#include <math.h>
#include <stdlib.h>

// Steps with room for the pod that are looked at when a claim may grow. Rebuilding a plan of few bins looks at all
// steps.
enum { STEPS_AHEAD = 4, FEW_BINS = 64, OPTIONS_MAX = 16 };

// Steps charged to the budget: for looking at a bin group, and at a block of a load table.
enum { GROUP_STEPS = BUDGET_STEPS_PER_US / 20, LANES_STEPS = BUDGET_STEPS_PER_US / 4 };

// The option to let claims of a load table grow to a step of their launch order.
typedef struct {
    float score; // price per pod
    const LoadTable *load_table;
    const LaunchOrder *after; // launch order of the claims with a pod of the class
    uint32_t step;            // of `after`
    uint32_t variant;
} Option;

// A request to place pods of one class.
typedef struct {
    Solver *solver;
    Marginal *m;
    BinCheck *checks;
    uint32_t check_count;
    uint32_t number, variant_number, want;
    const PodClass *class;
    const Variant *variant;    // the alternative that is tried now
    Alternatives alternatives; // variants that differ only in the labels they require
    bool counts_itself;        // the class's rules count its own pods: each placement may change the domains allowed
    bool grown_out;            // claims that can grow need not be tried again
    // If the loss of a node is priced (bin/blast_radius.h): the price of a pod on a new claim, and what is saved of it
    // on the bin that is tried.
    double elsewhere, margin;
    const MoveRules *rules; // NULL: pods are placed for the first time
    bool *ret_later;
} Ask;

// Charges the budget for one bin group. False: the budget is used up.
static bool goes_on(const Ask *ask) {
    return budget_spend(&ask->solver->budget, GROUP_STEPS);
}

// Switches to another variant.
static void ask_for(Ask *ask, uint32_t variant) {
    ask->variant_number = variant;
    ask->variant = class_variant(ask->class, variant);
}

#define each_alternative(ask)                                                                                          \
    uint32_t variant = (ask)->alternatives.first;                                                                      \
    variant < (ask)->alternatives.first + (ask)->alternatives.count;                                                   \
    variant++

// --- bin groups

enum { MASK_WORDS_MAX = 16 };

// Removes from the mask of a key's values those that topology rules do not allow now.
static void allow_domains(const Ask *ask, const KeyRule *rule, uint64_t *mask) {
    Solver *solver = ask->solver;

    for (vec_each(uint32_t, number, &rule->checks))
        topology_allow(&solver->topology, &solver->topology.groups.items[*number],
                       class_counts_for(ask->class, *number), mask);
}

static bool domains_open(Ask *ask, uint32_t state) {
    Solver *solver = ask->solver;

    for (vec_each(const KeyRule, rule, &ask->variant->keys)) {
        const LabelKey *key = &solver->universe.keys.items[rule->key];
        uint64_t mask[MASK_WORDS_MAX];

        if (key->words > MASK_WORDS_MAX || !rule->checks.count)
            continue; // left to bin_try
        bitset_copy(mask, label_state_key(&solver->states, state, rule->key), key->words);
        allow_domains(ask, rule, mask);
        if (bitset_is_empty(mask, key->words)) {
            *ask->ret_later = true;
            return false;
        }
    }
    return true;
}

// Whether the restrictions on pods that are moved allow the group: no lighter pool than before, and the same domains if
// rules count the pods.
static bool rules_allow(const Ask *ask, const BinGroup *bin_group) {
    const Solver *solver = ask->solver;

    if (bin_group->pool && bin_group->pool->pool->weight < ask->rules->weight)
        return false;
    for (uint32_t i = 0; i < ask->variant->keys.count && ask->rules->state != LABEL_STATE_NONE; i++) {
        uint32_t key = ask->variant->keys.items[i].key;

        if (!bitset_eq(label_state_key(&solver->states, bin_group->state, key),
                       label_state_key(&solver->states, ask->rules->state, key),
                       solver->universe.keys.items[key].words))
            return false;
    }
    return true;
}

// Whether pods may be placed on bins of the group. `ret_after`: the launch order of its claims with a pod of the class,
// which may be another one (a pod that requires on-demand changes the price of a claim); NULL for nodes.
static bool bin_group_allows(Ask *ask, const BinGroup *bin_group, const LaunchOrder **ret_after) {
    Solver *solver = ask->solver;
    uint32_t tolerations = ask->variant->tolerations, state;

    if (!bin_group->bin_count || (ask->rules && !rules_allow(ask, bin_group)))
        return false;
    if (bin_group->pool
            ? !bitset_has(solver->tolerated_pools + (size_t)tolerations * solver->pool_words, bin_group->pool->number)
            : !bitset_has(solver->tolerated_nodes[tolerations], bin_group->load_tables[0].bins[0]))
        return false;
    if (label_state_join(&solver->states, bin_group->state, ask->variant->labels) == LABEL_STATE_NONE)
        return false;
    // If the pod's volumes allow several sites, bin_try finds one.
    state = class_site_count(ask->class) == 1
                ? class_site_state(&solver->states, bin_group->state, ask->class, ask->variant, 0)
                : label_state_step(&solver->states, bin_group->state, ask->variant->labels);
    if (state == LABEL_STATE_NONE || !domains_open(ask, state))
        return false;
    *ret_after = state == bin_group->state || !bin_group->pool ? bin_group->launch_order
                                                               : claim_launch_order(solver, bin_group->pool, state);
    return true;
}

// --- candidates

// The number of pods that hostname rules allow on a bin (INDEX_NONE: a new one), at most `limit`.
static uint32_t bin_allowance(const Ask *ask, uint32_t bin, uint32_t limit) {
    for (uint32_t i = 0; i < ask->check_count && limit; i++)
        limit = topology_bin_allowance(ask->checks[i].group, ask->checks[i].self, bin, limit);
    return limit;
}

// The weighted room that a bin of the load table would have left after the pod.
static float lane_room(const Ask *ask, const LoadTable *load_table, uint32_t lane) {
    float room = 0;

    for (uint32_t dim = 0; dim < ask->solver->quanta.dims; dim++) {
        if (ask->m->most[dim] != INT32_MAX)
            room += ask->m->weight[dim] *
                    (float)(ask->m->most[dim] - load_table->load[(size_t)dim * load_table->capacity + lane]);
    }
    return room;
}

// Adds bins of a load table whose load is at most m->most: all of them, or at least 256 and several per wanted pod.
static uint32_t add_candidates(Ask *ask, const LoadTable *load_table, uint32_t count) {
    enum { CHOICE = 8, ENOUGH = 256 };
    Marginal *m = ask->m;
    uint32_t dims = ask->solver->quanta.dims,
             enough = ask->want > UINT32_MAX / CHOICE ? UINT32_MAX : ask->want * CHOICE;
    uint32_t lanes[LOAD_TABLE_BLOCK];

    if (!load_table_may_have(load_table, dims, m->most))
        return count;
    if (enough < ENOUGH)
        enough = ENOUGH;
    for (uint32_t start = 0; start < load_table->count && count < enough; start += LOAD_TABLE_BLOCK) {
        uint32_t found = load_table_find(load_table, dims, m->most, start, lanes);

        budget_spend(&ask->solver->budget, LANES_STEPS);
        for (uint32_t i = 0; i < found; i++) {
            uint32_t bin = load_table->bins[lanes[i]];

            if (!bin_allowance(ask, bin, 1) || (ask->rules && bin == ask->rules->from))
                continue;
            m->candidates[count++] = (Candidate){lane_room(ask, load_table, lanes[i]), bin};
        }
    }
    return count;
}

static bool is_within(const Ask *ask, const LoadTable *load_table, uint32_t lane) {
    for (uint32_t dim = 0; dim < ask->solver->quanta.dims; dim++) {
        if (load_table->load[(size_t)dim * load_table->capacity + lane] > ask->m->most[dim])
            return false;
    }
    return true;
}

// The same of a load table of nodes, when those with room are known.
static uint32_t add_known_candidates(Ask *ask, const LoadTable *load_table, const U32Vec *nodes) {
    const BinIndex *bin_index = &ask->m->bin_index;
    uint32_t count = 0;

    budget_spend(&ask->solver->budget, LANES_STEPS);
    for (vec_each(const uint32_t, bin, nodes)) {
        const BinPlace *place = &bin_index->places.items[*bin];

        if (place->bin_group == INDEX_NONE ||
            bin_index->bin_groups.items[place->bin_group]->load_tables != load_table ||
            !is_within(ask, load_table, place->lane) || !bin_allowance(ask, *bin, 1) ||
            (ask->rules && *bin == ask->rules->from))
            continue;
        ask->m->candidates[count++] = (Candidate){lane_room(ask, load_table, place->lane), *bin};
    }
    return count;
}

static uint32_t find_candidates(Ask *ask, const LoadTable *load_table, bool nodes) {
    const U32Vec *known = nodes ? marginal_room(ask->m, ask->number) : NULL;

    return known ? add_known_candidates(ask, load_table, known) : add_candidates(ask, load_table, 0);
}

static bool comes_first(const Candidate *a, const Candidate *b) {
    return a->score < b->score || (a->score == b->score && a->bin < b->bin);
}

static int compare_candidates(const void *a, const void *b) {
    return comes_first(a, b) ? -1 : 1; // no two are equal: bins differ
}

static void swap_candidates(Candidate *a, Candidate *b) {
    Candidate kept = *a;

    *a = *b;
    *b = kept;
}

// Partitions by the median of three samples, as quickselect does. Returns the place of that median.
static uint32_t partition(Candidate *candidates, uint32_t count) {
    Candidate *first = &candidates[0], *middle = &candidates[count / 2], *last = &candidates[count - 1];
    uint32_t at = 0;

    if (comes_first(middle, first))
        swap_candidates(middle, first);
    if (comes_first(last, middle))
        swap_candidates(last, middle);
    if (comes_first(middle, first))
        swap_candidates(middle, first);
    swap_candidates(middle, last);
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (comes_first(&candidates[i], last))
            swap_candidates(&candidates[i], &candidates[at++]);
    }
    swap_candidates(last, &candidates[at]);
    return at;
}

// Moves the `first` best of `count` candidates to the front and sorts them. O(count + first × log first) expected.
static void select_best(Candidate *candidates, uint32_t count, uint32_t first) {
    uint32_t from = 0, to = count;

    while (first < count && to - from > 1) {
        uint32_t at = from + partition(candidates + from, to - from);

        if (at == first)
            break;
        if (at < first)
            from = at + 1;
        else
            to = at;
    }
    qsort(candidates, first, sizeof *candidates, compare_candidates);
}

// --- placing in bins

// The number of pods, at most `want`, that fit on a claim launched as that step. `launch_order` NULL: a node, which
// bin_try checks.
static uint32_t step_count(const Ask *ask, const Bin *bin, const LaunchOrder *launch_order, uint32_t step,
                           uint32_t want) {
    const int64_t *free, *requests = ask->class->requests;

    if (!launch_order)
        return want;
    free = bin->pool->room->free + (size_t)launch_at_step(launch_order, step)->row * bin->pool->room->dims;
    for (uint32_t dim = 0; dim < ask->solver->quanta.dims; dim++) {
        if (requests[dim] > 0 && (free[dim] - bin->used[dim]) / requests[dim] < (int64_t)want)
            want = (uint32_t)((free[dim] - bin->used[dim]) / requests[dim]);
    }
    return want;
}

static uint32_t place_on(Ask *ask, uint32_t number, const LaunchOrder *launch_order, uint32_t step) {
    Solver *solver = ask->solver;
    Bin *bin = &solver->bins.items[number];
    uint32_t want = step_count(ask, bin, launch_order, step, ask->want);
    Placement placement;
    Verdict verdict;

    if (solver->workloads)
        want = blast_radius_allowance(solver, bin, ask->number, ask->margin, want);
    if (!want)
        return 0;
    verdict = bin_try(solver, bin, ask->class, ask->variant, want, &placement);
    *ask->ret_later |= verdict == VERDICT_NOT_NOW;
    if (verdict != VERDICT_FITS)
        return 0;
    solver_commit(solver, number, ask->number, ask->variant_number, &placement);
    ask->want -= placement.count;
    return placement.count;
}

// Places pods on the candidates, best first. For a class that counts itself only one placement is made, since the
// domains allowed may change.
static uint32_t place_on_candidates(Ask *ask, uint32_t count, const LaunchOrder *launch_order, uint32_t step) {
    Candidate *candidates = ask->m->candidates;
    uint32_t placed = 0, sorted = 0;

    for (uint32_t i = 0; i < count && ask->want && !budget_is_over(&ask->solver->budget); i++) {
        if (i == sorted) {
            uint32_t more = ask->want < count - sorted ? ask->want : count - sorted;

            select_best(candidates + sorted, count - sorted, more);
            sorted += more;
        }
        placed += place_on(ask, candidates[i].bin, launch_order, step);
        if (placed && ask->counts_itself)
            break;
    }
    return placed;
}

// Computes m->most, the highest load that leaves room for one more pod. If the claim does not grow, only the dimensions
// that the pod requests can lack room.
static void most_for(const Ask *ask, const LaunchOrder *launch_order, uint32_t step, bool grows) {
    Marginal *m = ask->m;

    for (uint32_t dim = 0; dim < ask->solver->quanta.dims; dim++) {
        int32_t free = launch_order ? launch_order->free[(size_t)dim * launch_order->step_count + step] : 0;

        m->most[dim] = m->need[dim] > 0 || grows ? free - m->need[dim] : INT32_MAX;
    }
}

static bool load_table_may_grow(const Ask *ask, const LoadTable *load_table, const LaunchOrder *launch_order,
                                uint32_t step) {
    for (uint32_t dim = 0; dim < ask->solver->quanta.dims; dim++) {
        if (load_table->least[dim] + ask->m->need[dim] >
            launch_order->free[(size_t)dim * launch_order->step_count + step])
            return false;
    }
    return true;
}

// The first step of another launch order that may hold the least load of a load table and one more pod.
static uint32_t first_step(const Ask *ask, const LoadTable *load_table, const LaunchOrder *after) {
    uint32_t step = 0;

    while (step < after->step_count && !load_table_may_grow(ask, load_table, after, step))
        step++;
    return step;
}

// Computes m->most for placing a pod on bins of a load table without a higher price. False: impossible. `ret_step`: of
// `after`.
static bool free_room(const Ask *ask, const BinGroup *bin_group, uint32_t load_table, const LaunchOrder *after,
                      uint32_t *ret_step) {
    bool same = after == bin_group->launch_order;
    uint32_t step = same ? load_table : first_step(ask, &bin_group->load_tables[load_table], after);

    if (!same &&
        (step == after->step_count || after->prices[step] > bin_group->launch_order->prices[load_table] + 1e-6F))
        return false;
    most_for(ask, after, step, !same);
    *ret_step = step;
    return true;
}

// Where the search for room begins. No price tells groups of nodes with room apart, so with disorder it is any of them;
// claims, which may still become others, are filled in their order.
static uint32_t first_group(Solver *solver, const BinIndex *bin_index, bool nodes) {
    uint32_t count = bin_index->bin_groups.count;

    return nodes && solver->disorder > 0 && count ? random_below(&solver->random, count) : 0;
}

static uint32_t place_variant_free(Ask *ask, bool nodes) {
    BinIndex *bin_index = &ask->m->bin_index;
    uint32_t count = bin_index->bin_groups.count, first = first_group(ask->solver, bin_index, nodes);
    const LaunchOrder *after;
    uint32_t placed = 0, step;

    for (uint32_t s = 0; s < count && ask->want && goes_on(ask); s++) {
        BinGroup *bin_group = bin_index->bin_groups.items[(first + s) % count];

        if (nodes == (bin_group->pool != NULL) || !bin_group_allows(ask, bin_group, &after))
            continue;
        for (each_load_table(load_table, bin_group)) {
            if (!ask->want)
                break;
            if (!free_room(ask, bin_group, load_table, after, &step))
                continue;
            placed +=
                place_on_candidates(ask, find_candidates(ask, &bin_group->load_tables[load_table], nodes), after, step);
            if (placed && ask->counts_itself)
                return placed;
        }
    }
    return placed;
}

// Places pods where the price does not rise: on nodes, or on claims that need not grow.
static uint32_t place_free(Ask *ask, bool nodes) {
    uint32_t placed = 0;

    for (each_alternative(ask)) {
        if (!ask->want || (placed && ask->counts_itself))
            break;
        ask_for(ask, variant);
        placed += place_variant_free(ask, nodes);
    }
    return placed;
}

// --- growing

// A random number from 0 to 1: xorshift, cheap enough for loops over all types.
static float noise(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return (float)(*seed >> 8) / (float)(1 << 24);
}

// A price with the random deviation of solver->disorder, for comparison.
static float blurred(const Ask *ask, float price) {
    Solver *solver = ask->solver;

    return solver->disorder > 0 ? price * (1 + solver->disorder * (float)random_below(&solver->random, 1024) / 1024)
                                : price;
}

// The average load of a load table's claims in a dimension.
static int32_t average_load(const LoadTable *load_table, uint32_t dim) {
    return (int32_t)(load_table->sum[dim] / load_table->count);
}

// Computes m->had, the load from which growing gains room. A claim that has to grow is full in the dimension in which
// claims have the least room for pods of the class; elsewhere it has their average load. If the pod changes the launch
// order, it counts as full at its present load.
static void had_before(const Ask *ask, const BinGroup *bin_group, uint32_t load_table, const LaunchOrder *after) {
    const LaunchOrder *before = bin_group->launch_order;
    const LoadTable *table = &bin_group->load_tables[load_table];
    float tightest = INFINITY;
    uint32_t full = 0;

    for (uint32_t dim = 0; dim < ask->solver->quanta.dims; dim++) {
        int32_t free = before->free[(size_t)dim * before->step_count + load_table];
        float room = (float)(free - average_load(table, dim)) * ask->m->per_need[dim];

        ask->m->had[dim] = after == before ? average_load(table, dim) : table->least[dim];
        if (ask->m->need[dim] > 0 && room < tightest) {
            tightest = room;
            full = dim;
        }
    }
    if (after == before)
        ask->m->had[full] = before->free[(size_t)full * before->step_count + load_table];
}

// The number of pods of the class that a step adds room for, at least 1.
static float step_gain(const Ask *ask, const LaunchOrder *after, uint32_t to) {
    float gain = (float)ask->m->remaining;

    for (uint32_t dim = 0; dim < ask->solver->quanta.dims; dim++) {
        float more =
            (float)(after->free[(size_t)dim * after->step_count + to] - ask->m->had[dim]) * ask->m->per_need[dim];

        if (ask->m->need[dim] > 0 && more < gain)
            gain = more;
    }
    return gain < 1 ? 1 : gain;
}

static void add_option(Option *options, uint32_t *count, Option option) {
    uint32_t at = *count;

    if (at == OPTIONS_MAX) {
        if (options[--at].score <= option.score)
            return;
    } else {
        ++*count;
    }
    for (; at > 0 && options[at - 1].score > option.score; at--)
        options[at] = options[at - 1];
    options[at] = option;
}

static uint32_t steps_ahead(const Ask *ask) {
    bool rebuilt = ask->rules && ask->rules->most_price == INFINITY;

    return rebuilt && ask->solver->bins.count - ask->solver->node_count <= FEW_BINS ? UINT32_MAX : STEPS_AHEAD;
}

// The highest price of a step that can still become an option, were there room for all pods that are left.
static float most_price(const Ask *ask, bool whole, float limit, const Option *options, uint32_t count) {
    float score = count == OPTIONS_MAX && options[count - 1].score < limit ? options[count - 1].score : limit;

    return whole ? score : score * (float)ask->m->remaining;
}

// The first step from `step` on whose price is at most `most` above `now`; the number of steps or more: there is none.
static uint32_t step_within(const LaunchOrder *after, uint32_t step, float now, float most) {
    while (step < after->step_count && after->prices[step] - now > most) {
        uint32_t block = step / PRICE_BLOCK;

        step = after->least_prices[block] - now > most ? (block + 1) * PRICE_BLOCK : step + 1;
    }
    return step;
}

static void load_table_options(Ask *ask, const BinGroup *bin_group, uint32_t load_table, const LaunchOrder *after,
                               float limit, Option *options, uint32_t *count) {
    bool whole = ask->rules && ask->rules->most_price < INFINITY; // moved pods bear the whole price of the step
    uint32_t step =
        after == bin_group->launch_order ? load_table + 1 : first_step(ask, &bin_group->load_tables[load_table], after);
    uint32_t most = steps_ahead(ask);
    bool looks_at_all = most == UINT32_MAX;
    float now = bin_group->launch_order->prices[load_table];

    if (!whole)
        had_before(ask, bin_group, load_table, after);
    for (; most; step++) {
        float price, score;

        step = step_within(after, step, now, looks_at_all ? most_price(ask, whole, limit, options, *count) : INFINITY);
        if (step >= after->step_count)
            break;
        if (!load_table_may_grow(ask, &bin_group->load_tables[load_table], after, step))
            continue;
        most--;
        price = after->prices[step] - now;
        score = blurred(ask, whole ? price : price / step_gain(ask, after, step));
        if (score <= limit)
            add_option(options, count,
                       (Option){score, &bin_group->load_tables[load_table], after, step, ask->variant_number});
    }
}

static void find_variant_options(Ask *ask, float limit, Option *options, uint32_t *count) {
    BinIndex *bin_index = &ask->m->bin_index;
    const LaunchOrder *after;

    for (uint32_t s = 0; s < bin_index->bin_groups.count && goes_on(ask); s++) {
        const BinGroup *bin_group = bin_index->bin_groups.items[s];

        if (!bin_group->pool || !bin_group_allows(ask, bin_group, &after))
            continue;
        for (each_load_table(load_table, bin_group))
            load_table_options(ask, bin_group, load_table, after, limit, options, count);
    }
}

// The cheapest options to grow with a price per pod of at most `limit`, cheapest first.
static uint32_t find_options(Ask *ask, float limit, Option *options) {
    uint32_t count = 0;

    for (each_alternative(ask)) {
        ask_for(ask, variant);
        find_variant_options(ask, limit, options, &count);
    }
    return count;
}

static uint32_t place_growing(Ask *ask, float limit) {
    Option options[OPTIONS_MAX];
    uint32_t count = find_options(ask, limit, options), placed = 0;

    for (uint32_t i = 0; i < count && ask->want; i++) {
        const Option *option = &options[i];

        ask_for(ask, option->variant);
        most_for(ask, option->after, option->step, true);
        ask->margin = ask->elsewhere - option->score;
        placed += place_on_candidates(ask, add_candidates(ask, option->load_table, 0), option->after, option->step);
        if (placed && ask->counts_itself)
            break;
    }
    return placed;
}

// --- opening

typedef struct {
    Pool *pool;       // NULL: none
    uint32_t variant; // of the alternatives
    float score;      // price per pod; INFINITY: the pool cannot open a claim
    uint32_t count;   // pods at which that price is reached
} Opening;

// The number of pods that each step of a new claim has room for, at most `allowance`.
static const int32_t *count_per_step(const Ask *ask, const LaunchOrder *launch_order, uint32_t allowance) {
    Marginal *m = ask->m;

    if (launch_order->step_count > m->step_capacity) {
        m->step_capacity = launch_order->step_count;
        m->step_counts = arena_array(&m->arena, int32_t, m->step_capacity);
        m->step_scores = arena_array(&m->arena, float, m->step_capacity);
    }
    if (allowance > m->remaining)
        allowance = m->remaining;
    for (uint32_t step = 0; step < launch_order->step_count; step++)
        m->step_counts[step] = (int32_t)allowance;
    for (uint32_t dim = 0; dim < ask->solver->quanta.dims; dim++) {
        if (m->need[dim] > 0)
            lanes_fit(launch_order->free + (size_t)dim * launch_order->step_count, m->per_need[dim],
                      launch_order->step_count, m->step_counts);
    }
    return m->step_counts;
}

// Updates `best` with the lowest price per pod among the steps of a new claim in that label state.
static void judge_steps(const Ask *ask, uint32_t state, uint32_t allowance, Opening *best) {
    Solver *solver = ask->solver;
    const LaunchOrder *launch_order = claim_launch_order(solver, best->pool, state);
    const int32_t *counts = count_per_step(ask, launch_order, allowance);
    float *scores = ask->m->step_scores;
    uint32_t seed = solver->disorder > 0 ? 1 | (uint32_t)random_u64(&solver->random) : 1;

    lanes_share(launch_order->prices, counts, launch_order->step_count, scores);
    for (uint32_t step = 0; step < launch_order->step_count; step++) {
        float score = scores[step];

        if (score == INFINITY)
            continue;
        if (solver->workloads)
            score += (float)blast_radius_per_pod(solver, best->pool, ask->number, (uint32_t)counts[step]);
        if (solver->disorder > 0)
            score *= 1 + solver->disorder * noise(&seed);
        if (score < best->score) {
            best->score = score;
            best->count = (uint32_t)counts[step];
        }
    }
}

// A state narrowed to the domains that are open to the pod now: a claim in another one is no alternative to claims that
// grow. Not where states are many already, since it is for comparison alone.
static uint32_t state_in_open_domains(const Ask *ask, uint32_t state) {
    Solver *solver = ask->solver;

    if (!ask->counts_itself || solver->states.states.count >= LABEL_STATES_MANY / 2)
        return state;
    for (vec_each(const KeyRule, rule, &ask->variant->keys)) {
        const LabelKey *key = &solver->universe.keys.items[rule->key];
        uint64_t mask[MASK_WORDS_MAX];

        if (state == LABEL_STATE_NONE || key->words > MASK_WORDS_MAX || !rule->checks.count)
            continue;
        bitset_copy(mask, label_state_key(&solver->states, state, rule->key), key->words);
        allow_domains(ask, rule, mask);
        state = label_state_step(&solver->states, state, label_state_mask_set(&solver->states, rule->key, mask));
    }
    return state;
}

// The lowest price per pod of a new claim of the pool, and the number of pods it takes.
static Opening judge_pool(const Ask *ask, Pool *pool, uint32_t allowance) {
    enum { SITES_MAX = 8 };
    LabelStates *states = &ask->solver->states;
    Opening best = {pool, ask->variant_number, INFINITY, ask->want};
    uint32_t base = claim_open_state(ask->solver, pool, ask->variant);

    for (uint32_t site = 0; base != LABEL_STATE_NONE && site < class_site_count(ask->class) && site < SITES_MAX;
         site++) {
        uint32_t state = class_site_state(states, base, ask->class, ask->variant, site);

        if (state != LABEL_STATE_NONE)
            state = state_in_open_domains(ask, state);
        if (state != LABEL_STATE_NONE)
            judge_steps(ask, state, allowance, &best);
    }
    return best;
}

// Whether another pool has the same weight.
static bool has_rival(const Solver *solver, const Pool *pool) {
    for (vec_each(const Pool, other, &solver->pools)) {
        if (other != pool && other->pool->weight == pool->pool->weight)
            return true;
    }
    return false;
}

// Pools that were tried for the present alternative, as bits.
static uint64_t *tried_pools(const Ask *ask) {
    return ask->solver->pool_bits + (size_t)(ask->variant_number - ask->alternatives.first) * ask->solver->pool_words;
}

static void forget_tried_pools(const Ask *ask) {
    memset(ask->solver->pool_bits, 0,
           (size_t)ask->alternatives.count * ask->solver->pool_words * sizeof *ask->solver->pool_bits);
}

// Replaces the score by the price of the claim which would really be opened, where that is another one: topology rules
// restrict its domains, and there are several pools or alternatives to compare; or it takes an instance of a
// reservation, which costs next to nothing.
static void quote(const Ask *ask, Opening *opening) {
    Solver *solver = ask->solver;
    bool restricted = ask->variant->keys.count && (ask->alternatives.count > 1 || has_rival(solver, opening->pool));
    float price;

    if (!restricted && !claim_may_be_reserved(solver))
        return;
    price = blurred(ask, (float)claim_quote(solver, opening->pool, ask->class, ask->variant));
    if (restricted || price < opening->score)
        opening->score = price;
}

// The cheapest pool, of those with the highest weight that could open a claim for the variant.
static Opening best_variant_opening(const Ask *ask, uint32_t allowance) {
    Solver *solver = ask->solver;
    const uint64_t *tolerated = solver->tolerated_pools + (size_t)ask->variant->tolerations * solver->pool_words;
    Opening best = {.score = INFINITY};

    for (vec_each(Pool, pool, &solver->pools)) {
        Opening opening;

        if (best.pool && pool->pool->weight < best.pool->pool->weight && best.score < INFINITY)
            break;
        if (bitset_has(tried_pools(ask), pool->number) || !bitset_has(tolerated, pool->number) ||
            (ask->rules && pool->pool->weight < ask->rules->weight))
            continue;
        opening = judge_pool(ask, pool, allowance);
        quote(ask, &opening);
        if (!best.pool || opening.score < best.score)
            best = opening;
    }
    return best;
}

// Whether an opening is better than another one: it is possible, in a heavier pool, cheaper.
static bool opens_better(const Opening *opening, const Opening *than) {
    bool opens = opening->pool && opening->score < INFINITY, other = than->pool && than->score < INFINITY;

    if (!opens || !other)
        return opening->pool && (!than->pool || (opens && !other));
    if (opening->pool->pool->weight != than->pool->pool->weight)
        return opening->pool->pool->weight > than->pool->pool->weight;
    return opening->score < than->score;
}

// The best opening of all alternatives in pools that have not been tried.
static Opening best_opening(Ask *ask, uint32_t allowance) {
    Opening best = {.score = INFINITY};

    for (each_alternative(ask)) {
        Opening opening;

        ask_for(ask, variant);
        opening = best_variant_opening(ask, allowance);
        if (opens_better(&opening, &best))
            best = opening;
    }
    return best;
}

static uint32_t place_opening(Ask *ask, const Opening *opening) {
    Solver *solver = ask->solver;
    uint32_t want = opening->count < ask->want ? opening->count : ask->want, bin;
    Placement placement;

    ask_for(ask, opening->variant);
    bitset_set(tried_pools(ask), opening->pool->number);
    bin = claim_open(solver, opening->pool, ask->class, ask->variant, want, &placement, ask->ret_later);
    if (bin == INDEX_NONE)
        return 0;
    solver_commit(solver, bin, ask->number, ask->variant_number, &placement);
    ask->want -= placement.count;
    return placement.count;
}

// Lets claims grow if that is cheaper per pod than a new claim, else opens a claim.
static uint32_t place_paying(Ask *ask) {
    uint32_t allowance = bin_allowance(ask, INDEX_NONE, UINT32_MAX / 2), placed = 0;

    forget_tried_pools(ask);
    while (!placed) {
        Opening opening = {.score = INFINITY};

        if (allowance)
            opening = best_opening(ask, allowance);
        placed = ask->grown_out ? 0 : place_growing(ask, opening.score);
        if (placed || !opening.pool)
            break;
        ask->grown_out = !ask->counts_itself; // the new claim takes as many pods as pay off
        placed = place_opening(ask, &opening);
    }
    return placed;
}

// --- one class

static bool counts_itself(const Solver *solver, const PodClass *class, const Variant *variant) {
    for (vec_each(const KeyRule, rule, &variant->keys)) {
        for (vec_each(uint32_t, number, &rule->checks)) {
            if (solver->topology.groups.items[*number].kind != GROUP_AFFINITY && class_counts_for(class, *number))
                return true;
        }
    }
    return false;
}

static void find_checks(Ask *ask) {
    const U32Vec *numbers = &ask->variant->bin_checks;

    ask->checks = ask->m->checks;
    if (numbers->count > ask->m->check_capacity) {
        ask->m->check_capacity = numbers->count * 2;
        ask->m->checks = ask->checks = arena_array(&ask->m->arena, BinCheck, ask->m->check_capacity);
    }
    for (vec_each(uint32_t, number, numbers))
        ask->checks[ask->check_count++] =
            (BinCheck){&ask->solver->topology.groups.items[*number], class_counts_for(ask->class, *number)};
}

// The price of a pod on a new claim of the best pool.
static double price_elsewhere(Ask *ask) {
    forget_tried_pools(ask);
    return best_opening(ask, bin_allowance(ask, INDEX_NONE, UINT32_MAX / 2)).score;
}

// Whether to use room without a price. With solver->disorder it is sometimes left to other pods.
static bool looks_for_free_room(const Ask *ask) {
    Solver *solver = ask->solver;

    return solver->disorder <= 0 || random_below(&solver->random, 1024) >= 256 * solver->disorder;
}

// Places all pods that can be placed; for a class that counts itself, one placement.
static uint32_t place_all(Ask *ask) {
    uint32_t wanted = ask->want, paid;

    if (ask->solver->workloads)
        ask->elsewhere = ask->margin = price_elsewhere(ask);
    if (ask->solver->node_count && looks_for_free_room(ask))
        place_free(ask, true);
    if (ask->want && !(ask->want < wanted && ask->counts_itself) && looks_for_free_room(ask))
        place_free(ask, false);
    if (ask->solver->stepwise && ask->want < wanted)
        return wanted - ask->want;
    while (ask->want && !(ask->want < wanted && ask->counts_itself)) {
        paid = place_paying(ask);
        if (!paid || ask->solver->stepwise || budget_is_over(&ask->solver->budget))
            break;
    }
    return wanted - ask->want;
}

// Fills the fields that follow from the class.
static void ask_prepare(Ask *ask) {
    Solver *solver = ask->solver;

    ask->m = marginal_state(solver);
    bin_index_tidy(&ask->m->bin_index);
    ask->class = &solver->classes.classes.items[ask->number];
    ask->alternatives = variant_alternatives(ask->class, ask->variant_number);
    ask_for(ask, ask->variant_number);
    ask->counts_itself = counts_itself(solver, ask->class, ask->variant);
    find_checks(ask);
    marginal_reserve(solver);
    for (uint32_t dim = 0; dim < solver->quanta.dims; dim++) {
        ask->m->need[dim] = quanta_up(&solver->quanta, dim, ask->class->requests[dim]);
        // Slightly more than 1 / need, so that rounding does not make 3 × ⅓ less than 1.
        ask->m->per_need[dim] = ask->m->need[dim] > 0 ? 1.000001F / (float)ask->m->need[dim] : 0;
    }
}

uint32_t marginal_place(Solver *solver, uint32_t number, uint32_t variant, uint32_t want, bool *ret_later) {
    Ask ask = {.solver = solver, .number = number, .variant_number = variant, .want = want, .ret_later = ret_later};
    uint32_t placed;

    ask_prepare(&ask);
    placed = place_all(&ask);
    // First fit tries every bin: it finds places that the strategy skips.
    return placed ? placed : first_fit_place(solver, number, variant, want, ret_later);
}

const MoveRules MOVE_ANYWHERE = {INDEX_NONE, LABEL_STATE_NONE, INT32_MIN, INFINITY};

// An Ask for pods that were taken from their bins. `later` is not used: change_cost decides about them.
static Ask ask_to_move(Solver *solver, uint32_t number, uint32_t variant, uint32_t want, const MoveRules *rules,
                       bool *later) {
    Ask ask = {.solver = solver,
               .number = number,
               .variant_number = variant,
               .want = want,
               .rules = rules,
               .elsewhere = INFINITY,
               .margin = INFINITY,
               .ret_later = later};

    ask_prepare(&ask);
    return ask;
}

uint32_t marginal_move(Solver *solver, uint32_t number, uint32_t variant, uint32_t want, const MoveRules *rules) {
    bool later = false;
    Ask ask = ask_to_move(solver, number, variant, want, rules, &later);
    uint32_t placed = 1;

    if (rules->most_price == INFINITY)
        return place_all(&ask);
    while (ask.want && placed) {
        placed = solver->node_count ? place_free(&ask, true) : 0;
        if (!placed)
            placed = place_free(&ask, false);
    }
    if (ask.want)
        place_growing(&ask, rules->most_price);
    return want - ask.want;
}

bool marginal_open(Solver *solver, uint32_t number, uint32_t variant) {
    bool later = false;
    Ask ask = ask_to_move(solver, number, variant, 1, &MOVE_ANYWHERE, &later);
    Opening opening;

    forget_tried_pools(&ask);
    do {
        opening = best_opening(&ask, 1);
    } while (opening.pool && !place_opening(&ask, &opening));
    return !ask.want;
}

// --- order

static Freedom freedom(const Solver *solver, const PodClass *class) {
    const Variant *variant = solver->keeps_none ? class_last_variant(class) : class_variant(class, 0);

    for (vec_each(uint32_t, number, &variant->bin_checks)) {
        const TopologyGroup *group = &solver->topology.groups.items[*number];

        if ((group->kind == GROUP_ANTI_AFFINITY || group->kind == GROUP_AFFINITY) && class_counts_for(class, *number))
            return FREEDOM_SELF;
    }
    return variant->keys.count ? FREEDOM_DOMAINS : variant->bin_checks.count ? FREEDOM_BINS : FREEDOM_ALL;
}

void marginal_order(Solver *solver, ClassOrder *order) {
    (void)marginal_state(solver);
    for (uint32_t i = 0; i < solver->classes.classes.count; i++) {
        const PodClass *class = &solver->classes.classes.items[i];

        order[i] = (ClassOrder){i, freedom(solver, class), marginal_size(solver, class)};
        if (solver->attempt) // another order of classes of similar size
            order[i].size *= 0.75 + random_below(&solver->random, 500) / 1000.0;
    }
}
