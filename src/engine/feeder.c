// A thread with a list of wishes.
#include "engine/feeder.h"

#include "base/thread.h"
#include "engine/jitter.h"

#include <stdlib.h>

typedef struct Wish Wish;
struct Wish {
    Wish *next;
    Feed *feed;
    KubeRevision revision;
};

struct Feeder {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t news;
    Wish *first, **last;
    bool ends;
};

static Wish *next_wish(Feeder *feeder) {
    Wish *wish;

    pthread_mutex_lock(&feeder->lock);
    while (!feeder->first && !feeder->ends)
        pthread_cond_wait(&feeder->news, &feeder->lock);
    wish = feeder->ends ? NULL : feeder->first;
    if (wish) {
        feeder->first = wish->next;
        if (!feeder->first)
            feeder->last = &feeder->first;
    }
    pthread_mutex_unlock(&feeder->lock);
    return wish;
}

static void *work(void *context) {
    Feeder *feeder = context;
    Wish *wish;

    while ((wish = next_wish(feeder))) {
        feed_unwatch(wish->feed);
        feed_watch(wish->feed, wish->revision, NULL);
        free(wish);
    }
    return NULL;
}

static void discard(Feeder *feeder) {
    pthread_cond_destroy(&feeder->news);
    pthread_mutex_destroy(&feeder->lock);
    free(feeder);
}

ErrCode feeder_new(Feeder **ret_feeder, Err *err) {
    Feeder *feeder = calloc(1, sizeof *feeder);
    ErrCode code;

    CHECK(feeder, "no memory for a thread");
    pthread_mutex_init(&feeder->lock, NULL);
    pthread_cond_init(&feeder->news, NULL);
    feeder->last = &feeder->first;
    code = thread_start(&feeder->thread, "feeder", 0, work, feeder, err);
    if (code == OK)
        *ret_feeder = feeder;
    else
        discard(feeder);
    return code;
}

void feeder_free(Feeder *feeder) {
    if (!feeder)
        return;
    pthread_mutex_lock(&feeder->lock);
    feeder->ends = true;
    pthread_cond_signal(&feeder->news);
    pthread_mutex_unlock(&feeder->lock);
    pthread_join(feeder->thread, NULL);
    while (feeder->first) {
        Wish *wish = feeder->first;

        feeder->first = wish->next;
        free(wish);
    }
    discard(feeder);
}

void feeder_restart(Feeder *feeder, Feed *feed, KubeRevision revision) {
    Wish *wish = calloc(1, sizeof *wish);

    CHECK(wish, "no memory for a watch");
    *wish = (Wish){.feed = feed, .revision = revision};
    jitter();
    pthread_mutex_lock(&feeder->lock);
    *feeder->last = wish;
    feeder->last = &wish->next;
    pthread_cond_signal(&feeder->news);
    pthread_mutex_unlock(&feeder->lock);
}
