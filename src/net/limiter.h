// A rate limit for calls: so many a second in the long run, so many at once.
//
// A token bucket as client-go's (golang.org/x/time/rate): it starts full, fills at the rate, and whoever finds it
// empty reserves a token of the future and waits for it, first come, first served.
#pragma once

#include "base/time.h"

#include <pthread.h>

typedef struct {
    pthread_mutex_t lock;
    double per_second; // 0: no limit
    double burst, tokens;
    Mono filled; // when `tokens` was true
} Limiter;

// `per_second` <= 0: no limit. `burst` of 0 counts as 1.
void limiter_init(Limiter *limiter, double per_second, uint32_t burst);
void limiter_destroy(Limiter *limiter);

// Takes a token at that moment and returns how long to wait before using it. O(1), any
// thread.
int64_t limiter_reserve(Limiter *limiter, Mono now);
