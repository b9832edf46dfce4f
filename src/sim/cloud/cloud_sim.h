// SimCloud: a simulated cloud modelled on EC2, on the virtual clock of a World, behind cloud/cloud.h.
//
// It has the instance types of EC2's catalogue (for NodePools with an EC2NodeClass) and of KWOK (KWOKNodeClass). Each
// type × zone × capacity type is a capacity pool with a price and a number of instances left; both may change.
// docs/design/sim-cloud.md describes its behaviour.
//
// Whatever happens by itself (booting, shutting down, interruptions, prices) happens in the cloud's reaction in a round
// of the world. The table may be called from any thread; everything else belongs to the world's thread.
//
// Programs with symbol tables of their own (the simulated cluster; each life of a simulated tenon) share one cloud.
// Each has a view: a table of functions in its symbols, with the memory of unavailable offerings that a process of
// Karpenter has and that ends with the process.
#pragma once

#include "cloud/cloud.h"
#include "sim/cloud/instances.h"
#include "sim/world.h"

// --- making

// A random duration, uniform between the two; both 0 in a config: the default.
typedef struct {
    int64_t least_ns, most_ns;
} SimSpan;

typedef struct {
    Slice region; // empty: us-east-1
    // From launch to running (default 8 to 20 s), from termination to terminated (20 to 60 s), and until descriptions
    // show a change (0 to 3 s).
    SimSpan boot, shutdown, consistency;
    bool is_consistent; // descriptions never lag
    // Mean number of instances in a capacity pool (pools differ by a factor of 16 around it, and vary over time). 0:
    // unlimited.
    uint32_t on_demand_depth, spot_depth;
    // Spot prices change once in this time (0: never), by up to that many percent around the catalogue's.
    int64_t price_step_ns;
    uint32_t price_swing_percent;
    bool prices_are_asked_for; // over AWS's API: nobody hears of a change (sim_account_spot_price tells)
    // Mean life of spot instances until EC2 interrupts them; 0: never.
    int64_t spot_life_ns;
    uint32_t never_join_percent; // of launches
    int64_t notice_ns;           // of a spot interruption; 0: two minutes
    int64_t unavailable_ns;      // how long a view remembers an offering as unavailable; 0: three minutes
    bool unthrottled;            // no token buckets
    // Whether another component writes the status of NodeClasses; otherwise the cloud marks them as ready.
    bool leaves_node_classes;
    Slice kwok_catalogue; // JSON instead of KWOK's default types (cloud/kwok/types.h); borrowed
} SimCloudConfig;

// Makes a cloud and adds it to the world, which owns it. ERR_NOT_FOUND: no such region. ERR_INVALID: the catalogue
// cannot be parsed.
ErrCode sim_cloud_new(World *world, const SimCloudConfig *config, SimCloud **ret_cloud, Err *err);

typedef struct SimView SimView;

// `symbols` may be NULL until the first call through the table (an Engine has symbols only after it was made).
SimView *sim_view_new(SimCloud *cloud, const Symbols *symbols);
void sim_view_set_symbols(SimView *view, const Symbols *symbols);
Cloud sim_view_cloud(SimView *view);
// Bytes of what it remembers of instances and classes, all of them that there ever were.
size_t sim_view_memory(const SimView *view);
// Frees the view and the types that its instance_types returned.
void sim_view_free(SimView *view);

// --- reading

// Duration of a call ("launch", "terminate", "get", "list", "instance_types", "is_drifted", "receive",
// "settle"), drawn from a random stream
// of its own. The calls of the table are instantaneous; a caller that models time waits this long.
int64_t sim_cloud_latency_ns(SimCloud *cloud, const char *call);

typedef enum { SIM_ON_DEMAND, SIM_SPOT, SIM_RESERVED, SIM_CAPACITY_TYPES } SimCapacityType;

// Costs up to now. An instance costs the price of its capacity pool from running until shutting-down, with each change
// of price from its time on, and at least 60 seconds.
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

