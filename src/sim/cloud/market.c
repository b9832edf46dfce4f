// Capacity pools: prices, instances left, and their changes.
//
// Depths and prices are functions of time, seed and pool, not of history: no timers, and what one run reads changes
// nothing in another. Both are "value noise": random points on a grid of time, connected by straight lines.
#include "sim/cloud/market.h"

#include "cloud/aws/instance_types.h"
#include "cloud/kwok/types.h"

#include <math.h>

static const int64_t DEPTH_STEP_NS = 30 * NS_PER_MIN;

static const Symbol kind_names[SIM_CAPACITY_TYPES] = {NAME_ON_DEMAND, NAME_SPOT, NAME_RESERVED};

static uint64_t pool_hash(Symbol type, Symbol zone, Symbol capacity_type) {
    return hash_combine(hash_combine(type, zone), capacity_type);
}

// --- the random process

// Noise from 0 to 999 at a grid point, the same for the same pool, purpose and step.
static int64_t noise_at(const SimCloud *cloud, const CapacityPool *pool, uint64_t purpose, int64_t step) {
    uint64_t hash = hash_combine(hash_combine(cloud->noise, purpose), pool->noise_key);

    return (int64_t)(hash_combine(hash, (uint64_t)step) % 1000);
}

static int64_t noise(const SimCloud *cloud, const CapacityPool *pool, uint64_t purpose, int64_t step_ns) {
    int64_t step = cloud_now(cloud) / step_ns, part = cloud_now(cloud) % step_ns * 1000 / step_ns;

    return (noise_at(cloud, pool, purpose, step) * (1000 - part) + noise_at(cloud, pool, purpose, step + 1) * part) /
           1000;
}

// Present depth: pools have 1/4, 1/2, 1, 2 or 4 times the configured one; each varies between empty and 1.2 times its
// own.
static uint32_t depth_now(const SimCloud *cloud, const CapacityPool *pool) {
    int64_t size = ((int64_t)pool->depth << (noise_at(cloud, pool, 1, -1) / 200)) / 4;
    int64_t left = size * (noise(cloud, pool, 2, DEPTH_STEP_NS) * 14 / 10 - 200) / 1000;

    return left > 0 ? (uint32_t)left : 0;
}

uint32_t cloud_pool_left(const SimCloud *cloud, const CapacityPool *pool) {
    uint32_t room;

    if (pool->ice)
        return 0;
    if (pool->fault_left != UINT32_MAX)
        return pool->fault_left;
    if (pool->kind == SIM_RESERVED)
        return pool->reserved > pool->used ? pool->reserved - pool->used : 0;
    if (pool->depth == 0)
        return UINT32_MAX;
    room = depth_now(cloud, pool);
    return room > pool->used ? room - pool->used : 0;
}

// --- notification of views

void cloud_log_pool(SimCloud *cloud, Arena *arena, PoolLog *log, uint32_t number) {
    if (log->pools.count >= 4 * cloud->pools.count) {
        log->begin += log->pools.count;
        log->pools.count = 0;
    }
    vec_push(arena, &log->pools, number);
}

void cloud_pool_changed(SimCloud *cloud, uint32_t number) {
    cloud_log_pool(cloud, &cloud->arena, &cloud->changed_pools, number);
}

// --- prices

void cloud_pool_settle(SimCloud *cloud, CapacityPool *pool) {
    int64_t now = cloud_now(cloud);

    pool->integral += (Int128)pool->price_nano * (now - pool->integral_ns);
    pool->integral_ns = now;
}

void cloud_pool_reprice(SimCloud *cloud, uint32_t number) {
    CapacityPool *pool = &cloud->pools.items[number];
    int64_t price = (int64_t)((Int128)pool->base_nano * pool->swing * pool->fault_percent / 1000000);

    if (price == pool->price_nano)
        return;
    cloud_pool_settle(cloud, pool);
    pool->price_nano = price;
    if (!cloud->config.prices_are_asked_for)
        pool->known_nano = price;
    cloud_pool_changed(cloud, number);
}

void cloud_market_move_prices(SimCloud *cloud) {
    int64_t step = cloud_now(cloud) / cloud->config.price_step_ns;

    for (uint32_t i = 0; i < cloud->pools.count; i++) {
        CapacityPool *pool = &cloud->pools.items[i];
        int64_t swing = (int64_t)cloud->config.price_swing_percent * 100;

        if (pool->kind != SIM_SPOT)
            continue;
        swing = 10000 + swing * (2 * noise_at(cloud, pool, 3, step) - 999) / 1000;
        pool->swing = swing > 100 ? (uint32_t)swing : 100;
        cloud_pool_reprice(cloud, i);
    }
}

// --- making

static SimCapacityType kind_of(Symbol capacity_type) {
    SimCapacityType kind = SIM_ON_DEMAND;

    while (kind < SIM_RESERVED && kind_names[kind] != capacity_type)
        kind++;
    return kind;
}

