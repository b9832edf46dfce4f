// property_weigh: plans seeded random clusters with preferences ignored, respected and weighed.
//
// Always: no fewer pods have a home, those of higher priority first, than with preferences ignored; a rule that is left
// out would have cost more than its weight allows, as far as the plan says what, and one that all of its pods keep does
// not cost more. Printed, and asked of all cases together if there are enough: what weighed plans cost beside respected
// ones for as many pods. Of a single case that cannot be promised: a rule is kept that Respect drops because of another
// one (docs/design/sched.md).
//
// --cases N (default 2000)  --seed S: cases S, S+1, …  --heavy: constraints that bind  --list: name cases that are
// dearer
#include "files.h"
#include "generator/generate.h"
#include "planning.h"
#include "text/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum { IGNORED, RESPECTED, WEIGHED, POLICIES } Policy;

enum { SUM_CASES = 60 }; // of fewer the sum of prices is that of the one or two with the largest pods

typedef struct {
    uint32_t left_over;
    int32_t *priorities; // of pods without a home, highest first
    double price;
    Value plan;
} Outcome;

typedef struct {
    uint64_t compared, dearer, cheaper;
    double respected, weighed, ignored; // sums of prices
    uint64_t kept, left_out, measured;  // rules
} Totals;

typedef struct {
    uint64_t seed;
    bool list;
    Arena arena;
    GeneratedCase generated;
    Value manifests;
    Outcome outcomes[POLICIES];
    Totals *totals;
} Trial;

static double number(Arena *arena, const Value *map, const char *member) {
    const Value *value = value_get(map, slice_of(member));

    return value && value->kind != VALUE_NULL ? strtod(arena_text(arena, value->text), NULL) : NAN;
}

// --- who has no home

// spec.priority of the pod "ns/name"; of a workload's, 0.
static int32_t priority_of(Trial *trial, Slice pod) {
    const Value *items = value_get_text(&trial->manifests, "items");

    for (uint32_t i = 0; i < items->list.count; i++) {
        const Value *item = &items->list.items[i], *meta = value_get_text(item, "metadata");
        const Value *ns = value_get_text(meta, "namespace"), *name = value_get_text(meta, "name");
        const Value *priority = value_at(item, "spec", "priority", NULL);
        Slice own = arena_printf(&trial->arena, "%.*s/%.*s", SLICE_ARG(ns ? ns->text : SLICE("default")),
                                 SLICE_ARG(name->text));

        if (priority && slice_eq(own, pod))
            return (int32_t)strtol(arena_text(&trial->arena, priority->text), NULL, 10);
    }
    return 0;
}

static int compare_priorities(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x < y) - (x > y);
}

static void find_left_over(Trial *trial, Outcome *outcome) {
    const Value *unplaced = value_get_text(&outcome->plan, "unschedulable");

    outcome->left_over = unplaced->list.count;
    outcome->priorities = arena_array(&trial->arena, int32_t, unplaced->list.count + 1);
    for (uint32_t i = 0; i < unplaced->list.count; i++)
        outcome->priorities[i] = priority_of(trial, value_get_text(&unplaced->list.items[i], "pod")->text);
    qsort(outcome->priorities, outcome->left_over, sizeof *outcome->priorities, compare_priorities);
}

// Whether `a` leaves out more pods of the highest priority in which the two differ.
static bool leaves_out_more(const Outcome *a, const Outcome *b) {
    for (uint32_t i = 0; i < a->left_over; i++) {
        if (i == b->left_over || a->priorities[i] != b->priorities[i])
            return i == b->left_over || a->priorities[i] > b->priorities[i];
    }
    return false;
}

// --- plans

static bool plan(Trial *trial, Policy policy) {
    CasePlanning planning = {.manifests = buffer_slice(&trial->generated.manifests),
                             .catalog = buffer_slice(&trial->generated.catalog),
                             .weigh = policy == WEIGHED};
    Outcome *outcome = &trial->outcomes[policy];
    Buffer out = {0}, messages = {0};
    Value options;
    bool planned = false;

    if (case_parse_json(&trial->arena, buffer_slice(&trial->generated.options), &options))
        planning.options = check_options_read(&options);
    planning.options.ignore_preferences = policy == IGNORED;
    case_plan(&planning, &out, &messages);
    if (case_parse_json(&trial->arena, arena_slice(&trial->arena, buffer_slice(&out)), &outcome->plan)) {
        find_left_over(trial, outcome);
        outcome->price = number(&trial->arena, value_get_text(&outcome->plan, "price"), "perHour");
        planned = true;
    }
    buffer_free(&out);
    buffer_free(&messages);
    return planned;
}

