// property_exact: compares plans of small random clusters with the cheapest possible plan.
//
// For each case: the plan of `--effort normal` with its floor, and the optimum of exact/. Fails when the floor is above
// the optimum, or when the planner is below it or places more: one of the two is wrong then.
//
// --cases N (default 300)  --seed S: cases S, S+1, …  --one SEED: that one, with both plans  --seconds T: for each
// integer program (default 20)  --respect: the planner keeps preferences, which the optimum does not know
// --heavy: constraints that bind (generator/generate.h)  --list: a line for each case  --most R: fails as well where a
// plan leaves out pods, or costs more than R times the optimum, and, of one case alone, where there is no proof
#include "exact/exact.h"
#include "generator/generate.h"
#include "planning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORST_SHOWN = 10 };
static const double CAP_SHARE = 1.02,
                    EPSILON = 1e-7; // contents of plans up to 2 % more expensive than the planner's are considered

typedef struct {
    uint64_t seed, cases;
    double seconds, most; // most: 0: any
    bool heavy, respect, show, list;
} Settings;

typedef enum {
    RESULT_RATIO,    // both place as many pods
    RESULT_FREE,     // the optimum costs nothing
    RESULT_LEFT_OUT, // the planner leaves out pods that have a place
    RESULT_NOT_PROVED,
    RESULT_REFUSED, // the checker refuses the planner's plan
    RESULT_WRONG,
} ResultKind;

typedef struct {
    uint64_t seed;
    ResultKind kind;
    double price, optimum, floor; // optimum: of the promised plans where they place as many pods
    uint32_t placed, kinds, missing;
    bool floor_counts;  // the floor is for the same pods
    bool floor_is_high; // above the cheapest plan that the checker accepts
    bool below;         // the plan is cheaper than the promised ones
} Result;
typedef Vec(Result) ResultVec;

typedef struct {
    const Settings *settings;
    Arena arena;
    GeneratedCase generated;
    Value manifests, catalog, plan;
    DocumentVec documents;
    CheckOptions options;
    Result result;
} Trial;

// ---- one case

static double number_at(const Value *plan, const char *name) {
    const Value *value = value_at(plan, "price", name, NULL);
    double number;

    return value && value_to_double(value, &number) ? number : NAN;
}

static uint32_t count_placed(const Value *plan) {
    static const char *const lists[] = {"nodeClaims", "existingNodes"};
    uint32_t placed = 0;

    for (size_t k = 0; k < 2; k++) {
        const Value *list = value_get(plan, slice_of(lists[k]));

        for (uint32_t i = 0; list && i < list->list.count; i++)
            placed += value_get_text(&list->list.items[i], "pods")->list.count;
    }
    return placed;
}

static void show_plan(const char *title, const Value *plan) {
    Buffer line = {0};
    const Value *claims = value_get_text(plan, "nodeClaims"), *nodes = value_get_text(plan, "existingNodes");

    printf("%s: $%.5f\n", title, number_at(plan, "perHour"));
    for (uint32_t i = 0; i < claims->list.count + nodes->list.count; i++) {
        bool is_node = i >= claims->list.count;
        const Value *item = is_node ? &nodes->list.items[i - claims->list.count] : &claims->list.items[i];
        const Value *choice = value_get_text(item, "choice"), *pods = value_get_text(item, "pods");
        static const char *const parts[] = {"instanceType", "zone", "capacityType", "pricePerHour"};

        line.len = 0;
        buffer_printf(&line, "  %.*s", SLICE_ARG(value_get(item, slice_of(is_node ? "name" : "nodePool"))->text));
        for (size_t k = 0; choice && k < 4; k++)
            buffer_printf(&line, " %.*s", SLICE_ARG(value_get(choice, slice_of(parts[k]))->text));
        buffer_append(&line, SLICE(":"));
        for (uint32_t k = 0; k < pods->list.count; k++)
            buffer_printf(&line, " %.*s", SLICE_ARG(pods->list.items[k].text));
        printf("%.*s\n", SLICE_ARG(buffer_slice(&line)));
    }
    buffer_free(&line);
}

