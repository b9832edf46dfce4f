// EngineShared: reference counting, and posting mail.
#include "engine/shared.h"

#include "base/alloc.h"

EngineShared *engine_shared_new(const EngineConfig *config) {
    EngineShared *shared = NEW(EngineShared);

    atomic_init(&shared->references, 1);
    atomic_init(&shared->jobs, 0);
    atomic_init(&shared->ends, false);
    mailbox_init(&shared->mailbox, MAILBOX_LIMIT);
    shared->state = config->state ? config->state : state_new();
    shared->symbols = state_symbols(shared->state);
    shared->kube = config->kube;
    shared->cloud = config->cloud;
    shared->clock = config->clock;
    shared->relay = config->relay;
    shared->settings = config->settings ? *config->settings : settings_default();
    shared->digests = type_digests_new();
    shared->disruption_digests = type_digests_new();
    shared->wake = config->wake;
    shared->wake_context = config->wake_context;
    return shared;
}

EngineShared *engine_shared_hold(EngineShared *shared) {
    atomic_fetch_add(&shared->references, 1);
    return shared;
}

void engine_shared_release(EngineShared *shared) {
    if (atomic_fetch_sub(&shared->references, 1) != 1)
        return;
    mailbox_free(&shared->mailbox);
    type_digests_free(shared->digests);
    type_digests_free(shared->disruption_digests);
    state_free(shared->state);
    free(shared);
}

bool engine_shared_post(EngineShared *shared, Mail *mail, MailPatience patience) {
    bool posted = mailbox_post(&shared->mailbox, mail, patience);

    if (posted && shared->wake)
        shared->wake(shared->wake_context);
    return posted;
}

int64_t engine_shared_wall_ns(const EngineShared *shared) {
    int64_t wall_ns;

    return kube_now(shared->kube, &wall_ns) ? wall_ns : clock_wall_ns(shared->clock);
}
