// The set of patterns, and greedy filling of nodes.
#include "sched/packing/patterns.h"

#include <math.h>

void patterns_init(Patterns *patterns, Arena *arena, const Packing *packing) {
    *patterns = (Patterns){.arena = arena, .packing = packing};
    knapsack_init(&patterns->knapsack, arena, packing);
    patterns->kinds = bitset_new(arena, packing->kinds.count);
    patterns->counts = arena_array(arena, uint32_t, packing->items.count);
}

static bool pattern_is(const Pattern *pattern, uint32_t kind, const uint32_t *counts, uint32_t part_count) {
    if (pattern->kind != kind || pattern->part_count != part_count)
        return false;
    for (uint32_t i = 0; i < part_count; i++) {
        if (counts[pattern->parts[i].item] != pattern->parts[i].count)
            return false;
    }
    return true;
}

uint32_t patterns_add(Patterns *patterns, uint32_t kind, const uint32_t *counts) {
    uint32_t items = patterns->packing->items.count, part_count = 0, cursor = 0, found;
    uint64_t hash = kind;
    Pattern *pattern;

    for (uint32_t item = 0; item < items; item++) {
        if (!counts[item])
            continue;
        part_count++;
        hash = hash_combine(hash, (uint64_t)item << 32 | counts[item]);
    }
    while ((found = index_map_next(&patterns->index, hash, &cursor)) != INDEX_NONE) {
        if (pattern_is(&patterns->patterns.items[found], kind, counts, part_count))
            return found;
    }
    bitset_set(patterns->kinds, kind);
    index_map_add(patterns->arena, &patterns->index, hash, patterns->patterns.count);
    pattern = vec_add(patterns->arena, &patterns->patterns);
    *pattern = (Pattern){.kind = kind, .parts = arena_array(patterns->arena, PatternPart, part_count)};
    for (uint32_t item = 0; item < items; item++) {
        if (counts[item])
            pattern->parts[pattern->part_count++] = (PatternPart){item, counts[item]};
    }
    return patterns->patterns.count - 1;
}

void pattern_to_column(const Patterns *patterns, Arena *arena, uint32_t number, MasterColumn *ret_column) {
    const Pattern *pattern = &patterns->patterns.items[number];
    uint32_t *items = arena_array(arena, uint32_t, pattern->part_count);
    double *counts = arena_array(arena, double, pattern->part_count);

    for (uint32_t i = 0; i < pattern->part_count; i++) {
        items[i] = pattern->parts[i].item;
        counts[i] = pattern->parts[i].count;
    }
    *ret_column = (MasterColumn){pattern->kind, pattern->part_count, items, counts};
}

// --- plans

void pattern_plan_start(const Patterns *patterns, PatternPlan *ret_plan) {
    const Packing *packing = patterns->packing;

    *ret_plan = (PatternPlan){.left = arena_array(patterns->arena, uint32_t, packing->items.count),
                              .supply_left = arena_array(patterns->arena, uint32_t, packing->supplies.count)};
    for (uint32_t item = 0; item < packing->items.count; item++) {
        ret_plan->left[item] = packing->items.items[item].count;
        ret_plan->items_left += ret_plan->left[item];
    }
    for (uint32_t i = 0; i < packing->supplies.count; i++) {
        double supply = packing->supplies.items[i];

        ret_plan->supply_left[i] = supply < UINT32_MAX ? (uint32_t)supply : UINT32_MAX;
    }
}

void pattern_plan_copy(const Patterns *patterns, const PatternPlan *plan, PatternPlan *ret_plan) {
    const Packing *packing = patterns->packing;
    PatternPlan copy = {.price = plan->price, .items_left = plan->items_left};

    copy.left = arena_copy(patterns->arena, plan->left, packing->items.count * sizeof *plan->left);
    copy.supply_left = arena_copy(patterns->arena, plan->supply_left, packing->supplies.count * sizeof *plan->left);
    for (uint32_t i = 0; i < plan->uses.count; i++)
        vec_push(patterns->arena, &copy.uses, plan->uses.items[i]);
    *ret_plan = copy;
}

uint32_t pattern_plan_fit(const Patterns *patterns, const PatternPlan *plan, uint32_t pattern_number, uint32_t times) {
    const Pattern *pattern = &patterns->patterns.items[pattern_number];
    uint32_t supply = patterns->packing->kinds.items[pattern->kind].supply;

    if (supply != INDEX_NONE && plan->supply_left[supply] < times)
        times = plan->supply_left[supply];
    for (uint32_t i = 0; i < pattern->part_count && times; i++) {
        uint32_t fits = plan->left[pattern->parts[i].item] / pattern->parts[i].count;

        if (fits < times)
            times = fits;
    }
    return times;
}

void pattern_plan_use(Patterns *patterns, PatternPlan *plan, uint32_t pattern_number, uint32_t times) {
    const Pattern *pattern = &patterns->patterns.items[pattern_number];
    const PackKind *kind = &patterns->packing->kinds.items[pattern->kind];

    vec_push(patterns->arena, &plan->uses, (PatternUse){pattern_number, times});
    plan->price += kind->price * times;
    if (kind->supply != INDEX_NONE)
        plan->supply_left[kind->supply] -= times;
    for (uint32_t i = 0; i < pattern->part_count; i++) {
        plan->left[pattern->parts[i].item] -= pattern->parts[i].count * times;
        plan->items_left -= (uint64_t)pattern->parts[i].count * times;
    }
}