static bool checker_takes(Trial *trial) {
    ViolationVec violations = {0};
    Err err;

    if (check_plan(&trial->arena, &trial->documents, &trial->catalog, &trial->plan, &trial->options, &violations,
                   &err) != OK)
        return false;
    for (vec_each(const Violation, violation, &violations))
        printf("case %llu: the checker refuses the planner's plan: %.*s: %.*s: %.*s\n",
               (unsigned long long)trial->result.seed, SLICE_ARG(violation->kind), SLICE_ARG(violation->pod),
               SLICE_ARG(violation->text));
    return violations.count == 0;
}

// `capped`: plans that are dearer than the planner's are not searched.
static bool solve_with(Trial *trial, ExactPlans plans, bool capped, uint32_t unplaced_most, ExactAnswer *ret_answer) {
    ExactQuestion question = {.manifests = &trial->documents,
                              .catalog = &trial->catalog,
                              .options = trial->options,
                              .plans = plans,
                              .known = &trial->plan,
                              .known_placed = trial->result.placed,
                              .price_cap = capped ? trial->result.price * CAP_SHARE + 1e-4 : INFINITY,
                              .unplaced_most = unplaced_most,
                              .seconds = trial->settings->seconds};
    Value plan;
    Err err;

    if (exact_solve(&trial->arena, &question, ret_answer, &err) != OK) {
        printf("case %llu: %s\n", (unsigned long long)trial->result.seed, err.text);
        return false;
    }
    if (trial->settings->show && ret_answer->status == EXACT_OPTIMUM &&
        case_parse_json(&trial->arena, ret_answer->plan, &plan))
        show_plan(plans == EXACT_ALL_VALID ? "cheapest valid plan" : "optimum", &plan);
    if (trial->settings->show || ret_answer->status == EXACT_NOT_PROVED)
        printf("  case %llu: %u columns, %u refused (%.*s), status %d %s\n", (unsigned long long)trial->result.seed,
               ret_answer->columns, ret_answer->refused, SLICE_ARG(ret_answer->refused_for), (int)ret_answer->status,
               ret_answer->status == EXACT_NOT_PROVED ? ret_answer->because : "");
    return ret_answer->status != EXACT_NOT_PROVED;
}

static bool solve(Trial *trial, ExactPlans plans, uint32_t unplaced_most, ExactAnswer *ret_answer) {
    return solve_with(trial, plans, true, unplaced_most, ret_answer);
}

static ResultKind wrong(const Trial *trial, const char *what, double price) {
    printf("case %llu: %s: planner %u pods $%.6f, floor $%.6f, optimum $%.6f\n", (unsigned long long)trial->result.seed,
           what, trial->result.placed, trial->result.price, trial->result.floor, price);
    return RESULT_WRONG;
}

// Whether spreads over all domains that pools could open leave out more pods, whatever the rest costs.
static bool level_leaves_more(Trial *trial, uint32_t unplaced_most) {
    ExactAnswer answer = {0};

    return solve_with(trial, EXACT_PROMISED, false, unplaced_most, &answer) && answer.status == EXACT_LEAVES_MORE;
}

// The cheapest plan that keeps the planner's promises: where spreads over all domains that pools could open leave out
// more pods, with those over the domains that have nodes; where promises leave out more than the cheapest valid plan,
// whatever they leave out.
static bool solve_promised(Trial *trial, uint32_t unplaced_most, ExactAnswer *ret_answer) {
    bool proved = solve(trial, EXACT_PROMISED, unplaced_most, ret_answer);

    if (!proved || ret_answer->status == EXACT_OPTIMUM ||
        (ret_answer->status == EXACT_NOTHING && !level_leaves_more(trial, unplaced_most)))
        return proved;
    *ret_answer = (ExactAnswer){0};
    proved = solve(trial, EXACT_SETTLED, unplaced_most, ret_answer);
    if (!proved || ret_answer->status != EXACT_LEAVES_MORE)
        return proved;
    *ret_answer = (ExactAnswer){0};
    return solve(trial, EXACT_SETTLED, UINT32_MAX, ret_answer);
}

