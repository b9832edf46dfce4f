// Account: the cloud as EC2 itself sees it, for who speaks EC2's language (sim/wire): capacity pools by name, instances
// by number, and no memory of a client's. World's thread, or one that has its turn. Symbols are the world's.
#pragma once

#include "cloud/aws/catalogue.h"
#include "sim/cloud/cloud_sim.h"

// What EC2 answers before it looks at a call: OK; ERR_THROTTLED; ERR_TIMEOUT: it answers nothing; ERR_IO: an internal
// error.
ErrCode sim_account_call(SimCloud *cloud, SimApi api);

// --- the market

const Ec2Catalogue *sim_account_catalogue(const SimCloud *cloud);
const Ec2Region *sim_account_region(const SimCloud *cloud);
// The present price, which whoever uses the cloud knows from now on (sim_cloud_known_price); 0: there is no such pool.
// O(1).
double sim_account_spot_price(SimCloud *cloud, const Ec2Type *type, uint32_t zone);
Slice sim_account_image(const SimCloud *cloud); // that new instances should have

// --- launches

// What user data tells a kubelet.
typedef struct {
    Labels labels;
    TaintVec taints;
    bool joins; // it is complete: a kubelet can join the cluster with it
} SimUserData;

// A pool that a request names, and what an instance in it is started with. Texts and user data live as long as the
// cloud.
typedef struct {
    Slice type, zone, image;
    SimCapacityType kind; // on demand or spot
    const SimUserData *user_data;
} SimWanted;
typedef Vec(SimWanted) SimWantedVec;

typedef struct {
    SimWantedVec wanted;
    uint32_t count;         // of instances
    Slice node_class, pool; // of the tags
} SimOrder;

typedef struct {
    uint32_t wanted, number; // which of `wanted`; of the instance
} SimGiven;
typedef struct {
    Vec(SimGiven) given; // at most as many as were ordered
    U32Vec empty;        // those of `wanted` that were tried in vain
} SimDelivered;

// Launches as CreateFleet of type "instant" does. Pools that do not exist are tried in vain. `view` is one in the
// world's symbols.
void sim_account_launch(SimView *view, Arena *arena, const SimOrder *order, SimDelivered *ret_delivered);

// --- instances

// What descriptions show of the instance's state at present.
SimInstanceState sim_account_described(SimCloud *cloud, uint32_t number);
bool sim_account_is_listed(SimCloud *cloud, uint32_t number);
void sim_account_terminate(SimCloud *cloud, uint32_t number);
bool sim_account_reboot(SimCloud *cloud, uint32_t number); // false: not allowed
