// The thread that tries for the Lease.
#include "engine/lease/keeper.h"

#include "base/check.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct LeaseKeeper {
    Lease *lease;
    Clock clock;
    LeaseTold told;
    void *context;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t news; // `ends` has changed; counts in CLOCK_MONOTONIC
    bool ends;
};

// Sleeps; false: it is over.
static bool rest(LeaseKeeper *keeper, int64_t until_ns) {
    int64_t wait_ns = until_ns - clock_monotonic_ns(keeper->clock), at_ns;
    struct timespec now, at;
    bool ends;

    clock_gettime(CLOCK_MONOTONIC, &now);
    at_ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec + (wait_ns > 0 ? wait_ns : 0);
    at = (struct timespec){.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000};
    pthread_mutex_lock(&keeper->lock);
    while (!keeper->ends && pthread_cond_timedwait(&keeper->news, &keeper->lock, &at) == 0) {
    }
    ends = keeper->ends;
    pthread_mutex_unlock(&keeper->lock);
    return !ends;
}

static void *keep(void *context) {
    LeaseKeeper *keeper = context;
    LeaseTry result;

    do {
        KubeError error = {0};

        result = lease_try(keeper->lease, &error);
        keeper->told(keeper->context, &result, &error);
    } while (result.state != LEASE_LOST && rest(keeper, result.next_ns));
    return NULL;
}

static void discard(LeaseKeeper *keeper) {
    pthread_cond_destroy(&keeper->news);
    pthread_mutex_destroy(&keeper->lock);
    free(keeper);
}

ErrCode lease_keeper_new(Lease *lease, Clock clock, LeaseTold told, void *context, LeaseKeeper **ret_keeper, Err *err) {
    LeaseKeeper *keeper = calloc(1, sizeof *keeper);
    pthread_condattr_t attributes;
    ErrCode code;

    CHECK(keeper, "no memory for a thread");
    keeper->lease = lease;
    keeper->clock = clock;
    keeper->told = told;
    keeper->context = context;
    pthread_mutex_init(&keeper->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&keeper->news, &attributes);
    pthread_condattr_destroy(&attributes);
    code = thread_start(&keeper->thread, "lease", 0, keep, keeper, err);
    if (code == OK)
        *ret_keeper = keeper;
    else
        discard(keeper);
    return code;
}

void lease_keeper_free(LeaseKeeper *keeper) {
    if (!keeper)
        return;
    pthread_mutex_lock(&keeper->lock);
    keeper->ends = true;
    pthread_cond_signal(&keeper->news);
    pthread_mutex_unlock(&keeper->lock);
    pthread_join(keeper->thread, NULL);
    discard(keeper);
}