// Compares the planner with the promised plans. `lowest`: the cheapest valid plan, which no plan may be below.
static ResultKind measure(Trial *trial, const ExactAnswer *lowest) {
    Result *result = &trial->result;
    ExactAnswer promised = {0};
    uint32_t most;

    if (!solve_promised(trial, lowest->unplaced, &promised))
        return RESULT_NOT_PROVED;
    most = promised.pods - promised.unplaced;
    result->below = promised.status == EXACT_NOTHING || result->placed > most ||
                    (result->placed == most && promised.price_per_hour > result->price + EPSILON);
    result->missing = result->below ? 0 : most - result->placed;
    result->optimum = result->below ? result->price : promised.price_per_hour;
    if (result->floor_counts && result->floor > result->optimum + EPSILON)
        return wrong(trial, "the floor is above the optimum", result->optimum);
    if (result->missing)
        return RESULT_LEFT_OUT;
    return result->optimum > 0 || result->price == 0 ? RESULT_RATIO : RESULT_FREE;
}

static ResultKind compare(Trial *trial) {
    Result *result = &trial->result;
    ExactAnswer lowest = {0};
    bool proved = solve(trial, EXACT_ALL_VALID, UINT32_MAX, &lowest);

    result->kinds = lowest.kinds;
    if (!proved)
        return RESULT_NOT_PROVED;
    if (lowest.status == EXACT_NOTHING)
        return wrong(trial, "the yardstick does not know the planner's plan", NAN);
    if (result->placed > lowest.pods - lowest.unplaced)
        return wrong(trial, "the planner places more than the optimum", lowest.price_per_hour);
    result->floor_counts = result->placed == lowest.pods && !isnan(result->floor);
    result->floor_is_high = result->floor_counts && result->floor > lowest.price_per_hour + EPSILON;
    if (result->placed == lowest.pods && result->price < lowest.price_per_hour - EPSILON)
        return wrong(trial, "the planner is below the optimum", lowest.price_per_hour);
    return measure(trial, &lowest);
}

static ResultKind judge_case(Trial *trial) {
    CasePlanning planning = {.manifests = buffer_slice(&trial->generated.manifests),
                             .catalog = buffer_slice(&trial->generated.catalog),
                             .effort = EFFORT_NORMAL};
    Buffer out = {0}, messages = {0};
    Value options;
    bool readable;

    if (!case_parse_json(&trial->arena, planning.manifests, &trial->manifests) ||
        !case_parse_json(&trial->arena, planning.catalog, &trial->catalog) ||
        !case_parse_json(&trial->arena, buffer_slice(&trial->generated.options), &options))
        return RESULT_REFUSED;
    trial->options = check_options_read(&options);
    trial->options.ignore_preferences = !trial->settings->respect;
    planning.options = trial->options;
    case_plan(&planning, &out, &messages);
    readable = case_parse_json(&trial->arena, buffer_slice(&out), &trial->plan);
    buffer_free(&out);
    buffer_free(&messages);
    vec_push(&trial->arena, &trial->documents, (Document){SLICE("manifests.json"), trial->manifests});
    if (!readable || !checker_takes(trial))
        return RESULT_REFUSED;
    trial->result.price = number_at(&trial->plan, "perHour");
    trial->result.floor = number_at(&trial->plan, "floorPerHour");
    trial->result.placed = count_placed(&trial->plan);
    if (trial->settings->show)
        show_plan("planner", &trial->plan);
    return compare(trial);
}

static Result run_case(const Settings *settings, uint64_t seed) {
    Trial trial = {.settings = settings, .result = {.seed = seed}};

    generate_case(seed, GENERATE_SMALL, settings->heavy, &trial.generated);
    trial.result.kind = judge_case(&trial);
    generated_case_free(&trial.generated);
    arena_free(&trial.arena);
    return trial.result;
}

// ---- the report

static uint32_t count_kind(const ResultVec *results, ResultKind kind) {
    uint32_t count = 0;

    for (vec_each(const Result, result, results))
        count += result->kind == kind;
    return count;
}

