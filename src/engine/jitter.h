// jitter(): a hook for finding races, called wherever one thread hands something over to another. Costs one load when
// no test has set a hook.
#pragma once

#include <stdatomic.h>
#include <stddef.h>

// Sleeps or returns at once. Any thread.
typedef void (*JitterHook)(void);

void jitter_set(JitterHook hook); // NULL: none
extern _Atomic(JitterHook) jitter_hook;

static inline void jitter(void) {
    JitterHook hook = atomic_load_explicit(&jitter_hook, memory_order_relaxed);

    if (hook)
        hook();
}
