// What has no capacity, what launches may ask for meanwhile, and the market as metrics show it.
#include "cloud/aws/provider/market_parts.h"

void provider_mark(AwsProvider *provider, const UnavailableMarkVec *marks) {
    ProviderMarket *market = provider->market;
    int64_t now_ns = provider_now(provider).now.ns;

    pthread_mutex_lock(&market->lock);
    for (vec_each(const UnavailableMark, mark, marks)) {
        int64_t until_ns = mark->kind == UNAVAILABLE_OFFERING ? trouble_book_failed(&market->troubles, mark, now_ns)
                                                              : now_ns + UNAVAILABLE_FOR_NS;

        unavailable_mark(&market->marks, mark, now_ns, until_ns);
    }
    pthread_mutex_unlock(&market->lock);
}

uint32_t provider_launches_begin(AwsProvider *provider, ShareOfferingVec *offerings, uint32_t launches, bool is_last) {
    ProviderMarket *market = provider->market;
    int64_t now_ns = provider_now(provider).now.ns;
    uint32_t shared;

    pthread_mutex_lock(&market->lock);
    shared = trouble_book_begin(&market->troubles, offerings, launches, is_last, now_ns);
    pthread_mutex_unlock(&market->lock);
    return shared;
}

void provider_launches_end(AwsProvider *provider, const ShareOfferingVec *offerings, uint32_t launches,
                           const UnavailableMarkVec *launched) {
    ProviderMarket *market = provider->market;
    int64_t now_ns = provider_now(provider).now.ns;

    pthread_mutex_lock(&market->lock);
    trouble_book_end(&market->troubles, offerings, launches);
    for (vec_each(const UnavailableMark, offering, launched))
        trouble_book_launched(&market->troubles, offering, now_ns);
    pthread_mutex_unlock(&market->lock);
}

// --- metrics

static Slice group_text(Arena *arena, const Symbols *symbols, const UnavailableMark *offering) {
    Slice group = symbol_text(symbols, offering->group);

    return offering->partition ? arena_printf(arena, "%.*s/%u", SLICE_ARG(group), offering->partition) : group;
}

static void show_troubles(ProviderMarket *market, Arena *arena, MarketFacts *facts) {
    const Symbols *symbols = &market->provider->symbols;
    int64_t now_ns = provider_now(market->provider).now.ns;

    pthread_mutex_lock(&market->lock);
    for (vec_each(const TroubleEntry, entry, &market->troubles.entries)) {
        const UnavailableMark *offering = &entry->offering;
        int64_t left_ns = entry->trouble.until_ns - now_ns;

        if (trouble_is_over(&entry->trouble, now_ns))
            continue;
        vec_push(arena, &facts->troubles,
                 (TroubleFact){.type = symbol_text(symbols, offering->type),
                               .capacity_type = symbol_text(symbols, offering->capacity_type),
                               .zone = symbol_text(symbols, offering->zone),
                               .group = group_text(arena, symbols, offering),
                               .left_ns = left_ns > 0 ? left_ns : 0,
                               .launches = trouble_allows(&entry->trouble, now_ns)});
    }
    pthread_mutex_unlock(&market->lock);
}

MarketFacts provider_market_facts(AwsProvider *provider, Arena *arena) {
    bool has_reserved = provider->config.settings.reserved_capacity;
    Arena scratch = {0};
    TypeListVec lists = market_hold_lists(provider->market, &scratch);
    MarketFacts facts = {0};

    for (vec_each(TypeList *const, list, &lists))
        market_facts_add(arena, &provider->symbols, &facts, &(*list)->types, has_reserved);
    for (vec_each(TypeList *const, list, &lists))
        type_list_release(*list);
    if (!provider->config.settings.plain_capacity_memory)
        show_troubles(provider->market, arena, &facts);
    arena_free(&scratch);
    return facts;
}
