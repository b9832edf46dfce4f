// A fleet is made, and passes over it are timed: a first one, one after a pod of one node has ended, and what each
// single node would need. All times are those of the processor.
#include "fleet/case.h"

#include "child.h"
#include "fleet/fleet.h"
#include "fleet/whatifs.h"
#include "fleet/workload.h"
#include "write_manifests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// Percent of each pool's nodes that may go in one pass.
enum { BUDGET = 10 };
// Pods that are planned for, for each node: a quarter more than stay.
enum { PLANNED_PER_NODE = 30 };

typedef struct {
    uint32_t nodes, pods, candidates, commands;
    int64_t facts_ns;   // of the first pass: collecting the facts
    int64_t cold_ns;    // the first pass, facts included
    int64_t changed_ns; // the next pass: its commands are under way, and a pod of one node has ended
    WhatifFigures whatifs;
} PassFigures;

typedef enum { WASTEFUL, SETTLED, STATES } FleetState;

static const char *const state_texts[STATES] = {[WASTEFUL] = "wasteful", [SETTLED] = "settled"};

typedef struct {
    PassFigures states[STATES];
    uint64_t rss_before, rss_peak;
} Figures;

// --- the fleet

// A plan for more, of which some nodes and some pods are taken away.
ErrCode fleet_case_make(Fleet *fleet, const FleetOptions *options, Err *err) {
    scene_init(&fleet->scene);
    fleet->options.methods = UINT32_MAX;
    workload_mixed(&fleet->scene, options->nodes * PLANNED_PER_NODE, options->seed);
    fleet_build(fleet);
    fleet_keep_nodes(fleet, options->nodes, options->seed);
    fleet_keep_pods(fleet, options->pods, options->seed);
    if (fleet->scene.cluster.nodes.count < options->nodes || fleet->scene.cluster.pods.count < options->pods)
        return err_set(err, ERR_INVALID, "expected fewer nodes, or fewer pods for each: %u of %u nodes, %u of %u pods",
                       fleet->scene.cluster.nodes.count, options->nodes, fleet->scene.cluster.pods.count,
                       options->pods);
    if (options->sample)
        fleet_keep_nodes(fleet, options->sample, options->seed);
    return OK;
}

// --- passes

// `under_way`: nodes of commands of an earlier pass.
static int64_t pass(Fleet *fleet, const U32Vec *under_way, DisruptPass *ret_pass, int64_t *ret_facts_ns) {
    int64_t started = cpu_now_ns();

    fleet_look(fleet, BUDGET, under_way);
    *ret_facts_ns = cpu_now_ns() - started;
    disrupt_pass(&fleet->looked, &fleet->facts, &fleet->options, ret_pass);
    return cpu_now_ns() - started;
}

// One more pod ends, from the middle of the fleet on.
static void end_a_pod(Fleet *fleet) {
    PodVec *pods = &fleet->scene.cluster.pods;
    uint32_t at = pods->count / 2;

    while (pods->items[at].phase == POD_SUCCEEDED)
        at++;
    pods->items[at].phase = POD_SUCCEEDED;
}

