// Room: whether a shape fits beside what is on a node, and how well.
//
// The verdict is cached with the shape's other verdict on the node until a pod comes or goes there: in a walk over
// thousands of nodes only the changed ones are recomputed.
#include "sim/scheduler/cache/room.h"

#include <math.h>

enum { SCORE_MAX = 100 };

void cache_room_stamp(SchedulerCache *cache, uint32_t node) {
    cache->stamps[node].room = ++cache->stamp;
}

bool cache_room_is_short_of_pods(const SchedulerCache *cache, uint32_t node) {
    return cache->nodes[node].pod_count + 1 > cache->nodes[node].allowed_pods;
}

uint64_t cache_room_lacks(const SchedulerCache *cache, const CacheShape *shape, uint32_t node) {
    uint64_t lacks = 0;

    for (vec_each(const CacheRequest, request, &shape->requests)) {
        const CacheColumn *column = &cache->columns[request->column];

        if (request->amount > column->allocatable[node] - column->requested[node])
            lacks |= UINT64_C(1) << request->column;
    }
    return lacks;
}

// Whether the shape needs more than the node's allocatable.
static bool never_fits(const SchedulerCache *cache, const CacheShape *shape, uint32_t node) {
    for (vec_each(const CacheRequest, request, &shape->requests)) {
        if (request->amount > cache->columns[request->column].allocatable[node])
            return true;
    }
    return false;
}

static int64_t percent_left(int64_t requested, int64_t capacity) {
    return capacity == 0 || requested > capacity ? 0 : (capacity - requested) * SCORE_MAX / capacity;
}

// Score LeastAllocated over CPU and memory; a pod without requests counts as a small one.
static int64_t score_room(const SchedulerCache *cache, const CacheShape *shape, uint32_t node) {
    int64_t cpu = cache->columns[CACHE_CPU].allocatable[node], mem = cache->columns[CACHE_MEMORY].allocatable[node];
    int64_t sum = 0, resources = (cpu != 0) + (mem != 0);

    if (cpu)
        sum += percent_left(cache->scored_cpu_milli[node] + shape->scored_cpu_milli, cpu);
    if (mem)
        sum += percent_left(cache->scored_mem_bytes[node] + shape->scored_mem_bytes, mem);
    return resources ? sum / resources : 0;
}

static int64_t balance(int64_t cpu, int64_t cpu_capacity, int64_t mem, int64_t mem_capacity) {
    double cpu_part, mem_part;

    if (!cpu_capacity || !mem_capacity)
        return SCORE_MAX;
    cpu_part = (double)cpu / (double)cpu_capacity;
    mem_part = (double)mem / (double)mem_capacity;
    cpu_part = cpu_part > 1 ? 1 : cpu_part;
    mem_part = mem_part > 1 ? 1 : mem_part;
    return (int64_t)((1 - fabs((cpu_part - mem_part) / 2)) * SCORE_MAX);
}

// Score BalancedAllocation: how much the pod improves the balance of CPU and memory.
static int64_t score_balance(const SchedulerCache *cache, const CacheShape *shape, uint32_t node) {
    int64_t cpu = cache->columns[CACHE_CPU].allocatable[node], mem = cache->columns[CACHE_MEMORY].allocatable[node];
    int64_t used_cpu = cache->columns[CACHE_CPU].requested[node],
            used_mem = cache->columns[CACHE_MEMORY].requested[node];
    int64_t with = balance(used_cpu + shape->cpu_milli, cpu, used_mem + shape->mem_bytes, mem);
    int64_t without = balance(used_cpu, cpu, used_mem, mem);

    if (!shape->cpu_milli && !shape->mem_bytes)
        return 0;
    return SCORE_MAX / 2 + (SCORE_MAX / 2 + with - without) / 2;
}

CacheReason cache_room_look(SchedulerCache *cache, const CacheShape *shape, CacheVerdict *verdict, uint32_t node) {
    if (verdict->stamps.room == cache->stamps[node].room)
        return (CacheReason)verdict->room;
    verdict->stamps.room = cache->stamps[node].room;
    if (!cache_room_lacks(cache, shape, node) && !cache_room_is_short_of_pods(cache, node)) {
        verdict->room = REASON_FITS;
        verdict->room_score = (int16_t)(score_room(cache, shape, node) + score_balance(cache, shape, node));
    } else {
        verdict->room = never_fits(cache, shape, node) ? REASON_ROOM_NEVER : REASON_ROOM;
    }
    return (CacheReason)verdict->room;
}
