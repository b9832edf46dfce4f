// property_plan: plans seeded random clusters in process and has the checker judge each plan.
//
// Every case is planned again with its objects in another order: the bytes must be equal. If they are not, the same
// order once more tells whether it is the order that matters. A failing case prints its seed and violations, is made
// small, and is written below --failures.
//
// --cases N (default 20000)  --seed S: cases S, S+1, …  --one SEED: only that one  --profile full|karpenter
// --heavy: constraints that bind (generator/generate.h)  --weigh: preferences are weighed  --failures DIR --keep-going:
// do not stop after 10 failing cases  --no-shrink  --quiet-kinds A,B: do not fail for these kinds of violations
#include "base/random.h"
#include "base/time.h"
#include "checker/check_plan.h"
#include "files.h"
#include "generator/generate.h"
#include "planning.h"
#include "shrink.h"
#include "text/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    uint64_t seed, cases;
    GenerateProfile profile;
    const char *failures;
    bool heavy, weigh, keep_going, no_shrink;
    Slice quiet_kinds;
} Settings;

// Counters of a run.
typedef struct {
    uint64_t cases, failed, pods, placed, claims, on_nodes;
} Totals;

// One case and its result.
typedef struct {
    const Settings *settings;
    Arena *arena;
    Slice catalog_text, options_text;
    CheckOptions options;
    uint32_t strategies; // bits of the planner's strategies; 0: all, with improvement
    Buffer messages;
    Buffer plan;
    ViolationVec violations;
} Trial;

static bool is_quiet(const Settings *settings, Slice kind) {
    Slice rest = settings->quiet_kinds;

    while (rest.len > 0) {
        ptrdiff_t comma = slice_find(rest, ',');
        Slice one = comma < 0 ? rest : slice_first(rest, (size_t)comma);

        if (slice_eq(one, kind))
            return true;
        rest = slice_from(rest, one.len + 1);
    }
    return false;
}

static void add_violation(Trial *trial, const char *kind, Slice text) {
    vec_push(trial->arena, &trial->violations, (Violation){slice_of(kind), {0}, arena_slice(trial->arena, text)});
}

static int plan(Trial *trial, Slice manifests, Buffer *out) {
    CasePlanning planning = {manifests,
                             trial->catalog_text,
                             trial->options,
                             trial->strategies ? EFFORT_FAST : EFFORT_NORMAL,
                             trial->strategies,
                             0,
                             trial->settings->weigh};

    return case_plan(&planning, out, &trial->messages);
}

static uint32_t count_of(const Value *plan_value, const char *member) {
    const Value *list = value_get(plan_value, slice_of(member));

    return list && list->kind == VALUE_LIST ? list->list.count : 0;
}

// Plans `manifests` and adds the checker's violations of the plan.
static void judge(Trial *trial, const Value *manifests, Slice text, const Value *catalog) {
    DocumentVec documents = {0};
    int status = plan(trial, text, &trial->plan);
    Value result;
    Err err;

    if (status != EXIT_ALL_PLACED && status != EXIT_SOME_UNPLACED) {
        add_violation(trial, "exit-status", buffer_slice(&trial->messages));
        return;
    }
    if (!case_parse_json(trial->arena, buffer_slice(&trial->plan), &result)) {
        add_violation(trial, "not-json", SLICE("the plan is not one JSON document"));
        return;
    }
    vec_push(trial->arena, &documents, (Document){SLICE("manifests.json"), *manifests});
    if (check_plan(trial->arena, &documents, catalog, &result, &trial->options, &trial->violations, &err) != OK)
        add_violation(trial, "unreadable", slice_of(err.text));
    if ((status == EXIT_ALL_PLACED) != (count_of(&result, "unschedulable") == 0))
        add_violation(trial, "exit-status", SLICE("the exit status does not say whether all pods have a home"));
}

// ---- order of the objects

