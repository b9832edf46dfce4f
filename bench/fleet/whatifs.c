// Times moves that are never kept.
#include "fleet/whatifs.h"

#include "child.h"
#include "sched/fleet/move.h"
#include "sched/fleet/start.h"

#include <stdlib.h>

typedef struct {
    const FleetInput *input;
    uint32_t accepted;
} Refusing;

// Judges as the search would, and refuses all the same.
static bool refuse(void *context, const FleetPart *part) {
    Refusing *refusing = context;

    refusing->accepted += refusing->input->accepts(refusing->input->context, part);
    return false;
}

static int compare_times(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void ask_all(FleetSearch *search, int64_t *times) {
    for (uint32_t i = 0; i < search->input->sources.count; i++) {
        MoveSet set = {.sources = {&i, 1, 1}};
        int64_t started = cpu_now_ns();
        double gain;

        (void)fleet_move(search, &set, &gain);
        times[i] = cpu_now_ns() - started;
    }
}

static WhatifFigures ask(const FleetInput *asked, Arena *arena) {
    FleetInput input = *asked;
    Refusing refusing = {.input = asked};
    FleetSearch search = {.input = &input};
    WhatifFigures figures = {.count = input.sources.count};
    int64_t *times = arena_array(arena, int64_t, figures.count + 1);

    input.accepts = refuse;
    input.context = &refusing;
    for (vec_each(uint32_t, left, &input.budgets))
        *left = UINT32_MAX;
    if (fleet_start(&search, arena, true))
        ask_all(&search, times);
    fleet_end(&search);
    qsort(times, figures.count, sizeof *times, compare_times);
    figures.median_ns = times[figures.count / 2];
    figures.late_ns = times[figures.count * 99 / 100];
    return figures;
}

WhatifFigures whatifs_time(Fleet *fleet, uint32_t budget) {
    int64_t started = cpu_now_ns();
    CandidateList candidates;
    FleetQuestion question;
    WhatifFigures figures;
    DisruptPass unused;
    Arena work = {0};
    Round round;

    fleet_look(fleet, budget, &(U32Vec){0});
    round_open(&round, &fleet->looked, &fleet->facts, &fleet->options, &unused);
    candidates = round_candidates(&round, METHOD_CONSOLIDATION);
    fleet_ask(&round, &candidates, &question);
    figures = ask(&question.input, &work);
    round_close(&round);
    figures.total_ns = cpu_now_ns() - started;
    arena_free(&work);
    return figures;
}
