// The cloud as a component of a World: making, timers, reaction.
#include "sim/cloud/cloud_sim.h"

#include "base/alloc.h"
#include "sim/cloud/machines.h"
#include "sim/cloud/market.h"
#include "sim/cloud/node_classes.h"
#include "sim/cloud/timers.h"

#include <stdlib.h>

static const struct {
    const char *call;
    SimSpan span;
} latencies[] = {
    {"launch", {INT64_C(1200000000), INT64_C(2600000000)}},  // CreateFleet, and Karpenter's batching before it
    {"terminate", {INT64_C(300000000), INT64_C(900000000)}}, //
    {"reboot", {INT64_C(300000000), INT64_C(900000000)}},    //
    {"get", {INT64_C(100000000), INT64_C(350000000)}},       // DescribeInstances of one
    {"list", {INT64_C(200000000), INT64_C(1200000000)}},     // all pages
    {"instance_types", {INT64_C(0), INT64_C(0)}},            // from memory
    {"receive", {INT64_C(20000000), INT64_C(80000000)}},     // a queue of its own
    {"settle", {INT64_C(20000000), INT64_C(80000000)}},      //
    {"is_drifted", {INT64_C(0), INT64_C(0)}},                //
};

const char *sim_instance_state_text(SimInstanceState state) {
    static const char *const texts[] = {
#define X(name, text) text,
        SIM_INSTANCE_STATES(X)
#undef X
    };

    return texts[state];
}

int64_t sim_cloud_latency_ns(SimCloud *cloud, const char *call) {
    int64_t latency = -1;

    pthread_mutex_lock(&cloud->lock);
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies && latency < 0; i++) {
        if (strcmp(latencies[i].call, call) == 0)
            latency = cloud_draw(&cloud->latencies, latencies[i].span, cloud->latency_percent);
    }
    pthread_mutex_unlock(&cloud->lock);
    CHECK(latency >= 0, "no call \"%s\" of a cloud", call);
    return latency;
}

// --- timers

static void do_timer(SimCloud *cloud, TimerType type, uint32_t number) {
    switch (type) {
    case TIMER_RUNNING:
        cloud_machine_run(cloud, number);
        break;
    case TIMER_TERMINATED:
        cloud_machine_remove(cloud, number);
        break;
    case TIMER_TAKEN:
        cloud_machine_taken(cloud, number);
        break;
    case TIMER_INTERRUPT:
        cloud_machine_interrupt(cloud, number);
        break;
    case TIMER_PRICES:
        cloud_market_move_prices(cloud);
        cloud_set_timer(cloud, cloud_now(cloud) + cloud->config.price_step_ns, TIMER_PRICES, 0);
        break;
    }
}

static bool do_timers(SimCloud *cloud) {
    uint64_t mark = world_alarms_mark(&cloud->timers);
    bool active = false;
    AlarmSlot timer;

    while (world_alarms_take(&cloud->timers, cloud_now(cloud), mark, &timer)) {
        do_timer(cloud, (TimerType)((uintptr_t)timer.context >> 32), (uint32_t)(uintptr_t)timer.context);
        active = true;
    }
    return active;
}

// The world's alarm only advances the clock: the reaction of that round does the work.
static void ring(void *context) {
    SimCloud *cloud = context;

    cloud->alarm = 0;
    cloud->alarm_ns = INT64_MAX;
}

static void set_alarm(SimCloud *cloud) {
    int64_t next = world_alarms_next_ns(&cloud->timers);

    if (next == cloud->alarm_ns)
        return;
    world_cancel(cloud->world, cloud->alarm);
    cloud->alarm = next == INT64_MAX ? 0 : world_alarm(cloud->world, next, ring, cloud);
    cloud->alarm_ns = next;
}

// --- reacting

// Called without the lock, since listeners may call the cloud.
static bool tell_listeners(SimCloud *cloud) {
    bool active = false;

    for (;;) {
        SimInstanceChange change;

        pthread_mutex_lock(&cloud->lock);
        if (cloud->changes_told == cloud->changes.count) {
            cloud->changes.count = cloud->changes_told = 0;
            pthread_mutex_unlock(&cloud->lock);
            return active;
        }
        change = cloud->changes.items[cloud->changes_told++];
        pthread_mutex_unlock(&cloud->lock);
        for (uint32_t i = 0; i < cloud->listeners.count; i++)
            cloud->listeners.items[i].listener(cloud->listeners.items[i].context, &change);
        active = true;
    }
}

static bool cloud_react(void *self) {
    SimCloud *cloud = self;
    bool active;

    pthread_mutex_lock(&cloud->lock);
    active = do_timers(cloud);
    set_alarm(cloud);
    pthread_mutex_unlock(&cloud->lock);
    active |= tell_listeners(cloud);
    active |= cloud_classes_write_status(cloud);
    return active;
}

