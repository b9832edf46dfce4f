// Amounts of pools, and the peaks of their past.
#include "disrupt/worth/demand.h"

// How full nodes get.
static const double FULL = 0.9;
// Demand that falls by less than a fiftieth of a peak is still that peak.
enum { PEAK_PARTS = 50 };

// --- amounts

Resources *pool_amount(const PoolAmountVec *amounts, Symbol pool) {
    for (vec_each(PoolAmount, of, amounts)) {
        if (of->pool == pool)
            return &of->amount;
    }
    return NULL;
}

static PoolAmountVec nothing_per_pool(Arena *arena, const DisruptFacts *facts) {
    PoolAmountVec amounts = {0};

    for (vec_each(const PlanPool, pool, &facts->pools))
        vec_push(arena, &amounts, (PoolAmount){.pool = pool->pool->meta.name});
    return amounts;
}

PoolAmountVec demand_now(Arena *arena, const DisruptFacts *facts, const NodePods *node_pods) {
    PoolAmountVec demand = nothing_per_pool(arena, facts);

    for (uint32_t i = 0; i < facts->nodes.count; i++) {
        Resources *amount = pool_amount(&demand, facts->nodes.items[i].pool);

        for (vec_each(const Pod *, pod, &node_pods->pods[i])) {
            if (amount)
                resources_add(arena, amount, &(*pod)->spec->requests);
        }
    }
    return demand;
}

PoolAmountVec demand_rooms(Arena *arena, const DisruptFacts *facts) {
    PoolAmountVec rooms = nothing_per_pool(arena, facts);

    for (vec_each(const NodeView, view, &facts->nodes)) {
        Resources *room = pool_amount(&rooms, view->pool);

        if (room && !view->deleting)
            resources_add(arena, room, &view->allocatable);
    }
    return rooms;
}

// --- the past

static DemandLine *find_line(const DemandHistory *history, Symbol pool, Symbol resource) {
    for (vec_each(DemandLine, line, &history->lines)) {
        if (line->pool == pool && line->resource == resource)
            return line;
    }
    return NULL;
}

static void note(DemandLine *line, Mono now, int64_t amount) {
    while (line->count && line->peaks[line->count - 1].amount <= amount)
        line->count--;
    if (line->count &&
        line->peaks[line->count - 1].amount - amount <= line->peaks[line->count - 1].amount / PEAK_PARTS) {
        line->peaks[line->count - 1].at = now;
        return;
    }
    if (line->count == DEMAND_PEAKS_MOST)
        memmove(line->peaks, line->peaks + 1, --line->count * sizeof *line->peaks);
    line->peaks[line->count++] = (DemandPeak){now, amount};
}

// Known resources of the pool that no pod requests now are at zero.
static void note_known(DemandHistory *next, const DemandHistory *history, Mono now, const PoolAmount *of) {
    for (vec_each(const DemandLine, known, &history->lines)) {
        if (known->pool != of->pool)
            continue;
        vec_push(&next->arena, &next->lines, *known);
        note(vec_last(&next->lines), now, resources_get(&of->amount, known->resource));
    }
}

static void note_new(DemandHistory *next, const DemandHistory *history, Mono now, const PoolAmount *of) {
    for (vec_each(const ResourceAmount, resource, &of->amount)) {
        DemandLine *line;

        if (find_line(history, of->pool, resource->resource))
            continue;
        line = vec_add(&next->arena, &next->lines);
        line->pool = of->pool;
        line->resource = resource->resource;
        note(line, now, resource->amount);
    }
}

void demand_note(DemandHistory *history, Mono now, const PoolAmountVec *demand) {
    DemandHistory next = {0};

    for (vec_each(const PoolAmount, of, demand)) {
        note_known(&next, history, now, of);
        note_new(&next, history, now, of);
    }
    demand_free(history);
    *history = next;
}

DemandHistory demand_copy(Arena *arena, const DemandHistory *history) {
    DemandHistory copy = {0};

    for (vec_each(const DemandLine, line, &history->lines))
        vec_push(arena, &copy.lines, *line);
    return copy;
}

void demand_free(DemandHistory *history) {
    arena_free(&history->arena);
    *history = (DemandHistory){0};
}

bool demand_has_room(int64_t amount, int64_t room) {
    return (double)amount <= FULL * (double)room;
}

static int64_t line_needed_ago_ns(const DemandLine *line, Mono now, int64_t room) {
    for (uint32_t i = line->count; i-- > 0;) {
        if (i + 1 < line->count && !demand_has_room(line->peaks[i].amount, room))
            return mono_since(now, line->peaks[i].at);
    }
    return INT64_MAX;
}

int64_t demand_needed_ago_ns(const DemandHistory *history, Mono now, Symbol pool, const Resources *room) {
    int64_t ago_ns = INT64_MAX;

    for (uint32_t i = 0; history && i < history->lines.count; i++) {
        const DemandLine *line = &history->lines.items[i];
        int64_t of_line_ns =
            line->pool == pool ? line_needed_ago_ns(line, now, resources_get(room, line->resource)) : INT64_MAX;

        ago_ns = of_line_ns < ago_ns ? of_line_ns : ago_ns;
    }
    return ago_ns;
}
