// Life cycle of an instance: pending, running, (stopped,) shutting down, terminated; and notifications about it.
#include "sim/cloud/machines.h"

#include "sim/cloud/bill.h"
#include "sim/cloud/market.h"
#include "sim/cloud/timers.h"

#include <inttypes.h>
#include <stdio.h>

bool cloud_machine_is_up(const SimMachine *machine) {
    return machine->shown.state == SIM_INSTANCE_PENDING || machine->shown.state == SIM_INSTANCE_RUNNING;
}

void cloud_machine_note(SimCloud *cloud, uint32_t number, SimInstanceState before) {
    vec_push(&cloud->arena, &cloud->changes,
             (SimInstanceChange){number, before, cloud->machines.items[number].shown.state});
}

// Until `visible_ns` descriptions show the old state.
static void hide(SimCloud *cloud, SimMachine *machine, SimInstanceState described) {
    machine->described = described;
    machine->visible_ns = cloud_now(cloud);
    if (!cloud->config.is_consistent)
        machine->visible_ns += cloud_draw(&cloud->lags, cloud->config.consistency, 100);
}

static void move_to(SimCloud *cloud, uint32_t number, SimInstanceState state) {
    SimMachine *machine = &cloud->machines.items[number];
    SimInstanceState before = machine->shown.state;

    hide(cloud, machine, cloud_machine_described(cloud, machine));
    machine->shown.state = state;
    machine->shown.changed_ns = cloud_now(cloud);
    cloud_machine_note(cloud, number, before);
}

SimInstanceState cloud_machine_described(const SimCloud *cloud, const SimMachine *machine) {
    return cloud_now(cloud) < machine->visible_ns ? machine->described : machine->shown.state;
}

bool cloud_machine_is_listed(const SimCloud *cloud, const SimMachine *machine) {
    return cloud_now(cloud) >= machine->listed_ns && cloud_machine_described(cloud, machine) != SIM_INSTANCE_TERMINATED;
}

// --- launching

static Slice domain(const SimCloud *cloud, Arena *arena) {
    if (slice_eq(cloud->config.region, SLICE("us-east-1")))
        return SLICE("ec2.internal");
    return arena_printf(arena, "%.*s.compute.internal", SLICE_ARG(cloud->config.region));
}

static void name_machine(SimCloud *cloud, SimInstance *shown) {
    uint32_t n = shown->number + 4; // 10.0.0.0 to 3 are reserved by the network
    uint64_t id = random_u64(&cloud->launches);
    Arena arena = {0};
    Slice node, provider;

    if (shown->is_kwok) {
        node = arena_printf(&arena, "kwok-%.*s-%08" PRIx32, SLICE_ARG(symbol_text(cloud->symbols, shown->claim_name)),
                            (uint32_t)id);
        provider = arena_printf(&arena, "kwok://%.*s", SLICE_ARG(node));
    } else {
        node = arena_printf(&arena, "ip-10-%u-%u-%u.%.*s", n >> 16 & 255, n >> 8 & 255, n & 255,
                            SLICE_ARG(domain(cloud, &arena)));
        provider =
            arena_printf(&arena, "aws:///%.*s/i-0%016" PRIx64, SLICE_ARG(symbol_text(cloud->symbols, shown->zone)), id);
    }
    shown->node_name = symbol_intern(cloud->symbols, node);
    shown->provider_id = symbol_intern(cloud->symbols, provider);
    arena_free(&arena);
}

static bool draw_joins(SimCloud *cloud) {
    bool joins = !random_chance(&cloud->launches, cloud->config.never_join_percent);

    if (cloud->never_join == 0)
        return joins;
    cloud->never_join--;
    return false;
}

static void take_capacity(SimCloud *cloud, uint32_t number, int32_t by) {
    CapacityPool *pool = &cloud->pools.items[number];

    pool->used += (uint32_t)by;
    if (pool->fault_left != UINT32_MAX && by > 0)
        pool->fault_left -= (uint32_t)by;
    if (pool->kind == SIM_RESERVED)
        cloud_pool_changed(cloud, number);
}

