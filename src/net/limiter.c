// The token bucket.
#include "net/limiter.h"

static const int64_t SECOND_NS = 1000000000;

void limiter_init(Limiter *limiter, double per_second, uint32_t burst) {
    *limiter = (Limiter){.per_second = per_second > 0 ? per_second : 0, .burst = burst ? burst : 1};
    limiter->tokens = limiter->burst;
    pthread_mutex_init(&limiter->lock, NULL);
}

void limiter_destroy(Limiter *limiter) {
    pthread_mutex_destroy(&limiter->lock);
}

int64_t limiter_reserve(Limiter *limiter, int64_t now_ns) {
    double tokens;

    if (limiter->per_second == 0)
        return 0;
    pthread_mutex_lock(&limiter->lock);
    if (limiter->filled_ns && now_ns > limiter->filled_ns)
        limiter->tokens += (double)(now_ns - limiter->filled_ns) / (double)SECOND_NS * limiter->per_second;
    if (limiter->tokens > limiter->burst)
        limiter->tokens = limiter->burst;
    if (now_ns > limiter->filled_ns)
        limiter->filled_ns = now_ns;
    tokens = --limiter->tokens;
    pthread_mutex_unlock(&limiter->lock);
    return tokens >= 0 ? 0 : (int64_t)(-tokens / limiter->per_second * (double)SECOND_NS);
}
