#include "options.h"

#include <getopt.h>
#include <stdio.h>

// Every option, once: getopt's table and --help are made from it.
#define OPTIONS(X)                                                                                                     \
    X(CASE, "case", "NAME[,..]", "cases to run (all of --list)")                                                       \
    X(PODS, "pods", "N[,..]", "pending pods; several: one run each (the case's own number)")                           \
    X(NODES, "nodes", "N", "existing nodes of the cases that have some (5000)")                                        \
    X(SAMPLE, "sample", "N", "of the fleet only so many nodes, with their pods (0: all)")                              \
    X(EFFORT, "effort", "WORD", "fast, normal or best (fast)")                                                         \
    X(STRATEGY, "strategy", "NAME[,..]", "first-fit, marginal-price, patterns (those of the effort)")                  \
    X(SKIP_IMPROVEMENT, "skip-improvement", NULL, "no improvement of the plan, whatever the effort")                   \
    X(SKIP_FLOOR, "skip-floor", NULL, "no lower bound of the price, whatever the effort")                              \
    X(REPEAT, "repeat", "N", "timed solves; best and median are shown (3)")                                            \
    X(WARM_UP, "warm-up", "N", "solves before them (1)")                                                               \
    X(LIMIT, "limit", "SECONDS", "give a case up after so long (600; 0: never)")                                       \
    X(CPUS_MAX, "types-max-cpu", "N", "only instance types of at most so many CPUs")                                   \
    X(CSV, "csv", "FILE", "pods of openb or diverse from this list instead")                                           \
    X(SEED, "seed", "N", "of what is drawn (42)")                                                                      \
    X(WORKLOADS, "workloads", "DIR", "folder with diverse-<pods>.csv (that of the source tree)")                       \
    X(MANIFESTS, "write-manifests", "DIR", "write each case as DIR/<case>-<pods>/manifests.json and catalog.json")     \
    X(OUTPUT, "output", "FORMAT", "tsv, json or table (tsv); also -o")                                                 \
    X(NO_HEADER, "no-header", NULL, "no line of column names")                                                         \
    X(LIST, "list", NULL, "the cases")                                                                                 \
    X(HELP, "help", NULL, "this text")

typedef enum {
#define X(id, name, value, help) OPTION_##id,
    OPTIONS(X)
#undef X
        OPTION_COUNT
} OptionId;

static const struct {
    const char *name, *value, *help;
} table[OPTION_COUNT] = {
#define X(id, name, value, help) [OPTION_##id] = {name, value, help},
    OPTIONS(X)
#undef X
};

void options_print_help(void) {
    printf(
        "Usage: tenon-bench [options]\n\nMakes the pods of each case in memory, plans nodes for them and prints what "
        "it took.\n\n");
    for (int i = 0; i < OPTION_COUNT; i++)
        printf("  --%-16s %-10s %s\n", table[i].name, table[i].value ? table[i].value : "", table[i].help);
}

static ErrCode take_number(OptionId id, Slice text, int64_t least, int64_t most, int64_t *ret_number, Err *err) {
    int64_t number;

    if (!slice_to_int64(text, &number) || number < least || number > most)
        return err_set(err, ERR_INVALID, "--%s: expected a number from %lld to %lld, got \"%.*s\"", table[id].name,
                       (long long)least, (long long)most, SLICE_ARG(text));
    *ret_number = number;
    return OK;
}

static ErrCode take_pods(Arena *arena, Slice text, U32Vec *ret_pods, Err *err) {
    while (text.len) {
        ptrdiff_t comma = slice_find(text, ',');
        int64_t number = 0;

        TRY(take_number(OPTION_PODS, comma < 0 ? text : slice_first(text, (size_t)comma), 1, 2000000, &number, err));
        vec_push(arena, ret_pods, (uint32_t)number);
        text = slice_from(text, comma < 0 ? text.len : (size_t)comma + 1);
    }
    return OK;
}

// The index of `word` in `words`.
static ErrCode take_word(OptionId id, const char *word, const char *const *words, size_t count, size_t *ret_index,
                         Err *err) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, words[i]) == 0) {
            *ret_index = i;
            return OK;
        }
    }
    return err_set(err, ERR_INVALID, "--%s: expected %s; got \"%s\"", table[id].name, table[id].help, word);
}

