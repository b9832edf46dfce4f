// A cloud in the shape of EC2, on the virtual clock of a World. Behind cloud/cloud.h.
//
// It has the instance types of EC2's catalogue (for NodePools with an EC2NodeClass) and of KWOK (KWOKNodeClass). Each
// type × zone × capacity type is a capacity pool with a price and a number of instances left; both may move. What
// stands in docs/design/sim-cloud.md is what it keeps to.
//
// Everything that happens by itself (booting, shutting down, interruptions, prices) happens in the cloud's reaction in
// a round of the world. The table may be called from any thread; everything else belongs to the world's thread.
//
// Two programs look at one cloud with symbol tables of their own (the simulated cluster; each life of a simulated
// tenon). Each has a view: a table of functions that speaks its symbols, and has the memory that a process of Karpenter
// has of offerings that were unavailable. It is gone with the process.
#pragma once

#include "cloud/cloud.h"
#include "sim/cloud/instances.h"
#include "sim/world.h"

// --- making

// Times are drawn evenly between the two; both 0 in a config: the default.
typedef struct {
    int64_t least_ns, most_ns;
} SimSpan;

typedef struct {
    Slice region; // empty: us-east-1
    // Until an instance runs after its launch (default 8 to 20 s), until it is gone after its termination (20 to 60 s),
    // until a description shows what was done (0 to 3 s).
    SimSpan boot, shutdown, consistency;
    bool is_consistent; // descriptions never lag
    // Instances that a capacity pool has, in the middle (pools differ by a factor of 16 around it, and swing with
    // time). 0: as many as one likes.
    uint32_t on_demand_depth, spot_depth;
    // Spot prices move once in this time (0: never), by up to so many percent around the catalogue's.
    int64_t price_step_ns;
    uint32_t price_swing_percent;
    // Spot instances live this long in the mean until EC2 takes them back; 0: for ever.
    int64_t spot_life_ns;
    uint32_t never_join_percent; // of launches
    int64_t notice_ns;           // of a spot interruption; 0: two minutes
    int64_t unavailable_ns;      // how long a view remembers that there was no capacity; 0: three minutes
    bool unthrottled;            // no token buckets
    // Somebody must say that NodeClasses are ready: while nobody else does (false), the cloud writes their status.
    bool leaves_node_classes;
    Slice kwok_catalogue; // JSON instead of KWOK's default types (cloud/kwok/types.h); borrowed
} SimCloudConfig;

// Adds itself to the world, which owns it.
// ERR_NOT_FOUND: no such region. ERR_INVALID: the catalogue cannot be read.
ErrCode sim_cloud_new(World *world, const SimCloudConfig *config, SimCloud **ret_cloud, Err *err);

typedef struct SimView SimView;

// `symbols` may be NULL until the first call through the table (an Engine has them only once it is made).
SimView *sim_view_new(SimCloud *cloud, const Symbols *symbols);
void sim_view_set_symbols(SimView *view, const Symbols *symbols);
Cloud sim_view_cloud(SimView *view);
// What its instance_types gave is gone too.
void sim_view_free(SimView *view);

// --- reading

// How long a call takes ("launch", "terminate", "get", "list", "instance_types", "is_drifted"), drawn from a stream of
// its own. Calls of the table are instantaneous; who models time waits this long.
int64_t sim_cloud_latency_ns(SimCloud *cloud, const char *call);

typedef enum { SIM_ON_DEMAND, SIM_SPOT, SIM_RESERVED, SIM_CAPACITY_TYPES } SimCapacityType;

// What was spent up to now. An instance costs the price of its capacity pool from running until shutting-down, each
// change of price from its moment on, at least 60 seconds.
typedef struct {
    struct {
        uint64_t launched, ended, interrupted;
        int64_t instance_ns; // running
        int64_t nano_dollars;
    } by_type[SIM_CAPACITY_TYPES];
    int64_t nano_dollars; // all
} SimBill;
SimBill sim_cloud_bill(SimCloud *cloud);                             // O(instances that run)
int64_t sim_cloud_instance_cost(SimCloud *cloud, uint32_t instance); // nano-dollars up to now

