// Values over time: numbers of pods and nodes, their price, and its floor.
#include "sim/scenario/run_moments.h"

#include "sim/scenario/run_floor.h"

#include <math.h>

enum { MOMENTS_PRESET = 96 };

RunMoment run_look(Run *run) {
    int64_t now_ns = world_now_ns(run->world) - run->start_ns, before_ns = 0;
    int64_t spent = sim_cloud_bill(run->cloud).nano_dollars - run->billed_nano_dollars;

    if (run->moments.count)
        before_ns = vec_last(&run->moments)->at_ns;
    return (RunMoment){
        .at_ns = now_ns,
        .population = run_statistics_population(run->statistics),
        .price_per_hour =
            now_ns > before_ns ? (double)spent / 1e9 / ((double)(now_ns - before_ns) / (double)NS_PER_HOUR) : 0,
        .floor_per_hour = run->floor_per_hour,
    };
}

static int64_t step_ns(const Run *run) {
    uint32_t moments = run->options.moments ? run->options.moments : MOMENTS_PRESET;
    int64_t step = run->scenario->duration_ns / moments;

    return step > 0 ? step : 1;
}

static void take(void *context) {
    Run *run = context;
    RunMoment moment;

    run->floor_per_hour = run->options.skip_floor ? NAN : run_floor(run);
    moment = run_look(run);
    vec_push(&run->arena, &run->moments, moment);
    run->billed_nano_dollars = sim_cloud_bill(run->cloud).nano_dollars;
    if (world_now_ns(run->world) < run->end_ns)
        world_alarm(run->world, world_now_ns(run->world) + step_ns(run), take, run);
}

void run_plan_moments(Run *run) {
    world_alarm(run->world, run->start_ns + step_ns(run), take, run);
}
