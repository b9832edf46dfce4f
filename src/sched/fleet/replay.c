// Makes moves again.
#include "sched/fleet/replay.h"

#include "sched/fleet/bound.h"
#include "sched/fleet/move.h"
#include "sched/fleet/parts.h"
#include "sched/fleet/start.h"

#include "sched/bin/limits.h"
#include "sched/place/marginal_state.h"

typedef struct {
    FleetSearch search;
    uint32_t *class_of; // per pending pod; INDEX_NONE: it is not planned for
    uint32_t *group_of; // per source
} Replay;

static void find_classes(Replay *replay) {
    const ClassTable *table = &replay->search.solver->classes;
    uint32_t count = replay->search.input->plan.pending.count;

    replay->class_of = arena_array(replay->search.arena, uint32_t, count);
    memset(replay->class_of, 0xff, count * sizeof *replay->class_of);
    for (uint32_t i = 0; i < table->classes.count; i++) {
        const PodClass *class = &table->classes.items[i];

        for (uint32_t k = 0; k < class->count; k++)
            replay->class_of[table->pods[class->first + k]] = i;
    }
}

// Whatever becomes of a group, no other one relies on its nodes.
static void close_sources(Replay *replay) {
    FleetSearch *search = &replay->search;

    for (uint32_t i = 0; i < search->input->sources.count; i++)
        search->solver->bins.items[search->bin_of_source[i]].gone = true;
    fleet_renew_index(search);
}

static void seal_claims(FleetSearch *search) {
    for (; search->sealed < search->solver->bins.count; search->sealed++)
        marginal_forget(search->solver, search->sealed);
}

static bool is_occupied(const FleetSearch *search, const FleetGroup *group) {
    for (vec_each(const uint32_t, source, &group->sources)) {
        if (search->verdicts[*source].fate == STAYS_OCCUPIED)
            return true;
    }
    return false;
}

static FleetFate try_group(Replay *replay, const FleetGroup *group) {
    FleetSearch *search = &replay->search;
    Told told = told_make(search, search->arena, group, replay->class_of);
    MoveSet set = {.sources = group->sources, .told = &told};
    double gain;

    if (!fleet_goes_on(search))
        return STAYS_UNTRIED;
    if (is_occupied(search, group))
        return STAYS_OCCUPIED;
    if (!fleet_move(search, &set, &gain))
        return fleet_goes_on(search) ? search->verdicts[group->sources.items[0]].fate : STAYS_UNTRIED;
    seal_claims(search);
    return GOES;
}

static void try_all(Replay *replay, const FleetGroupVec *groups, FleetOutcomeVec *outcomes) {
    find_classes(replay);
    close_sources(replay);
    replay->search.sealed = replay->search.solver->node_count;
    claims_loosen_limits(replay->search.solver);
    for (uint32_t i = 0; i < groups->count; i++) {
        outcomes->items[i].fate = try_group(replay, &groups->items[i]);
        for (vec_each(const uint32_t, source, &groups->items[i].sources))
            replay->group_of[*source] = i;
    }
    claims_settle_limits(replay->search.solver);
}

static void write_parts(Replay *replay, Arena *arena, FleetOutcomeVec *outcomes) {
    FleetPartVec parts = parts_write(&replay->search, arena);

    for (vec_each(const FleetPart, part, &parts))
        outcomes->items[replay->group_of[part->sources.items[0]]].part = *part;
}

void fleet_replay(Arena *arena, const FleetInput *input, const FleetGroupVec *groups, FleetOutcomeVec *ret_outcomes) {
    Arena work = {0};
    Replay replay = {.search = {.input = input}};
    bool ready = fleet_start(&replay.search, &work, false);

    *ret_outcomes = (FleetOutcomeVec){0};
    for (uint32_t i = 0; i < groups->count; i++)
        vec_push(arena, ret_outcomes, (FleetOutcome){.fate = STAYS_UNTRIED});
    replay.group_of = arena_array(&work, uint32_t, input->sources.count);
    if (ready) {
        try_all(&replay, groups, ret_outcomes);
        write_parts(&replay, arena, ret_outcomes);
    }
    fleet_end(&replay.search);
    arena_free(&work);
}
