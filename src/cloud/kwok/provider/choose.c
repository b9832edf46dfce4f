// Choice of the offering for a NodeClaim. Behaviour: reference lifecycle.md 8 (Create).
//
// Karpenter considers the types that the claim lists by name and their offerings; there a claim without such a list (of
// a static NodePool, or made by hand) fails. Here every type is considered that the claim's requirements allow; types
// that are too small for the claim's requests, or have no offering for it, are skipped.
#include "cloud/kwok/provider/choose.h"

void kwok_random_of(Slice uid, uint64_t purpose, Random *ret_random) {
    uint64_t hash = purpose;

    for (size_t i = 0; i < uid.len; i++)
        hash = hash_combine(hash, (unsigned char)uid.ptr[i]);
    random_seed(ret_random, hash);
}

// --- candidate types

typedef Vec(const InstanceType *) TypeRefs;

// The types that the requirements allow; in the claim's order when it lists them, since its planner listed the better
// ones first.
static TypeRefs types_of(const KwokProvider *provider, Arena *arena, const NodeClaim *claim) {
    TypeRefs types = {0};

    for (vec_each(const Expression, expression, &claim->spec.requirements)) {
        if (expression->key != NAME_INSTANCE_TYPE || expression->op != OP_IN)
            continue;
        for (vec_each(const Symbol, name, &expression->values)) {
            const InstanceType *type = instance_type_find(&provider->types, *name);

            if (type)
                vec_push(arena, &types, type);
        }
        return types;
    }
    for (vec_each(const InstanceType, type, &provider->types))
        vec_push(arena, &types, type);
    return types;
}

// --- offerings that fit

// Allocatable of the Node: the type's resources, and the claim's requests for resources that the type does not have.
static Resources allocatable_of(const KwokProvider *provider, Arena *arena, const NodeClaim *claim,
                                const InstanceType *type, const Offering *offering) {
    Resources all = resources_copy(arena, &claim->requests);
    Resources of_type = instance_type_allocatable(arena, &provider->symbols, type, offering);

    for (vec_each(const ResourceAmount, amount, &of_type))
        resources_set(arena, &all, amount->resource, amount->amount);
    return all;
}

static bool offering_fits(const KwokProvider *provider, const CloudLaunch *launch, const Offering *offering) {
    return offering->available &&
           requirements_intersect(&provider->symbols, &offering->requirements, &launch->requirements, NULL);
}

typedef Vec(KwokOffer) Offers;

// Adds the cheapest offerings of a type that fit, all of the same price.
static void cheapest_of(const KwokProvider *provider, Arena *arena, const CloudLaunch *launch, const InstanceType *type,
                        Offers *offers) {
    Resources of_type = allocatable_of(provider, arena, launch->claim, type, NULL);

    for (vec_each(const Offering, offering, &type->offerings)) {
        KwokOffer offer = {type, offering, of_type};

        if (!offering_fits(provider, launch, offering))
            continue;
        if (offering->has_override)
            offer.allocatable = allocatable_of(provider, arena, launch->claim, type, offering);
        if (!resources_fit(&launch->claim->requests, &offer.allocatable))
            continue;
        if (offers->count && offering->price_per_hour < offers->items[0].offering->price_per_hour)
            offers->count = 0;
        if (!offers->count || offering->price_per_hour == offers->items[0].offering->price_per_hour)
            vec_push(arena, offers, offer);
    }
}

ErrCode kwok_choose(const KwokProvider *provider, Arena *arena, const CloudLaunch *launch, KwokOffer *ret_offer,
                    CloudError *error) {
    TypeRefs types = types_of(provider, arena, launch->claim);
    Offers best = {0};
    Random random;

    for (vec_each(const InstanceType *, type, &types)) {
        Offers offers = {0};

        if (!requirements_intersect(&provider->symbols, &(*type)->requirements, &launch->requirements, NULL))
            continue;
        cheapest_of(provider, arena, launch, *type, &offers);
        if (offers.count &&
            (!best.count || offers.items[0].offering->price_per_hour < best.items[0].offering->price_per_hour))
            best = offers;
    }
    if (!best.count)
        return cloud_fail(error, ERR_CAPACITY, "no offering of an instance type of KWOK fits the requirements %.*s",
                          SLICE_ARG(requirements_print(arena, &provider->symbols, &launch->requirements)));
    kwok_random_of(symbol_text(&provider->symbols, launch->claim->meta.uid), 1, &random);
    *ret_offer = best.items[random_below(&random, best.count)];
    return OK;
}