static double ratio_of(const Result *result) {
    return result->optimum > 0 ? result->price / result->optimum : 1;
}

typedef struct {
    uint32_t cases;
    double sum, worst;
} Mean;

static void mean_add(Mean *mean, double value) {
    mean->cases++;
    mean->sum += value;
    mean->worst = value > mean->worst ? value : mean->worst;
}

static double mean_of(const Mean *mean) {
    return mean->cases ? mean->sum / mean->cases : NAN;
}

static bool has_floor(const Result *result) {
    return result->floor_counts && result->optimum > 0 && result->kind == RESULT_RATIO;
}

static double floor_ratio(const Result *result) {
    return result->floor / result->optimum;
}

static void print_floors_by_kind(const ResultVec *results) {
    printf("%-36s %6s %8s %14s\n", "floor / optimum by constraint", "cases", "mean", "mean without");
    for (int kind = 0; kind < EXACT_KIND_COUNT; kind++) {
        Mean with = {0}, without = {0};

        for (vec_each(const Result, result, results)) {
            if (has_floor(result))
                mean_add(result->kinds >> kind & 1 ? &with : &without, floor_ratio(result));
        }
        printf("%-36s %6u %8.4f %14.4f\n", exact_kind_text((ExactKind)kind), with.cases, mean_of(&with),
               mean_of(&without));
    }
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_floors(const ResultVec *results) {
    Arena arena = {0};
    Vec(double) ratios = {0};
    double sum = 0;

    for (vec_each(const Result, result, results)) {
        if (has_floor(result)) {
            vec_push(&arena, &ratios, floor_ratio(result));
            sum += floor_ratio(result);
        }
    }
    if (ratios.count) {
        qsort(ratios.items, ratios.count, sizeof *ratios.items, compare_doubles);
        print_floors_by_kind(results);
        printf("floor / optimum: %u cases, mean %.4f (wanted: 0.9), one in ten below %.4f, worst %.4f\n", ratios.count,
               sum / ratios.count, ratios.items[ratios.count / 10], ratios.items[0]);
    }
    arena_free(&arena);
}

static void print_kinds(const ResultVec *results) {
    printf("%-36s %6s %8s %8s %14s\n", "constraint", "cases", "mean", "worst", "mean without");
    for (int kind = 0; kind < EXACT_KIND_COUNT; kind++) {
        Mean with = {0}, without = {0};

        for (vec_each(const Result, result, results)) {
            if (result->kind == RESULT_RATIO)
                mean_add(result->kinds >> kind & 1 ? &with : &without, ratio_of(result));
        }
        printf("%-36s %6u %8.4f %8.4f %14.4f\n", exact_kind_text((ExactKind)kind), with.cases, mean_of(&with),
               with.worst, mean_of(&without));
    }
}

// Prints the ratios of the inputs that have none of the given features.
static void print_ratio(const ResultVec *results, uint32_t without, const char *title) {
    Mean ratio = {0};
    uint32_t dearer = 0;

    for (vec_each(const Result, result, results)) {
        if (result->kind != RESULT_RATIO || (result->kinds & without))
            continue;
        mean_add(&ratio, ratio_of(result));
        dearer += ratio_of(result) > 1.05;
    }
    printf("price / optimum%s: %u cases, mean %.4f (wanted: 1.01), worst %.4f (wanted: 1.05), %u above 1.05\n", title,
           ratio.cases, mean_of(&ratio), ratio.worst, dearer);
}

static void print_case(const Result *result) {
    printf("  %llu: $%.5f, optimum $%.5f (%.3f), floor $%.5f (%.3f):", (unsigned long long)result->seed, result->price,
           result->optimum, ratio_of(result), result->floor, floor_ratio(result));
    if (result->missing)
        printf(" %u pods left out;", result->missing);
    for (int kind = 0; kind < EXACT_KIND_COUNT; kind++) {
        if (result->kinds >> kind & 1)
            printf(" %s;", exact_kind_text((ExactKind)kind));
    }
    printf("\n");
}

static int by_ratio(const void *a, const void *b) {
    double one = ratio_of(a), other = ratio_of(b);

    return one < other ? 1 : one > other ? -1 : 0;
}

static void print_worst(ResultVec *results) {
    uint32_t shown = 0;

    qsort(results->items, results->count, sizeof *results->items, by_ratio);
    printf("worst:\n");
    for (vec_each(const Result, result, results)) {
        if (result->kind == RESULT_RATIO && ratio_of(result) > 1 + 1e-6 && shown++ < WORST_SHOWN)
            print_case(result);
    }
    printf("pods left out, or paid for where nothing is needed:\n");
    for (vec_each(const Result, result, results)) {
        if (result->kind == RESULT_LEFT_OUT || result->kind == RESULT_FREE)
            print_case(result);
    }
}

static void print_report(ResultVec *results) {
    const uint32_t unasked = UINT32_C(1) << EXACT_HEAVIER_LIMITED, overrides = UINT32_C(1) << EXACT_OVERRIDES;
    uint32_t below = 0, high = 0;

    for (vec_each(const Result, result, results)) {
        below += result->below;
        high += result->floor_is_high;
    }
    print_kinds(results);
    print_worst(results);
    printf("%u cases: %u compared, %u optima cost nothing but the plan something, %u plans leave pods out, "
           "%u not proved, %u plans refused by the checker, %u wrong\n",
           results->count, count_kind(results, RESULT_RATIO), count_kind(results, RESULT_FREE),
           count_kind(results, RESULT_LEFT_OUT), count_kind(results, RESULT_NOT_PROVED),
           count_kind(results, RESULT_REFUSED), count_kind(results, RESULT_WRONG));
    printf("%u plans below what keeps all promises; %u floors above the cheapest valid plan\n", below, high);
    print_ratio(results, 0, "");
    print_ratio(results, unasked, ", no heavier pool with limits");
    print_ratio(results, unasked | overrides, ", nor offerings of a type that differ in room");
    print_floors(results);
}

static bool read_settings(int argc, char **argv, Settings *settings) {
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (strcmp(name, "--respect") == 0 || strcmp(name, "--list") == 0 || strcmp(name, "--heavy") == 0) {
            *(name[2] == 'r' ? &settings->respect : name[2] == 'l' ? &settings->list : &settings->heavy) = true;
            continue;
        }
        if (!value)
            return false;
        i++;
        if (strcmp(name, "--cases") == 0)
            settings->cases = strtoull(value, NULL, 10);
        else if (strcmp(name, "--seed") == 0 || strcmp(name, "--one") == 0)
            settings->seed = strtoull(value, NULL, 10);
        else if (strcmp(name, "--seconds") == 0)
            settings->seconds = strtod(value, NULL);
        else if (strcmp(name, "--most") == 0)
            settings->most = strtod(value, NULL);
        else
            return false;
        if (strcmp(name, "--one") == 0) {
            settings->cases = 1;
            settings->show = true;
        }
    }
    return true;
}

// Of several cases some are not proved in time on a machine that is busy.
static bool is_dearer(const Settings *settings, const Result *result) {
    if (result->kind == RESULT_NOT_PROVED)
        return settings->cases == 1;
    return result->kind != RESULT_RATIO || ratio_of(result) > settings->most;
}

int main(int argc, char **argv) {
    Settings settings = {.seed = 1, .cases = 300, .seconds = 20};
    ResultVec results = {0};
    Arena arena = {0};
    bool fails;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!read_settings(argc, argv, &settings)) {
        fprintf(stderr, "usage: property_exact [--cases N] [--seed S] [--one SEED] [--seconds T] [--heavy] [--respect] "
                        "[--list] [--most R]\n");
        return 2;
    }
    for (uint64_t i = 0; i < settings.cases; i++) {
        vec_push(&arena, &results, run_case(&settings, settings.seed + i));
        if (settings.list)
            print_case(vec_last(&results));
    }
    print_report(&results);
    fails = count_kind(&results, RESULT_WRONG) > 0;
    for (vec_each(const Result, result, &results))
        fails |= settings.most > 0 && is_dearer(&settings, result);
    arena_free(&arena);
    return fails ? 1 : 0;
}
