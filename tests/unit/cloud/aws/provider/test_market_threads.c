// The market among threads: the engine asks for lists while workers mark, look classes up, refresh and learn.
// Upstream's area "instance types" (concurrent use). For the thread sanitizer.
#include "cloud/support/provider_world.h"

#include <stdatomic.h>

enum { ROUNDS = 300, CLASSES = 3 };

#define SPOT(price)                                                                                                    \
    "<DescribeSpotPriceHistoryResponse><spotPriceHistorySet><item><instanceType>m5.large</instanceType>"               \
    "<availabilityZone>us-east-1a</availabilityZone><spotPrice>" price "</spotPrice><timestamp>2026-11-23T07:00:00Z"   \
    "</timestamp></item></spotPriceHistorySet></DescribeSpotPriceHistoryResponse>"

static atomic_bool is_over;

static const char *const names[CLASSES] = {"a", "b", "c"};

static void *mark_things(void *context) {
    ProviderWorld *w = context;
    Slice left = SLICE("use1-az1");
    const SliceVec one = {&left, 1, 1}, none = {0};

    for (int i = 0; !atomic_load(&is_over); i++) {
        provider_mark_offering(w, i % 2 ? "spot" : "on-demand", "m5.large", "us-east-1a");
        provider_zones_left(w->provider, i % 3 ? &none : &one);
        provider_reservation_launched(w->provider, NAME_SPOT);
        provider_zone_is_left(w->provider, SLICE("us-east-1a"));
    }
    return NULL;
}

static void *look_classes_up(void *context) {
    ProviderWorld *w = context;

    for (uint32_t i = 0; !atomic_load(&is_over); i++) {
        const ClassSnapshot *snapshot = w->snapshots.items[i % w->snapshots.count];

        provider_types_class_changed(w->provider, slice_of(names[i % CLASSES]), i % 7 ? snapshot : NULL);
    }
    return NULL;
}

static void *refresh_prices(void *context) {
    ProviderWorld *w = context;
    CloudError error;

    for (int i = 0; !atomic_load(&is_over); i++) {
        w->script.items[0].reply.body = i % 2 ? SPOT("0.5") : SPOT("0.6");
        provider_prices_refresh(w->provider, &error);
    }
    return NULL;
}

static void *learn_things(void *context) {
    ProviderWorld *w = context;
    NodeClaim claim = {.image_id = symbol_intern(w->symbols, SLICE("ami-1"))};
    Label label = {NAME_INSTANCE_TYPE, symbol_intern(w->symbols, SLICE("m5.large"))};
    CloudError error;

    claim.meta.labels = (Labels){&label, 1, 1};
    for (int64_t bytes = INT64_C(8000000000); !atomic_load(&is_over); bytes--)
        provider_learn(w->provider, &claim, bytes, &error);
    return NULL;
}

// Everything that the list has is read.
static uint32_t read_list(const InstanceTypeVec *types) {
    uint32_t available = 0;

    for (uint32_t i = 0; types && i < types->count; i += 13) {
        for (vec_each(const Offering, offering, &types->items[i].offerings))
            available += offering->available;
        available += types->items[i].capacity.items[0].amount > 0;
    }
    return available;
}

TEST(lists_are_read_while_everything_changes) {
    AwsProviderSettings settings = AWS_PROVIDER_SETTINGS;
    void *(*const work[])(void *) = {mark_things, look_classes_up, refresh_prices, learn_things};
    enum { WORKERS = sizeof work / sizeof *work };
    pthread_t threads[WORKERS];
    ProviderWorld *w;
    uint32_t found = 0;

    settings.isolated_vpc = true;
    w = provider_world("us-east-1", &settings);
    symbols_share(w->symbols);
    provider_script(w, "DescribeSpotPriceHistory", SPOT("0.5"));
    for (int i = 0; i < CLASSES; i++)
        provider_class(w, names[i], arena_printf(&w->arena, "  kubelet: {maxPods: %d}\n", 20 + i / 2).ptr);
    atomic_store(&is_over, false);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work[i], w), 0);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t ticket = provider_types_hold(w->provider);

        found += read_list(provider_types(w->provider, slice_of(names[i % CLASSES])));
        provider_types_release(w->provider, ticket);
        memory_pass(w->memory, 30 * NS_PER_S);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    assert_true(found > 0);
    provider_world_free(w);
}