static void cloud_observe(void *self, const StateChange *change) {
    SimCloud *cloud = self;

    if (change->kind != KUBE_EC2_NODE_CLASS && change->kind != KUBE_KWOK_NODE_CLASS)
        return;
    pthread_mutex_lock(&cloud->lock);
    cloud_classes_observe(cloud, change);
    pthread_mutex_unlock(&cloud->lock);
}

// --- making

static void cloud_free(void *self) {
    SimCloud *cloud = self;

    for (vec_each(ClassEntry, entry, &cloud->classes))
        arena_free(&entry->arena);
    world_alarms_free(&cloud->timers);
    arena_free(&cloud->arena);
    pthread_mutex_destroy(&cloud->lock);
    free(cloud);
}

static void default_span(SimSpan *span, int64_t least_ns, int64_t most_ns) {
    if (span->least_ns == 0 && span->most_ns == 0)
        *span = (SimSpan){least_ns, most_ns};
    CHECK(span->least_ns >= 0 && span->least_ns <= span->most_ns, "a span of time that ends before it begins");
}

static void fill_config(SimCloudConfig *config) {
    default_span(&config->boot, 8 * NS_PER_S, 20 * NS_PER_S);
    default_span(&config->shutdown, 20 * NS_PER_S, 60 * NS_PER_S);
    default_span(&config->consistency, 0, 3 * NS_PER_S);
    if (config->region.len == 0)
        config->region = SLICE("us-east-1");
    if (config->notice_ns == 0)
        config->notice_ns = 2 * NS_PER_MIN;
    if (config->unavailable_ns == 0)
        config->unavailable_ns = 3 * NS_PER_MIN;
}

static void seed(SimCloud *cloud) {
    Random noise = world_random(cloud->world, "cloud noise");

    cloud->noise = random_u64(&noise);
    cloud->launches = world_random(cloud->world, "cloud launches");
    cloud->latencies = world_random(cloud->world, "cloud latencies");
    cloud->lags = world_random(cloud->world, "cloud lags");
    cloud->interruptions = world_random(cloud->world, "cloud interruptions");
    cloud->errors = world_random(cloud->world, "cloud errors");
}

ErrCode sim_cloud_new(World *world, const SimCloudConfig *config, SimCloud **ret_cloud, Err *err) {
    static const ComponentTable table = {"cloud", cloud_observe, cloud_react, cloud_free};
    SimCloud *cloud = NEW(SimCloud);
    ErrCode code;

    cloud->world = world;
    cloud->config = *config;
    cloud->own_symbols = *world_symbols(world);
    cloud->own_symbols.holder = NULL;
    cloud->symbols = &cloud->own_symbols;
    cloud->alarm_ns = INT64_MAX;
    cloud->latency_percent = cloud->boot_percent = cloud->throttle_percent = 100;
    pthread_mutex_init(&cloud->lock, NULL);
    fill_config(&cloud->config);
    cloud->config.region = arena_slice(&cloud->arena, cloud->config.region);
    seed(cloud);
    code = cloud_market_make(cloud, err);
    if (code != OK) {
        cloud_free(cloud);
        return code;
    }
    cloud_new_image(cloud);
    if (cloud->config.price_step_ns)
        cloud_set_timer(cloud, cloud_now(cloud), TIMER_PRICES, 0);
    world_add(world, &table, cloud);
    *ret_cloud = cloud;
    return OK;
}

// --- instances

uint32_t sim_cloud_instance_count(const SimCloud *cloud) {
    return cloud->machines.count;
}

const SimInstance *sim_cloud_instance(const SimCloud *cloud, uint32_t number) {
    return number < cloud->machines.count ? &cloud->machines.items[number].shown : NULL;
}

uint32_t sim_cloud_find_instance(const SimCloud *cloud, Symbol provider_id) {
    uint32_t cursor = 0, number;

    while ((number = index_map_next(&cloud->by_provider_id, hash_u64(provider_id), &cursor)) != INDEX_NONE) {
        if (cloud->machines.items[number].shown.provider_id == provider_id)
            break;
    }
    return number;
}

void sim_cloud_on_change(SimCloud *cloud, SimInstanceListener listener, void *context) {
    vec_push(&cloud->arena, &cloud->listeners, (Listener){listener, context});
}

uint32_t sim_cloud_notice_count(const SimCloud *cloud) {
    return cloud->notices.count;
}

SimNotice sim_cloud_notice(const SimCloud *cloud, uint32_t number) {
    CHECK(number < cloud->notices.count, "no notice %u", number);
    return cloud->notices.items[number];
}
