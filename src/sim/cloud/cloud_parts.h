// Internals of the simulated cloud, shared by its files. Private to src/sim/cloud.
//
// One lock guards everything. Functions here are called under the lock unless they say otherwise.
#pragma once

#include "cloud/aws/catalogue.h"
#include "sim/cloud/cloud_sim.h"
#include "sim/world_alarms.h"

#include <pthread.h>

typedef __int128 Int128;

// A log of pool numbers; each reader has a position of its own. When it is full, its beginning is dropped: a reader
// whose position was dropped treats every pool as logged.
typedef struct {
    U32Vec pools;
    uint64_t begin; // position of pools.items[0]
} PoolLog;

// --- capacity pools (market.c)

typedef enum { MARKET_EC2, MARKET_KWOK, MARKETS } MarketType;

// A capacity pool: instances of one type, zone and capacity type; or a capacity reservation.
typedef struct {
    MarketType market;
    SimCapacityType kind;
    uint32_t type; // index in the market's types
    Symbol type_name, zone, capacity_type, reservation_id;
    int64_t base_nano, price_nano; // dollars per hour · 10⁹: of the catalogue, and now ...
    int64_t known_nano;            // ... and for all that who uses the cloud can know
    uint32_t swing;                // present price in 1/10,000 of the base price
    uint32_t fault_percent;        // price fault: percent of the price
    bool ice;                      // fault: no capacity
    uint32_t fault_left;           // fault: that many instances left; UINT32_MAX: none
    uint32_t depth;                // mean of the random process; 0: unlimited
    uint32_t used;                 // instances pending or running
    uint32_t reserved;             // size of a reservation
    uint64_t zone_key, noise_key;  // hashes of the zone's name; and of type, zone and capacity type
    Int128 integral;               // Σ price · ns up to integral_ns
    int64_t integral_ns;
} CapacityPool;

// Instance types in the world's symbols, and the pools of each: those of type t, one per offering, begin at
// first_pool[t].
typedef struct {
    InstanceTypeVec types;
    uint32_t *first_pool;
} Market;

// --- instances (machines.c)

typedef struct {
    SimInstance shown;
    uint32_t pool;
    SimInstanceState described;    // what descriptions show before `visible_ns`
    int64_t visible_ns, listed_ns; // not in lists before `listed_ns`
    bool is_billed;                // running since billed_ns
    int64_t billed_ns;
    Int128 billed_from, cost; // the pool's integral at that time; cost of former runs
} SimMachine;

typedef enum { TIMER_RUNNING, TIMER_TERMINATED, TIMER_TAKEN, TIMER_INTERRUPT, TIMER_PRICES } TimerType;

// --- NodeClasses (node_classes.c)

typedef enum { CLASS_READY, CLASS_NOT_READY, CLASS_UNKNOWN } ClassReadiness;

typedef struct {
    KubeKind kind;
    Symbol name;
    bool exists, wants_status;
    uint32_t version; // changes whenever instance types may have changed
    int64_t generation;
    ClassReadiness readiness;
    Symbol refused;   // why it cannot be a class (tenon.sh/refused); INDEX_NONE: it can
    Arena arena;      // of `ec2`
    EC2NodeClass ec2; // in the world's symbols; only for EC2NodeClasses
} ClassEntry;

// --- limits (limits.c)

enum { LIMIT_WINDOWS = 32 };

// Equal calls that arrive close together count as one.
typedef struct {
    uint64_t key; // 0: unused
    int64_t first_ns, last_ns;
    uint32_t size;
    ErrCode code;
} CallWindow;

typedef struct {
    int64_t level; // tokens · 10⁹
    int64_t filled_ns;
    CallWindow windows[LIMIT_WINDOWS];
    uint32_t next_window;
    SimApiCount count;
} ApiLimit;

// --- the cloud

typedef struct {
    SimInstanceListener listener;
    void *context;
} Listener;

typedef struct {
    bool is_settled;
    int64_t hidden_until_ns;
} SimDelivery;

