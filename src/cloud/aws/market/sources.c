// Parts of the catalogue.
#include "cloud/aws/market/sources.h"

#include "base/alloc.h"

void market_part_free(MarketPart *part) {
    if (!part)
        return;
    arena_free(&part->arena);
    free(part);
}

static ErrCode join(const MarketSources *sources, MarketPart *const *parts, Arena *arena, Ec2LiveCatalogue *ret_joined,
                    Err *err) {
    const Ec2LiveSources live = {
        .baked = &sources->baked,
        .region = sources->region,
        .types = parts[MARKET_TYPES] ? &parts[MARKET_TYPES]->types : NULL,
        .offers = parts[MARKET_OFFERS] ? &parts[MARKET_OFFERS]->offers : NULL,
        .on_demand = parts[MARKET_ON_DEMAND] ? &parts[MARKET_ON_DEMAND]->prices : NULL,
        .spot = parts[MARKET_SPOT] ? &parts[MARKET_SPOT]->prices : NULL,
    };

    return ec2_live_catalogue(arena, &live, ret_joined, err);
}

// Whether a catalogue can be expected of the parts.
static bool is_enough(const MarketSources *sources, MarketPart *const *parts) {
    return (parts[MARKET_TYPES] && parts[MARKET_OFFERS]) || ec2_catalogue_region(&sources->baked, sources->region);
}

void market_sources_init(MarketSources *sources, Slice region) {
    Err err;
    ErrCode code = ec2_catalogue_parse(&sources->arena, SLICE("the built-in catalogue"), ec2_catalogue_embedded(),
                                       &sources->baked, &err);

    CHECK(code == OK, "%s", err.text);
    sources->region = region;
    sources->is_usable =
        join(sources, sources->parts, &sources->joined_arena, &sources->joined, &sources->why_unusable) == OK;
    sources->number = 1;
}

void market_sources_free(MarketSources *sources) {
    for (uint32_t i = 0; i < MARKET_PARTS; i++)
        market_part_free(sources->parts[i]);
    arena_free(&sources->joined_arena);
    arena_free(&sources->arena);
}

ErrCode market_sources_take(MarketSources *sources, MarketPartKind kind, MarketPart *part, Err *err) {
    MarketPart *parts[MARKET_PARTS];
    Ec2LiveCatalogue joined;
    Arena arena = {0};
    ErrCode code;

    memcpy(parts, sources->parts, sizeof parts);
    parts[kind] = part;
    code = join(sources, parts, &arena, &joined, err);
    if (code != OK && is_enough(sources, parts)) {
        arena_free(&arena);
        market_part_free(part);
        return code;
    }
    market_part_free(sources->parts[kind]);
    sources->parts[kind] = part;
    if (code != OK) { // the other half is still missing
        arena_free(&arena);
        return OK;
    }
    arena_free(&sources->joined_arena);
    sources->joined_arena = arena;
    sources->joined = joined;
    sources->is_usable = true;
    sources->number++;
    return OK;
}
