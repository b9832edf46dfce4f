// The hook that tests set: jitter.h.
#include "engine/jitter.h"

_Atomic(JitterHook) jitter_hook;

void jitter_set(JitterHook hook) {
    atomic_store(&jitter_hook, hook);
}