static Value *find_items(Value *manifests) {
    for (uint32_t i = 0; i < manifests->map.count; i++) {
        if (slice_eq_text(manifests->map.items[i].key, "items"))
            return &manifests->map.items[i].value;
    }
    return NULL;
}

// The same objects in another order.
static Value shuffle(Arena *arena, const Value *manifests, uint64_t seed) {
    Value shuffled = *manifests, *items;
    Random random;

    random_seed(&random, seed);
    shuffled.map.items = arena_copy(arena, manifests->map.items, manifests->map.count * sizeof *manifests->map.items);
    items = find_items(&shuffled);
    if (!items)
        return shuffled;
    items->list.items = arena_copy(arena, items->list.items, items->list.count * sizeof *items->list.items);
    for (uint32_t i = items->list.count; i > 1; i--) {
        Value *one = &items->list.items[i - 1], *other = &items->list.items[random_below(&random, i)], held = *one;

        *one = *other;
        *other = held;
    }
    return shuffled;
}

static bool gives_the_same_plan(Trial *trial, Slice manifests) {
    Buffer again = {0};
    bool same;

    plan(trial, manifests, &again);
    same = slice_eq(buffer_slice(&again), buffer_slice(&trial->plan));
    buffer_free(&again);
    return same;
}

static void judge_order(Trial *trial, const Value *manifests, Slice text, uint64_t seed) {
    Value shuffled = shuffle(trial->arena, manifests, seed);
    Buffer other = {0};

    json_print(&other, &shuffled, false);
    if (!gives_the_same_plan(trial, buffer_slice(&other))) {
        if (gives_the_same_plan(trial, text))
            add_violation(trial, "order", SLICE("planning the objects in another order gives other bytes"));
        else
            add_violation(trial, "determinism", SLICE("planning the same input again gives other bytes"));
    }
    buffer_free(&other);
}

// `text`: of the manifests.
static void judge_all_orders(Trial *trial, const Value *manifests, Slice text, const Value *catalog, uint64_t seed) {
    judge(trial, manifests, text, catalog);
    judge_order(trial, manifests, text, seed);
    if (trial->violations.count == 0) { // also a single strategy without improvement, each case another one
        trial->strategies = 1U << seed % STRATEGY_COUNT;
        judge(trial, manifests, text, catalog);
    }
    trial->strategies = 0;
}

// ---- failures

typedef struct {
    const Trial *original;
    Slice kind;
    uint64_t seed;
} Failure;

static const Violation *first_loud(const Settings *settings, const ViolationVec *violations) {
    for (vec_each(const Violation, violation, violations)) {
        if (!is_quiet(settings, violation->kind))
            return violation;
    }
    return NULL;
}

static bool still_fails(void *context, const Value *manifests, const Value *catalog) {
    const Failure *failure = context;
    Arena arena = {0};
    Buffer catalog_text = {0}, manifests_text = {0};
    Trial trial = {.settings = failure->original->settings, .arena = &arena, .options = failure->original->options};
    bool fails = false;

    json_print(&catalog_text, catalog, false);
    json_print(&manifests_text, manifests, false);
    trial.catalog_text = buffer_slice(&catalog_text);
    judge_all_orders(&trial, manifests, buffer_slice(&manifests_text), catalog, failure->seed);
    for (vec_each(Violation, violation, &trial.violations))
        fails |= slice_eq(violation->kind, failure->kind);
    buffer_free(&catalog_text);
    buffer_free(&manifests_text);
    buffer_free(&trial.plan);
    buffer_free(&trial.messages);
    arena_free(&arena);
    return fails;
}

static void write_part(Arena *arena, const char *folder, const char *name, Slice text) {
    const char *path = arena_text(arena, arena_printf(arena, "%s/%s", folder, name));
    Err err;

    if (case_write_text(path, text, &err) != OK)
        fprintf(stderr, "error: %s\n", err.text);
}

