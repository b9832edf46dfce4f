// Costs of instances. Exact: sums of price · nanoseconds, divided only when they are read.
//
// A pool keeps the integral of its price over time, so a change of price costs O(1) however many instances run in it;
// an instance costs the difference of the integral between its start and its end.
#include "sim/cloud/bill.h"

#include "sim/cloud/market.h"

static const int64_t LEAST_NS = NS_PER_MIN; // EC2 bills at least a minute

void cloud_bill_start(SimCloud *cloud, SimMachine *machine) {
    CapacityPool *pool = &cloud->pools.items[machine->pool];

    cloud_pool_settle(cloud, pool);
    machine->is_billed = true;
    machine->billed_ns = cloud_now(cloud);
    machine->billed_from = pool->integral;
}

void cloud_bill_stop(SimCloud *cloud, SimMachine *machine) {
    CapacityPool *pool = &cloud->pools.items[machine->pool];
    int64_t ran = cloud_now(cloud) - machine->billed_ns;

    if (!machine->is_billed)
        return;
    cloud_pool_settle(cloud, pool);
    machine->is_billed = false;
    machine->cost = pool->integral - machine->billed_from;
    if (ran < LEAST_NS)
        machine->cost += (Int128)pool->price_nano * (LEAST_NS - ran);
    cloud->bill[pool->kind].cost += machine->cost;
    cloud->bill[pool->kind].instance_ns += ran;
}

static Int128 cost_now(SimCloud *cloud, const SimMachine *machine) {
    CapacityPool *pool = &cloud->pools.items[machine->pool];

    if (!machine->is_billed)
        return machine->cost;
    cloud_pool_settle(cloud, pool);
    return pool->integral - machine->billed_from;
}

SimBill sim_cloud_bill(SimCloud *cloud) {
    Int128 cost[SIM_CAPACITY_TYPES], all = 0;
    SimBill bill = {0};

    pthread_mutex_lock(&cloud->lock);
    for (unsigned kind = 0; kind < SIM_CAPACITY_TYPES; kind++) {
        bill.by_type[kind].launched = cloud->bill[kind].launched;
        bill.by_type[kind].ended = cloud->bill[kind].ended;
        bill.by_type[kind].interrupted = cloud->bill[kind].interrupted;
        bill.by_type[kind].instance_ns = cloud->bill[kind].instance_ns;
        cost[kind] = cloud->bill[kind].cost;
    }
    for (uint32_t i = 0; i < cloud->live.count; i++) {
        const SimMachine *machine = &cloud->machines.items[cloud->live.items[i]];
        SimCapacityType kind = cloud->pools.items[machine->pool].kind;

        if (!machine->is_billed)
            continue;
        cost[kind] += cost_now(cloud, machine);
        bill.by_type[kind].instance_ns += cloud_now(cloud) - machine->billed_ns;
    }
    for (unsigned kind = 0; kind < SIM_CAPACITY_TYPES; kind++) {
        bill.by_type[kind].nano_dollars = (int64_t)(cost[kind] / NS_PER_HOUR);
        all += cost[kind];
    }
    bill.nano_dollars = (int64_t)(all / NS_PER_HOUR);
    pthread_mutex_unlock(&cloud->lock);
    return bill;
}

int64_t sim_cloud_instance_cost(SimCloud *cloud, uint32_t instance) {
    int64_t cost;

    pthread_mutex_lock(&cloud->lock);
    CHECK(instance < cloud->machines.count, "no instance %u", instance);
    cost = (int64_t)(cost_now(cloud, &cloud->machines.items[instance]) / NS_PER_HOUR);
    pthread_mutex_unlock(&cloud->lock);
    return cost;
}
