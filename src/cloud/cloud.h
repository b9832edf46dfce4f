// Cloud: a cloud provider as a table of functions: instance types, and launching, listing and terminating instances.
//
// Implementations: the simulator's cloud (sim/cloud) and KWOK's (cloud/kwok/provider); AWS follows. A wrapper
// (recorder, fault injector) is a table around another table. Behaviour: reference lifecycle.md 2.3, 2.8, 2.10, 3.2;
// aws.md 3.
//
// Threads: every function may be called from any thread and blocks until it is answered. Results are in the caller's
// arena. Symbols belong to the State that the caller shares with the cloud (state_symbols).
#pragma once

#include "base/err.h"
#include "model/instance_type.h"
#include "model/repair_policy.h"

// Why a call failed, as far as callers need to distinguish. `err.code`: ERR_CAPACITY (no capacity in any of the
// requested offerings), ERR_NOT_FOUND (no such instance: it is gone for good), ERR_THROTTLED, ERR_TIMEOUT, ERR_DENIED,
// ERR_INVALID, ERR_IO.
typedef struct {
    Err err;              // err.text: the provider's message
    bool class_not_ready; // the NodeClass is not ready for launches (lifecycle.md 2.3: NodeClassNotReadyError)
    char reason[64];      // reason of condition Launched while the launch is retried; empty: LaunchFailed
} CloudError;

// Fill `error` (unless NULL), without class_not_ready, and return the code. The second also sets a reason, of at most
// 63 characters. For implementations of the table.
__attribute__((format(printf, 3, 4))) ErrCode cloud_fail(CloudError *error, ErrCode code, const char *format, ...);
__attribute__((format(printf, 4, 5))) ErrCode cloud_fail_for(CloudError *error, ErrCode code, const char *reason,
                                                             const char *format, ...);

// Request for one instance. The cloud takes the cheapest offering it can get within the NodeClaim's requirements (spot:
// by its own weighing of price and depth). The claim's uid is the idempotency token: a repeated launch returns the same
// instance.
typedef struct {
    const NodeClaim *claim;
    Requirements requirements; // of the claim: instance types, zones, capacity types, …
} CloudLaunch;

typedef struct {
    Symbol provider_id, image_id;
    Symbol instance_type, zone, capacity_type;
    Labels labels, annotations; // to be copied to the NodeClaim
    Resources capacity, allocatable;
    Symbol claim_name, pool; // from its tags; NAME_EMPTY: none
    int64_t launched_ns;
    bool terminating;
} CloudInstance;
typedef Vec(CloudInstance) CloudInstanceVec;

// What a message says of instances.
typedef enum {
    CLOUD_MESSAGE_OTHER,                   // nothing that anybody acts on
    CLOUD_MESSAGE_SPOT_INTERRUPTED,        // they will be taken back soon
    CLOUD_MESSAGE_REBALANCE,               // it is likelier than before that they will
    CLOUD_MESSAGE_SCHEDULED_CHANGE,        // maintenance of them or their hosts
    CLOUD_MESSAGE_STOPPED,                 // stopping or stopped
    CLOUD_MESSAGE_TERMINATED,              // shutting down or terminated
    CLOUD_MESSAGE_RESERVATION_INTERRUPTED, // their reservation is taken back
    CLOUD_MESSAGE_KINDS,
} CloudMessageKind;

typedef struct {
    CloudMessageKind kind;
    SymbolVec provider_ids;
    uint64_t receipt; // for settle, in this process
} CloudMessage;
typedef Vec(CloudMessage) CloudMessageVec;