static void print_violations(const Trial *trial, Buffer *text) {
    for (vec_each(const Violation, violation, &trial->violations))
        buffer_printf(text, "violation: %.*s: %.*s: %.*s\n", SLICE_ARG(violation->kind), SLICE_ARG(violation->pod),
                      SLICE_ARG(violation->text));
}

// Writes manifests, catalogue, options, the plan and its violations.
static void write_failure(const Trial *original, const Value *manifests, const Value *catalog, uint64_t seed) {
    Buffer catalog_text = {0}, manifests_text = {0}, messages = {0};
    Arena arena = {0};
    Trial trial = {.settings = original->settings, .arena = &arena, .options = original->options};
    const char *folder =
        arena_text(&arena, arena_printf(&arena, "%s/%llu", original->settings->failures, (unsigned long long)seed));
    Err err;

    if (case_make_folder(folder, &err) != OK) {
        fprintf(stderr, "error: %s\n", err.text);
        arena_free(&arena);
        return;
    }
    json_print(&catalog_text, catalog, true);
    json_print(&manifests_text, manifests, true);
    trial.catalog_text = buffer_slice(&catalog_text);
    judge_all_orders(&trial, manifests, buffer_slice(&manifests_text), catalog, seed);
    print_violations(&trial, &messages);
    write_part(&arena, folder, "manifests.json", buffer_slice(&manifests_text));
    write_part(&arena, folder, "catalog.json", buffer_slice(&catalog_text));
    write_part(&arena, folder, "options.json", original->options_text);
    write_part(&arena, folder, "plan.json", buffer_slice(&trial.plan));
    write_part(&arena, folder, "violations.txt", buffer_slice(&messages));
    printf("  made small (%u objects, %u types): %s\n%.*s", count_of(manifests, "items"), catalog->list.count, folder,
           SLICE_ARG(buffer_slice(&messages)));
    buffer_free(&catalog_text);
    buffer_free(&manifests_text);
    buffer_free(&messages);
    buffer_free(&trial.plan);
    buffer_free(&trial.messages);
    arena_free(&arena);
}

static void report_failure(Trial *trial, Value *manifests, Value *catalog, uint64_t seed) {
    Failure failure = {trial, first_loud(trial->settings, &trial->violations)->kind, seed};
    Buffer text = {0};

    print_violations(trial, &text);
    printf("case %llu fails (property_plan --one %llu%s%s):\n%.*s", (unsigned long long)seed, (unsigned long long)seed,
           trial->settings->profile == GENERATE_KARPENTER ? " --profile karpenter" : "",
           trial->settings->heavy ? " --heavy" : "", SLICE_ARG(buffer_slice(&text)));
    buffer_free(&text);
    if (!trial->settings->failures)
        return;
    if (!trial->settings->no_shrink)
        shrink_case(manifests, catalog, 3000, still_fails, &failure);
    write_failure(trial, manifests, catalog, seed);
}

// ---- the run

static void count_plan(Trial *trial, Totals *totals) {
    Value result;
    const Value *claims, *nodes;

    if (!case_parse_json(trial->arena, buffer_slice(&trial->plan), &result))
        return;
    claims = value_get_text(&result, "nodeClaims");
    nodes = value_get_text(&result, "existingNodes");
    for (uint32_t i = 0; claims && i < claims->list.count; i++)
        totals->placed += count_of(&claims->list.items[i], "pods");
    for (uint32_t i = 0; nodes && i < nodes->list.count; i++)
        totals->on_nodes += count_of(&nodes->list.items[i], "pods");
    totals->claims += count_of(&result, "nodeClaims");
    totals->pods += count_of(&result, "unschedulable");
}

