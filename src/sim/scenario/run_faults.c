// Faults of a scenario, as calls of the part of the cluster that they affect.
#include "sim/scenario/run_faults.h"

#include "base/glob.h"
#include "text/duration.h"

#include <inttypes.h>
#include <math.h>

// --- selected instances

static bool concerns(const Run *run, const ScenarioFault *fault, const SimInstance *instance) {
    const Symbols *symbols = world_symbols(run->world);

    return instance->state == SIM_INSTANCE_RUNNING &&
           glob_matches(fault->instance_type, symbol_text(symbols, instance->instance_type)) &&
           glob_matches(fault->zone, symbol_text(symbols, instance->zone)) &&
           glob_matches(fault->capacity_type, symbol_text(symbols, instance->capacity_type)) &&
           glob_matches(fault->node, symbol_text(symbols, instance->node_name));
}

// All selected instances, in random order.
static U32Vec draw_instances(Run *run, Arena *arena, const ScenarioFault *fault) {
    U32Vec numbers = {0};

    for (uint32_t i = 0; i < sim_cloud_instance_count(run->cloud); i++) {
        if (concerns(run, fault, sim_cloud_instance(run->cloud, i)))
            vec_push(arena, &numbers, i);
    }
    for (uint32_t left = numbers.count; left > 1; left--) {
        uint32_t other = random_below(&run->random, left), number = numbers.items[other];

        numbers.items[other] = numbers.items[left - 1];
        numbers.items[left - 1] = number;
    }
    return numbers;
}

static uint32_t how_many(const ScenarioFault *fault, uint32_t all) {
    uint32_t wanted = all;

    if (fault->has_count)
        wanted = fault->count < 0 ? 0 : (uint32_t)fault->count;
    else if (fault->has_percent)
        wanted = (uint32_t)ceil(all * fault->percent / 100);
    return wanted < all ? wanted : all;
}

static void hit(Run *run, const ScenarioFault *fault, uint32_t number) {
    const SimInstance *instance = sim_cloud_instance(run->cloud, number);
    Slice node = symbol_text(world_symbols(run->world), instance->node_name);

    if (fault->type == FAULT_SPOT_INTERRUPT)
        sim_cloud_fault_interrupt(run->cloud, number);
    else if (fault->type == FAULT_NODE_CONDITION)
        sim_kubelet_report(
            run->kubelets, node,
            &(SimNodeCondition){fault->condition, fault->status.len ? fault->status : SLICE("False"), fault->reason});
    else if (fault->type == FAULT_INSTANCE_KILL)
        sim_cloud_fault_kill(run->cloud, number, SIM_DEATH_TERMINATED);
    else
        sim_kubelet_stop(run->kubelets, node);
}

static void hit_instances(Run *run, const ScenarioFault *fault) {
    ScenarioFault meant = *fault;
    Arena arena = {0};
    U32Vec numbers;

    if (fault->type == FAULT_SPOT_INTERRUPT && !fault->capacity_type.len)
        meant.capacity_type = SLICE("spot");
    numbers = draw_instances(run, &arena, &meant);
    for (uint32_t i = 0; i < how_many(fault, numbers.count); i++)
        hit(run, fault, numbers.items[i]);
    arena_free(&arena);
}

static void cure_nodes(Run *run) {
    for (uint32_t i = 0; i < sim_cloud_instance_count(run->cloud); i++) {
        const SimInstance *instance = sim_cloud_instance(run->cloud, i);

        if (instance->state == SIM_INSTANCE_RUNNING)
            sim_kubelet_recover(run->kubelets, symbol_text(world_symbols(run->world), instance->node_name));
    }
}

static void revive_kubelets(Run *run) {
    for (uint32_t i = 0; i < sim_cloud_instance_count(run->cloud); i++) {
        const SimInstance *instance = sim_cloud_instance(run->cloud, i);

        if (instance->state == SIM_INSTANCE_RUNNING)
            sim_kubelet_start(run->kubelets, symbol_text(world_symbols(run->world), instance->node_name));
    }
}

// --- one for each row of SCENARIO_FAULTS

static uint32_t percent_of(const ScenarioFault *fault) {
    return fault->has_percent ? (uint32_t)lround(fault->percent) : 100;
}

static uint32_t factor_percent(const ScenarioFault *fault, bool on) {
    return on ? (uint32_t)lround((fault->has_factor ? fault->factor : 10) * 100) : 100;
}

