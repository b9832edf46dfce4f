// tenon-bench: how long tenon's planner takes, what its plans cost, and how much memory it needs. docs/design/bench.md.
#include "decode.h"
#include "fleet/case.h"
#include "options.h"
#include "write_manifests.h"

#include <stdio.h>

enum { EXIT_WRONG_USE = 2, EXIT_CASE_FAILED = 1 };

static void print_list(void) {
    for (size_t i = 0; i < bench_case_count; i++)
        printf("%-24s %8u pods  %s\n", bench_cases[i].name, bench_cases[i].pods, bench_cases[i].about);
    printf("%-24s %8u pods  %s\n", DECODE_CASE, DECODE_PODS,
           "a list of real pods is read, not planned (its own table)");
    printf("%-24s %8u pods  %s\n", FLEET_CASE, FLEET_PODS,
           "passes of consolidation over 5,000 nodes (--nodes, --sample; its own table)");
}

typedef struct {
    const BenchOptions *options;
    bool first, failed;
} Bench;

static void run_one(Bench *bench, const BenchCase *of, uint32_t pods) {
    CaseOptions of_case = bench->options->of_case;
    Measurement measurement;
    ErrCode code;
    Err err;

    of_case.pods = pods;
    fprintf(stderr, "%s, %u pods, effort %s …\n", of->name, pods, bench->options->effort);
    if (bench->options->manifests) {
        code = write_case(bench->options->manifests, of, &of_case, &err);
    } else {
        code = measure_case(of, &of_case, &bench->options->measure, &measurement, &err);
        report_case(bench->options->format, bench->options->effort, of, pods, &measurement, code == OK ? NULL : &err,
                    bench->first);
        bench->first = false;
    }
    if (code != OK) {
        fprintf(stderr, "error: %s: %s\n", of->name, err.text);
        bench->failed = true;
    }
}

static void run_case(Bench *bench, const BenchCase *of) {
    if (!bench->options->pods.count)
        run_one(bench, of, of->pods);
    for (vec_each(const uint32_t, pods, &bench->options->pods))
        run_one(bench, of, *pods);
}

// The names of --case, one after the other. False: one of them is no case (and nothing was run).
static bool check_names(Slice names) {
    while (names.len) {
        ptrdiff_t comma = slice_find(names, ',');
        Slice name = comma < 0 ? names : slice_first(names, (size_t)comma);

        if (!bench_case_find(name)) {
            fprintf(stderr, "error: --case: expected names that --list shows, got \"%.*s\"\n", SLICE_ARG(name));
            return false;
        }
        names = slice_from(names, comma < 0 ? names.len : (size_t)comma + 1);
    }
    return true;
}

// Reads a list of pods; of the options only those of measuring count.
static void run_decode(Bench *bench) {
    const BenchOptions *options = bench->options;
    DecodeOptions of_decode = {.pods = options->pods.count ? options->pods.items[0] : DECODE_PODS,
                               .seed = options->of_case.seed,
                               .repeat = options->measure.repeat,
                               .limit_seconds = options->measure.limit_seconds};
    Err err;

    if (decode_case_run(&of_decode, &err) != OK) {
        fprintf(stderr, "error: %s: %s\n", DECODE_CASE, err.text);
        bench->failed = true;
    }
}

// Passes over a fleet; of the options only those of measuring and of sizes count.
static void run_fleet(Bench *bench) {
    const BenchOptions *options = bench->options;
    FleetOptions of_fleet = {.nodes = options->of_case.nodes,
                             .pods = options->pods.count ? options->pods.items[0] : FLEET_PODS,
                             .sample = options->of_case.sample,
                             .seed = options->of_case.seed,
                             .repeat = options->measure.repeat,
                             .limit_seconds = options->measure.limit_seconds};
    ErrCode code;
    Err err;

    if (options->manifests)
        code = fleet_case_write(&of_fleet, options->manifests, &err);
    else
        code = fleet_case_run(&of_fleet, options->format, &err);
    if (code != OK) {
        fprintf(stderr, "error: %s: %s\n", FLEET_CASE, err.text);
        bench->failed = true;
    }
}

static void run_names(Bench *bench, Slice names) {
    while (names.len) {
        ptrdiff_t comma = slice_find(names, ',');

        run_case(bench, bench_case_find(comma < 0 ? names : slice_first(names, (size_t)comma)));
        names = slice_from(names, comma < 0 ? names.len : (size_t)comma + 1);
    }
}

static int run(const BenchOptions *options) {
    Bench bench = {.options = options, .first = true};

    if (slice_eq_text(options->cases, DECODE_CASE) || slice_eq_text(options->cases, FLEET_CASE)) {
        (slice_eq_text(options->cases, FLEET_CASE) ? run_fleet : run_decode)(&bench);
        return bench.failed ? EXIT_CASE_FAILED : 0;
    }
    if (!check_names(options->cases))
        return EXIT_WRONG_USE;
    if (!options->manifests)
        report_begin(options->format, !options->no_header);
    run_names(&bench, options->cases);
    for (size_t i = 0; i < bench_case_count && !options->cases.len; i++)
        run_case(&bench, &bench_cases[i]);
    if (!options->manifests)
        report_end(options->format);
    return bench.failed ? EXIT_CASE_FAILED : 0;
}

int main(int argc, char **argv) {
    BenchOptions options;
    Arena arena = {0};
    int status = 0;
    Err err;

    if (options_take(&arena, argc, argv, &options, &err) != OK) {
        fprintf(stderr, "error: %s\n", err.text);
        status = EXIT_WRONG_USE;
    } else if (options.help) {
        options_print_help();
    } else if (options.list) {
        print_list();
    } else {
        status = run(&options);
    }
    arena_free(&arena);
    return status;
}
