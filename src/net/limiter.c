// Token bucket.
#include "net/limiter.h"

void limiter_init(Limiter *limiter, double per_second, uint32_t burst) {
    *limiter = (Limiter){.per_second = per_second > 0 ? per_second : 0, .burst = burst ? burst : 1};
    limiter->tokens = limiter->burst;
    pthread_mutex_init(&limiter->lock, NULL);
}

void limiter_destroy(Limiter *limiter) {
    pthread_mutex_destroy(&limiter->lock);
}

int64_t limiter_reserve(Limiter *limiter, Mono now) {
    double tokens;

    if (limiter->per_second == 0)
        return 0;
    pthread_mutex_lock(&limiter->lock);
    if (mono_is_set(limiter->filled) && now.ns > limiter->filled.ns)
        limiter->tokens += ns_to_s(mono_since(now, limiter->filled)) * limiter->per_second;
    if (limiter->tokens > limiter->burst)
        limiter->tokens = limiter->burst;
    limiter->filled = mono_last(limiter->filled, now);
    tokens = --limiter->tokens;
    pthread_mutex_unlock(&limiter->lock);
    return tokens >= 0 ? 0 : (int64_t)(-tokens / limiter->per_second * (double)NS_PER_S);
}