static void cloud_fault(Run *run, const ScenarioFault *fault, bool on) {
    SimFilter filter = {fault->instance_type, fault->zone, fault->capacity_type};

    switch (fault->type) {
    case FAULT_ICE:
        sim_cloud_fault_ice(run->cloud, filter, on);
        return;
    case FAULT_PRICE:
        sim_cloud_fault_price(run->cloud, filter, factor_percent(fault, on));
        return;
    case FAULT_NEVER_JOIN:
        sim_cloud_fault_never_join(run->cloud, on ? (fault->has_count ? (uint32_t)fault->count : UINT32_MAX) : 0);
        return;
    case FAULT_NO_REBOOTS:
        sim_cloud_fault_no_reboots(run->cloud, on);
        return;
    case FAULT_SLOW_BOOT:
        sim_cloud_fault_boot(run->cloud, factor_percent(fault, on));
        return;
    case FAULT_SLOW_CLOUD:
        sim_cloud_fault_latency(run->cloud, factor_percent(fault, on));
        return;
    case FAULT_CLOUD_ERROR:
        sim_cloud_fault_api_errors(run->cloud, on ? percent_of(fault) : 0);
        return;
    case FAULT_CLOUD_LAG:
        sim_cloud_fault_consistency(run->cloud, on ? fault->delay_ns : 3 * NS_PER_S);
        return;
    default: // FAULT_THROTTLE: token buckets fill that many times slower
        sim_cloud_fault_throttle(run->cloud, on ? 10000 / factor_percent(fault, true) : 100);
        return;
    }
}

static void tenon_fault(Run *run, const ScenarioFault *fault, bool on) {
    int64_t delay_ns = on ? fault->delay_ns : 0;

    switch (fault->type) {
    case FAULT_API_ERROR:
        sim_process_api_errors(run->process, on ? percent_of(fault) : 0);
        return;
    case FAULT_WATCH_DROP:
    case FAULT_WATCH_EXPIRE:
        if (on)
            sim_process_watch_drop(run->process, fault->type == FAULT_WATCH_EXPIRE);
        return;
    case FAULT_WATCH_DELAY:
        sim_process_watch_delay(run->process, delay_ns);
        return;
    case FAULT_KILL_CONTROLLER:
        if (on)
            sim_process_kill(run->process, delay_ns);
        return;
    case FAULT_PARTITION:
        sim_process_partition(run->process, on);
        return;
    default: // FAULT_CLOCK_SKEW
        sim_process_skew(run->process, delay_ns);
        return;
    }
}

void run_fault(Run *run, const ScenarioFault *fault, bool on) {
    switch (fault->type) {
    case FAULT_SPOT_INTERRUPT:
    case FAULT_INSTANCE_KILL:
        if (on)
            hit_instances(run, fault);
        return;
    case FAULT_KUBELET_DEAD:
        if (on)
            hit_instances(run, fault);
        else
            revive_kubelets(run);
        return;
    case FAULT_NODE_CONDITION:
        if (on)
            hit_instances(run, fault);
        else
            cure_nodes(run);
        return;
    case FAULT_NEVER_READY:
        sim_kubelets_never_ready(run->kubelets, on ? (fault->has_count ? (uint32_t)fault->count : UINT32_MAX) : 0);
        return;
    case FAULT_API_ERROR:
    case FAULT_WATCH_DROP:
    case FAULT_WATCH_EXPIRE:
    case FAULT_WATCH_DELAY:
    case FAULT_KILL_CONTROLLER:
    case FAULT_PARTITION:
    case FAULT_CLOCK_SKEW:
        tenon_fault(run, fault, on);
        return;
    default:
        cloud_fault(run, fault, on);
        return;
    }
}

// --- text

static void put(Arena *arena, Slice *text, const char *name, Slice value) {
    if (value.len)
        *text = arena_printf(arena, "%.*s, %s %.*s", SLICE_ARG(*text), name, SLICE_ARG(value));
}

Slice run_print_fault(Arena *arena, const ScenarioFault *fault) {
    Slice text = slice_of(fault_text(fault->type));

    put(arena, &text, "instanceType", fault->instance_type);
    put(arena, &text, "zone", fault->zone);
    put(arena, &text, "capacityType", fault->capacity_type);
    put(arena, &text, "node", fault->node);
    put(arena, &text, "condition", fault->condition);
    put(arena, &text, "reason", fault->reason);
    if (fault->has_count)
        put(arena, &text, "count", arena_printf(arena, "%" PRId32, fault->count));
    if (fault->has_percent)
        put(arena, &text, "percent", arena_printf(arena, "%g", fault->percent));
    if (fault->has_factor)
        put(arena, &text, "factor", arena_printf(arena, "%g", fault->factor));
    if (fault->has_delay)
        put(arena, &text, "delay", duration_print(arena, fault->delay_ns));
    if (fault->for_ns)
        put(arena, &text, "for", duration_print(arena, fault->for_ns));
    return text;
}
