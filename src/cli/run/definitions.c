// The asking thread, and its last result.
#include "cli/run/definitions.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { ASK_UNKNOWN_EVERY_S = 10, ASK_KNOWN_EVERY_S = 30 };

struct Definitions {
    Kube kube;
    pthread_t thread;
    pthread_mutex_t lock;  // guards the following members
    pthread_cond_t wakeup; // signalled when `over` changes
    bool known, over;
    char why[ERR_TEXT_MAX];
};

// Asks for one object of the kind: that is enough.
static ErrCode ask_for(const Definitions *definitions, KubeKind kind, KubeError *error) {
    Arena arena = {0};
    KubeList list;
    ErrCode code = kube_list(definitions->kube, &arena, &(KubeListRequest){.kind = kind, .limit = 1}, &list, error);

    arena_free(&arena);
    return code;
}

static void set(Definitions *definitions, bool known, KubeKind kind, const char *why) {
    pthread_mutex_lock(&definitions->lock);
    definitions->known = known;
    if (!known)
        snprintf(definitions->why, sizeof definitions->why, "%.*s cannot be listed: %.300s",
                 SLICE_ARG(kube_kind(kind)->kind), why);
    pthread_mutex_unlock(&definitions->lock);
}

// Asks for both kinds and stores the result. Returns whether they are known; an unreachable API server changes nothing.
static bool ask(Definitions *definitions, bool known) {
    static const KubeKind kinds[] = {KUBE_NODE_POOL, KUBE_NODE_CLAIM};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        KubeError error = {0};

        ErrCode code = ask_for(definitions, kinds[i], &error);

        if (code == OK || (known && code != ERR_NOT_FOUND))
            continue;
        set(definitions, false, kinds[i], error.err.text);
        return false;
    }
    set(definitions, true, kinds[0], "");
    return true;
}

// Sleeps; false: the thread is to end.
static bool rest(Definitions *definitions, int rest_s) {
    struct timespec at = timespec_of_ns(mono_after(clock_system_mono(), rest_s * NS_PER_S).ns);
    bool over;

    pthread_mutex_lock(&definitions->lock);
    while (!definitions->over && pthread_cond_timedwait(&definitions->wakeup, &definitions->lock, &at) == 0) {
    }
    over = definitions->over;
    pthread_mutex_unlock(&definitions->lock);
    return !over;
}

static void *keep_asking(void *context) {
    Definitions *definitions = context;

    bool known = false;

    do {
        known = ask(definitions, known);
    } while (rest(definitions, known ? ASK_KNOWN_EVERY_S : ASK_UNKNOWN_EVERY_S));
    return NULL;
}

static void discard(Definitions *definitions) {
    pthread_cond_destroy(&definitions->wakeup);
    pthread_mutex_destroy(&definitions->lock);
    free(definitions);
}

ErrCode definitions_new(Kube kube, Definitions **ret_definitions, Err *err) {
    Definitions *definitions = NEW(Definitions);
    pthread_condattr_t attributes;
    ErrCode code;

    definitions->kube = kube;
    snprintf(definitions->why, sizeof definitions->why, "the API server was not asked yet");
    pthread_mutex_init(&definitions->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&definitions->wakeup, &attributes);
    pthread_condattr_destroy(&attributes);
    code = thread_start(&definitions->thread, "definitions", 0, keep_asking, definitions, err);
    if (code == OK)
        *ret_definitions = definitions;
    else
        discard(definitions);
    return code;
}

void definitions_free(Definitions *definitions) {
    if (!definitions)
        return;
    pthread_mutex_lock(&definitions->lock);
    definitions->over = true;
    pthread_cond_signal(&definitions->wakeup);
    pthread_mutex_unlock(&definitions->lock);
    pthread_join(definitions->thread, NULL);
    discard(definitions);
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