// --- greedy

// Old scores are bounds, which most kinds do not reach: what is within this share of the highest is taken, and the work
// spent on further nodes instead.
static const double NEAR_ENOUGH = 0.97;

// The score of a kind's best content. As items run out it only gets lower, so an old score is an upper bound.
typedef struct {
    double score; // worth per price
    bool asked;   // computed for the items that are left now
    uint32_t pattern;
} KindScore;

typedef struct {
    Patterns *patterns;
    PatternPlan *plan;
    const GreedyRule *rule;
    double *worth;
    KindScore *scores;
} Filling;

// Worths with the bonus for large items, by the share that one takes of the largest room. All are positive, so that
// every item gets a place.
static double *worth_with_bonus(Arena *scratch, const Packing *packing, const GreedyRule *rule) {
    double *worth = arena_array(scratch, double, packing->items.count), least = 0;

    for (uint32_t item = 0; item < packing->items.count; item++)
        least = fmax(least, rule->worth[item] * 1e-6);
    if (least <= 0)
        least = 1e-6;
    for (uint32_t item = 0; item < packing->items.count; item++) {
        double share = 0;

        for (uint32_t dim = 0; dim < packing->resources; dim++)
            share = fmax(share, packing->scaled_sizes[(size_t)item * packing->dims + dim]);
        worth[item] = fmax(rule->worth[item], least) * (1 + rule->size_bonus * sqrt(share));
    }
    return worth;
}

// Sets the score of a kind to the bound of the relaxation.
static void look_at_kind(Filling *filling, uint32_t number) {
    Patterns *patterns = filling->patterns;
    KnapsackQuestion question = {.worth = filling->worth, .left = filling->plan->left};
    KnapsackAnswer answer = knapsack_solve(&patterns->knapsack, number, &question, patterns->counts);

    filling->scores[number].score = answer.bound / fmax(patterns->packing->kinds.items[number].price, 1e-9);
}

// Looks at the main kinds; where that would take much of the work, only at those that have patterns.
static void look_at_kinds(Filling *filling) {
    Patterns *patterns = filling->patterns;
    bool all = patterns->look_work <= filling->rule->work / 4;
    uint64_t before = patterns->knapsack.work;

    for (vec_each(uint32_t, kind, &patterns->packing->main_kinds)) {
        if (all || bitset_has(patterns->kinds, *kind))
            look_at_kind(filling, *kind);
    }
    if (all)
        patterns->look_work = patterns->knapsack.work - before;
}

static void ask_kind(Filling *filling, uint32_t number) {
    Patterns *patterns = filling->patterns;
    const PackKind *kind = &patterns->packing->kinds.items[number];
    KindScore *score = &filling->scores[number];
    KnapsackQuestion question = {
        .worth = filling->worth, .left = filling->plan->left, .steps = filling->rule->steps, .polish = true};
    KnapsackAnswer answer = {0};

    if (kind->supply == INDEX_NONE || filling->plan->supply_left[kind->supply])
        answer = knapsack_solve(&patterns->knapsack, number, &question, patterns->counts);
    score->asked = true;
    score->score = answer.value / fmax(kind->price, 1e-9);
    if (answer.value > 0)
        score->pattern = patterns_add(patterns, number, patterns->counts);
}

static bool scores_more(const Filling *filling, uint32_t kind, uint32_t than) {
    return filling->scores[kind].score > (than == INDEX_NONE ? 0 : filling->scores[than].score);
}

// The kind with the best score, or nearly so; kinds with higher old scores are searched again. INDEX_NONE: nothing fits
// anywhere.
static uint32_t best_kind(Filling *filling) {
    while (true) {
        uint32_t best = INDEX_NONE, asked = INDEX_NONE;

        for (uint32_t kind = 0; kind < filling->patterns->packing->kinds.count; kind++) {
            if (scores_more(filling, kind, best))
                best = kind;
            if (filling->scores[kind].asked && scores_more(filling, kind, asked))
                asked = kind;
        }
        if (best == asked ||
            (asked != INDEX_NONE && filling->scores[asked].score >= NEAR_ENOUGH * filling->scores[best].score))
            return asked;
        ask_kind(filling, best);
    }
}

void pattern_plan_fill(Patterns *patterns, PatternPlan *plan, const GreedyRule *rule) {
    Arena scratch = {0};
    uint32_t kinds = patterns->packing->kinds.count;
    uint64_t end = patterns->knapsack.work + rule->work;
    Filling filling = {.patterns = patterns, .plan = plan, .rule = rule};

    filling.worth = worth_with_bonus(&scratch, patterns->packing, rule);
    filling.scores = arena_array(&scratch, KindScore, kinds);
    look_at_kinds(&filling);
    while (plan->items_left && patterns->knapsack.work < end && packing_spend(patterns->packing, 0)) {
        uint32_t kind = best_kind(&filling), times;

        if (kind == INDEX_NONE)
            break;
        times = pattern_plan_fit(patterns, plan, filling.scores[kind].pattern, UINT32_MAX);
        CHECK(times, "a pattern was chosen that no longer fits");
        pattern_plan_use(patterns, plan, filling.scores[kind].pattern, times);
        for (uint32_t i = 0; i < kinds; i++)
            filling.scores[i].asked = filling.scores[i].asked && filling.scores[i].score > 0 &&
                                      pattern_plan_fit(patterns, plan, filling.scores[i].pattern, 1);
    }
    arena_free(&scratch);
}
