// Runs one scenario and prints what it cost, hour by hour and in all (bench/sim/README.md).
//
// `tenon sim` says what happened in the cluster; this says what it took: seconds, memory, events, solves, and how long
// a snapshot of the State takes after one change, which is sampled every virtual minute.
#include "sim/scenario/run_parts.h"

#include "cli/files.h"
#include "sched/plan.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static int64_t real_ns(void) {
    return clock_system_mono().ns;
}

// --- figures

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

// What malloc gave out and has not got back, with its own heads, MB.
static double allocated_mb(void) {
    struct mallinfo2 info = mallinfo2();

    return (double)(info.uordblks + info.hblkhd) / 1e6;
}

static double most_mb; // that was resident so far

// The most that was resident since the last call (Linux: clear_refs 5 sets the mark back), MB.
static double take_high_water_mb(void) {
    FILE *file = fopen("/proc/self/status", "r"), *reset = fopen("/proc/self/clear_refs", "w");
    char line[128];
    long kib = 0;

    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "VmHWM:", 6) == 0)
            (void)sscanf(line + 6, "%ld", &kib);
    }
    if (file)
        fclose(file);
    if (reset) {
        fputs("5", reset);
        fclose(reset);
    }
    if ((double)kib * 1024 / 1e6 > most_mb)
        most_mb = (double)kib * 1024 / 1e6;
    return (double)kib * 1024 / 1e6;
}

// --- one solve on its own

typedef struct {
    int64_t snapshot_ns, cluster_ns, views_ns, pending_ns, solve_ns;
    size_t cluster_bytes, input_bytes, plan_bytes;
    uint32_t pods, nodes, pending;
} Probe;

typedef Vec(PoolTypes) PoolTypesVec;

static void take_pools(Run *run, Arena *arena, PlanInput *input, PoolTypesVec *types_of) {
    for (vec_each(const NodePool, pool, &input->cluster->node_pools)) {
        PlanPool plan_pool = {.pool = pool};
        CloudError error;

        if (cloud_instance_types(sim_view_cloud(run->view), pool, &plan_pool.types, &error) != OK)
            continue;
        vec_push(arena, &input->pools, plan_pool);
        vec_push(arena, types_of, (PoolTypes){pool->meta.name, plan_pool.types});
    }
}

// Time of the processor: others may work on this machine, too.
static int64_t processor_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return ns_of_timespec(now);
}

static int64_t lap(int64_t *at_ns) {
    int64_t before_ns = *at_ns;

    *at_ns = processor_ns();
    return *at_ns - before_ns;
}

// The last bound pod of a Deployment is made to wait anew: the least that a pass of the provisioner can be about.
static void unbind_one(Cluster *cluster) {
    for (uint32_t i = cluster->pods.count; i-- > 0;) {
        Pod *pod = &cluster->pods.items[i];

        if (pod->of_daemon || pod->node_name == NAME_EMPTY)
            continue;
        pod->node_name = NAME_EMPTY;
        pod->phase = POD_PENDING;
        pod->unschedulable = true;
        return;
    }
}

// What job_solve does, step by step, with one pod more that waits.
static Probe probe(Run *run) {
    Arena arena = {0};
    Cluster cluster;
    PlanInput input = {.cluster = &cluster, .search = {.effort = EFFORT_FAST}};
    PoolTypesVec types_of = {0};
    int64_t at_ns = processor_ns();
    Probe result = {0};
    Snapshot *snapshot = world_snapshot(run->world);
    Plan plan;

    result.snapshot_ns = lap(&at_ns);
    snapshot_cluster(snapshot, &arena, &cluster);
    result.cluster_ns = lap(&at_ns);
    result.cluster_bytes = arena.used_bytes;
    unbind_one(&cluster);
    take_pools(run, &arena, &input, &types_of);
    lap(&at_ns);
    input.nodes = node_views_make(&arena, &cluster, types_of.items, types_of.count);
    result.views_ns = lap(&at_ns);
    input.pending = pending_select(&arena, &cluster, &input.nodes, world_now_ns(run->world));
    result.pending_ns = lap(&at_ns);
    result.input_bytes = arena.used_bytes;
    plan_solve(&arena, &input, &plan);
    result.solve_ns = lap(&at_ns);
    result.plan_bytes = arena.used_bytes;
    result.pods = cluster.pods.count;
    result.nodes = input.nodes.count;
    result.pending = input.pending.count;
    arena_free(&arena);
    snapshot_free(snapshot);
    return result;
}

