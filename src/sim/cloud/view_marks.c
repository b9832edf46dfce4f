// A view's memory of unavailable offerings (aws.md 2.3, 2.6).
#include "sim/cloud/view_marks.h"

#include "sim/cloud/market.h"

bool cloud_view_is_marked(const SimView *view, uint32_t pool) {
    return pool < view->pools && view->unavailable_until[pool] > cloud_now(view->cloud);
}

// Makes room for pools that were added later: reservations.
static void cover_pools(SimView *view) {
    uint32_t pools = view->cloud->pools.count;
    int64_t *larger;

    if (view->pools >= pools)
        return;
    larger = arena_array(&view->arena, int64_t, pools);
    if (view->pools)
        memcpy(larger, view->unavailable_until, view->pools * sizeof *larger);
    view->unavailable_until = larger;
    view->pools = pools;
}

void cloud_view_mark_unavailable(SimView *view, uint32_t pool) {
    int64_t until = cloud_now(view->cloud) + view->cloud->config.unavailable_ns;

    cover_pools(view);
    view->unavailable_until[pool] = until;
    vec_push(&view->arena, &view->queue, (Mark){pool, until});
    cloud_log_pool(view->cloud, &view->arena, &view->marks, pool);
}
