// Creating delayed Nodes when they are due, by steps or on a thread. Behaviour: reference lifecycle.md 8
// (nodeRegistrationDelay).
//
// Karpenter tries four times within 310 ms and then gives the Node up, so that its claim runs into the registration
// timeout. Here the creation is retried with growing back-off until the Node exists or its claim is gone.
#include "base/thread.h"
#include "cloud/kwok/provider/failures.h"
#include "cloud/kwok/provider/joins.h"
#include "cloud/kwok/provider/resume.h"

static const int64_t RETRY_FIRST_NS = 10 * NS_PER_MS, RETRY_MAX_NS = 10 * NS_PER_S;
enum { RETRY_FACTOR = 5, TRIES_BEFORE_LOG = 4 };

// Whether the claim still needs the Node: it exists and is not being deleted.
static ErrCode look_for_claim(KwokProvider *provider, const KwokJoin *join, bool *ret_wanted, KubeError *error) {
    Arena arena = {0};
    Value claim;
    ErrCode code =
        kube_get(provider->config.kube, &arena, (KubeRef){KUBE_NODE_CLAIM, {0}, join->claim_name}, &claim, error);

    if (code == OK)
        *ret_wanted = slice_eq(kube_uid(&claim), join->claim_uid) && !kube_is_deleting(&claim);
    else
        *ret_wanted = false;
    arena_free(&arena);
    return code == ERR_NOT_FOUND ? OK : code;
}

// Creates the Node. OK: there is nothing left to do.
static ErrCode let_in(KwokProvider *provider, const KwokJoin *join, KubeError *error) {
    bool wanted;

    TRY(look_for_claim(provider, join, &wanted, error));
    if (!wanted || kube_create(provider->config.kube, NULL, KWOK_MANAGER, KUBE_NODE, &join->node, NULL, error) == OK ||
        error->reason == KUBE_REASON_ALREADY_EXISTS)
        return OK;
    return error->err.code;
}

static int64_t delay_of(uint32_t failures) {
    int64_t delay_ns = RETRY_FIRST_NS;

    for (uint32_t i = 1; i < failures && delay_ns < RETRY_MAX_NS; i++)
        delay_ns *= RETRY_FACTOR;
    return delay_ns < RETRY_MAX_NS ? delay_ns : RETRY_MAX_NS;
}

static void carry_out(KwokProvider *provider, KwokJoin *join) {
    KubeError error = {0};
    ErrCode code = let_in(provider, join, &error);

    if (code != OK && join->failures + 1 == TRIES_BEFORE_LOG)
        kwok_log(provider, SLICE("failed creating node from nodeclaim"), join->node_name, &error.err);
    pthread_mutex_lock(&provider->lock);
    join->running = false;
    if (code == OK || join->cancelled)
        kwok_join_remove(provider, join);
    else
        join->due_ns = kwok_now_ns(provider) + delay_of(++join->failures);
    pthread_cond_broadcast(&provider->changed);
    pthread_mutex_unlock(&provider->lock);
}

static int64_t next_ns(const KwokProvider *provider) {
    int64_t next = provider->resumed ? INT64_MAX : provider->resume_ns;

    for (const KwokJoin *join = provider->joins; join; join = join->next)
        next = join->due_ns < next ? join->due_ns : next;
    return next;
}

// Takes the Node that has been due for longest; NULL: none is due, or the provider is being freed.
static KwokJoin *take_due(KwokProvider *provider, int64_t now_ns) {
    KwokJoin *found = NULL;

    pthread_mutex_lock(&provider->lock);
    for (KwokJoin *join = provider->over ? NULL : provider->joins; join; join = join->next) {
        if (join->due_ns <= now_ns &&
            (!found ||
             join->due_ns <= found->due_ns)) // of equal times the first that came, which is the last in the list
            found = join;
    }
    if (found)
        found->running = true;
    pthread_mutex_unlock(&provider->lock);
    return found;
}

static void resume(KwokProvider *provider, int64_t now_ns) {
    KubeError error = {0};

    if (provider->resumed || now_ns < provider->resume_ns)
        return;
    if (kwok_resume(provider, &error) == OK) {
        provider->resumed = true;
        return;
    }
    kwok_log(provider, SLICE("failed looking for nodeclaims without node"), SLICE(""), &error.err);
    provider->resume_ns = now_ns + delay_of(++provider->resume_failures);
}

int64_t kwok_provider_step(KwokProvider *provider) {
    int64_t now_ns = kwok_now_ns(provider), next;
    KwokJoin *join;

    resume(provider, now_ns);
    while ((join = take_due(provider, now_ns)))
        carry_out(provider, join);
    pthread_mutex_lock(&provider->lock);
    next = next_ns(provider);
    pthread_mutex_unlock(&provider->lock);
    return next;
}

// Called under the lock.
static void sleep_until(KwokProvider *provider, int64_t until_ns) {
    struct timespec until = timespec_of_ns(until_ns);

    if (provider->woken || provider->over)
        return;
    if (until_ns == INT64_MAX)
        pthread_cond_wait(&provider->changed, &provider->lock);
    else
        pthread_cond_timedwait(&provider->changed, &provider->lock, &until);
}

static void *run(void *context) {
    KwokProvider *provider = context;

    pthread_mutex_lock(&provider->lock);
    while (!provider->over) {
        int64_t next;

        provider->woken = false;
        pthread_mutex_unlock(&provider->lock);
        next = kwok_provider_step(provider);
        pthread_mutex_lock(&provider->lock);
        sleep_until(provider, next);
    }
    pthread_mutex_unlock(&provider->lock);
    return NULL;
}

ErrCode kwok_provider_start(KwokProvider *provider, Err *err) {
    CHECK(!provider->has_thread, "a KWOK provider was started twice");
    CHECK(provider->has_system_clock, "the thread of a KWOK provider needs the system's clock");
    TRY(thread_start(&provider->thread, "kwok", 0, run, provider, err));
    provider->has_thread = true;
    return OK;
}