uint32_t cloud_machine_launch(SimCloud *cloud, uint32_t pool, const SimInstance *shown) {
    uint32_t number = cloud->machines.count;
    SimMachine *machine = vec_add(&cloud->arena, &cloud->machines);
    SimInstance *made = &machine->shown;

    *made = *shown;
    made->number = number;
    name_machine(cloud, made);
    made->state = SIM_INSTANCE_PENDING;
    made->launched_ns = made->changed_ns = cloud_now(cloud);
    made->running_ns = cloud_now(cloud) + cloud_draw(&cloud->launches, cloud->config.boot, cloud->boot_percent);
    made->will_join = draw_joins(cloud);
    machine->pool = pool;
    hide(cloud, machine, SIM_INSTANCE_PENDING);
    machine->listed_ns = machine->visible_ns;
    take_capacity(cloud, pool, 1);
    cloud->bill[cloud->pools.items[pool].kind].launched++;
    index_map_add(&cloud->arena, &cloud->by_provider_id, hash_u64(made->provider_id), number);
    index_map_add(&cloud->arena, &cloud->by_claim_uid, hash_u64(made->claim_uid), number);
    vec_push(&cloud->arena, &cloud->live, number);
    cloud_set_timer(cloud, made->running_ns, TIMER_RUNNING, number);
    cloud_machine_note(cloud, number, SIM_INSTANCE_PENDING);
    return number;
}

// Draws the life of a spot instance at its start: an interruption is equally likely at every moment.
static void draw_interruption(SimCloud *cloud, uint32_t number) {
    double part = (double)((random_u64(&cloud->interruptions) >> 11) + 1) / 9007199254740992.0;
    double after = -__builtin_log(part) * (double)cloud->config.spot_life_ns;

    if (after < 1e18)
        cloud_set_timer(cloud, cloud_now(cloud) + (int64_t)after, TIMER_INTERRUPT, number);
}

void cloud_machine_run(SimCloud *cloud, uint32_t number) {
    SimMachine *machine = &cloud->machines.items[number];

    if (machine->shown.state != SIM_INSTANCE_PENDING)
        return;
    move_to(cloud, number, SIM_INSTANCE_RUNNING);
    cloud_bill_start(cloud, machine);
    if (cloud->config.spot_life_ns && cloud->pools.items[machine->pool].kind == SIM_SPOT)
        draw_interruption(cloud, number);
}

// --- ending

static void leave_pool(SimCloud *cloud, SimMachine *machine) {
    cloud_bill_stop(cloud, machine);
    take_capacity(cloud, machine->pool, -1);
}

void cloud_machine_end(SimCloud *cloud, uint32_t number) {
    SimMachine *machine = &cloud->machines.items[number];

    if (machine->shown.state >= SIM_INSTANCE_SHUTTING_DOWN)
        return;
    if (cloud_machine_is_up(machine))
        leave_pool(cloud, machine);
    move_to(cloud, number, SIM_INSTANCE_SHUTTING_DOWN);
    cloud_set_timer(cloud, cloud_now(cloud) + cloud_draw(&cloud->launches, cloud->config.shutdown, 100),
                    TIMER_TERMINATED, number);
}

void cloud_machine_remove(SimCloud *cloud, uint32_t number) {
    SimMachine *machine = &cloud->machines.items[number];

    if (machine->shown.state == SIM_INSTANCE_TERMINATED)
        return;
    if (cloud_machine_is_up(machine))
        leave_pool(cloud, machine);
    move_to(cloud, number, SIM_INSTANCE_TERMINATED);
    cloud->bill[cloud->pools.items[machine->pool].kind].ended++;
    cloud->live_dead++;
}

void cloud_machine_stop(SimCloud *cloud, uint32_t number) {
    leave_pool(cloud, &cloud->machines.items[number]);
    move_to(cloud, number, SIM_INSTANCE_STOPPED);
}

void cloud_machine_interrupt(SimCloud *cloud, uint32_t number) {
    SimMachine *machine = &cloud->machines.items[number];

    if (!cloud_machine_is_up(machine) || machine->shown.taken_ns)
        return;
    machine->shown.taken_ns = cloud_now(cloud) + cloud->config.notice_ns;
    vec_push(&cloud->arena, &cloud->notices,
             (SimNotice){SIM_NOTICE_INTERRUPTION, number, cloud_now(cloud), machine->shown.taken_ns});
    cloud_machine_note(cloud, number, machine->shown.state);
    cloud_set_timer(cloud, machine->shown.taken_ns, TIMER_TAKEN, number);
}

void cloud_machine_taken(SimCloud *cloud, uint32_t number) {
    SimMachine *machine = &cloud->machines.items[number];

    if (!cloud_machine_is_up(machine))
        return;
    cloud->bill[cloud->pools.items[machine->pool].kind].interrupted++;
    cloud_machine_end(cloud, number);
}

void cloud_new_image(SimCloud *cloud) {
    char text[32];

    snprintf(text, sizeof text, "ami-%017u", ++cloud->images);
    cloud->image_id = symbol_intern(cloud->symbols, slice_of(text));
}
