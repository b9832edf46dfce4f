#include "measure.h"

#include "base/time.h"
#include "child.h"

#include <stdlib.h>

static int64_t now_ns(void *context) {
    (void)context;
    return clock_system_mono().ns;
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

typedef struct {
    const BenchCase *bench_case;
    const CaseOptions *of_case;
    const MeasureOptions *options;
} Task;

static ErrCode run_task(const void *context, void *ret_measurement, Err *err) {
    const Task *task = context;
    Measurement *measurement = ret_measurement;
    int64_t started = now_ns(NULL);
    Scene scene;

    scene_init(&scene);
    TRY(task->bench_case->make(&scene, task->of_case, err));
    measurement->of = task->bench_case;
    measurement->build_ns = now_ns(NULL) - started;
    measurement->types = scene.types.count;
    measurement->rss_before = rss_now();
    solve_all(&scene, task->options, measurement);
    measurement->rss_peak = rss_peak();
    scene_free(&scene);
    return OK;
}

ErrCode measure_case(const BenchCase *bench_case, const CaseOptions *of_case, const MeasureOptions *options,
                     Measurement *ret_measurement, Err *err) {
    Task task = {bench_case, of_case, options};

    return child_run(run_task, &task, ret_measurement, sizeof *ret_measurement, options->limit_seconds, err);
}
