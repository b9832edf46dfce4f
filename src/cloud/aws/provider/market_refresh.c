// Types, zones and prices asked of AWS.
#include "aws/service/pricing.h"
#include "cloud/aws/provider/market_parts.h"

// A list that is being gathered.
typedef struct {
    MarketPart *part;
    union {
        Ec2TypePages types;
        Ec2ZoneOfferPages offers;
        Ec2PriceListPages prices;
        Ec2SpotPages spot;
    };
    Ec2PriceList list; // of prices
} Gathering;

static bool add_types(void *context, const void *output) {
    ec2_types_add(&((Gathering *)context)->types, output);
    return true;
}

static bool add_offers(void *context, const void *output) {
    ec2_zone_offers_add(&((Gathering *)context)->offers, output);
    return true;
}

static bool add_prices(void *context, const void *output) {
    Gathering *gathering = context;

    ec2_price_list_add(&gathering->prices, gathering->list, output);
    return true;
}

static bool add_spot(void *context, const void *output) {
    ec2_spot_add(&((Gathering *)context)->spot, output);
    return true;
}

// Asks for all pages.
static ErrCode gather(AwsProvider *provider, const AwsOperation *operation, const void *input,
                      bool (*add)(void *context, const void *output), Gathering *gathering, Err *err) {
    const AwsPageVisitor visitor = {add, gathering};
    Arena arena = {0};
    ErrCode code = aws_pages(provider->client, &arena, operation, input, NULL, &visitor, NULL, err);

    arena_free(&arena);
    return code;
}

static ErrCode fetch_types(AwsProvider *provider, MarketPart *part, Err *err) {
    Gathering gathering = {.part = part, .types = {.arena = &part->arena, .baked = &provider->market->sources.baked}};
    Ec2DescribeInstanceTypesInput input = ec2_types_query(&part->arena);

    TRY(gather(provider, &ec2_describe_instance_types, &input, add_types, &gathering, err));
    return ec2_types_end(&gathering.types, &part->types, err);
}

static ErrCode fetch_offers(AwsProvider *provider, MarketPart *part, Err *err) {
    Gathering gathering = {.part = part, .offers = {.arena = &part->arena}};
    Ec2DescribeInstanceTypeOfferingsInput input = ec2_zone_offers_query();

    TRY(gather(provider, &ec2_describe_instance_type_offerings, &input, add_offers, &gathering, err));
    return ec2_zone_offers_end(&gathering.offers, &part->offers, err);
}

static ErrCode fetch_prices(AwsProvider *provider, MarketPart *part, Err *err) {
    Gathering gathering = {.part = part,
                           .prices = {.arena = &part->arena, .currency = ec2_price_currency(provider->region)}};
    bool is_changed;

    for (gathering.list = 0; gathering.list < EC2_PRICE_LISTS; gathering.list++) {
        PricingGetProductsInput input = ec2_price_list_query(&part->arena, provider->region, gathering.list);

        TRY(gather(provider, &pricing_get_products, &input, add_prices, &gathering, err));
    }
    return ec2_price_list_end(&gathering.prices, NULL, &part->prices, &is_changed, err);
}

// The prices that are known stay, where the answer has none.
static ErrCode fetch_spot(AwsProvider *provider, MarketPart *part, Err *err) {
    ProviderMarket *market = provider->market;
    Gathering gathering = {.part = part, .spot = {.arena = &part->arena}};
    Ec2DescribeSpotPriceHistoryInput input = ec2_spot_query(&part->arena, provider_now(provider).wall_ns);
    const MarketPart *former;
    bool is_changed;
    ErrCode code;

    TRY(gather(provider, &ec2_describe_spot_price_history, &input, add_spot, &gathering, err));
    pthread_mutex_lock(&market->making);
    former = market->sources.parts[MARKET_SPOT];
    code = ec2_spot_end(&gathering.spot, former ? &former->prices : NULL, &part->prices, &is_changed, err);
    pthread_mutex_unlock(&market->making);
    return code;
}

static const struct {
    ErrCode (*fetch)(AwsProvider *provider, MarketPart *part, Err *err);
    const char *failure;
} kinds[MARKET_PARTS] = {
    [MARKET_TYPES] = {fetch_types, "cannot list instance types"},
    [MARKET_OFFERS] = {fetch_offers, "cannot list the zones of instance types"},
    [MARKET_ON_DEMAND] = {fetch_prices, "cannot read the price list"},
    [MARKET_SPOT] = {fetch_spot, "cannot read spot prices"},
};

static bool part_eq(MarketPartKind kind, const MarketPart *a, const MarketPart *b) {
    if (kind == MARKET_TYPES)
        return a->types.count == b->types.count && ec2_types_digest(&a->types) == ec2_types_digest(&b->types);
    if (kind == MARKET_OFFERS)
        return ec2_zone_offers_eq(&a->offers, &b->offers);
    return ec2_price_table_eq(&a->prices, &b->prices);
}

static void log_change(const AwsProvider *provider, MarketPartKind kind, const MarketPart *part) {
    static const char *const messages[MARKET_PARTS] = {
        [MARKET_TYPES] = "discovered instance types",
        [MARKET_OFFERS] = "discovered offerings for instance types",
        [MARKET_ON_DEMAND] = "updated on-demand pricing",
        [MARKET_SPOT] = "updated spot pricing with instance types and offerings",
    };

    provider_log(provider, AWS_LOG_INFO, messages[kind], provider->region, "%u",
                 part->types.count + part->offers.count + part->prices.count);
}

// Takes the part over, unless it says what is known.
static ErrCode take_part(ProviderMarket *market, MarketPartKind kind, MarketPart *part, bool *changed, Err *err) {
    const MarketPart *former = market->sources.parts[kind];

    if (former && part_eq(kind, former, part)) {
        market_part_free(part);
        return OK;
    }
    TRY(market_sources_take(&market->sources, kind, part, err));
    log_change(market->provider, kind, part);
    *changed = true;
    return OK;
}

// Asks for parts of the market, one after the other; a failure of one is no reason not to take the others. The first
// error is given.
static ErrCode refresh(AwsProvider *provider, const MarketPartKind *wanted, uint32_t count, CloudError *error) {
    ProviderMarket *market = provider->market;
    ErrCode first = OK;
    bool changed = false;

    for (uint32_t i = 0; i < count; i++) {
        MarketPart *part = NEW(MarketPart);
        Err err = {0};
        ErrCode code = kinds[wanted[i]].fetch(provider, part, &err);

        if (code != OK) {
            market_part_free(part);
        } else {
            pthread_mutex_lock(&market->making);
            code = take_part(market, wanted[i], part, &changed, &err);
            pthread_mutex_unlock(&market->making);
        }
        if (code != OK && first == OK)
            first = provider_fail(error, kinds[wanted[i]].failure, NULL, &err);
    }
    if (changed) {
        pthread_mutex_lock(&market->making);
        market_make_all(market);
        pthread_mutex_unlock(&market->making);
    }
    return first;
}

ErrCode provider_types_refresh(AwsProvider *provider, CloudError *error) {
    static const MarketPartKind wanted[] = {MARKET_TYPES, MARKET_OFFERS};

    market_memory_read(provider);
    return refresh(provider, wanted, 2, error);
}

ErrCode provider_prices_refresh(AwsProvider *provider, CloudError *error) {
    static const MarketPartKind wanted[] = {MARKET_SPOT, MARKET_ON_DEMAND};
    bool has_list = ec2_price_list_exists(provider->region, provider->config.settings.isolated_vpc);

    return refresh(provider, wanted, has_list ? 2 : 1, error);
}
