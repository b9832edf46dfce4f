// The thread and its rest.
#include "cli/run/asker.h"

#include "base/alloc.h"
#include "base/thread.h"
#include "base/time.h"

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

struct Asker {
    int (*ask)(void *context);
    void *context;
    int first_s;
    pthread_t thread;
    pthread_mutex_t lock;  // guards `over`
    pthread_cond_t wakeup; // signalled when it changes
    bool over;
};

// Sleeps; false: the thread is to end.
static bool rest(Asker *asker, int rest_s) {
    struct timespec at = timespec_of_ns(mono_after(clock_system_mono(), rest_s * NS_PER_S).ns);
    bool over;

    pthread_mutex_lock(&asker->lock);
    while (!asker->over && pthread_cond_timedwait(&asker->wakeup, &asker->lock, &at) == 0) {
    }
    over = asker->over;
    pthread_mutex_unlock(&asker->lock);
    return !over;
}

static void *keep_asking(void *context) {
    Asker *asker = context;
    int rest_s = asker->first_s;

    while (rest(asker, rest_s))
        rest_s = asker->ask(asker->context);
    return NULL;
}

static void discard(Asker *asker) {
    pthread_cond_destroy(&asker->wakeup);
    pthread_mutex_destroy(&asker->lock);
    free(asker);
}

ErrCode asker_new(const char *name, int first_s, int (*ask)(void *context), void *context, Asker **ret_asker,
                  Err *err) {
    Asker *asker = NEW(Asker);
    pthread_condattr_t attributes;
    ErrCode code;

    *asker = (Asker){.ask = ask, .context = context, .first_s = first_s};
    pthread_mutex_init(&asker->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&asker->wakeup, &attributes);
    pthread_condattr_destroy(&attributes);
    code = thread_start(&asker->thread, name, 0, keep_asking, asker, err);
    if (code == OK)
        *ret_asker = asker;
    else
        discard(asker);
    return code;
}

void asker_free(Asker *asker) {
    if (!asker)
        return;
    pthread_mutex_lock(&asker->lock);
    asker->over = true;
    pthread_cond_signal(&asker->wakeup);
    pthread_mutex_unlock(&asker->lock);
    pthread_join(asker->thread, NULL);
    discard(asker);
}