// launch          OK: the instance exists (its Node joins later, or never).
// terminate       OK: accepted, the instance is being terminated. ERR_NOT_FOUND: it is gone.
// reboot          OK: accepted, the instance will restart with its disks and addresses. `operation` names the wish: the
//                 same one twice restarts it once, where the provider can tell. Any error but ERR_THROTTLED,
//                 ERR_TIMEOUT and ERR_IO is final. May be NULL: nothing can be rebooted.
// get             ERR_NOT_FOUND: gone. An instance that is being terminated still exists, with `terminating`.
// list            All instances with this cluster's tags.
// instance_types  The types that a NodePool can use through its NodeClass, with present availability and prices. The
//                 vector is shared and immutable: the same pointer as long as nothing changed. It lives as long as the
//                 cloud. ERR_NOT_FOUND: no such NodeClass.
// is_drifted      Why the instance differs from what its NodeClass says now, in the provider's words ("AMIDrift");
//                 empty: it does not.
// receive         The next messages about instances, at least once each, also to another process; waits for some if
// there
//                 is none and the cloud can wait, for at most 20 s. From a message about an interruption on the
//                 offering counts as unavailable. ERR_NOT_FOUND: the cloud has no queue. May be NULL: so.
// settle          The message was dealt with: it does not come again.
// repair_policies Which conditions of the Nodes of a NodePool mean that they are sick; none: nothing is repaired.
// Answered
//                 from memory, at any time, without errors. May be NULL: none.
typedef struct {
    ErrCode (*launch)(void *self, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                      CloudError *error);
    ErrCode (*terminate)(void *self, Symbol provider_id, CloudError *error);
    ErrCode (*reboot)(void *self, Symbol provider_id, Slice operation, CloudError *error);
    ErrCode (*get)(void *self, Arena *arena, Symbol provider_id, CloudInstance *ret_instance, CloudError *error);
    ErrCode (*list)(void *self, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error);
    ErrCode (*instance_types)(void *self, const NodePool *pool, const InstanceTypeVec **ret_types, CloudError *error);
    ErrCode (*is_drifted)(void *self, const NodeClaim *claim, Slice *ret_reason, CloudError *error);
    RepairPolicies (*repair_policies)(void *self, const NodePool *pool);
    ErrCode (*receive)(void *self, Arena *arena, CloudMessageVec *ret_messages, CloudError *error);
    ErrCode (*settle)(void *self, uint64_t receipt, CloudError *error);
} CloudTable;

typedef struct {
    const CloudTable *table;
    void *self;
} Cloud;

static inline ErrCode cloud_launch(Cloud cloud, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                                   CloudError *error) {
    return cloud.table->launch(cloud.self, arena, launch, ret_instance, error);
}

static inline ErrCode cloud_terminate(Cloud cloud, Symbol provider_id, CloudError *error) {
    return cloud.table->terminate(cloud.self, provider_id, error);
}

static inline ErrCode cloud_reboot(Cloud cloud, Symbol provider_id, Slice operation, CloudError *error) {
    if (!cloud.table->reboot)
        return cloud_fail(error, ERR_INVALID, "this cloud cannot reboot instances");
    return cloud.table->reboot(cloud.self, provider_id, operation, error);
}

static inline ErrCode cloud_get(Cloud cloud, Arena *arena, Symbol provider_id, CloudInstance *ret_instance,
                                CloudError *error) {
    return cloud.table->get(cloud.self, arena, provider_id, ret_instance, error);
}

static inline ErrCode cloud_list(Cloud cloud, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error) {
    return cloud.table->list(cloud.self, arena, ret_instances, error);
}

static inline ErrCode cloud_instance_types(Cloud cloud, const NodePool *pool, const InstanceTypeVec **ret_types,
                                           CloudError *error) {
    return cloud.table->instance_types(cloud.self, pool, ret_types, error);
}

static inline ErrCode cloud_is_drifted(Cloud cloud, const NodeClaim *claim, Slice *ret_reason, CloudError *error) {
    return cloud.table->is_drifted(cloud.self, claim, ret_reason, error);
}

static inline RepairPolicies cloud_repair_policies(Cloud cloud, const NodePool *pool) {
    return cloud.table->repair_policies ? cloud.table->repair_policies(cloud.self, pool) : (RepairPolicies){0};
}

static inline ErrCode cloud_receive(Cloud cloud, Arena *arena, CloudMessageVec *ret_messages, CloudError *error) {
    if (!cloud.table->receive)
        return cloud_fail(error, ERR_NOT_FOUND, "this cloud sends no messages");
    return cloud.table->receive(cloud.self, arena, ret_messages, error);
}

static inline ErrCode cloud_settle(Cloud cloud, uint64_t receipt, CloudError *error) {
    if (!cloud.table->settle)
        return cloud_fail(error, ERR_NOT_FOUND, "this cloud sends no messages");
    return cloud.table->settle(cloud.self, receipt, error);
}
