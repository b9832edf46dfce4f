// Instance types of a NodeClass in a view: shared immutable vectors, replaced only when a price, a reservation or the
// memory of unavailable offerings changes.
//
// A new vector has its own array of types and its own offerings of the types that changed; the rest is shared. What was
// replaced is kept for half an hour of the cloud's time, longer than any solve that may still read it.
#include "sim/cloud/view_types.h"

#include "base/alloc.h"
#include "sim/cloud/market.h"
#include "sim/cloud/view_marks.h"

static const int64_t KEPT_NS = 30 * NS_PER_MIN;

// Drops the items before `at` of a queue once they are half of it.
#define drop_first(queue, at)                                                                                          \
    do {                                                                                                               \
        if (*(at) == 0 || *(at)*2 < (queue)->count)                                                                    \
            break;                                                                                                     \
        (queue)->count -= *(at);                                                                                       \
        memmove((queue)->items, (queue)->items + *(at), (queue)->count * sizeof *(queue)->items);                      \
        *(at) = 0;                                                                                                     \
    } while (0)

static void retire(SimView *view, const void *memory) {
    int64_t now = cloud_now(view->cloud);

    for (; view->retired_at < view->retired.count && now - view->retired.items[view->retired_at].at_ns > KEPT_NS;
         view->retired_at++)
        free(view->retired.items[view->retired_at].memory);
    drop_first(&view->retired, &view->retired_at);
    if (memory)
        vec_push(&view->arena, &view->retired, (Retired){(void *)(uintptr_t)memory, now});
}

void cloud_view_class_retire(SimView *view, ViewClass *class) {
    for (uint32_t i = 0; class->offerings && i < class->base.count; i++) {
        if (class->offerings[i])
            retire(view, class->offerings[i]);
    }
    if (class->current) {
        retire(view, class->current->items);
        retire(view, class->current);
    }
    class->current = NULL;
}

// --- what changed

static Offering offering_now(const SimView *view, const Offering *base, uint32_t number) {
    const CapacityPool *pool;
    Offering now = *base;

    if (number == INDEX_NONE) {
        now.available = false; // a reservation that EC2 does not know
        now.reservation_capacity = 0;
        return now;
    }
    pool = &view->cloud->pools.items[number];
    if (pool->price_nano != pool->base_nano)
        now.price_per_hour = (double)pool->price_nano / 1e9;
    if (pool->kind == SIM_RESERVED && base->reservation_id != NAME_EMPTY) {
        uint32_t left = pool->reserved > pool->used ? pool->reserved - pool->used : 0;

        now.reservation_capacity = (int32_t)left;
        now.available = base->available && left > 0;
    }
    now.available = now.available && !cloud_view_is_marked(view, number);
    return now;
}

// Updates the offerings of a type; returns whether they changed.
static bool refresh_type(SimView *view, ViewClass *class, uint32_t type) {
    const OfferingVec *base = &class->base.items[type].offerings;
    const Offering *before = class->offerings[type] ? class->offerings[type] : base->items;
    Offering *now = NEW_ARRAY(Offering, base->count);
    bool same = true;

    for (uint32_t i = 0; i < base->count; i++) {
        now[i] = offering_now(view, &base->items[i], class->pools[type][i]);
        same = same && now[i].available == before[i].available && now[i].price_per_hour == before[i].price_per_hour &&
               now[i].reservation_capacity == before[i].reservation_capacity;
    }
    if (same) {
        free(now);
        return false;
    }
    if (class->offerings[type])
        retire(view, class->offerings[type]);
    class->offerings[type] = now;
    return true;
}

static void note_pool(const SimView *view, ViewClass *class, uint32_t number, bool *ret_any) {
    const CapacityPool *pool = &view->cloud->pools.items[number];

    if (pool->market != (class->kind == KUBE_EC2_NODE_CLASS ? MARKET_EC2 : MARKET_KWOK))
        return;
    class->dirty[pool->type] = true;
    *ret_any = true;
}

// Marks the types of the pools logged since `*seen` as dirty; all types when part of that was dropped.
static void read_log(const SimView *view, ViewClass *class, const PoolLog *log, uint64_t *seen, bool *ret_any) {
    if (*seen < log->begin) {
        memset(class->dirty, true, class->base.count);
        *ret_any = true;
        *seen = cloud_log_end(log);
    }
    for (; *seen < cloud_log_end(log); ++*seen)
        note_pool(view, class, log->pools.items[*seen - log->begin], ret_any);
}

// Removes the marks that have expired.
static void expire_marks(SimView *view) {
    for (; view->queue_at < view->queue.count && view->queue.items[view->queue_at].until_ns <= cloud_now(view->cloud);
         view->queue_at++)
        cloud_log_pool(view->cloud, &view->arena, &view->marks, view->queue.items[view->queue_at].pool);
    drop_first(&view->queue, &view->queue_at);
}

static bool read_logs(SimView *view, ViewClass *class) {
    bool any = class->current == NULL;

    expire_marks(view);
    read_log(view, class, &view->cloud->changed_pools, &class->seen_changes, &any);
    read_log(view, class, &view->marks, &class->seen_marks, &any);
    return any;
}

static void publish(SimView *view, ViewClass *class) {
    InstanceTypeVec *types = NEW(InstanceTypeVec);
    uint32_t count = class->base.count;

    *types = (InstanceTypeVec){NEW_ARRAY(InstanceType, count), count, count};
    if (count)
        memcpy(types->items, class->base.items, count * sizeof *types->items);
    for (uint32_t i = 0; i < count; i++) {
        if (class->offerings[i])
            types->items[i].offerings.items = class->offerings[i];
    }
    if (class->current) {
        retire(view, class->current->items);
        retire(view, class->current);
    }
    class->current = types;
    class->edition = ++view->editions;
}

const InstanceTypeVec *cloud_view_types(SimView *view, ViewClass *class) {
    bool changed = class->current == NULL;

    retire(view, NULL);
    if (!read_logs(view, class))
        return class->current;
    for (uint32_t i = 0; i < class->base.count; i++) {
        if (class->dirty[i])
            changed |= refresh_type(view, class, i);
        class->dirty[i] = false;
    }
    if (changed)
        publish(view, class);
    return class->current;
}
