// The adaptive batching window.
#include "ctl/provision/batch.h"

void provision_batch_init(ProvisionBatch *batch, int64_t idle_ns, int64_t max_ns) {
    *batch = (ProvisionBatch){.idle_ns = idle_ns, .max_ns = max_ns};
    batcher_init(&batch->batcher, idle_ns, max_ns);
}

void provision_batch_free(ProvisionBatch *batch) {
    batcher_free(&batch->batcher);
}

static bool is_quiet(const ProvisionBatch *batch, Mono now) {
    return !batch->busy && mono_since(now, batch->rested) >= batch->idle_ns;
}

// Sets the durations of the window that is about to open.
static void choose_window(ProvisionBatch *batch, Mono now) {
    bool leading = is_quiet(batch, now);

    batch->batcher.idle_ns = leading ? batch->idle_ns / PROVISION_LEADING_PART : batch->idle_ns;
    batch->batcher.max_ns = leading && batch->idle_ns < batch->max_ns ? batch->idle_ns : batch->max_ns;
}

void provision_batch_trigger(ProvisionBatch *batch, Symbol uid, Mono now) {
    if (!batch->batcher.open)
        choose_window(batch, now);
    batcher_trigger(&batch->batcher, uid, now);
}

BatchState provision_batch_poll(ProvisionBatch *batch, Mono now, Mono *ret_look_again) {
    BatchState state = batcher_poll(&batch->batcher, now, ret_look_again);

    if (state == BATCH_READY)
        batch->busy = true;
    return state;
}

void provision_batch_drop(ProvisionBatch *batch) {
    batch->busy = false;
}

void provision_batch_end(ProvisionBatch *batch, Mono now, bool again) {
    batch->busy = false;
    batch->rested = now;
    if (!again || batch->batcher.open)
        return;
    choose_window(batch, now);
    batcher_retry(&batch->batcher, now);
}
