// Faults for tests and scenarios, effective at once.
#include "sim/cloud/cloud_sim.h"
#include "sim/cloud/machines.h"
#include "sim/cloud/market.h"

typedef void (*PoolFault)(SimCloud *cloud, uint32_t number, uint32_t value);

static uint32_t for_pools(SimCloud *cloud, const SimFilter *filter, PoolFault fault, uint32_t value) {
    uint32_t matched = 0;

    pthread_mutex_lock(&cloud->lock);
    for (uint32_t i = 0; i < cloud->pools.count; i++) {
        if (!cloud_filter_matches(cloud, filter, &cloud->pools.items[i]))
            continue;
        fault(cloud, i, value);
        matched++;
    }
    pthread_mutex_unlock(&cloud->lock);
    return matched;
}

static void set_ice(SimCloud *cloud, uint32_t number, uint32_t on) {
    cloud->pools.items[number].ice = on;
}

static void set_left(SimCloud *cloud, uint32_t number, uint32_t left) {
    cloud->pools.items[number].fault_left = left;
}

static void set_price(SimCloud *cloud, uint32_t number, uint32_t percent) {
    cloud->pools.items[number].fault_percent = percent;
    cloud_pool_reprice(cloud, number);
}

uint32_t sim_cloud_fault_ice(SimCloud *cloud, SimFilter filter, bool on) {
    return for_pools(cloud, &filter, set_ice, on);
}

uint32_t sim_cloud_fault_left(SimCloud *cloud, SimFilter filter, uint32_t left) {
    return for_pools(cloud, &filter, set_left, left);
}

uint32_t sim_cloud_fault_price(SimCloud *cloud, SimFilter filter, uint32_t percent) {
    return for_pools(cloud, &filter, set_price, percent);
}

// --- instances

static bool is_spot(const SimCloud *cloud, const SimMachine *machine) {
    return cloud->pools.items[machine->pool].kind == SIM_SPOT;
}

static bool interrupt(SimCloud *cloud, uint32_t number) {
    SimMachine *machine = &cloud->machines.items[number];

    if (!cloud_machine_is_up(machine) || !is_spot(cloud, machine) || machine->shown.taken_ns)
        return false;
    cloud_machine_interrupt(cloud, number);
    return true;
}

bool sim_cloud_fault_interrupt(SimCloud *cloud, uint32_t number) {
    bool done;

    pthread_mutex_lock(&cloud->lock);
    CHECK(number < cloud->machines.count, "no instance %u", number);
    done = interrupt(cloud, number);
    pthread_mutex_unlock(&cloud->lock);
    return done;
}

uint32_t sim_cloud_fault_interrupt_all(SimCloud *cloud, SimFilter filter, uint32_t most) {
    uint32_t done = 0;

    pthread_mutex_lock(&cloud->lock);
    for (uint32_t i = 0; i < cloud->live.count && done < most; i++) {
        uint32_t number = cloud->live.items[i];
        const SimMachine *machine = &cloud->machines.items[number];

        if (cloud_filter_matches(cloud, &filter, &cloud->pools.items[machine->pool]))
            done += interrupt(cloud, number);
    }
    pthread_mutex_unlock(&cloud->lock);
    return done;
}

void sim_cloud_fault_rebalance(SimCloud *cloud, uint32_t number) {
    pthread_mutex_lock(&cloud->lock);
    CHECK(number < cloud->machines.count, "no instance %u", number);
    vec_push(&cloud->arena, &cloud->notices, (SimNotice){SIM_NOTICE_REBALANCE, number, cloud_now(cloud), 0});
    cloud_machine_note(cloud, number, cloud->machines.items[number].shown.state);
    pthread_mutex_unlock(&cloud->lock);
}

static void die(SimCloud *cloud, uint32_t number, SimDeath death) {
    switch (death) {
    case SIM_DEATH_TERMINATED:
        cloud_machine_remove(cloud, number);
        break;
    case SIM_DEATH_STOPPED:
        cloud_machine_stop(cloud, number);
        break;
    case SIM_DEATH_IMPAIRED:
        cloud->machines.items[number].shown.is_impaired = true;
        cloud_machine_note(cloud, number, cloud->machines.items[number].shown.state);
        break;
    }
}

