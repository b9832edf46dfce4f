// Unplaced pods for which there is a place, and claims of a pool whose pods a heavier pool should have served.
#include "checker/place.h"

// Pools by weight, the heaviest first. A used-up reservation in a heavier pool ends the search: the pod may wait.
static bool find_pool(Scene *scene, const Pod *pod, Slice *ret_where) {
    World *world = scene->world;
    int64_t weight = INT64_MAX;

    for (;;) {
        int64_t next = INT64_MIN;
        bool found = false;

        for (vec_each(Pool, pool, &world->pools))
            next = pool->weight < weight && pool->weight > next ? pool->weight : next;
        if (next == INT64_MIN)
            return false;
        weight = next;
        for (vec_each(Pool, pool, &world->pools)) {
            PlaceAnswer answer = pool->weight == weight ? judge_place_on_pool(scene, pod, pool, ret_where) : PLACE_NO;

            if (answer == PLACE_DEFERRED)
                return false;
            found |= answer == PLACE_YES;
        }
        if (found)
            return true;
    }
}

static bool find_home(Scene *scene, const Pod *pod, Slice *ret_where) {
    for (uint32_t bin = 0; bin < scene->bins.count; bin++) {
        if (judge_place_on_bin(scene, pod, bin)) {
            *ret_where = judge_text(scene->world, scene->bins.items[bin].name);
            return true;
        }
    }
    return find_pool(scene, pod, ret_where);
}

void judge_verify_missed(Scene *scene) {
    World *world = scene->world;
    IndexMap done = {0}; // class to whether its pods without volumes were missed
    Slice where = {0};

    for (uint32_t i = 0; i < world->unschedulable.count; i++) {
        const Pod *pod = &world->pods.items[world->unschedulable.items[i]];
        uint32_t missed = pod->volumes.count ? INDEX_NONE : u64_map_get(&done, pod->class_index);

        if (pod->ignored != IGNORED_NO || (!pod->is_pending && !pod->is_moved))
            continue;
        if (missed == INDEX_NONE) {
            missed = find_home(scene, pod, &where);
            if (pod->volumes.count == 0)
                u64_map_put(world->arena, &done, pod->class_index, missed);
        }
        if (missed)
            judge_report(world, "missed", pod->name, "it has no home in the plan, but fits on %.*s", SLICE_ARG(where));
    }
}

// ---- weights

// OR terms are tried in order, each on all pools: a lighter pool may win with an earlier term.
static bool is_plain(Scene *scene, const PodClass *class) {
    return !class->has_preferences && class->terms.count <= 1 && class->spreads.count == 0 &&
           class->affinity.count == 0 && !judge_place_has_topology(scene, class);
}

// Whether the pool could have served the pod at any time: it has no limits, no PreferNoSchedule taints and no
// reservations.
static bool is_steady(World *world, const Pool *pool, const PodClass *class) {
    for (uint32_t i = 0; pool->limits.present && i < world->claims.count; i++) {
        if (world->claims.items[i].pool == pool)
            return false;
    }
    for (vec_each(const Taint, taint, &pool->taints)) {
        if (taint->effect == EFFECT_PREFER_NO_SCHEDULE && !judge_taint_is_tolerated(world, class, taint))
            return false;
    }
    for (vec_each(Type, type, &world->types)) {
        for (vec_each(Offering, offering, &type->offerings)) {
            if (offering->reservation_capacity >= 0)
                return false;
        }
    }
    return true;
}

const Pool *judge_heaviest_home(Scene *scene, const Pod *pod, bool without_limits) {
    World *world = scene->world;
    const PodClass *class = judge_class(world, pod);
    const Pool *heaviest = NULL;

    if (!is_plain(scene, class))
        return NULL;
    for (vec_each(Pool, pool, &world->pools)) {
        if ((heaviest && pool->weight <= heaviest->weight) || (without_limits && pool->limits.present))
            continue;
        if (is_steady(world, pool, class) && judge_place_on_pool(scene, pod, pool, NULL) == PLACE_YES)
            heaviest = pool;
    }
    return heaviest;
}

// The pod that opened a claim should have opened one of the heavier pool; others may have joined. So a claim is wrong
// if a heavier pool could have served each of its pods.
void judge_verify_weights(Scene *scene) {
    World *world = scene->world;

    for (vec_each(Claim, claim, &world->claims)) {
        const Pool *heavier = NULL;
        bool all = claim->pool && claim->pods.count > 0;

        for (uint32_t i = 0; all && i < claim->pods.count; i++) {
            heavier = judge_heaviest_home(scene, &world->pods.items[claim->pods.items[i]], false);
            all = heavier && heavier->weight > claim->pool->weight;
        }
        if (all)
            judge_report(world, "weight", claim->name, "NodePool %.*s is heavier and could serve each of its pods",
                         SLICE_ARG(judge_text(world, heavier->name)));
    }
}
