#include "measure.h"
#include "base/time.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// What the child sends through the pipe.
typedef struct {
    ErrCode code;
    Err err;
    Measurement measurement;
} Outcome;

static int64_t now_ns(void *context) {
    (void)context;
    return clock_system_mono().ns;
}

// --- memory ---------------------------------------------------------------------------------------------------------

static uint64_t rss_now(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long long pages = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%*s %llu", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t rss_peak(void) {
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

// --- solving --------------------------------------------------------------------------------------------------------

static PlanInput make_input(Arena *arena, Scene *scene, const PlanSearch *search) {
    PlanInput input = {.cluster = &scene->cluster, .preferences = scene->preferences, .search = *search};
    PoolTypes *types = arena_array(arena, PoolTypes, scene->cluster.node_pools.count);

    input.search.now_ns = now_ns;
    for (uint32_t i = 0; i < scene->cluster.node_pools.count; i++) {
        const NodePool *pool = &scene->cluster.node_pools.items[i];

        types[i] = (PoolTypes){pool->meta.name, &scene->types};
        vec_push(arena, &input.pools, (PlanPool){pool, &scene->types});
    }
    input.nodes = node_views_make(arena, &scene->cluster, types, scene->cluster.node_pools.count);
    input.pending = pending_select(arena, &scene->cluster, &input.nodes, 0);
    return input;
}

static void note_plan(const PlanInput *input, const Plan *plan, Measurement *measurement) {
    measurement->pods = input->pending.count;
    measurement->bound_pods = input->cluster->pods.count - input->pending.count;
    measurement->existing_nodes = input->nodes.count;
    measurement->classes = plan->class_count;
    measurement->claims = plan->claims.count;
    measurement->nodes_used = plan->nodes.count;
    measurement->unplaced = plan->unplaced.count;
    measurement->price_per_hour = plan->price_per_hour;
    measurement->floor_per_hour = plan->floor_per_hour;
    measurement->strategy = plan->strategy;
    measurement->timings = plan->timings;
}

// One solve from nothing; keeps the figures of the fastest.
static int64_t solve_once(Scene *scene, const MeasureOptions *options, Measurement *measurement) {
    Arena arena = {0};
    int64_t started = now_ns(NULL), selected, solved;
    PlanInput input = make_input(&arena, scene, &options->search);
    Plan plan;

    selected = now_ns(NULL);
    plan_solve(&arena, &input, &plan);
    solved = now_ns(NULL);
    if (!measurement->best_ns || solved - selected < measurement->best_ns) {
        note_plan(&input, &plan, measurement);
        measurement->best_ns = solved - selected;
        measurement->select_ns = selected - started;
    }
    arena_free(&arena);
    return solved - selected;
}

static int compare_times(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void solve_all(Scene *scene, const MeasureOptions *options, Measurement *measurement) {
    int64_t *times = arena_array(scene_arena(scene), int64_t, options->repeat);

    for (uint32_t i = 0; i < options->warm_up; i++)
        solve_once(scene, options, measurement);
    measurement->best_ns = 0;
    for (uint32_t i = 0; i < options->repeat; i++)
        times[i] = solve_once(scene, options, measurement);
    qsort(times, options->repeat, sizeof *times, compare_times);
    measurement->median_ns = (times[(options->repeat - 1) / 2] + times[options->repeat / 2]) / 2;
}

// --- a process of its own -------------------------------------------------------------------------------------------

static void run_child(const BenchCase *bench_case, const CaseOptions *of_case, const MeasureOptions *options,
                      Outcome *ret_outcome) {
    Measurement *measurement = &ret_outcome->measurement;
    int64_t started = now_ns(NULL);
    Scene scene;

    scene_init(&scene);
    ret_outcome->code = bench_case->make(&scene, of_case, &ret_outcome->err);
    if (ret_outcome->code != OK)
        return;
    measurement->of = bench_case;
    measurement->build_ns = now_ns(NULL) - started;
    measurement->types = scene.types.count;
    measurement->rss_before = rss_now();
    solve_all(&scene, options, measurement);
    measurement->rss_peak = rss_peak();
    scene_free(&scene);
}

static bool read_whole(int from, void *bytes, size_t size) {
    for (size_t at = 0; at < size;) {
        ssize_t got = read(from, (char *)bytes + at, size - at);

        if (got <= 0)
            return false;
        at += (size_t)got;
    }
    return true;
}

static ErrCode explain_end(int status, const MeasureOptions *options, Err *err) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return err_set(err, ERR_TIMEOUT, "not done after %u s", options->limit_seconds);
    if (WIFSIGNALED(status))
        return err_set(err, ERR_IO, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return err_set(err, ERR_IO, "ended with status %d", WEXITSTATUS(status));
}

ErrCode measure_case(const BenchCase *bench_case, const CaseOptions *of_case, const MeasureOptions *options,
                     Measurement *ret_measurement, Err *err) {
    Outcome outcome = {0};
    int ends[2], status = 0;
    bool complete;
    pid_t child;

    if (pipe(ends) != 0)
        return err_set(err, ERR_IO, "pipe: %m");
    fflush(NULL);
    child = fork();
    if (child < 0)
        return err_set(err, ERR_IO, "fork: %m");
    if (child == 0) {
        alarm(options->limit_seconds);
        run_child(bench_case, of_case, options, &outcome);
        _exit(write(ends[1], &outcome, sizeof outcome) == (ssize_t)sizeof outcome ? 0 : 1);
    }
    close(ends[1]);
    complete = read_whole(ends[0], &outcome, sizeof outcome);
    close(ends[0]);
    if (waitpid(child, &status, 0) != child || !complete)
        return explain_end(status, options, err);
    if (outcome.code != OK) {
        *err = outcome.err;
        return outcome.code;
    }
    *ret_measurement = outcome.measurement;
    return OK;
}
