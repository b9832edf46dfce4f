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

static Mono end_of(const Batcher *batcher) {
    return mono_first(batcher->idle_end, mono_after(batcher->opened, batcher->max_ns));
}

static void open_window(Batcher *batcher, Mono now) {
    batcher->open = true;
    batcher->opened = now;
    batcher->idle_end = mono_after(now, batcher->idle_ns);
}

void batcher_trigger(Batcher *batcher, Symbol uid, Mono now) {
    if (!batcher->open)
        open_window(batcher, now);
    if (u64_map_get(&batcher->uids, uid) != INDEX_NONE)
        return;
    u64_map_put(&batcher->arena, &batcher->uids, uid, 0);
    // A window that is due closes at the next poll; the trigger belongs to it.
    if (!mono_reached(now, end_of(batcher)))
        batcher->idle_end = mono_after(now, batcher->idle_ns);
}

BatchState batcher_poll(Batcher *batcher, Mono now, Mono *ret_look_again) {
    if (!batcher->open)
        return BATCH_NONE;
    if (!mono_reached(now, end_of(batcher))) {
        *ret_look_again = end_of(batcher);
        return BATCH_WAITING;
    }

    arena_free(&batcher->arena);
    batcher->uids = (IndexMap){0};
    batcher->open = false;
    return BATCH_READY;
}

void batcher_retry(Batcher *batcher, Mono now) {
    if (!batcher->open)
        open_window(batcher, now);
}
