// Scans the load tables of nodes for one class.
#include "sched/place/marginal_room.h"

#include "base/numbers.h"
#include "sched/bin/launch_order.h"

#include <stdlib.h>

// Nodes of a list at most. Fewer than are looked at in a scan before it is content (place/marginal.c).
enum { ROOM_MOST = 256 };

struct MarginalRoom {
    bool is_known, is_long;
    U32Vec nodes;
};

// False: there are too many.
static bool add_nodes(Marginal *m, const LoadTable *load_table, uint32_t dims, const int32_t *most, U32Vec *nodes) {
    uint32_t lanes[LOAD_TABLE_BLOCK];

    if (!load_table_may_have(load_table, dims, most))
        return true;
    for (uint32_t start = 0; start < load_table->count; start += LOAD_TABLE_BLOCK) {
        uint32_t found = load_table_find(load_table, dims, most, start, lanes);

        if (nodes->count + found > ROOM_MOST)
            return false;
        for (uint32_t i = 0; i < found; i++)
            vec_push(&m->arena, nodes, load_table->bins[lanes[i]]);
    }
    return true;
}

static void find_room(Solver *solver, Marginal *m, uint32_t class, struct MarginalRoom *room) {
    const int64_t *requests = solver->classes.classes.items[class].requests;
    int32_t *most = arena_array(&m->arena, int32_t, solver->quanta.dims);

    for (uint32_t dim = 0; dim < solver->quanta.dims; dim++) {
        int32_t need = quanta_up(&solver->quanta, dim, requests[dim]);

        most[dim] = need > 0 ? -need : INT32_MAX;
    }
    for (vec_each(BinGroup *const, bin_group, &m->bin_index.bin_groups)) {
        if (!(*bin_group)->pool && (*bin_group)->bin_count && !room->is_long)
            room->is_long = !add_nodes(m, &(*bin_group)->load_tables[0], solver->quanta.dims, most, &room->nodes);
    }
    if (room->nodes.count)
        qsort(room->nodes.items, room->nodes.count, sizeof *room->nodes.items, u32_compare);
    room->is_known = true;
}

void marginal_remember_room(Solver *solver, uint32_t class) {
    Marginal *m = marginal_state(solver);

    if (!m->room)
        m->room = arena_array(&m->arena, struct MarginalRoom, solver->classes.classes.count);
    if (!m->room[class].is_known)
        find_room(solver, m, class, &m->room[class]);
}

const U32Vec *marginal_room(const Marginal *m, uint32_t class) {
    return m->room && m->room[class].is_known && !m->room[class].is_long ? &m->room[class].nodes : NULL;
}