static void print_probe(Run *run) {
    Probe probed = probe(run); // the first one warms the caches of types
    double ms = 1e6, before_mb, peak_mb;

    malloc_trim(0);
    take_high_water_mb();
    before_mb = resident_mb();
    probed = probe(run);
    peak_mb = take_high_water_mb() - before_mb;
    printf("a pass             %u pods, %u nodes, %u pending: snapshot %.3f ms, cluster %.1f ms, nodes %.1f ms, "
           "pending %.1f ms, solve %.1f ms\n",
           probed.pods, probed.nodes, probed.pending, (double)probed.snapshot_ns / ms, (double)probed.cluster_ns / ms,
           (double)probed.views_ns / ms, (double)probed.pending_ns / ms, (double)probed.solve_ns / ms);
    printf("its memory         cluster %.1f MB, with nodes %.1f MB, with the plan %.1f MB, at most %.1f MB\n",
           (double)probed.cluster_bytes / 1e6, (double)probed.input_bytes / 1e6, (double)probed.plan_bytes / 1e6,
           peak_mb);
}

// --- the run

static void print_hour(Run *run, int64_t real_since_ns) {
    const RunReport *report = run_report(run);
    RunMoment moment = run_look(run);

    printf("%5.1f h %8.1f s  %7u pods %5u pending %5u nodes  %9" PRIu64 " events %8" PRIu64 " rounds %5" PRIu64
           " solves %7.1f MB state %8.1f MB resident\n",
           (double)(run_now_ns(run) - run_start_ns(run)) / (double)NS_PER_HOUR, ns_to_s(real_since_ns),
           moment.population.pods, moment.population.pending, moment.population.nodes, report->world.events,
           report->world.rounds, report->process.engine.solves, (double)report->process.state_bytes / 1e6,
           resident_mb());
    fflush(stdout);
}

// Of this process, which has one thread: what it would take on a machine of its own.
static double processor_seconds(void) {
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void print_end(Run *run, int64_t real_since_ns) {
    const RunReport *report = run_report(run);
    const SimProcessCounts *process = &report->process;
    double seconds = ns_to_s(real_since_ns);

    printf("seconds            %.1f, of the processor %.1f\n", seconds, processor_seconds());
    take_high_water_mb();
    printf("resident, most     %.1f MB\n", most_mb);
    printf("state, most        %.1f MB\n", (double)process->state_bytes_most / 1e6);
    printf("events             %" PRIu64 " (%.0f/s), rounds %" PRIu64 ", alarms %" PRIu64 "\n", report->world.events,
           (double)report->world.events / seconds, report->world.rounds, report->world.alarms);
    printf("controller         %" PRIu64 " events, %" PRIu64 " turns, %" PRIu64 " reconciles, %" PRIu64 " calls\n",
           process->engine.events, process->engine.turns, process->engine.reconciles, process->calls);
    printf("solves             %" PRIu64 "\n", process->engine.solves);
    printf("%s, journal hash %016" PRIx64 "\n", run_is_green(report) ? "green" : "NOT GREEN", report->journal_hash);
}

// All that a life of tenon holds (State, controllers, queues, news on their way): what is given back when it is killed.
// Its view of the embedded cloud remembers every instance.
static void print_controller(Run *run) {
    double before_mb = allocated_mb(), view_mb = (double)run_report(run)->process.view_bytes / 1e6;

    sim_process_kill(run->process, NS_PER_HOUR);
    printf("the controller     %.1f MB, without its view of the cloud %.1f MB\n", before_mb - allocated_mb(),
           before_mb - allocated_mb() - view_mb);
}

static void run_to_end(Run *run) {
    int64_t began_ns = real_ns();

    for (int64_t at_ns = run_start_ns(run); at_ns < run_end_ns(run);) {
        at_ns += 30 * NS_PER_MIN;
        run_advance(run, at_ns);
        print_hour(run, real_ns() - began_ns);
        if (at_ns == run_start_ns(run) + 120 * NS_PER_MIN)
            print_probe(run);
    }
    print_probe(run);
    run_finish(run);
    print_end(run, real_ns() - began_ns);
    print_controller(run);
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
