// The market as it is asked: from memory.
#include "cloud/aws/provider/market_parts.h"

#include <stdlib.h>

ProviderMarket *provider_market_new(AwsProvider *provider) {
    ProviderMarket *market = NEW(ProviderMarket);

    market->provider = provider;
    CHECK(pthread_mutex_init(&market->making, NULL) == 0, "no mutex");
    CHECK(pthread_mutex_init(&market->lock, NULL) == 0, "no mutex");
    market->troubles.is_plain = provider->config.settings.plain_capacity_memory;
    market_sources_init(&market->sources, provider->region);
    return market;
}

static void free_class(MarketClass *class) {
    type_list_release(class->present);
    type_list_release(class->lasting);
    arena_free(&class->key_arena);
    arena_free(&class->taught_arena);
    free(class->name);
    free(class);
}

void provider_market_free(ProviderMarket *market) {
    for (uint32_t i = 0; i < market->class_count; i++) {
        provider_class_release(market->classes[i]->snapshot);
        free_class(market->classes[i]);
    }
    free(market->classes);
    retired_free(&market->retired);
    reservation_counts_free(&market->counts);
    unavailable_free(&market->marks);
    trouble_book_free(&market->troubles);
    arena_free(&market->zones_arena);
    arena_free(&market->memory.keys_arena);
    arena_free(&market->memory.arena);
    market_sources_free(&market->sources);
    pthread_mutex_destroy(&market->lock);
    pthread_mutex_destroy(&market->making);
    free(market);
}

// --- what holds now. All with `lock`

static MarketClass *find_class(const ProviderMarket *market, Slice name) {
    for (uint32_t i = 0; i < market->class_count; i++) {
        if (slice_eq_text(name, market->classes[i]->name))
            return market->classes[i];
    }
    return NULL;
}

static bool id_is_left(const ProviderMarket *market, Slice zone_id) {
    for (vec_each(const Slice, left, &market->zones_left)) {
        if (slice_eq(*left, zone_id))
            return true;
    }
    return false;
}

static SymbolVec zones_left(const ProviderMarket *market, Arena *arena, const MarketClass *class) {
    SymbolVec zones = {0};

    if (!market->zones_left.count)
        return zones;
    for (vec_each(const SubnetStatus, subnet, &class->snapshot->class.subnets)) {
        if (id_is_left(market, symbol_text(&market->provider->symbols, subnet->zone_id)))
            vec_push(arena, &zones, subnet->zone);
    }
    return zones;
}

static PresentFacts present_facts(ProviderMarket *market, const MarketClass *class, const SymbolVec *left, Mono now) {
    const EC2NodeClass *found = &class->snapshot->class;

    return (PresentFacts){
        .mask = {.book = &market->marks,
                 .subnets = &found->subnets,
                 .zones_left = left,
                 .group = class->group,
                 .now_ns = now.ns},
        .reservations = &found->reservations,
        .expiring = symbol_intern(&market->provider->symbols, SLICE("expiring")),
        .counts = &market->counts,
        .taught = &class->taught,
        .now = now,
    };
}

// Ends what is over.
static void tidy(ProviderMarket *market, Mono now) {
    unavailable_sweep(&market->marks, now.ns);
    trouble_book_sweep(&market->troubles, now.ns);
    reservation_counts_sweep(&market->counts, now);
    retired_release(&market->retired, now);
}

static void set_present(ProviderMarket *market, MarketClass *class, TypeList *present, Mono now) {
    TypeList *former = class->present;
    bool is_same =
        former && (former == class->lasting || former->base == class->lasting) && present_eq(former, present);

    class->made = now;
    if (is_same) {
        type_list_release(present);
        return;
    }
    class->present = present;
    retired_add(&market->retired, former, now);
}

// Makes the list anew when something changed. Numbers of changes only grow, so their sum changes with each.
static void freshen(ProviderMarket *market, MarketClass *class, Mono now) {
    uint64_t changes = market->changes + market->marks.changes + market->counts.changes + class->changes;
    Arena scratch = {0};
    SymbolVec left;
    PresentFacts facts;

    if (class->present && !class->is_stale &&
        (class->seen == changes || mono_since(now, class->made) < retired_pace_ns(&market->retired)))
        return;
    left = zones_left(market, &scratch, class);
    facts = present_facts(market, class, &left, now);
    set_present(market, class, present_list(class->lasting, &facts), now);
    class->seen = changes;
    class->is_stale = false;
    arena_free(&scratch);
}

// --- asked

const InstanceTypeVec *provider_types(AwsProvider *provider, Slice class_name) {
    ProviderMarket *market = provider->market;
    const InstanceTypeVec *types = NULL;
    Mono now = provider_now(provider).now;
    MarketClass *class;

    pthread_mutex_lock(&market->lock);
    tidy(market, now);
    class = find_class(market, class_name);
    if (class && class->lasting) {
        freshen(market, class, now);
        types = &class->present->types;
    }
    pthread_mutex_unlock(&market->lock);
    return types;
}

