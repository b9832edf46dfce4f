// Limiter: a rate limit for calls, with a sustained rate and a burst.
//
// A token bucket like client-go's (golang.org/x/time/rate): it starts full and fills at the rate. A caller that finds
// it empty reserves a future token and waits for it, first come, first served.
#pragma once

#include "base/time.h"

#include <pthread.h>

typedef struct {
    pthread_mutex_t lock;
    double per_second; // 0: no limit
    double burst, tokens;
    Mono filled; // when `tokens` was computed
} Limiter;

// `per_second` <= 0: no limit. `burst` of 0 counts as 1.
void limiter_init(Limiter *limiter, double per_second, uint32_t burst);
void limiter_destroy(Limiter *limiter);

// Takes a token at that moment and returns how long to wait before using it. O(1), any thread.
int64_t limiter_reserve(Limiter *limiter, Mono now);