static bool run_case(const Settings *settings, uint64_t seed, Totals *totals) {
    GeneratedCase generated;
    Arena arena = {0};
    Trial trial = {.settings = settings, .arena = &arena};
    Value manifests, catalog, options;
    bool fails = true;

    generate_case(seed, settings->profile, settings->heavy, &generated);
    trial.catalog_text = buffer_slice(&generated.catalog);
    trial.options_text = buffer_slice(&generated.options);
    if (case_parse_json(&arena, buffer_slice(&generated.manifests), &manifests) &&
        case_parse_json(&arena, trial.catalog_text, &catalog) &&
        case_parse_json(&arena, trial.options_text, &options)) {
        trial.options = check_options_read(&options);
        judge_all_orders(&trial, &manifests, buffer_slice(&generated.manifests), &catalog, seed);
        count_plan(&trial, totals);
        fails = first_loud(settings, &trial.violations) != NULL;
        if (fails)
            report_failure(&trial, &manifests, &catalog, seed);
    } else {
        printf("case %llu: the generator wrote no JSON\n", (unsigned long long)seed);
    }
    totals->cases++;
    totals->failed += fails;
    generated_case_free(&generated);
    buffer_free(&trial.plan);
    buffer_free(&trial.messages);
    arena_free(&arena);
    return !fails;
}

static double now_s(void) {
    return ns_to_s(clock_system_mono().ns);
}

static bool read_switch(const char *name, Settings *settings) {
    bool *const switches[] = {&settings->heavy, &settings->weigh, &settings->keep_going, &settings->no_shrink};
    static const char *const names[] = {"--heavy", "--weigh", "--keep-going", "--no-shrink"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        *switches[i] = true;
        return true;
    }
    return false;
}

static bool read_settings(int argc, char **argv, Settings *settings) {
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        bool takes_value = true;

        if (strcmp(name, "--cases") == 0) {
            settings->cases = strtoull(value, NULL, 10);
        } else if (strcmp(name, "--seed") == 0) {
            settings->seed = strtoull(value, NULL, 10);
        } else if (strcmp(name, "--one") == 0) {
            settings->seed = strtoull(value, NULL, 10);
            settings->cases = 1;
        } else if (strcmp(name, "--profile") == 0) {
            settings->profile = strcmp(value, "karpenter") == 0 ? GENERATE_KARPENTER : GENERATE_FULL;
        } else if (strcmp(name, "--failures") == 0) {
            settings->failures = value;
        } else if (strcmp(name, "--quiet-kinds") == 0) {
            settings->quiet_kinds = slice_of(value);
        } else {
            takes_value = false;
            if (!read_switch(name, settings))
                return false;
        }
        if (takes_value && ++i == argc)
            return false;
    }
    return true;
}

int main(int argc, char **argv) {
    Settings settings = {.seed = 1, .cases = 20000, .profile = GENERATE_FULL};
    Totals totals = {0};
    double start = now_s(), seconds;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!read_settings(argc, argv, &settings)) {
        fprintf(stderr, "usage: property_plan [--cases N] [--seed S] [--one SEED] [--profile full|karpenter] [--heavy] "
                        "[--failures DIR] [--keep-going] [--no-shrink] [--quiet-kinds A,B]\n");
        return 2;
    }
    for (uint64_t i = 0; i < settings.cases; i++) {
        run_case(&settings, settings.seed + i, &totals);
        if (totals.failed >= 10 && !settings.keep_going)
            break;
        if (totals.cases % 1000 == 0)
            printf("%llu cases, %llu failed\n", (unsigned long long)totals.cases, (unsigned long long)totals.failed);
    }
    seconds = now_s() - start;
    printf("%llu cases, %llu failed; %llu pods on %llu new nodes, %llu on existing ones, %llu without a home; "
           "%.1f s, %.0f cases/s\n",
           (unsigned long long)totals.cases, (unsigned long long)totals.failed, (unsigned long long)totals.placed,
           (unsigned long long)totals.claims, (unsigned long long)totals.on_nodes, (unsigned long long)totals.pods,
           seconds, (double)totals.cases / seconds);
    return totals.failed ? 1 : 0;
}
