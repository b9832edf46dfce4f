// A thread with a list of requests.
#include "engine/watch/reflector_thread.h"

#include "base/alloc.h"
#include "base/thread.h"
#include "engine/jitter.h"

typedef struct Wish Wish;
struct Wish {
    Wish *next;
    Reflector *reflector;
    KubeRevision revision;
};

struct ReflectorThread {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wakeup;
    Wish *first, **last;
    bool ends;
};

static Wish *next_wish(ReflectorThread *reflector_thread) {
    Wish *wish;

    pthread_mutex_lock(&reflector_thread->lock);
    while (!reflector_thread->first && !reflector_thread->ends)
        pthread_cond_wait(&reflector_thread->wakeup, &reflector_thread->lock);
    wish = reflector_thread->ends ? NULL : reflector_thread->first;
    if (wish) {
        reflector_thread->first = wish->next;
        if (!reflector_thread->first)
            reflector_thread->last = &reflector_thread->first;
    }
    pthread_mutex_unlock(&reflector_thread->lock);
    return wish;
}

static void *work(void *context) {
    ReflectorThread *reflector_thread = context;
    Wish *wish;

    while ((wish = next_wish(reflector_thread))) {
        reflector_unwatch(wish->reflector);
        reflector_watch(wish->reflector, wish->revision, NULL);
        free(wish);
    }
    return NULL;
}

static void discard(ReflectorThread *reflector_thread) {
    pthread_cond_destroy(&reflector_thread->wakeup);
    pthread_mutex_destroy(&reflector_thread->lock);
    free(reflector_thread);
}

ErrCode reflector_thread_new(ReflectorThread **ret_thread, Err *err) {
    ReflectorThread *reflector_thread = NEW(ReflectorThread);
    ErrCode code;

    pthread_mutex_init(&reflector_thread->lock, NULL);
    pthread_cond_init(&reflector_thread->wakeup, NULL);
    reflector_thread->last = &reflector_thread->first;
    code = thread_start(&reflector_thread->thread, "reflector_thread", 0, work, reflector_thread, err);
    if (code == OK)
        *ret_thread = reflector_thread;
    else
        discard(reflector_thread);
    return code;
}

void reflector_thread_free(ReflectorThread *reflector_thread) {
    if (!reflector_thread)
        return;
    pthread_mutex_lock(&reflector_thread->lock);
    reflector_thread->ends = true;
    pthread_cond_signal(&reflector_thread->wakeup);
    pthread_mutex_unlock(&reflector_thread->lock);
    pthread_join(reflector_thread->thread, NULL);
    while (reflector_thread->first) {
        Wish *wish = reflector_thread->first;

        reflector_thread->first = wish->next;
        free(wish);
    }
    discard(reflector_thread);
}

void reflector_thread_restart(ReflectorThread *reflector_thread, Reflector *reflector, KubeRevision revision) {
    Wish *wish = NEW(Wish);

    *wish = (Wish){.reflector = reflector, .revision = revision};
    jitter();
    pthread_mutex_lock(&reflector_thread->lock);
    *reflector_thread->last = wish;
    reflector_thread->last = &wish->next;
    pthread_cond_signal(&reflector_thread->wakeup);
    pthread_mutex_unlock(&reflector_thread->lock);
}