static ErrCode take_effort(const char *word, BenchOptions *options, Err *err) {
    static const char *const words[] = {[EFFORT_FAST] = "fast", [EFFORT_NORMAL] = "normal", [EFFORT_BEST] = "best"};
    size_t index = 0;

    TRY(take_word(OPTION_EFFORT, word, words, sizeof words / sizeof *words, &index, err));
    options->measure.search.effort = (Effort)index;
    options->effort = words[index];
    return OK;
}

static ErrCode take_format(const char *word, ReportFormat *ret_format, Err *err) {
    static const char *const words[] = {[REPORT_TSV] = "tsv", [REPORT_JSON] = "json", [REPORT_TABLE] = "table"};
    size_t index = 0;

    TRY(take_word(OPTION_OUTPUT, word, words, sizeof words / sizeof *words, &index, err));
    *ret_format = (ReportFormat)index;
    return OK;
}

static ErrCode take_numeric(OptionId id, Slice text, BenchOptions *options, Err *err) {
    int64_t number = 0, least = id == OPTION_REPEAT || id == OPTION_NODES || id == OPTION_CPUS_MAX;

    TRY(take_number(id, text, least, id == OPTION_SEED ? INT64_MAX : 1000000, &number, err));
    switch (id) {
    case OPTION_NODES:
        options->of_case.nodes = (uint32_t)number;
        break;
    case OPTION_SAMPLE:
        options->of_case.sample = (uint32_t)number;
        break;
    case OPTION_REPEAT:
        options->measure.repeat = (uint32_t)number;
        break;
    case OPTION_WARM_UP:
        options->measure.warm_up = (uint32_t)number;
        break;
    case OPTION_LIMIT:
        options->measure.limit_seconds = (uint32_t)number;
        break;
    case OPTION_CPUS_MAX:
        options->of_case.cpus_max = number;
        break;
    default:
        options->of_case.seed = (uint64_t)number;
    }
    return OK;
}

static ErrCode take(Arena *arena, OptionId id, const char *value, BenchOptions *options, Err *err) {
    switch (id) {
    case OPTION_CASE:
        options->cases = slice_of(value);
        return OK;
    case OPTION_PODS:
        return take_pods(arena, slice_of(value), &options->pods, err);
    case OPTION_EFFORT:
        return take_effort(value, options, err);
    case OPTION_STRATEGY:
        return strategies_parse(slice_of(value), &options->measure.search.strategies, err);
    case OPTION_SKIP_IMPROVEMENT:
        options->measure.search.skip_improvement = true;
        return OK;
    case OPTION_SKIP_FLOOR:
        options->measure.search.skip_floor = true;
        return OK;
    case OPTION_CSV:
        options->of_case.csv = value;
        return OK;
    case OPTION_WORKLOADS:
        options->of_case.folder = value;
        return OK;
    case OPTION_MANIFESTS:
        options->manifests = value;
        return OK;
    case OPTION_OUTPUT:
        return take_format(value, &options->format, err);
    case OPTION_NO_HEADER:
        options->no_header = true;
        return OK;
    case OPTION_LIST:
        options->list = true;
        return OK;
    case OPTION_HELP:
        options->help = true;
        return OK;
    default:
        return take_numeric(id, slice_of(value), options, err);
    }
}

ErrCode options_take(Arena *arena, int argc, char **argv, BenchOptions *ret_options, Err *err) {
    BenchOptions options = {
        .of_case = {.nodes = 5000, .seed = 42, .folder = TENON_SOURCE_DIR "/bench/workloads/karpenter-diverse"},
        .measure = {.repeat = 3, .warm_up = 1, .limit_seconds = 600},
        .effort = "fast",
    };
    struct option long_options[OPTION_COUNT + 1] = {{0}};
    int id;

    options.measure.search.effort = EFFORT_FAST;
    for (int i = 0; i < OPTION_COUNT; i++)
        long_options[i] = (struct option){table[i].name, table[i].value ? required_argument : no_argument, NULL, i};
    opterr = 0;
    while ((id = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1) {
        if (id == '?')
            return err_set(err, ERR_INVALID, "%s: unknown, or without its value; see --help", argv[optind - 1]);
        id = id == 'o' ? OPTION_OUTPUT : id == 'h' ? OPTION_HELP : id;
        TRY(take(arena, (OptionId)id, optarg, &options, err));
    }
    if (optind < argc)
        return err_set(err, ERR_INVALID, "unexpected argument \"%s\"; see --help", argv[optind]);
    *ret_options = options;
    return OK;
}