static int compare_times(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static int64_t median(int64_t *times, uint32_t count) {
    qsort(times, count, sizeof *times, compare_times);
    return times[count / 2];
}

static U32Vec nodes_of(Arena *arena, const DisruptPass *found) {
    U32Vec nodes = {0};

    for (vec_each(const DisruptCommand, command, &found->commands)) {
        for (vec_each(const uint32_t, node, &command->nodes))
            vec_push(arena, &nodes, *node);
    }
    return nodes;
}

static void settle(Fleet *fleet) {
    while (fleet_pass(fleet, BUDGET).commands)
        continue;
}

static void time_passes(Fleet *fleet, FleetState state, uint32_t repeat, PassFigures *figures) {
    Arena arena = {0};
    int64_t *cold = arena_array(&arena, int64_t, repeat), *changed = arena_array(&arena, int64_t, repeat);
    int64_t *facts = arena_array(&arena, int64_t, repeat), unused;
    DisruptPass found;

    for (uint32_t i = 0; i < repeat; i++) {
        U32Vec none = {0}, under_way;

        fleet->options.searched = 0;
        if (state == SETTLED)
            settle(fleet);
        cold[i] = pass(fleet, &none, &found, &facts[i]);
        fleet->options.searched = found.searched; // as the controller remembers it
        figures->candidates = found.eligible[METHOD_CONSOLIDATION];
        figures->commands = found.commands.count;
        under_way = nodes_of(&arena, &found);
        end_a_pod(fleet);
        changed[i] = pass(fleet, &under_way, &found, &unused);
    }
    figures->facts_ns = median(facts, repeat);
    figures->cold_ns = median(cold, repeat);
    figures->changed_ns = median(changed, repeat);
    arena_free(&arena);
}

static void measure_state(Fleet *fleet, FleetState state, uint32_t repeat, PassFigures *figures) {
    time_passes(fleet, state, repeat, figures);
    figures->nodes = fleet->scene.cluster.nodes.count;
    figures->pods = fleet->scene.cluster.pods.count;
    figures->whatifs = whatifs_time(fleet, BUDGET);
}

static ErrCode measure(const void *context, void *ret_figures, Err *err) {
    const FleetOptions *options = context;
    Figures *figures = ret_figures;
    Fleet fleet = {0};
    ErrCode code = fleet_case_make(&fleet, options, err);

    figures->rss_before = rss_now();
    for (FleetState state = 0; state < STATES && code == OK; state++) {
        measure_state(&fleet, state, options->repeat, &figures->states[state]);
    }
    figures->rss_peak = rss_peak();
    fleet_free(&fleet);
    return code;
}

// --- printing

static double ms(int64_t ns) {
    return (double)ns / 1e6;
}

static void print_table(const Figures *figures) {
    printf("%-9s %6s %7s %10s %8s %9s %9s %11s %10s %10s %9s %8s\n", "fleet", "nodes", "pods", "candidates", "commands",
           "facts ms", "pass ms", "changed ms", "whatif us", "99% us", "MB before", "MB peak");
    for (FleetState state = 0; state < STATES; state++) {
        const PassFigures *of = &figures->states[state];

        printf("%-9s %6u %7u %10u %8u %9.1f %9.1f %11.1f %10.1f %10.1f %9.1f %8.1f\n", state_texts[state], of->nodes,
               of->pods, of->candidates, of->commands, ms(of->facts_ns), ms(of->cold_ns), ms(of->changed_ns),
               (double)of->whatifs.median_ns / 1e3, (double)of->whatifs.late_ns / 1e3,
               (double)figures->rss_before / 1e6, (double)figures->rss_peak / 1e6);
    }
}

static void print_json(const Figures *figures) {
    for (FleetState state = 0; state < STATES; state++) {
        const PassFigures *of = &figures->states[state];

        printf("%s{\"fleet\": \"%s\", \"nodes\": %u, \"pods\": %u, \"candidates\": %u, \"commands\": %u, \"facts_ms\": "
               "%.3f, \"pass_ms\": %.3f, \"changed_ms\": %.3f, \"whatif_us\": %.3f, \"whatif_late_us\": %.3f, "
               "\"whatifs_ms\": %.3f, \"rss_before_bytes\": %" PRIu64 ", \"rss_peak_bytes\": %" PRIu64 "}",
               state ? ",\n " : "[", state_texts[state], of->nodes, of->pods, of->candidates, of->commands,
               ms(of->facts_ns), ms(of->cold_ns), ms(of->changed_ns), (double)of->whatifs.median_ns / 1e3,
               (double)of->whatifs.late_ns / 1e3, ms(of->whatifs.total_ns), figures->rss_before, figures->rss_peak);
    }
    printf("]\n");
}

ErrCode fleet_case_run(const FleetOptions *options, ReportFormat format, Err *err) {
    Figures figures;

    TRY(child_run(measure, options, &figures, sizeof figures, options->limit_seconds, err));
    (format == REPORT_JSON ? print_json : print_table)(&figures);
    return OK;
}

ErrCode fleet_case_write(const FleetOptions *options, const char *folder, Err *err) {
    Fleet fleet = {0};
    ErrCode code = fleet_case_make(&fleet, options, err);

    if (code == OK)
        code = write_scene(folder, FLEET_CASE, fleet.scene.cluster.pods.count, &fleet.scene, err);
    fleet_free(&fleet);
    return code;
}
