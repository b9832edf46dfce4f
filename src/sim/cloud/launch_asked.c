// Cache of candidates. A burst of pods gives many NodeClaims with equal requirements: their candidates are computed
// once, as long as the types are the same vector.
#include "sim/cloud/launch_asked.h"

#include "sim/cloud/launch_ask.h"

static uint64_t hash_asked(const CloudLaunch *asked) {
    uint64_t hash = 0;

    for (vec_each(const Requirement, requirement, &asked->requirements)) {
        hash = hash_combine(hash, (uint64_t)requirement->key << 1 | requirement->complement);
        for (vec_each(const Symbol, value, &requirement->values))
            hash = hash_combine(hash, *value);
    }
    for (vec_each(const ResourceAmount, amount, &asked->claim->requests))
        hash = hash_combine(hash_combine(hash, amount->resource), (uint64_t)amount->amount);
    return hash;
}

static bool requests_are_equal(const Resources *a, const Resources *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->items[i].resource != b->items[i].resource || a->items[i].amount != b->items[i].amount)
            return false;
    }
    return true;
}

static const LaunchAsked *find(const SimLaunch *launch, uint64_t hash) {
    for (uint32_t i = 0; i < LAUNCHES_REMEMBERED; i++) {
        const LaunchAsked *asked = &launch->view->asked[i];

        if (asked->edition == launch->class->edition && asked->hash == hash &&
            requirements_eq(&asked->requirements, &launch->launch->requirements) &&
            requests_are_equal(&asked->requests, &launch->launch->claim->requests))
            return asked;
    }
    return NULL;
}

static void remember(const SimLaunch *launch, uint64_t hash) {
    SimView *view = launch->view;
    LaunchAsked *asked = &view->asked[view->next_asked++ % LAUNCHES_REMEMBERED];
    const Resources *requests = &launch->launch->claim->requests;

    arena_free(&asked->arena);
    *asked = (LaunchAsked){.hash = hash, .edition = launch->class->edition, .count = launch->candidates.count};
    asked->requirements = requirements_copy(&asked->arena, &launch->launch->requirements);
    for (vec_each(Requirement, requirement, &asked->requirements)) {
        if (requirement->values.count)
            requirement->values.items = arena_copy(&asked->arena, requirement->values.items,
                                                   requirement->values.count * sizeof *requirement->values.items);
    }
    for (vec_each(const ResourceAmount, amount, requests))
        resources_set(&asked->arena, &asked->requests, amount->resource, amount->amount);
    asked->candidates =
        arena_copy(&asked->arena, launch->candidates.items, asked->count * sizeof *launch->candidates.items);
}

void cloud_ask_once(SimLaunch *launch) {
    uint64_t hash = hash_asked(launch->launch);
    const LaunchAsked *asked = find(launch, hash);

    if (!asked) {
        cloud_ask(launch);
        remember(launch, hash);
        return;
    }
    launch->candidates.items = arena_copy(launch->arena, asked->candidates, asked->count * sizeof(LaunchCandidate));
    launch->candidates.count = launch->candidates.capacity = asked->count;
}

void cloud_forget_asked(SimView *view) {
    for (uint32_t i = 0; i < LAUNCHES_REMEMBERED; i++)
        arena_free(&view->asked[i].arena);
}
