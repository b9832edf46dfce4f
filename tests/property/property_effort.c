// property_effort: plans random clusters with every effort: more effort places no fewer pods, and as many at no higher
// price. Plans with a time limit are compared with EFFORT_FAST, which they begin with.
//
// --cases N (default 2000)  --seed S: cases S, S+1, …  --one SEED: that one
#include "files.h"
#include "generator/generate.h"
#include "planning.h"
#include "text/json.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint32_t left_over;
    double price;
} Outcome;

static const struct {
    const char *name;
    Effort effort;
    int64_t budget_ns;
    uint32_t than; // no worse than that one
} efforts[] = {{"fast", EFFORT_FAST, 0, 0},
               {"normal", EFFORT_NORMAL, 0, 0},
               {"best", EFFORT_BEST, 0, 1},
               {"5 ms", EFFORT_BEST, 5000000, 0}};
enum { EFFORTS = sizeof efforts / sizeof *efforts };

static bool plan(const GeneratedCase *generated, uint32_t effort, Outcome *ret_outcome) {
    CasePlanning planning = {.manifests = buffer_slice(&generated->manifests),
                             .catalog = buffer_slice(&generated->catalog),
                             .effort = efforts[effort].effort,
                             .budget_ns = efforts[effort].budget_ns};
    Buffer out = {0}, messages = {0};
    Arena arena = {0};
    Value options, result;
    const Value *unplaced, *price;
    bool planned = false;

    if (case_parse_json(&arena, buffer_slice(&generated->options), &options))
        planning.options = check_options_read(&options);
    case_plan(&planning, &out, &messages);
    if (case_parse_json(&arena, buffer_slice(&out), &result)) {
        unplaced = value_get_text(&result, "unschedulable");
        price = value_get_text(value_get_text(&result, "price"), "perHour");
        *ret_outcome = (Outcome){unplaced->list.count, strtod(arena_text(&arena, price->text), NULL)};
        planned = true;
    }
    buffer_free(&out);
    buffer_free(&messages);
    arena_free(&arena);
    return planned;
}

static bool is_worse(const Outcome *a, const Outcome *b) {
    return a->left_over > b->left_over || (a->left_over == b->left_over && a->price > b->price + 1e-9);
}

static bool run_case(uint64_t seed) {
    Outcome outcomes[EFFORTS];
    GeneratedCase generated;
    bool good = true;

    generate_case(seed, GENERATE_FULL, false, &generated);
    for (uint32_t i = 0; i < EFFORTS && good; i++) {
        const Outcome *than = &outcomes[efforts[i].than];

        good = plan(&generated, i, &outcomes[i]);
        if (!good)
            printf("case %llu: no plan\n", (unsigned long long)seed);
        else if (is_worse(&outcomes[i], than)) {
            printf("case %llu: %s leaves out %u for $%.6f, %s %u for $%.6f\n", (unsigned long long)seed,
                   efforts[i].name, outcomes[i].left_over, outcomes[i].price, efforts[efforts[i].than].name,
                   than->left_over, than->price);
            good = false;
        }
    }
    generated_case_free(&generated);
    return good;
}

static bool read_settings(int argc, char **argv, uint64_t *ret_cases, uint64_t *ret_seed) {
    for (int i = 1; i < argc; i += 2) {
        uint64_t number;

        if (i + 1 == argc)
            return false;
        number = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--cases") == 0)
            *ret_cases = number;
        else if (strcmp(argv[i], "--seed") == 0)
            *ret_seed = number;
        else if (strcmp(argv[i], "--one") == 0) {
            *ret_cases = 1;
            *ret_seed = number;
        } else
            return false;
    }
    return true;
}

int main(int argc, char **argv) {
    uint64_t cases = 2000, seed = 1, failed = 0;

    if (!read_settings(argc, argv, &cases, &seed)) {
        fprintf(stderr, "usage: property_effort [--cases N] [--seed S] [--one SEED]\n");
        return 2;
    }
    for (uint64_t i = 0; i < cases; i++)
        failed += !run_case(seed + i);
    printf("%llu cases, %llu failed\n", (unsigned long long)cases, (unsigned long long)failed);
    return failed ? 1 : 0;
}
