// Instances of the simulated cloud, for kubelets and reports.
//
// The cloud makes no Nodes. A kubelet component listens to the instances: when one is running and `will_join`, it boots
// and creates the Node; when one stops running, its Node gets no more updates (it stays, NotReady, until somebody
// deletes it).
//
// Symbols are the world's (world_symbols). Instances are numbered in the order of launching, and stay in the list after
// their end.
#pragma once

#include "model/labels.h"
#include "model/resources.h"

typedef struct SimCloud SimCloud;

// X(NAME, "EC2's word")
#define SIM_INSTANCE_STATES(X)                                                                                         \
    X(PENDING, "pending")                                                                                              \
    X(RUNNING, "running")                                                                                              \
    X(STOPPED, "stopped")                                                                                              \
    X(SHUTTING_DOWN, "shutting-down")                                                                                  \
    X(TERMINATED, "terminated")

typedef enum {
#define X(name, text) SIM_INSTANCE_##name,
    SIM_INSTANCE_STATES(X)
#undef X
} SimInstanceState;

const char *sim_instance_state_text(SimInstanceState state);

typedef struct {
    uint32_t number;
    SimInstanceState state;
    Symbol provider_id;                 // "aws:///us-east-1a/i-0123456789abcdef0", "kwok://…"
    Symbol node_name;                   // "ip-10-0-1-2.us-east-1.compute.internal"
    Symbol claim_name, claim_uid, pool; // no claim: EC2 was not told which, and the claim knows the instance
    Symbol node_class;                  // name of the NodeClass it was launched from
    bool is_kwok;                       // of a KWOKNodeClass
    Symbol instance_type, zone, capacity_type, image_id, reservation_id;
    Labels labels;   // labels from the cloud: of the type, zone, capacity type; or those of its user data
    TaintVec taints; // of its user data
    Resources capacity, allocatable;
    int64_t launched_ns;
    int64_t running_ns; // when it is running; planned while it is pending
    int64_t changed_ns; // since when it is in its state
    int64_t taken_ns;   // when a spot interruption terminates it; 0: none was announced
    bool will_join;     // false: its kubelet never joins the cluster
    bool is_impaired;   // hardware failure: nothing on it works, though EC2 says that it runs
    uint32_t reboots;   // how often it was restarted
    int64_t generation; // of the NodeClass at launch
} SimInstance;

uint32_t sim_cloud_instance_count(const SimCloud *cloud);
// Valid until the next launch. NULL: no such number.
const SimInstance *sim_cloud_instance(const SimCloud *cloud, uint32_t number);
// Number of the instance; UINT32_MAX: none. O(1).
uint32_t sim_cloud_find_instance(const SimCloud *cloud, Symbol provider_id);

// Listeners are called for every change of an instance (also when it becomes impaired, is rebooted or gets a notice),
// in order, from the cloud's reaction in a round of the world: on the world's thread; they may call the cloud.
typedef struct {
    uint32_t number;
    SimInstanceState before, after;
} SimInstanceChange;
typedef void (*SimInstanceListener)(void *context, const SimInstanceChange *change);
void sim_cloud_on_change(SimCloud *cloud, SimInstanceListener listener, void *context);

// Notices that EC2 sends through EventBridge.
typedef enum { SIM_NOTICE_REBALANCE, SIM_NOTICE_INTERRUPTION } SimNoticeType;
typedef struct {
    SimNoticeType type;
    uint32_t number;
    int64_t at_ns;
    int64_t taken_ns; // of SIM_NOTICE_INTERRUPTION: when the instance is terminated
} SimNotice;
// All notices so far; on the world's thread. A reader remembers how many it has read.
uint32_t sim_cloud_notice_count(const SimCloud *cloud);
SimNotice sim_cloud_notice(const SimCloud *cloud, uint32_t number);