// Whether what came of a rule is what its price says.
static bool is_weighed_right(Trial *trial, const Value *rule) {
    double weight = fmin(number(&trial->arena, rule, "weight"), 99);
    double kept = number(&trial->arena, rule, "kept"), left_out = number(&trial->arena, rule, "leftOut");
    double dearer = number(&trial->arena, rule, "dearerPercent");

    trial->totals->kept += (uint64_t)kept;
    trial->totals->left_out += (uint64_t)left_out;
    trial->totals->measured += !isnan(dearer);
    if (isnan(dearer) || (left_out > 0 ? dearer > weight - 1e-3 : dearer < weight + 1e-3))
        return true;
    printf("case %llu: a rule of weight %.0f is kept by %.0f and left out by %.0f pods, %.3f %% dearer\n",
           (unsigned long long)trial->seed, weight, kept, left_out, dearer);
    return false;
}

static bool rules_are_weighed_right(Trial *trial) {
    const Value *groups = value_get_text(&trial->outcomes[WEIGHED].plan, "preferences");
    bool right = groups != NULL;

    for (uint32_t i = 0; groups && i < groups->list.count; i++) {
        const Value *rules = value_get_text(&groups->list.items[i], "rules");

        for (uint32_t k = 0; k < rules->list.count; k++)
            right &= is_weighed_right(trial, &rules->list.items[k]);
    }
    return right;
}

static void compare_prices(Trial *trial) {
    const Outcome *respected = &trial->outcomes[RESPECTED], *weighed = &trial->outcomes[WEIGHED];
    Totals *totals = trial->totals;

    if (respected->left_over != weighed->left_over || trial->outcomes[IGNORED].left_over != weighed->left_over)
        return;
    totals->compared++;
    totals->dearer += weighed->price > respected->price + 1e-9;
    totals->cheaper += weighed->price < respected->price - 1e-9;
    totals->respected += respected->price;
    totals->weighed += weighed->price;
    totals->ignored += trial->outcomes[IGNORED].price;
    if (trial->list && weighed->price > respected->price + 1e-9)
        printf("case %llu: ignored $%.6f, respected $%.6f, weighed $%.6f\n", (unsigned long long)trial->seed,
               trial->outcomes[IGNORED].price, respected->price, weighed->price);
}

static bool judge(Trial *trial) {
    for (Policy policy = 0; policy < POLICIES; policy++) {
        if (plan(trial, policy))
            continue;
        printf("case %llu: no plan\n", (unsigned long long)trial->seed);
        return false;
    }
    compare_prices(trial);
    if (leaves_out_more(&trial->outcomes[WEIGHED], &trial->outcomes[IGNORED])) {
        printf("case %llu: weighed leaves out %u, ignored %u\n", (unsigned long long)trial->seed,
               trial->outcomes[WEIGHED].left_over, trial->outcomes[IGNORED].left_over);
        return false;
    }
    return rules_are_weighed_right(trial);
}

static bool run_case(uint64_t seed, bool heavy, bool list, Totals *totals) {
    Trial trial = {.seed = seed, .list = list, .totals = totals};
    bool good;

    generate_case(seed, GENERATE_FULL, heavy, &trial.generated);
    good = case_parse_json(&trial.arena, buffer_slice(&trial.generated.manifests), &trial.manifests) && judge(&trial);
    generated_case_free(&trial.generated);
    arena_free(&trial.arena);
    return good;
}

static void print_totals(const Totals *totals) {
    printf("%llu with as many pods: ignored $%.4f, respected $%.4f, weighed $%.4f; weighed is dearer than respected in "
           "%llu, cheaper in %llu\n",
           (unsigned long long)totals->compared, totals->ignored, totals->respected, totals->weighed,
           (unsigned long long)totals->dearer, (unsigned long long)totals->cheaper);
    printf("rules: kept by %llu pods, left out by %llu; %llu priced\n", (unsigned long long)totals->kept,
           (unsigned long long)totals->left_out, (unsigned long long)totals->measured);
}

int main(int argc, char **argv) {
    uint64_t cases = 2000, seed = 1, failed = 0;
    bool heavy = false, list = false;
    Totals totals = {0};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--heavy") == 0)
            heavy = true;
        else if (strcmp(argv[i], "--list") == 0)
            list = true;
        else if (i + 1 < argc && strcmp(argv[i], "--cases") == 0)
            cases = strtoull(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[++i], NULL, 10);
    }
    for (uint64_t i = 0; i < cases; i++)
        failed += !run_case(seed + i, heavy, list, &totals);
    print_totals(&totals);
    if (cases >= SUM_CASES && totals.weighed > totals.respected + 1e-9) {
        printf("weighed plans cost more than respected ones\n");
        failed++;
    }
    printf("%llu cases, %llu failed\n", (unsigned long long)cases, (unsigned long long)failed);
    return failed ? 1 : 0;
}
