// EC2's part of a launch: CreateFleet of type "instant" with one target.
//
// On-demand, `lowest-price`: the cheapest capacity pool with an instance left; equal prices in a random order of zones.
// Spot, `price-capacity-optimized`: AWS looks at the pools with the most capacity first and takes the cheapest of
// those; here the capacity is scored like a placement score from 1 to 10 (one more for each ten instances left), and
// the cheapest pool within two points of the best is taken. Reserved: the cheapest reservation, among equals the one
// with more instances left (aws.md 3.2). Pools that were tried in vain are in the reply's errors, and unavailable from
// then on (aws.md 2.6).
#include "sim/cloud/launch_give.h"

#include "sim/cloud/launch_make.h"
#include "sim/cloud/market.h"
#include "sim/cloud/view_marks.h"

#include <stdio.h>
#include <stdlib.h>

enum { ERRORS_TOLD = 3, SCORE_SLACK = 2 };

static int by_price(const void *a, const void *b) {
    const LaunchCandidate *x = a, *y = b;

    if (x->price != y->price)
        return x->price < y->price ? -1 : 1;
    if (x->tie != y->tie)
        return x->tie < y->tie ? -1 : 1;
    return (x->pool > y->pool) - (x->pool < y->pool);
}

static const CapacityPool *pool_at(const SimCloud *cloud, const LaunchCandidate *candidate) {
    return &cloud->pools.items[candidate->pool];
}

static uint32_t score_of(uint32_t left) {
    return left == 0 ? 0 : left / 10 >= 9 ? 10 : 1 + left / 10;
}

uint32_t cloud_candidate_left(const SimCloud *cloud, const LaunchCandidate *candidate) {
    return cloud_pool_left(cloud, pool_at(cloud, candidate));
}

uint32_t cloud_rank(SimCloud *cloud, LaunchCandidates *candidates) {
    uint64_t drawn = random_u64(&cloud->launches);
    uint32_t best = 0;

    for (vec_each(LaunchCandidate, candidate, candidates)) {
        candidate->tie = hash_combine(drawn, pool_at(cloud, candidate)->zone_key);
        if (candidate->kind == SIM_SPOT)
            candidate->score = score_of(cloud_candidate_left(cloud, candidate));
        if (candidate->kind == SIM_RESERVED)
            candidate->tie = UINT32_MAX - cloud_candidate_left(cloud, candidate);
        best = candidate->score > best ? candidate->score : best;
    }
    if (candidates->count)
        qsort(candidates->items, candidates->count, sizeof *candidates->items, by_price);
    return best;
}

bool cloud_score_is_tried(const LaunchCandidate *candidate, uint32_t best) {
    if (candidate->kind != SIM_SPOT || best == 0)
        return true;
    return candidate->score > 0 && candidate->score + SCORE_SLACK >= best;
}

static ErrCode fail_for_capacity(const SimLaunch *launch, CloudError *error) {
    const SimCloud *cloud = launch->view->cloud;
    uint32_t count = launch->candidates.count;
    char text[ERR_TEXT_MAX] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < count && i < ERRORS_TOLD && used < sizeof text; i++) {
        const CapacityPool *pool = pool_at(cloud, &launch->candidates.items[i]);

        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%sInsufficientInstanceCapacity: no %.*s capacity for %.*s in %.*s", i ? "; " : "",
                                 SLICE_ARG(symbol_text(cloud->symbols, pool->capacity_type)),
                                 SLICE_ARG(symbol_text(cloud->symbols, pool->type_name)),
                                 SLICE_ARG(symbol_text(cloud->symbols, pool->zone)));
    }
    if (count > ERRORS_TOLD && used < sizeof text)
        snprintf(text + used, sizeof text - used, "; and %u more", count - ERRORS_TOLD);
    return cloud_fail(error, ERR_CAPACITY, "with fleet error(s), %s", text);
}

// KWOK has no scores.
ErrCode cloud_give(SimLaunch *launch, uint32_t *ret_number, CloudError *error) {
    uint32_t best = cloud_rank(launch->view->cloud, &launch->candidates);

    for (vec_each(const LaunchCandidate, candidate, &launch->candidates)) {
        if (!launch->is_kwok && !cloud_score_is_tried(candidate, best))
            continue;
        if (cloud_candidate_left(launch->view->cloud, candidate) > 0) {
            *ret_number = cloud_make_instance(launch, candidate);
            return OK;
        }
        cloud_view_mark_unavailable(launch->view, candidate->pool);
    }
    return fail_for_capacity(launch, error);
}