bool sim_cloud_fault_kill(SimCloud *cloud, uint32_t number, SimDeath death) {
    bool up;

    pthread_mutex_lock(&cloud->lock);
    CHECK(number < cloud->machines.count, "no instance %u", number);
    up = cloud_machine_is_up(&cloud->machines.items[number]);
    if (up)
        die(cloud, number, death);
    pthread_mutex_unlock(&cloud->lock);
    return up;
}

// --- the service

void sim_cloud_fault_no_reboots(SimCloud *cloud, bool on) {
    pthread_mutex_lock(&cloud->lock);
    cloud->no_reboots = on;
    pthread_mutex_unlock(&cloud->lock);
}

static void set(SimCloud *cloud, uint32_t *member, uint32_t value) {
    pthread_mutex_lock(&cloud->lock);
    *member = value;
    pthread_mutex_unlock(&cloud->lock);
}

void sim_cloud_fault_never_join(SimCloud *cloud, uint32_t launches) {
    set(cloud, &cloud->never_join, launches);
}

void sim_cloud_fault_latency(SimCloud *cloud, uint32_t percent) {
    set(cloud, &cloud->latency_percent, percent);
}

void sim_cloud_fault_boot(SimCloud *cloud, uint32_t percent) {
    set(cloud, &cloud->boot_percent, percent);
}

void sim_cloud_fault_throttle(SimCloud *cloud, uint32_t percent) {
    set(cloud, &cloud->throttle_percent, percent);
}

void sim_cloud_fault_api_errors(SimCloud *cloud, uint32_t percent) {
    set(cloud, &cloud->error_percent, percent);
}

void sim_cloud_fault_freeze(SimCloud *cloud, bool on) {
    pthread_mutex_lock(&cloud->lock);
    cloud->frozen = on;
    pthread_mutex_unlock(&cloud->lock);
}

void sim_cloud_fault_new_image(SimCloud *cloud) {
    pthread_mutex_lock(&cloud->lock);
    cloud_new_image(cloud);
    pthread_mutex_unlock(&cloud->lock);
}

void sim_cloud_fault_consistency(SimCloud *cloud, int64_t longest_ns) {
    pthread_mutex_lock(&cloud->lock);
    cloud->config.consistency = (SimSpan){0, longest_ns};
    cloud->config.is_consistent = longest_ns == 0;
    pthread_mutex_unlock(&cloud->lock);
}

// --- present prices and depths

static uint32_t find_pool(const SimCloud *cloud, Slice type, Slice zone, Slice capacity_type) {
    Symbol symbols[] = {symbol_find(cloud->symbols, type), symbol_find(cloud->symbols, zone),
                        symbol_find(cloud->symbols, capacity_type)};

    return cloud_market_find_pool(cloud, symbols[0], symbols[1], symbols[2]);
}

static int64_t price_of(SimCloud *cloud, Slice type, Slice zone, Slice capacity_type, bool known) {
    uint32_t number;
    int64_t price = -1;

    pthread_mutex_lock(&cloud->lock);
    number = find_pool(cloud, type, zone, capacity_type);
    if (number != INDEX_NONE)
        price = known ? cloud->pools.items[number].known_nano : cloud->pools.items[number].price_nano;
    pthread_mutex_unlock(&cloud->lock);
    return price;
}

int64_t sim_cloud_price(SimCloud *cloud, Slice type, Slice zone, Slice capacity_type) {
    return price_of(cloud, type, zone, capacity_type, false);
}

int64_t sim_cloud_known_price(SimCloud *cloud, Slice type, Slice zone, Slice capacity_type) {
    return price_of(cloud, type, zone, capacity_type, true);
}

int64_t sim_cloud_left(SimCloud *cloud, Slice type, Slice zone, Slice capacity_type) {
    uint32_t number;
    int64_t left;

    pthread_mutex_lock(&cloud->lock);
    number = find_pool(cloud, type, zone, capacity_type);
    left = number == INDEX_NONE ? -1 : (int64_t)cloud_pool_left(cloud, &cloud->pools.items[number]);
    pthread_mutex_unlock(&cloud->lock);
    return left;
}
