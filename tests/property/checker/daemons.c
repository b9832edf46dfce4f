// DaemonSets that fit on no type of a pool: their pods stay pending on all of its nodes, so they take no room there.
#include "checker/read.h"
#include "checker/rules.h"

#include <stdlib.h>

static int compare_daemon_sets(const void *a, const void *b, void *given) {
    const World *world = given;
    const DaemonSet *x = a, *y = b;
    Symbol first = world->classes.items[x->class_index].ns, second = world->classes.items[y->class_index].ns;

    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    return first == second ? slice_cmp(judge_text(world, x->name), judge_text(world, y->name))
                           : slice_cmp(judge_text(world, first), judge_text(world, second));
}

// Adds the daemon to the sums of all offerings on which it may run, if it fits on one of them; else to pool->left_out.
// `sums` are those of all types' offerings, in their order.
static void add_daemon(World *world, Pool *pool, const DaemonSet *daemon_set, Amounts *sums) {
    const Amounts *requests = &world->classes.items[daemon_set->class_index].requests;
    bool runs = false, fits = false;
    Arena scratch = {0};
    Vec(Amounts *) places = {0};
    Amounts *sum = sums;

    for (vec_each(const Type, type, &world->types)) {
        bool here = judge_daemon_may_run_on(world, daemon_set, pool, type);

        for (vec_each(const Offering, offering, &type->offerings)) {
            Amounts left = offering->allocatable;

            judge_amounts_subtract(&left, sum);
            fits |= here && judge_resource_short(requests, &left) == RESOURCE_MAX;
            if (here)
                vec_push(&scratch, &places, sum);
            sum++;
        }
        runs |= here;
    }
    if (runs && !fits)
        vec_push(world->arena, &pool->left_out, daemon_set->name);
    for (uint32_t i = 0; fits && i < places.count; i++)
        judge_amounts_add(places.items[i], requests);
    arena_free(&scratch);
}

void judge_leave_out_daemons(World *world) {
    uint32_t offerings = 0;

    if (world->daemon_sets.count)
        qsort_r(world->daemon_sets.items, world->daemon_sets.count, sizeof *world->daemon_sets.items,
                compare_daemon_sets, world);
    for (vec_each(const Type, type, &world->types))
        offerings += type->offerings.count;
    for (vec_each(Pool, pool, &world->pools)) {
        Arena scratch = {0};
        Amounts *sums = arena_array(&scratch, Amounts, offerings + 1);

        for (vec_each(const DaemonSet, daemon_set, &world->daemon_sets))
            add_daemon(world, pool, daemon_set, sums);
        arena_free(&scratch);
    }
}
