// Lists made anew.
#include "cloud/aws/market/class_list.h"
#include "cloud/aws/provider/market_parts.h"

static Slice print_key(Arena *arena, const ProviderMarket *market, const MarketClass *class) {
    return arena_printf(arena, "%llu:%.*s", (unsigned long long)market->sources.number,
                        SLICE_ARG(class_list_key(arena, &class->snapshot->class)));
}

static void log_failure(const ProviderMarket *market, const MarketClass *class, const Err *err) {
    if (class->snapshot->class.subnets.count) // otherwise the class' own conditions say what is missing
        provider_log(market->provider, AWS_LOG_ERROR, "cannot list the instance types of the EC2NodeClass",
                     slice_of(class->name), "%s", err->text);
}

// Whether two keys are of one catalogue.
static bool catalogue_eq(Slice a, Slice b) {
    ptrdiff_t number = slice_find(a, ':');

    return number >= 0 && slice_starts_with(b, slice_first(a, (size_t)number + 1));
}

// A list that another class has: of the same key, or else any of the same catalogue; held. NULL: none. With `making`,
// so that the lists stay.
static TypeList *find_list(ProviderMarket *market, Slice key, bool is_same) {
    for (uint32_t i = 0; i < market->class_count; i++) {
        const MarketClass *class = market->classes[i];

        if (class->lasting && (is_same ? slice_eq(class->key, key) : catalogue_eq(class->key, key)))
            return type_list_hold(class->lasting);
    }
    return NULL;
}

// The lasting list of the class, held; NULL: none can be made.
static TypeList *make_lasting(ProviderMarket *market, const MarketClass *class, Slice key) {
    const AwsProvider *provider = market->provider;
    Ec2TypeOptions options = EC2_TYPE_OPTIONS(provider->region);
    TypeList *list = find_list(market, key, true), *model;
    Symbols symbols = provider->symbols;
    Err err = market->sources.why_unusable;
    ErrCode code = ERR_NOT_FOUND;

    if (list)
        return list;
    options.vm_memory_overhead_percent = provider->config.settings.vm_memory_overhead_percent;
    options.reserved_enis = provider->config.settings.reserved_enis;
    model = find_list(market, key, false);
    if (market->sources.is_usable)
        code = class_list_make(&symbols, &market->sources.joined.catalogue, &options, &class->snapshot->class, model,
                               &list, &err);
    type_list_release(model);
    if (code != OK)
        log_failure(market, class, &err);
    return list;
}

static TaughtTypeVec find_taught(const ProviderMarket *market, const MarketClass *class, const TypeList *lasting,
                                 Arena *arena) {
    const ClassSnapshot *snapshot = class->snapshot;

    if (!lasting || !market->memory.book.rows.count)
        return (TaughtTypeVec){0};
    return present_taught(arena, &market->memory.book, &market->provider->symbols, &snapshot->class.found.amis,
                          &snapshot->ami_requirements, provider_now(market->provider).wall_ns, &lasting->types);
}

// Publishes a lasting list, which is taken over (NULL: none), with its key and what was taught.
static void publish(ProviderMarket *market, MarketClass *class, TypeList *lasting, Arena key_arena, Slice key,
                    Arena taught_arena, TaughtTypeVec taught) {
    Mono now = provider_now(market->provider).now;
    Arena former_key = class->key_arena, former_taught = class->taught_arena;

    pthread_mutex_lock(&market->lock);
    retired_add(&market->retired, class->lasting, now);
    if (!lasting) {
        retired_add(&market->retired, class->present, now);
        class->present = NULL;
    }
    class->lasting = lasting;
    class->key_arena = key_arena;
    class->key = key;
    class->taught_arena = taught_arena;
    class->taught = taught;
    class->changes++;
    class->is_stale = true;
    market->is_confirmed = market->sources.is_usable && market->sources.joined.is_confirmed;
    pthread_mutex_unlock(&market->lock);
    arena_free(&former_key);
    arena_free(&former_taught);
}

void market_make_class(ProviderMarket *market, MarketClass *class) {
    Arena key_arena = {0}, taught_arena = {0};
    Slice key = print_key(&key_arena, market, class);
    TypeList *lasting;

    if (class->lasting && slice_eq(class->key, key)) {
        arena_free(&key_arena);
        market_teach_class(market, class);
        return;
    }
    lasting = make_lasting(market, class, key);
    TaughtTypeVec taught = find_taught(market, class, lasting, &taught_arena);
    publish(market, class, lasting, key_arena, key, taught_arena, taught);
}

void market_make_all(ProviderMarket *market) {
    pthread_mutex_lock(&market->lock);
    market->is_confirmed = market->sources.is_usable && market->sources.joined.is_confirmed;
    pthread_mutex_unlock(&market->lock);
    for (uint32_t i = 0; i < market->class_count; i++)
        market_make_class(market, market->classes[i]);
}

static bool taught_eq(const TaughtTypeVec *a, const TaughtTypeVec *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->items[i].place != b->items[i].place || !resources_eq(&a->items[i].capacity, &b->items[i].capacity))
            return false;
    }
    return true;
}

void market_teach_class(ProviderMarket *market, MarketClass *class) {
    Arena arena = {0}, former = class->taught_arena;
    TaughtTypeVec taught = find_taught(market, class, class->lasting, &arena);

    if (taught_eq(&taught, &class->taught)) {
        arena_free(&arena);
        return;
    }
    pthread_mutex_lock(&market->lock);
    class->taught_arena = arena;
    class->taught = taught;
    class->changes++;
    pthread_mutex_unlock(&market->lock);
    arena_free(&former);
}
