// Reference counting of what engine, jobs and watches share.
#include "engine/commons.h"

#include <stdlib.h>

Commons *commons_new(const EngineConfig *config) {
    Commons *commons = calloc(1, sizeof *commons);

    CHECK(commons, "no memory for an engine");
    atomic_init(&commons->references, 1);
    atomic_init(&commons->jobs, 0);
    mailbox_init(&commons->mailbox, MAILBOX_LIMIT);
    commons->state = config->state ? config->state : state_new();
    commons->symbols = state_symbols(commons->state);
    commons->kube = config->kube;
    commons->cloud = config->cloud;
    commons->clock = config->clock;
    commons->relay = config->relay;
    commons->settings = config->settings ? *config->settings : settings_default();
    commons->wake = config->wake;
    commons->wake_context = config->wake_context;
    return commons;
}

Commons *commons_hold(Commons *commons) {
    atomic_fetch_add(&commons->references, 1);
    return commons;
}

void commons_release(Commons *commons) {
    if (atomic_fetch_sub(&commons->references, 1) != 1)
        return;
    mailbox_free(&commons->mailbox);
    state_free(commons->state);
    free(commons);
}

bool commons_post(Commons *commons, Mail *mail, MailPatience patience) {
    bool posted = mailbox_post(&commons->mailbox, mail, patience);

    if (posted && commons->wake)
        commons->wake(commons->wake_context);
    return posted;
}
