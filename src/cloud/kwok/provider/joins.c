// Delayed Nodes. Behaviour: reference lifecycle.md 8 (nodeRegistrationDelay).
#include "cloud/kwok/provider/joins.h"

#include "text/value_edit.h"

// Called under the lock.
static KwokJoin *find(KwokProvider *provider, Slice node_name) {
    for (KwokJoin *join = provider->joins; join; join = join->next) {
        if (slice_eq(join->node_name, node_name))
            return join;
    }
    return NULL;
}

void kwok_join_remove(KwokProvider *provider, KwokJoin *join) {
    KwokJoin **at = &provider->joins;
    Arena arena = join->arena;

    while (*at != join)
        at = &(*at)->next;
    *at = join->next;
    arena_free(&arena);
}

void kwok_join_later(KwokProvider *provider, Slice node_name, Slice claim_name, Slice claim_uid, const Value *node,
                     int64_t delay_ns) {
    Arena arena = {0};
    KwokJoin *join = arena_new(&arena, KwokJoin);

    join->node_name = arena_slice(&arena, node_name);
    join->claim_name = arena_slice(&arena, claim_name);
    join->claim_uid = arena_slice(&arena, claim_uid);
    join->node = value_copy(&arena, node);
    join->due_ns = kwok_now_ns(provider) + delay_ns;
    join->arena = arena;
    pthread_mutex_lock(&provider->lock);
    if (find(provider, node_name)) {
        arena_free(&arena);
    } else {
        join->next = provider->joins;
        provider->joins = join;
        provider->woken = true;
        pthread_cond_broadcast(&provider->changed);
    }
    pthread_mutex_unlock(&provider->lock);
}

void kwok_join_cancel(KwokProvider *provider, Slice node_name) {
    KwokJoin *join;

    pthread_mutex_lock(&provider->lock);
    while ((join = find(provider, node_name)) && join->running) {
        join->cancelled = true;
        pthread_cond_wait(&provider->changed, &provider->lock);
    }
    if (join)
        kwok_join_remove(provider, join);
    pthread_mutex_unlock(&provider->lock);
}

void kwok_joins_free(KwokProvider *provider) {
    while (provider->joins)
        kwok_join_remove(provider, provider->joins);
}
