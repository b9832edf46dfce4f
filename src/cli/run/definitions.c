// The thread that asks.
#include "cli/run/definitions.h"

#include "base/check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ASK_EVERY_S = 10 };

struct Definitions {
    Kube kube;
    pthread_t thread;
    pthread_mutex_t lock; // of what follows
    pthread_cond_t news;  // `over` has changed
    bool known, over;
    char why[ERR_TEXT_MAX];
};

// One object is enough of an answer.
static ErrCode ask_for(const Definitions *definitions, KubeKind kind, KubeError *error) {
    Arena arena = {0};
    KubeList list;
    ErrCode code = kube_list(definitions->kube, &arena, &(KubeListRequest){.kind = kind, .limit = 1}, &list, error);

    arena_free(&arena);
    return code;
}

static bool ask(Definitions *definitions) {
    static const KubeKind kinds[] = {KUBE_NODE_POOL, KUBE_NODE_CLAIM};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        KubeError error = {0};

        if (ask_for(definitions, kinds[i], &error) == OK)
            continue;
        pthread_mutex_lock(&definitions->lock);
        snprintf(definitions->why, sizeof definitions->why, "%.*s cannot be listed: %.300s",
                 SLICE_ARG(kube_kind(kinds[i])->kind), error.err.text);
        pthread_mutex_unlock(&definitions->lock);
        return false;
    }
    return true;
}

// False: it is over.
static bool rest(Definitions *definitions) {
    struct timespec at = timespec_of_ns(mono_after(clock_system_mono(), ASK_EVERY_S * NS_PER_S).ns);
    bool over;

    pthread_mutex_lock(&definitions->lock);
    while (!definitions->over && pthread_cond_timedwait(&definitions->news, &definitions->lock, &at) == 0) {
    }
    over = definitions->over;
    pthread_mutex_unlock(&definitions->lock);
    return !over;
}

static void *keep_asking(void *context) {
    Definitions *definitions = context;

    while (!ask(definitions)) {
        if (!rest(definitions))
            return NULL;
    }
    pthread_mutex_lock(&definitions->lock);
    definitions->known = true;
    pthread_mutex_unlock(&definitions->lock);
    return NULL;
}

Definitions *definitions_new(Kube kube) {
    Definitions *definitions = calloc(1, sizeof *definitions);
    pthread_condattr_t attributes;

    CHECK(definitions, "no memory for a thread");
    definitions->kube = kube;
    snprintf(definitions->why, sizeof definitions->why, "the API server was not asked yet");
    pthread_mutex_init(&definitions->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&definitions->news, &attributes);
    pthread_condattr_destroy(&attributes);
    CHECK(pthread_create(&definitions->thread, NULL, keep_asking, definitions) == 0, "the system gives no thread");
    pthread_setname_np(definitions->thread, "definitions");
    return definitions;
}

void definitions_free(Definitions *definitions) {
    if (!definitions)
        return;
    pthread_mutex_lock(&definitions->lock);
    definitions->over = true;
    pthread_cond_signal(&definitions->news);
    pthread_mutex_unlock(&definitions->lock);
    pthread_join(definitions->thread, NULL);
    pthread_cond_destroy(&definitions->news);
    pthread_mutex_destroy(&definitions->lock);
    free(definitions);
}

bool definitions_are_known(Definitions *definitions, Buffer *why) {
    bool known;

    pthread_mutex_lock(&definitions->lock);
    known = definitions->known;
    if (!known)
        buffer_append(why, slice_of(definitions->why));
    pthread_mutex_unlock(&definitions->lock);
    return known;
}
