// Runs one scenario and prints what it cost, hour by hour and in all (bench/sim/README.md).
//
// `tenon sim` says what happened in the cluster; this says what it took: seconds, memory, events, solves, and how long
// a snapshot of the State takes after one change, which is sampled every virtual minute.
#include "sim/scenario/run.h"

#include "cli/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static const int64_t MINUTE = INT64_C(60) * 1000000000;

static int64_t real_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Resident memory now, MB; the most of it so far is what getrusage says.
static double resident_mb(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (file) {
        if (fscanf(file, "%*s %ld", &pages) != 1)
            pages = 0;
        fclose(file);
    }
    return (double)pages * 4096 / 1e6;
}

static double resident_most_mb(void) {
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024 / 1e6;
}

static void print_hour(Run *run, int64_t real_since_ns) {
    const RunReport *report = run_report(run);
    RunMoment moment = run_look(run);

    printf("%5.1f h %8.1f s  %7u pods %5u pending %5u nodes  %9" PRIu64 " events %8" PRIu64 " rounds %5" PRIu64
           " solves %7.1f MB state %8.1f MB resident\n",
           (double)(run_now_ns(run) - run_start_ns(run)) / 3.6e12, (double)real_since_ns / 1e9, moment.population.pods,
           moment.population.pending, moment.population.nodes, report->world.events, report->world.rounds,
           report->process.engine.solves, (double)report->process.state_bytes / 1e6, resident_mb());
    fflush(stdout);
}

static void print_end(Run *run, int64_t real_since_ns) {
    const RunReport *report = run_report(run);
    const SimProcessCounts *process = &report->process;
    double seconds = (double)real_since_ns / 1e9;

    printf("seconds            %.1f\n", seconds);
    printf("resident, most     %.1f MB\n", resident_most_mb());
    printf("state, most        %.1f MB\n", (double)process->state_bytes_most / 1e6);
    printf("events             %" PRIu64 " (%.0f/s), rounds %" PRIu64 ", alarms %" PRIu64 "\n", report->world.events,
           (double)report->world.events / seconds, report->world.rounds, report->world.alarms);
    printf("controller         %" PRIu64 " events, %" PRIu64 " turns, %" PRIu64 " reconciles, %" PRIu64 " calls\n",
           process->engine.events, process->engine.turns, process->engine.reconciles, process->calls);
    printf("solves             %" PRIu64 "\n", process->engine.solves);
    printf("%s, journal hash %016" PRIx64 "\n", run_is_green(report) ? "green" : "NOT GREEN", report->journal_hash);
}

static void run_to_end(Run *run) {
    int64_t began_ns = real_ns();

    for (int64_t at_ns = run_start_ns(run); at_ns < run_end_ns(run);) {
        at_ns += 30 * MINUTE;
        run_advance(run, at_ns);
        print_hour(run, real_ns() - began_ns);
    }
    run_finish(run);
    print_end(run, real_ns() - began_ns);
}

int main(int argc, char **argv) {
    Arena arena = {0};
    InputTextVec files = {0};
    ScenarioVec scenarios = {0};
    Run *run = NULL;
    Err err = {0};

    if (argc != 2) {
        fprintf(stderr, "usage: tenon-bench-sim SCENARIO\n");
        return 2;
    }
    if (files_read(&arena, argv[1], &files, &err) != OK || files.count != 1 ||
        scenario_read(&arena, files.items[0].file, files.items[0].text, NULL, &scenarios, &err) != OK ||
        scenarios.count != 1 || run_new(&scenarios.items[0], &(RunOptions){.skip_floor = true}, &run, &err) != OK) {
        fprintf(stderr, "%s: %s\n", argv[1], err.text[0] ? err.text : "expected one file with one scenario");
        return 2;
    }
    run_to_end(run);
    run_free(run);
    arena_free(&arena);
    return 0;
}