static CapacityPool *add_pool(SimCloud *cloud, MarketType market, uint32_t type, const Offering *offering) {
    uint32_t number = cloud->pools.count;
    CapacityPool *pool = vec_add(&cloud->arena, &cloud->pools);

    pool->market = market;
    pool->kind = kind_of(offering->capacity_type);
    pool->type = type;
    pool->type_name = cloud->markets[market].types.items[type].name;
    pool->zone = offering->zone;
    pool->capacity_type = offering->capacity_type;
    pool->reservation_id = offering->reservation_id;
    pool->base_nano = pool->known_nano = pool->price_nano = (int64_t)llround(offering->price_per_hour * 1e9);
    pool->zone_key = slice_hash(symbol_text(cloud->symbols, pool->zone));
    pool->noise_key = hash_combine(
        hash_combine(slice_hash(symbol_text(cloud->symbols, pool->type_name)), pool->zone_key), pool->kind);
    pool->swing = 10000;
    pool->fault_percent = 100;
    pool->fault_left = UINT32_MAX;
    pool->integral_ns = cloud_now(cloud);
    pool->depth = pool->kind == SIM_SPOT ? cloud->config.spot_depth : cloud->config.on_demand_depth;
    if (pool->kind == SIM_RESERVED)
        pool->reserved = offering->reservation_capacity > 0 ? (uint32_t)offering->reservation_capacity : 0;
    index_map_add(&cloud->arena, &cloud->pool_index,
                  pool->kind == SIM_RESERVED ? pool_hash(pool->reservation_id, 0, NAME_RESERVED)
                                             : pool_hash(pool->type_name, pool->zone, pool->capacity_type),
                  number);
    return pool;
}

static void add_pools(SimCloud *cloud, MarketType type) {
    Market *market = &cloud->markets[type];

    market->first_pool = arena_array(&cloud->arena, uint32_t, market->types.count + 1);
    for (uint32_t i = 0; i < market->types.count; i++) {
        market->first_pool[i] = cloud->pools.count;
        for (vec_each(const Offering, offering, &market->types.items[i].offerings))
            add_pool(cloud, type, i, offering);
    }
    market->first_pool[market->types.count] = cloud->pools.count;
}

ErrCode cloud_market_make(SimCloud *cloud, Err *err) {
    Ec2TypeOptions options = EC2_TYPE_OPTIONS(cloud->config.region);

    TRY(ec2_catalogue_parse(&cloud->arena, SLICE("built-in EC2 catalogue"), ec2_catalogue_embedded(), &cloud->catalogue,
                            err));
    TRY(ec2_instance_types(&cloud->arena, cloud->symbols, &cloud->catalogue, &options, NULL,
                           &cloud->markets[MARKET_EC2].types, err));
    if (cloud->config.kwok_catalogue.len)
        TRY(kwok_types_read(&cloud->arena, cloud->symbols, SLICE("catalogue"), cloud->config.kwok_catalogue,
                            &cloud->markets[MARKET_KWOK].types, err));
    else
        cloud->markets[MARKET_KWOK].types = kwok_default_types(&cloud->arena, cloud->symbols);
    for (unsigned market = 0; market < MARKETS; market++)
        add_pools(cloud, (MarketType)market);
    return OK;
}

// --- finding

uint32_t cloud_market_find_pool(const SimCloud *cloud, Symbol type, Symbol zone, Symbol capacity_type) {
    uint32_t cursor = 0, number;

    while ((number = index_map_next(&cloud->pool_index, pool_hash(type, zone, capacity_type), &cursor)) != INDEX_NONE) {
        const CapacityPool *pool = &cloud->pools.items[number];

        if (pool->kind != SIM_RESERVED && pool->type_name == type && pool->zone == zone &&
            pool->capacity_type == capacity_type)
            break;
    }
    return number;
}

uint32_t cloud_market_find_reservation(const SimCloud *cloud, Symbol id) {
    uint32_t cursor = 0, number;

    while ((number = index_map_next(&cloud->pool_index, pool_hash(id, 0, NAME_RESERVED), &cursor)) != INDEX_NONE) {
        if (cloud->pools.items[number].kind == SIM_RESERVED && cloud->pools.items[number].reservation_id == id)
            break;
    }
    return number;
}

// A reservation costs next to nothing to use: it is paid for already (aws.md 4.4).
void sim_cloud_reserve(SimCloud *cloud, Slice id, Slice type, Slice zone, uint32_t instances) {
    Symbol symbols[3];
    uint32_t number, like;

    pthread_mutex_lock(&cloud->lock);
    symbols[0] = symbol_intern(cloud->symbols, id);
    symbols[1] = symbol_intern(cloud->symbols, type);
    symbols[2] = symbol_intern(cloud->symbols, zone);
    number = cloud_market_find_reservation(cloud, symbols[0]);
    like = cloud_market_find_pool(cloud, symbols[1], symbols[2], NAME_ON_DEMAND);
    CHECK(like != INDEX_NONE, "no %.*s in %.*s that could be reserved", SLICE_ARG(type), SLICE_ARG(zone));
    if (number == INDEX_NONE) {
        const CapacityPool *pool = &cloud->pools.items[like];
        Offering offering = {.zone = symbols[2],
                             .capacity_type = NAME_RESERVED,
                             .reservation_id = symbols[0],
                             .price_per_hour = (double)pool->base_nano / 1e9 / 1e7};

        number = cloud->pools.count;
        add_pool(cloud, pool->market, pool->type, &offering);
    }
    cloud->pools.items[number].reserved = instances;
    cloud_pool_changed(cloud, number);
    pthread_mutex_unlock(&cloud->lock);
}

static bool type_matches(Slice pattern, Slice type) {
    if (pattern.len && pattern.ptr[pattern.len - 1] == '*')
        return slice_starts_with(type, slice_first(pattern, pattern.len - 1));
    return pattern.len == 0 || slice_eq(pattern, type);
}

bool cloud_filter_matches(const SimCloud *cloud, const SimFilter *filter, const CapacityPool *pool) {
    return type_matches(filter->type, symbol_text(cloud->symbols, pool->type_name)) &&
           (filter->zone.len == 0 || slice_eq(filter->zone, symbol_text(cloud->symbols, pool->zone))) &&
           (filter->capacity_type.len == 0 ||
            slice_eq(filter->capacity_type, symbol_text(cloud->symbols, pool->capacity_type)));
}