uint64_t provider_types_hold(AwsProvider *provider) {
    ProviderMarket *market = provider->market;
    uint64_t ticket;

    pthread_mutex_lock(&market->lock);
    ticket = retired_hold(&market->retired);
    pthread_mutex_unlock(&market->lock);
    return ticket;
}

void provider_types_release(AwsProvider *provider, uint64_t ticket) {
    ProviderMarket *market = provider->market;
    Mono now = provider_now(provider).now;

    pthread_mutex_lock(&market->lock);
    retired_give_back(&market->retired, ticket);
    retired_release(&market->retired, now);
    pthread_mutex_unlock(&market->lock);
}

TypeListVec market_hold_lists(ProviderMarket *market, Arena *arena) {
    Mono now = provider_now(market->provider).now;
    TypeListVec lists = {0};

    pthread_mutex_lock(&market->lock);
    tidy(market, now);
    for (uint32_t i = 0; i < market->class_count; i++) {
        if (!market->classes[i]->lasting)
            continue;
        freshen(market, market->classes[i], now);
        vec_push(arena, &lists, type_list_hold(market->classes[i]->present));
    }
    pthread_mutex_unlock(&market->lock);
    return lists;
}

bool provider_types_launchable(AwsProvider *provider, Arena *arena, Slice class_name, InstanceTypeVec *ret_types) {
    ProviderMarket *market = provider->market;
    Mono now = provider_now(provider).now;
    Arena scratch = {0};
    MarketClass *class;
    bool is_known;

    pthread_mutex_lock(&market->lock);
    tidy(market, now);
    class = find_class(market, class_name);
    is_known = class && class->lasting;
    if (is_known) {
        SymbolVec left = zones_left(market, &scratch, class);
        PresentFacts facts = present_facts(market, class, &left, now);

        *ret_types = present_types(arena, &class->lasting->types, &facts);
    }
    pthread_mutex_unlock(&market->lock);
    arena_free(&scratch);
    return is_known;
}

bool provider_market_is_confirmed(AwsProvider *provider) {
    ProviderMarket *market = provider->market;
    bool is_confirmed;

    pthread_mutex_lock(&market->lock);
    is_confirmed = market->is_confirmed;
    pthread_mutex_unlock(&market->lock);
    return is_confirmed;
}

// --- told

// What EC2 said last of a reservation. With `lock`.
static int32_t described_room(const ProviderMarket *market, Symbol id) {
    for (uint32_t i = 0; i < market->class_count; i++) {
        for (vec_each(const CapacityReservation, reservation, &market->classes[i]->snapshot->class.reservations)) {
            if (reservation->id == id)
                return reservation->available_count;
        }
    }
    return 0;
}

void provider_reservation_launched(AwsProvider *provider, Symbol reservation) {
    ProviderMarket *market = provider->market;
    Mono now = provider_now(provider).now;

    pthread_mutex_lock(&market->lock);
    reservation_launched(&market->counts, reservation, described_room(market, reservation), now);
    pthread_mutex_unlock(&market->lock);
}

void provider_reservation_full(AwsProvider *provider, Symbol reservation) {
    ProviderMarket *market = provider->market;
    Mono now = provider_now(provider).now;

    pthread_mutex_lock(&market->lock);
    reservation_full(&market->counts, reservation, described_room(market, reservation), now);
    pthread_mutex_unlock(&market->lock);
}

void provider_reservation_ended(AwsProvider *provider, Symbol reservation, Slice instance) {
    ProviderMarket *market = provider->market;
    Mono now = provider_now(provider).now;

    pthread_mutex_lock(&market->lock);
    reservation_ended(&market->counts, reservation, described_room(market, reservation), instance, now);
    pthread_mutex_unlock(&market->lock);
}

void provider_zones_left(AwsProvider *provider, const SliceVec *zone_ids) {
    ProviderMarket *market = provider->market;
    bool is_same;

    pthread_mutex_lock(&market->lock);
    is_same = zone_ids->count == market->zones_left.count;
    for (uint32_t i = 0; is_same && i < zone_ids->count; i++)
        is_same = slice_eq(zone_ids->items[i], market->zones_left.items[i]);
    if (!is_same) {
        arena_free(&market->zones_arena);
        market->zones_left = (SliceVec){0};
        for (vec_each(const Slice, id, zone_ids))
            vec_push(&market->zones_arena, &market->zones_left, arena_slice(&market->zones_arena, *id));
        market->changes++;
    }
    pthread_mutex_unlock(&market->lock);
}

