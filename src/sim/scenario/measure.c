// Taking measures.
#include "sim/scenario/measure.h"

static const MeasureInfo infos[] = {
#define X(measure, name, unit, text) {name, unit, text},
    SCENARIO_MEASURES(X)
#undef X
};

const MeasureInfo *measure_info(Measure measure) {
    return &infos[measure];
}

Measure measure_find(Slice name) {
    Measure measure = 0;

    while (measure < MEASURE_COUNT && !slice_eq_text(name, infos[measure].name))
        measure++;
    return measure;
}

static uint64_t launched(const SimBill *bill) {
    uint64_t sum = 0;

    for (size_t i = 0; i < SIM_CAPACITY_TYPES; i++)
        sum += bill->by_type[i].launched;
    return sum;
}

static uint64_t ended(const SimBill *bill) {
    uint64_t sum = 0;

    for (size_t i = 0; i < SIM_CAPACITY_TYPES; i++)
        sum += bill->by_type[i].ended;
    return sum;
}

static uint64_t cloud_calls(SimCloud *cloud) {
    uint64_t sum = 0;

    for (SimApi api = 0; api < SIM_API_COUNT; api++)
        sum += sim_cloud_api_count(cloud, api).calls;
    return sum;
}

static double seconds(int64_t ns) {
    return ns_to_s(ns);
}

double measure_take(const Measures *measures, Measure measure) {
    SimBill bill = sim_cloud_bill(measures->cloud);
    RunCounts counts = run_statistics_counts(measures->statistics);
    Population now = run_statistics_population(measures->statistics);

    switch (measure) {
    case MEASURE_LAUNCHES:
        return (double)launched(&bill);
    case MEASURE_LAUNCH_CALLS:
        return (double)sim_cloud_api_count(measures->cloud, SIM_API_CREATE_FLEET).calls;
    case MEASURE_CLOUD_CALLS:
        return (double)cloud_calls(measures->cloud);
    case MEASURE_INTERRUPTIONS:
        return (double)bill.by_type[SIM_SPOT].interrupted;
    case MEASURE_INSTANCES:
        return (double)(launched(&bill) - ended(&bill));
    case MEASURE_CLAIMS_CREATED:
        return (double)counts.claims_created;
    case MEASURE_NODES_JOINED:
        return (double)counts.nodes_joined;
    case MEASURE_PENDING:
        return now.pending;
    case MEASURE_RUNNING:
        return now.running;
    case MEASURE_DISRUPTED:
        return (double)counts.pods_disrupted;
    case MEASURE_BIND_P50:
        return seconds(run_statistics_time_to_bind(measures->statistics).p50_ns);
    case MEASURE_BIND_P99:
        return seconds(run_statistics_time_to_bind(measures->statistics).p99_ns);
    case MEASURE_RUN_P50:
        return seconds(run_statistics_time_to_run(measures->statistics).p50_ns);
    case MEASURE_RUN_P99:
        return seconds(run_statistics_time_to_run(measures->statistics).p99_ns);
    case MEASURE_MONEY:
        return (double)bill.nano_dollars / 1e9;
    case MEASURE_NODE_HOURS:
        return seconds(counts.node_ns) / 3600;
    case MEASURE_COUNT:
        break;
    }
    return 0;
}

typedef struct {
    const Selection *selection;
    uint32_t count;
} Visit;

static bool visit(void *context, const Value *object) {
    Visit *visit = context;

    visit->count += selection_matches(visit->selection, object);
    return true;
}

uint32_t measure_count(const Measures *measures, const Selection *selection) {
    Visit counted = {.selection = selection};

    api_visit(world_api(measures->world), selection->kind, visit, &counted);
    return counted.count;
}
