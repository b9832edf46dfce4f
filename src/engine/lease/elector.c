// The thread that takes and renews the Lease.
#include "engine/lease/elector.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/thread.h"

#include <pthread.h>

struct LeaderElector {
    Lease *lease;
    Clock clock;
    LeaseTold told;
    void *context;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wakeup; // `ends` has changed; counts in CLOCK_MONOTONIC
    bool ends;
};

// Sleeps; false: the elector is to end.
static bool rest(LeaderElector *elector, Mono until) {
    int64_t wait_ns = mono_left(clock_now(elector->clock), until);
    struct timespec at = timespec_of_ns(mono_after(clock_system_mono(), wait_ns).ns);
    bool ends;

    pthread_mutex_lock(&elector->lock);
    while (!elector->ends && pthread_cond_timedwait(&elector->wakeup, &elector->lock, &at) == 0) {
    }
    ends = elector->ends;
    pthread_mutex_unlock(&elector->lock);
    return !ends;
}

static void *keep(void *context) {
    LeaderElector *elector = context;
    LeaseTry result;

    do {
        KubeError error = {0};

        result = lease_try(elector->lease, &error);
        elector->told(elector->context, &result, &error);
    } while (result.state != LEASE_LOST && rest(elector, result.next));
    return NULL;
}

static void discard(LeaderElector *elector) {
    pthread_cond_destroy(&elector->wakeup);
    pthread_mutex_destroy(&elector->lock);
    free(elector);
}

ErrCode leader_elector_new(Lease *lease, Clock clock, LeaseTold told, void *context, LeaderElector **ret_elector,
                           Err *err) {
    LeaderElector *elector = NEW(LeaderElector);
    pthread_condattr_t attributes;
    ErrCode code;

    elector->lease = lease;
    elector->clock = clock;
    elector->told = told;
    elector->context = context;
    pthread_mutex_init(&elector->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&elector->wakeup, &attributes);
    pthread_condattr_destroy(&attributes);
    code = thread_start(&elector->thread, "lease", 0, keep, elector, err);
    if (code == OK)
        *ret_elector = elector;
    else
        discard(elector);
    return code;
}

void leader_elector_free(LeaderElector *elector) {
    if (!elector)
        return;
    pthread_mutex_lock(&elector->lock);
    elector->ends = true;
    pthread_cond_signal(&elector->wakeup);
    pthread_mutex_unlock(&elector->lock);
    pthread_join(elector->thread, NULL);
    discard(elector);
}
