#include "engine/watch/removals.h"

#include "engine/engine_parts.h"

enum { KEPT_MIN = 10, FORGOTTEN_AT_ONCE = 1024 };

// The revision that every watch has passed; 0: unknown while a kind is listed. A watch that will begin with a list
// delivers nothing before that.
static KubeRevision passed_by_all(const Engine *engine) {
    KubeRevision least = UINT64_MAX;

    for (uint32_t i = 0; i < engine->reflector_count; i++) {
        const Reflector *reflector = &engine->reflectors[i];

        if (reflector->phase == REFLECTOR_LISTING)
            return 0;
        if ((reflector->phase == REFLECTOR_WATCHING || !reflector->relist) && reflector->revision < least)
            least = reflector->revision;
    }
    return least;
}

void removals_forget(Engine *engine) {
    Removals *removals = &engine->removals;
    KubeRevision passed = passed_by_all(engine);

    state_forget_removed(engine->state, removals->before, FORGOTTEN_AT_ONCE);
    if (passed == 0 || mono_since(engine->now, removals->since) < KEPT_MIN * 60 * NS_PER_S)
        return;
    *removals = (Removals){.before = removals->passed, .passed = passed, .since = engine->now};
}