// EC2 API calls: X(NAME, "name", burst of its token bucket, tokens per second).
#define SIM_APIS(X)                                                                                                    \
    X(CREATE_FLEET, "CreateFleet", 50, 5)                                                                              \
    X(TERMINATE_INSTANCES, "TerminateInstances", 100, 5)                                                               \
    X(REBOOT_INSTANCES, "RebootInstances", 50, 5)                                                                      \
    X(DESCRIBE_INSTANCES, "DescribeInstances", 100, 20)
typedef enum {
#define X(name, ...) SIM_API_##name,
    SIM_APIS(X)
#undef X
        SIM_API_COUNT
} SimApi;
const char *sim_api_text(SimApi api);
typedef struct {
    uint64_t
        calls; // calls that EC2 answered, with success or an error; several launches within a batching window are one
    uint64_t joined; // calls that were merged into another one
    uint64_t throttled, failed;
} SimApiCount;
SimApiCount sim_cloud_api_count(SimCloud *cloud, SimApi api);

// Present price of a capacity pool in nano-dollars per hour, and its instances left; -1: no such pool. The known price
// is what who uses the cloud can know: the present one, or with `prices_are_asked_for` the one last told.
int64_t sim_cloud_price(SimCloud *cloud, Slice type, Slice zone, Slice capacity_type);
int64_t sim_cloud_known_price(SimCloud *cloud, Slice type, Slice zone, Slice capacity_type);
int64_t sim_cloud_left(SimCloud *cloud, Slice type, Slice zone, Slice capacity_type);

// --- faults

// Selects capacity pools by type ("m5.large", "m5.*", empty: all), zone and capacity type (empty: all).
typedef struct {
    Slice type, zone, capacity_type;
} SimFilter;

// Each fault returns the number of capacity pools it applies to. O(pools).
uint32_t sim_cloud_fault_ice(SimCloud *cloud, SimFilter filter, bool on);
// Fixes the number of instances left; UINT32_MAX: ends the fault.
uint32_t sim_cloud_fault_left(SimCloud *cloud, SimFilter filter, uint32_t left);
// Percent of the catalogue's price; 100: ends the fault.
uint32_t sim_cloud_fault_price(SimCloud *cloud, SimFilter filter, uint32_t percent);

// Spot interruption of one instance, and of all running ones of the filter (at most `most`, in the order of launching):
// a notice, and at its end the instance is terminated. Return whether, or how many.
bool sim_cloud_fault_interrupt(SimCloud *cloud, uint32_t number);
uint32_t sim_cloud_fault_interrupt_all(SimCloud *cloud, SimFilter filter, uint32_t most);
void sim_cloud_fault_rebalance(SimCloud *cloud, uint32_t number);

typedef enum { SIM_DEATH_TERMINATED, SIM_DEATH_STOPPED, SIM_DEATH_IMPAIRED } SimDeath;
// Ends an instance without a notice. Returns whether it was pending or running.
bool sim_cloud_fault_kill(SimCloud *cloud, uint32_t number, SimDeath death);

void sim_cloud_fault_no_reboots(SimCloud *cloud, bool on);             // reboots are denied
void sim_cloud_fault_never_join(SimCloud *cloud, uint32_t launches);   // the next launches
void sim_cloud_fault_latency(SimCloud *cloud, uint32_t percent);       // of calls; 100: normal
void sim_cloud_fault_boot(SimCloud *cloud, uint32_t percent);          // of the time until running
void sim_cloud_fault_throttle(SimCloud *cloud, uint32_t percent);      // of the rate of the token buckets
void sim_cloud_fault_api_errors(SimCloud *cloud, uint32_t percent);    // of calls that fail with InternalError
void sim_cloud_fault_freeze(SimCloud *cloud, bool on);                 // all calls time out
void sim_cloud_fault_new_image(SimCloud *cloud);                       // instances of older images drift ("AMIDrift")
void sim_cloud_fault_consistency(SimCloud *cloud, int64_t longest_ns); // of later changes

// A capacity reservation, to be named in status.capacityReservations of an EC2NodeClass.
void sim_cloud_reserve(SimCloud *cloud, Slice id, Slice type, Slice zone, uint32_t instances);