Symbol provider_zone_of_id(AwsProvider *provider, Slice zone_id) {
    ProviderMarket *market = provider->market;
    Symbol zone = NAME_EMPTY;

    pthread_mutex_lock(&market->lock);
    for (uint32_t i = 0; i < market->class_count && zone == NAME_EMPTY; i++) {
        for (vec_each(const SubnetStatus, subnet, &market->classes[i]->snapshot->class.subnets)) {
            if (slice_eq(symbol_text(&provider->symbols, subnet->zone_id), zone_id))
                zone = subnet->zone;
        }
    }
    pthread_mutex_unlock(&market->lock);
    return zone;
}

Slice provider_zone_id(AwsProvider *provider, Slice zone) {
    ProviderMarket *market = provider->market;
    Slice id = {0};

    pthread_mutex_lock(&market->lock);
    for (uint32_t i = 0; i < market->class_count && !id.len; i++) {
        for (vec_each(const SubnetStatus, subnet, &market->classes[i]->snapshot->class.subnets)) {
            if (slice_eq(symbol_text(&provider->symbols, subnet->zone), zone))
                id = symbol_text(&provider->symbols, subnet->zone_id);
        }
    }
    pthread_mutex_unlock(&market->lock);
    return id;
}

bool provider_zone_is_left(AwsProvider *provider, Slice zone) {
    ProviderMarket *market = provider->market;
    const Symbols *symbols = &provider->symbols;
    bool is_left = false;

    pthread_mutex_lock(&market->lock);
    for (uint32_t i = 0; i < market->class_count && market->zones_left.count && !is_left; i++) {
        for (vec_each(const SubnetStatus, subnet, &market->classes[i]->snapshot->class.subnets)) {
            if (slice_eq(symbol_text(symbols, subnet->zone), zone) &&
                id_is_left(market, symbol_text(symbols, subnet->zone_id)))
                is_left = true;
        }
    }
    pthread_mutex_unlock(&market->lock);
    return is_left;
}

CapacityReservationVec provider_market_reservations(AwsProvider *provider, Arena *arena) {
    ProviderMarket *market = provider->market;
    CapacityReservationVec reservations = {0};

    pthread_mutex_lock(&market->lock);
    for (uint32_t i = 0; i < market->class_count; i++) {
        for (vec_each(const CapacityReservation, reservation, &market->classes[i]->snapshot->class.reservations)) {
            CapacityReservation *copy = vec_add(arena, &reservations);

            *copy = *reservation;
            copy->match_criteria = arena_slice(arena, reservation->match_criteria);
            copy->owner_id = arena_slice(arena, reservation->owner_id);
        }
    }
    pthread_mutex_unlock(&market->lock);
    return reservations;
}

// --- classes come and go

static MarketClass *add_class(ProviderMarket *market, Slice name) {
    MarketClass *class = NEW(MarketClass);

    class->name = alloc_raw(name.len + 1);
    memcpy(class->name, name.ptr, name.len);
    class->name[name.len] = '\0';
    GROW(market->classes, market->class_capacity, market->class_count + 1);
    market->classes[market->class_count++] = class;
    return class;
}

static void remove_class(ProviderMarket *market, const MarketClass *class) {
    uint32_t at = 0;

    while (market->classes[at] != class)
        at++;
    market->classes[at] = market->classes[--market->class_count];
}

// Sets the snapshot, NULL: none any more; gives the former one, to be released. With `making`.
static const ClassSnapshot *set_snapshot(ProviderMarket *market, Slice name, const ClassSnapshot *snapshot) {
    Mono now = provider_now(market->provider).now;
    const ClassSnapshot *former = NULL;
    MarketClass *class;

    pthread_mutex_lock(&market->lock);
    class = find_class(market, name);
    if (!class && snapshot)
        class = add_class(market, name);
    if (class) {
        former = class->snapshot;
        class->snapshot = snapshot;
    }
    if (class && !snapshot) {
        remove_class(market, class);
        retired_add(&market->retired, class->present, now);
        retired_add(&market->retired, class->lasting, now);
        class->present = class->lasting = NULL;
        free_class(class);
    } else if (class) {
        class->group = symbol_intern(&market->provider->symbols, snapshot->placement_group_id);
        class->changes++;
        class->is_stale = true;
    }
    pthread_mutex_unlock(&market->lock);
    return former;
}

// Holds the snapshot once more; NULL is fine.
static const ClassSnapshot *share(const ClassSnapshot *snapshot) {
    if (snapshot)
        __atomic_add_fetch(&((ClassSnapshot *)(uintptr_t)snapshot)->holders, 1, __ATOMIC_RELAXED);
    return snapshot;
}

void provider_types_class_changed(AwsProvider *provider, Slice class_name, const ClassSnapshot *snapshot) {
    ProviderMarket *market = provider->market;
    const ClassSnapshot *held = share(snapshot), *former;

    pthread_mutex_lock(&market->making);
    former = set_snapshot(market, class_name, held);
    if (snapshot)
        market_make_class(market, find_class(market, class_name));
    pthread_mutex_unlock(&market->making);
    provider_class_release(former);
}
