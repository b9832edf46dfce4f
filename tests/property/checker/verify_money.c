// Limits of pools, reservations, and the prices and requests of claims in the plan.
#include "checker/verify.h"

#include <math.h>

#define NAME(world, symbol) SLICE_ARG(judge_text((world), (symbol)))

// The most that a launch of the claim may take, one `nodes` included.
static Amounts largest_capacity(const Launch *launch) {
    Amounts most = {0};

    for (vec_each(Candidate, candidate, &launch->candidates))
        judge_amounts_raise(&most, &candidate->offering->capacity);
    most.of[RESOURCE_NODES] = 1;
    return most;
}

Amounts judge_pool_limits_left(Scene *scene, const Pool *pool) {
    Amounts left = pool->limits;

    for (vec_each(Bin, bin, &scene->bins)) {
        Amounts largest;

        if (bin->node && bin->node->pool == pool->name && !bin->node->is_deleting)
            judge_amounts_subtract(&left, &bin->node->capacity);
        if (bin->claim && bin->claim->pool == pool) {
            largest = largest_capacity(&scene->launches.items[bin->launch]);
            judge_amounts_subtract(&left, &largest);
        }
    }
    left.present = pool->limits.present;
    return left;
}

static bool has_claims(const World *world, const Pool *pool) {
    for (vec_each(Claim, claim, &world->claims)) {
        if (claim->pool == pool)
            return true;
    }
    return false;
}

static void judge_limits(Scene *scene, const Pool *pool) {
    World *world = scene->world;
    Amounts left;

    if (!pool->limits.present || !has_claims(world, pool))
        return;
    left = judge_pool_limits_left(scene, pool);
    for (uint32_t i = 0; i < world->resources.count; i++) {
        if (amounts_has(&left, i) && left.of[i] < 0)
            judge_report(world, "limits", pool->name, "limit %.*s is exceeded by %lld",
                         NAME(world, world->resources.items[i]), (long long)-left.of[i]);
    }
}

U32Vec judge_claim_reservations(Scene *scene, const Launch *launch) {
    World *world = scene->world;
    U32Vec reservations = {0};

    for (vec_each(Candidate, candidate, &launch->candidates)) {
        if (candidate->offering->reservation_capacity < 0)
            return (U32Vec){0};
        if (!judge_symbols_contain(&reservations, candidate->offering->reservation))
            vec_push(world->arena, &reservations, candidate->offering->reservation);
    }
    return reservations;
}

// Instances left in a reservation: the least of its offerings. INT64_MAX: unknown reservation.
int64_t judge_reservation_left(Scene *scene, Symbol reservation) {
    int64_t left = INT64_MAX;

    for (vec_each(Type, type, &scene->world->types)) {
        for (vec_each(Offering, offering, &type->offerings)) {
            if (offering->reservation_capacity >= 0 && offering->reservation == reservation &&
                offering->reservation_capacity < left)
                left = offering->reservation_capacity;
        }
    }
    for (uint32_t i = scene->world->nodes.count; i < scene->bins.count; i++) {
        U32Vec held = judge_claim_reservations(scene, &scene->launches.items[scene->bins.items[i].launch]);

        left -= judge_symbols_contain(&held, reservation);
    }
    return left;
}

static void judge_reservations(Scene *scene) {
    World *world = scene->world;
    U32Vec done = {0};

    for (vec_each(Launch, launch, &scene->launches)) {
        U32Vec held = judge_claim_reservations(scene, launch);

        for (uint32_t i = 0; i < held.count; i++) {
            if (judge_symbols_contain(&done, held.items[i]))
                continue;
            vec_push(world->arena, &done, held.items[i]);
            if (judge_reservation_left(scene, held.items[i]) < 0)
                judge_report(world, "reservation", launch->claim->name,
                             "reservation %.*s has room for %lld claims less than plan on it",
                             NAME(world, held.items[i]), (long long)-judge_reservation_left(scene, held.items[i]));
        }
    }
}

void judge_verify_pools(Scene *scene) {
    for (vec_each(Pool, pool, &scene->world->pools))
        judge_limits(scene, pool);
    judge_reservations(scene);
}

// reserved before spot before on-demand.
static int launch_rank(const World *world, const Offering *offering) {
    Slice type = judge_text(world, offering->capacity_type);

    return slice_eq_text(type, "reserved") ? 0 : slice_eq_text(type, "spot") ? 1 : 2;
}

static bool is_same_price(double a, double b) {
    return fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b));
}

// The cheapest candidate of each rank, NULL: none.
static void cheapest_by_rank(const World *world, const Launch *launch, const Candidate *ret_best[3]) {
    for (vec_each(Candidate, candidate, &launch->candidates)) {
        const Candidate **best = &ret_best[launch_rank(world, candidate->offering)];

        if (!*best || candidate->offering->price_per_hour < (*best)->offering->price_per_hour)
            *best = candidate;
    }
}

static const Candidate *find_choice(const Launch *launch, const Claim *claim) {
    for (vec_each(Candidate, candidate, &launch->candidates)) {
        if (candidate->type->name == claim->choice_type && candidate->offering->zone == claim->choice_zone &&
            candidate->offering->capacity_type == claim->choice_capacity_type &&
            is_same_price(candidate->offering->price_per_hour, claim->choice_price))
            return candidate;
    }
    return NULL;
}

