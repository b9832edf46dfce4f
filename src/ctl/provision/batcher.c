// The batching window as a state machine.
#include "ctl/provision/batcher.h"

void batcher_init(Batcher *batcher, int64_t idle_ns, int64_t max_ns) {
    CHECK(idle_ns >= 0 && max_ns >= 0, "negative batching durations");
    *batcher = (Batcher){.idle_ns = idle_ns, .max_ns = max_ns};
}

void batcher_free(Batcher *batcher) {
    arena_free(&batcher->arena);
    *batcher = (Batcher){0};
}

static int64_t later(int64_t time_ns, int64_t duration_ns) {
    int64_t sum;

    return __builtin_add_overflow(time_ns, duration_ns, &sum) ? INT64_MAX : sum;
}

static int64_t end_of(const Batcher *batcher) {
    int64_t latest_ns = later(batcher->opened_ns, batcher->max_ns);

    return batcher->idle_end_ns < latest_ns ? batcher->idle_end_ns : latest_ns;
}

static void open_window(Batcher *batcher, int64_t now_ns) {
    batcher->open = true;
    batcher->opened_ns = now_ns;
    batcher->idle_end_ns = later(now_ns, batcher->idle_ns);
}

void batcher_trigger(Batcher *batcher, Symbol uid, int64_t now_ns) {
    if (!batcher->open)
        open_window(batcher, now_ns);
    if (u64_map_get(&batcher->uids, uid) != INDEX_NONE)
        return;
    u64_map_put(&batcher->arena, &batcher->uids, uid, 0);
    // A window that is due already only waits to be looked at; what comes now goes with it.
    if (now_ns < end_of(batcher))
        batcher->idle_end_ns = later(now_ns, batcher->idle_ns);
}

BatchState batcher_poll(Batcher *batcher, int64_t now_ns, int64_t *ret_look_again_ns) {
    if (!batcher->open)
        return BATCH_NONE;
    if (now_ns < end_of(batcher)) {
        *ret_look_again_ns = end_of(batcher);
        return BATCH_WAITING;
    }

    arena_free(&batcher->arena);
    batcher->uids = (IndexMap){0};
    batcher->open = false;
    return BATCH_READY;
}

void batcher_retry(Batcher *batcher, int64_t now_ns) {
    if (!batcher->open)
        open_window(batcher, now_ns);
}