struct SimCloud {
    World *world;
    bool no_reboots; // fault
    SimCloudConfig config;
    Symbols *symbols, own_symbols; // a handle of the world's table; its symbols are permanent
    pthread_mutex_t lock;
    Arena arena;
    Ec2Catalogue catalogue;
    Market markets[MARKETS];
    Vec(CapacityPool) pools;
    IndexMap pool_index;   // by type, zone and capacity type (market.c)
    PoolLog changed_pools; // pools with a visible change, for the views
    Vec(SimMachine) machines;
    IndexMap by_provider_id, by_claim_uid;
    U32Vec live; // not terminated at the last cleaning, in the order of launching
    uint32_t live_dead;
    Vec(SimNotice) notices;
    Vec(SimDelivery) deliveries;    // of the notices as messages (messages.c)
    uint32_t settled_until;         // those before it are settled
    Vec(SimInstanceChange) changes; // not delivered to the listeners yet
    uint32_t changes_told;
    Vec(Listener) listeners;
    Vec(ClassEntry) classes;
    Alarms timers;
    Alarm alarm; // of the world, for the next timer
    int64_t alarm_ns;
    ApiLimit limits[SIM_API_COUNT];
    struct {
        uint64_t launched, ended, interrupted;
        int64_t instance_ns;
        Int128 cost; // of instances that ended
    } bill[SIM_CAPACITY_TYPES];
    uint64_t noise; // seed of depths and prices
    Random launches, latencies, lags, interruptions, errors;
    uint32_t never_join, latency_percent, boot_percent, throttle_percent, error_percent, images;
    Symbol image_id; // of new instances
    bool frozen;
};

static inline int64_t cloud_now(const SimCloud *cloud) {
    return world_now_ns(cloud->world);
}

static inline uint64_t cloud_log_end(const PoolLog *log) {
    return log->begin + log->pools.count;
}

// --- views (scheduler/cache/view.c, view_classes.c, view_types.c, launch*.c, calls.c)

typedef struct {
    void *memory;
    int64_t at_ns;
} Retired;

// The instance types of a NodeClass in a view: a base in an arena, and changed offerings on the heap.
typedef struct {
    KubeKind kind;
    Symbol name;      // in the world's symbols; NAME_EMPTY for KWOK, whose classes share one
    uint32_t version; // of the ClassEntry that it was made from
    Arena arena;
    InstanceTypeVec base;
    Resources *allocatable;            // by type
    uint32_t **pools;                  // by type and offering: number of the capacity pool; INDEX_NONE: none
    const InstanceTypeVec *current;    // on the heap; NULL: not made yet
    uint64_t edition;                  // of `current`, unique in the view
    Offering **offerings;              // by type, on the heap; NULL: the base's
    uint64_t seen_changes, seen_marks; // positions in the logs
    bool *dirty;                       // by type
    bool *is_exotic;                   // by type: bare metal, or with accelerators (aws.md 3.2)
} ViewClass;

typedef struct {
    uint32_t pool;
    int64_t until_ns;
} Mark;

// Candidates of a launch, remembered for equal ones (launch_asked.c).
enum { LAUNCHES_REMEMBERED = 8 };
typedef struct {
    Arena arena;
    uint64_t hash, edition; // edition 0: unused
    Requirements requirements;
    Resources requests;
    const void *candidates; // LaunchCandidate[count]
    uint32_t count;
} LaunchAsked;

struct SimView {
    SimCloud *cloud;
    Symbols symbols; // a handle of the caller's table
    bool has_symbols;
    Arena arena;
    Vec(ViewClass *) classes;
    int64_t *unavailable_until; // by pool; 0: not marked as unavailable
    uint32_t pools;             // length of unavailable_until
    PoolLog marks;              // pools that were marked or unmarked
    Vec(Mark) queue;            // ordered by expiry, from queue_at on
    uint32_t queue_at;
    Vec(Retired) retired; // from retired_at on
    uint32_t retired_at;
    uint64_t editions; // number of editions of types that were returned
    LaunchAsked asked[LAUNCHES_REMEMBERED];
    uint32_t next_asked;
    Vec(CloudInstance) instances; // by number, translated once; provider_id NAME_EMPTY: not yet
};
