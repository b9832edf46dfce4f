// The questions, and their last result.
#include "cli/run/definitions.h"

#include "base/alloc.h"
#include "cli/run/asker.h"

#include <pthread.h>
#include <stdio.h>

enum { ASK_UNKNOWN_EVERY_S = 10, ASK_KNOWN_EVERY_S = 30 };

struct Definitions {
    Kube kube;
    Asker *asker;
    bool last;            // used by the asker: the last result
    pthread_mutex_t lock; // guards the following members
    bool known;
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

static int ask_again(void *context) {
    Definitions *definitions = context;

    definitions->last = ask(definitions, definitions->last);
    return definitions->last ? ASK_KNOWN_EVERY_S : ASK_UNKNOWN_EVERY_S;
}

ErrCode definitions_new(Kube kube, Definitions **ret_definitions, Err *err) {
    Definitions *definitions = NEW(Definitions);
    ErrCode code;

    definitions->kube = kube;
    snprintf(definitions->why, sizeof definitions->why, "the API server was not asked yet");
    pthread_mutex_init(&definitions->lock, NULL);
    code = asker_new("definitions", 0, ask_again, definitions, &definitions->asker, err);
    if (code == OK)
        *ret_definitions = definitions;
    else
        definitions_free(definitions);
    return code;
}

void definitions_free(Definitions *definitions) {
    if (!definitions)
        return;
    asker_free(definitions->asker);
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