static void judge_choice(Scene *scene, const Bin *bin) {
    World *world = scene->world;
    const Claim *claim = bin->claim;
    const Launch *launch = &scene->launches.items[bin->launch];
    const Candidate *best[3] = {NULL, NULL, NULL}, *choice = find_choice(launch, claim);
    int rank;

    if (!claim->has_choice || !choice) {
        judge_report(world, "choice", bin->name,
                     "%.*s in %.*s as %.*s at %.6f is no offering that it may be launched as",
                     NAME(world, claim->choice_type), NAME(world, claim->choice_zone),
                     NAME(world, claim->choice_capacity_type), claim->choice_price);
        return;
    }
    cheapest_by_rank(world, launch, best);
    rank = launch_rank(world, choice->offering);
    if (best[rank]->offering->price_per_hour < choice->offering->price_per_hour - 1e-9)
        judge_report(world, "choice", bin->name, "%.*s at %.6f is cheaper than its choice",
                     NAME(world, best[rank]->type->name), best[rank]->offering->price_per_hour);
    if (rank > 1 && best[1])
        judge_report(world, "choice", bin->name, "it would be launched as spot, not as %.*s",
                     NAME(world, claim->choice_capacity_type));
    if (rank > 0 && best[0] && judge_reservation_left(scene, best[0]->offering->reservation) > 0)
        judge_report(world, "choice", bin->name, "it would be launched as reserved, not as %.*s",
                     NAME(world, claim->choice_capacity_type));
}

static double cheapest_of_type(const Launch *launch, const Type *type, bool with_reserved) {
    double price = INFINITY;

    for (vec_each(Candidate, candidate, &launch->candidates)) {
        if (candidate->type == type && (with_reserved || candidate->offering->reservation_capacity < 0) &&
            candidate->offering->price_per_hour < price)
            price = candidate->offering->price_per_hour;
    }
    return price;
}

static bool is_sorted(const Bin *bin, const Launch *launch, bool with_reserved) {
    double before = 0;

    for (uint32_t i = 0; i < bin->claim->types.count; i++) {
        double price = cheapest_of_type(launch, bin->claim->types.items[i], with_reserved);

        if (price < before - 1e-9)
            return false;
        before = price;
    }
    return true;
}

void judge_verify_prices(Scene *scene) {
    World *world = scene->world;
    double sum = 0;

    for (uint32_t i = world->nodes.count; i < scene->bins.count; i++) {
        const Bin *bin = &scene->bins.items[i];
        const Launch *launch = &scene->launches.items[bin->launch];

        sum += bin->claim->choice_price;
        judge_choice(scene, bin);
        // A reservation that other claims have used up does not count.
        if (!is_sorted(bin, launch, true) && !is_sorted(bin, launch, false))
            judge_report(world, "type-order", bin->name, "its types are not sorted by their cheapest offering");
    }
    if (fabs(sum - world->price_per_hour) > 1e-6)
        judge_report(world, "price", SYMBOL_EMPTY, "price.perHour is %.6f, its choices cost %.6f",
                     world->price_per_hour, sum);
}

static void lower(Amounts *to, const Amounts *amounts) {
    for (uint32_t i = 0; i < RESOURCE_MAX; i++) {
        if (amounts->of[i] < to->of[i])
            to->of[i] = amounts->of[i];
    }
}

// The least overhead of daemons of the listed types: of those that certainly run, and of those that may run.
static void least_daemons(Scene *scene, const Bin *bin, Amounts *ret_certain, Amounts *ret_possible) {
    const Launch *launch = &scene->launches.items[bin->launch];
    bool first = true;

    *ret_certain = *ret_possible = (Amounts){0};
    for (vec_each(Candidate, candidate, &launch->candidates)) {
        Amounts certain = judge_candidate_daemons(scene, bin->claim, candidate);
        Amounts possible = judge_type_daemons(scene, bin->claim->pool, candidate->type);

        if (first) {
            *ret_certain = certain;
            *ret_possible = possible;
        }
        lower(ret_certain, &certain);
        lower(ret_possible, &possible);
        first = false;
    }
}

void judge_verify_requests(Scene *scene) {
    World *world = scene->world;

    for (uint32_t i = world->nodes.count; i < scene->bins.count; i++) {
        const Bin *bin = &scene->bins.items[i];
        Amounts pods = judge_claim_pod_requests(world, bin->claim), certain, possible;

        if (!bin->claim->pool)
            continue;
        least_daemons(scene, bin, &certain, &possible);
        for (uint32_t k = 0; k < world->resources.count; k++) {
            int64_t said = bin->claim->requests.of[k] - pods.of[k];

            if (said < certain.of[k] || said > possible.of[k]) {
                judge_report(world, "requests", bin->name,
                             "requests of %.*s are %lld; its pods have %lld, its daemons %lld to %lld",
                             NAME(world, world->resources.items[k]), (long long)bin->claim->requests.of[k],
                             (long long)pods.of[k], (long long)certain.of[k], (long long)possible.of[k]);
                break;
            }
        }
    }
}