// Calls of EC2's API by their names: X(NAME, "name", tokens that its bucket holds, tokens that come back per second).
#define SIM_APIS(X)                                                                                                    \
    X(CREATE_FLEET, "CreateFleet", 50, 5)                                                                              \
    X(TERMINATE_INSTANCES, "TerminateInstances", 100, 5)                                                               \
    X(DESCRIBE_INSTANCES, "DescribeInstances", 100, 20)
typedef enum {
#define X(name, ...) SIM_API_##name,
    SIM_APIS(X)
#undef X
        SIM_API_COUNT
} SimApi;
const char *sim_api_text(SimApi api);
typedef struct {
    uint64_t calls;  // that EC2 answered, well or not; several launches within a batching window are one
    uint64_t joined; // that were part of another's call
    uint64_t throttled, failed;
} SimApiCount;
SimApiCount sim_cloud_api_count(SimCloud *cloud, SimApi api);

// The price of a capacity pool now, in nano-dollars per hour; -1: no such pool. Its instances left; -1 likewise.
int64_t sim_cloud_price(SimCloud *cloud, Slice type, Slice zone, Slice capacity_type);
int64_t sim_cloud_left(SimCloud *cloud, Slice type, Slice zone, Slice capacity_type);

// --- faults

// Capacity pools by type ("m5.large", "m5.*", empty: all), zone and capacity type (empty: all).
typedef struct {
    Slice type, zone, capacity_type;
} SimFilter;

// How many capacity pools it is about. O(pools).
uint32_t sim_cloud_fault_ice(SimCloud *cloud, SimFilter filter, bool on);
// Instances left are these from now on, whatever the random process says; UINT32_MAX: back to it.
uint32_t sim_cloud_fault_left(SimCloud *cloud, SimFilter filter, uint32_t left);
// In percent of the catalogue's price; 100: as it was.
uint32_t sim_cloud_fault_price(SimCloud *cloud, SimFilter filter, uint32_t percent);

// Spot interruption of one instance, and of all running ones of the filter (`most`, in the order of launching):
// notice, and at its end the instance is taken away. How many.
bool sim_cloud_fault_interrupt(SimCloud *cloud, uint32_t number);
uint32_t sim_cloud_fault_interrupt_all(SimCloud *cloud, SimFilter filter, uint32_t most);
void sim_cloud_fault_rebalance(SimCloud *cloud, uint32_t number);

typedef enum { SIM_DEATH_TERMINATED, SIM_DEATH_STOPPED, SIM_DEATH_IMPAIRED } SimDeath;
// Without a notice. Whether the instance was pending or running.
bool sim_cloud_fault_kill(SimCloud *cloud, uint32_t number, SimDeath death);

void sim_cloud_fault_never_join(SimCloud *cloud, uint32_t launches);   // the next so many
void sim_cloud_fault_latency(SimCloud *cloud, uint32_t percent);       // of calls; 100: as usual
void sim_cloud_fault_boot(SimCloud *cloud, uint32_t percent);          // of the time until running
void sim_cloud_fault_throttle(SimCloud *cloud, uint32_t percent);      // of the rate that the buckets fill at
void sim_cloud_fault_api_errors(SimCloud *cloud, uint32_t percent);    // calls that end in InternalError
void sim_cloud_fault_freeze(SimCloud *cloud, bool on);                 // calls time out
void sim_cloud_fault_new_image(SimCloud *cloud);                       // older instances drift ("AMIDrift")
void sim_cloud_fault_consistency(SimCloud *cloud, int64_t longest_ns); // of what happens from now on

// A capacity reservation, to be named in status.capacityReservations of an EC2NodeClass. Instances in it are counted.
void sim_cloud_reserve(SimCloud *cloud, Slice id, Slice type, Slice zone, uint32_t instances);
