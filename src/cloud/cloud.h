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
#include "base/time.h"
#include "model/ec2_node_class.h"
#include "model/instance_type.h"
#include "model/repair_policy.h"

// Why a call failed, as far as callers need to distinguish. `err.code`: ERR_CAPACITY (no capacity in any of the
// requested offerings), ERR_NOT_FOUND (no such instance: it is gone for good), ERR_THROTTLED, ERR_TIMEOUT, ERR_DENIED,
// ERR_INVALID, ERR_IO.
typedef struct {
    Err err; // err.text: the provider's message
    // The NodeClass is not ready for launches (lifecycle.md 2.3: NodeClassNotReadyError), or, of drift, not known yet.
    bool class_not_ready;
    // Of a launch: reason of condition Launched while it is retried; empty: LaunchFailed. Of a lookup's ERR_NOT_FOUND:
    // why the instance ended, where that is known; empty: it is not.
    char reason[64];
    bool recurs; // of such a reason: whatever ended the instance ends another one like it, until somebody mends it
} CloudError;

// Fill `error` (unless NULL) and return the code. The second also sets a reason, of at most 63 characters; the third
// says class_not_ready, which the others do not. For implementations of the table.
__attribute__((format(printf, 3, 4))) ErrCode cloud_fail(CloudError *error, ErrCode code, const char *format, ...);
__attribute__((format(printf, 4, 5))) ErrCode cloud_fail_for(CloudError *error, ErrCode code, const char *reason,
                                                             const char *format, ...);
__attribute__((format(printf, 3, 4))) ErrCode cloud_fail_class(CloudError *error, ErrCode code, const char *format,
                                                               ...);

// Request for one instance. The cloud takes the cheapest offering it can get within the NodeClaim's requirements (spot:
// by its own weighing of price and depth). The claim's uid is the idempotency token: a repeated launch returns the same
// instance.
typedef struct {
    const NodeClaim *claim;
    Requirements requirements; // of the claim: instance types, zones, capacity types, …
} CloudLaunch;

// Annotation of NodeClaims, in which a cloud may record a launch before it asks for instances: its token, then "/" and
// what else the cloud has to know. An instance of that launch may be the claim's, until the claim has a provider id.
#define CLOUD_LAUNCH_RECORD "tenon.sh/launch"

typedef struct {
    Symbol provider_id, image_id;
    Symbol instance_type, zone, capacity_type;
    Labels labels, annotations; // to be copied to the NodeClaim
    Resources capacity, allocatable;
    Symbol claim_name, pool; // from its tags; NAME_EMPTY: none
    Symbol launch;           // token of the launch that it is of, if there is a record of that; NAME_EMPTY: none
    int64_t launched_ns;
    bool terminating;
} CloudInstance;
typedef Vec(CloudInstance) CloudInstanceVec;

// The answer for one of several.
typedef struct {
    ErrCode code;
    CloudInstance instance; // OK, of launches and lookups
    CloudError error;       // any other code
} CloudResult;

// How long requests of one kind are gathered before they are made together: until none came for `idle_ns`, at most
// `longest_ns`, at most so many. Like requests that follow a call wait until it is `apart_ns` ago, unless they are so
// many.
typedef struct {
    int64_t idle_ns, longest_ns;
    uint32_t most;
    int64_t apart_ns;
} CloudWindow;

typedef struct {
    CloudWindow launch, terminate, get, list;
} CloudWindows;

// What a message says, of instances or of zones.
typedef enum {
    CLOUD_MESSAGE_OTHER,                   // nothing that anybody acts on
    CLOUD_MESSAGE_SPOT_INTERRUPTED,        // they will be taken back soon
    CLOUD_MESSAGE_REBALANCE,               // it is likelier than before that they will
    CLOUD_MESSAGE_SCHEDULED_CHANGE,        // maintenance of them or their hosts
    CLOUD_MESSAGE_STOPPED,                 // stopping or stopped
    CLOUD_MESSAGE_TERMINATED,              // shutting down or terminated
    CLOUD_MESSAGE_RESERVATION_INTERRUPTED, // their reservation is taken back
    CLOUD_MESSAGE_RESERVATION_ENDING,      // their reservation ends soon
    CLOUD_MESSAGE_INSTANCE_IMPAIRED,       // they do not answer: past a drain
    CLOUD_MESSAGE_HOST_IMPAIRED,           // what they run on has failed: past a drain
    CLOUD_MESSAGE_EVENT_SCHEDULED,         // the provider has planned something for them
    CLOUD_MESSAGE_ZONE_LEFT,               // traffic is shifted away from a zone
    CLOUD_MESSAGE_ZONE_BACK,               // and no longer
    CLOUD_MESSAGE_KINDS,
} CloudMessageKind;

// How the kind is called in metrics ("spot_interrupted"); "no_op" for CLOUD_MESSAGE_OTHER.
const char *cloud_message_text(CloudMessageKind kind);

typedef struct {
    CloudMessageKind kind;
    SymbolVec provider_ids;
    Symbol zone;      // of messages about zones, else NAME_EMPTY
    bool is_repeated; // it was told before, and still holds
    int64_t sent_ns;  // wall time; 0: not known
    uint64_t receipt; // for settle, in this process; of messages of a refresh without meaning
} CloudMessage;
typedef Vec(CloudMessage) CloudMessageVec;

// A condition of a NodeClass; all of them together make its condition Ready.
typedef struct {
    const char *type;   // "SubnetsReady"
    const char *status; // "True", "False", "Unknown"
    Slice reason, message;
} CloudCondition;

// An event about an object.
typedef struct {
    bool is_warning;
    Slice reason, message;
} CloudNotice;

// What a provider knows of a NodeClass.
typedef struct {
    const Value *status; // members of its status as a merge patch, without conditions; NULL: nothing is known
    Vec(CloudCondition) conditions;
    Vec(CloudNotice) notices;
    // Annotations of the class, and of the NodeClaims that were made with it: the hash of what a change of makes their
    // instances drift, and the version of the way of hashing. Keys empty: the provider has none.
    TextEntry hash, hash_version;
    int64_t after_ns; // when to ask again
    Err failure;      // something could not be found out: ask again soon, with back-off. OK: all was
} CloudClass;

// What a provider keeps fresh. X(NAME, "controller", period in seconds)
#define CLOUD_REFRESHES(X)                                                                                             \
    X(INSTANCE_TYPES, "providers.instancetype", 12 * 60 * 60)                                                          \
    X(PRICES, "providers.pricing", 12 * 60 * 60)                                                                       \
    X(IMAGES, "providers.ssm.invalidation", 30 * 60)                                                                   \
    X(VERSION, "providers.version", 5 * 60)                                                                            \
    X(PROFILES, "instanceprofile.garbagecollection", 30 * 60)                                                          \
    X(RESERVATIONS, "capacityreservation.expiration", 60)                                                              \
    X(HEALTH, "interruption.instancestatus", 60)                                                                       \
    X(ZONES, "zonalshift", 30)

typedef enum {
#define X(name, ...) CLOUD_REFRESH_##name,
    CLOUD_REFRESHES(X)
#undef X
        CLOUD_REFRESH_COUNT
} CloudRefresh;

const char *cloud_refresh_text(CloudRefresh what); // "providers.pricing"

// launch          OK: the instance exists (its Node joins later, or never).
// terminate       OK: accepted, the instance is being terminated. ERR_NOT_FOUND: it is gone.
// reboot          OK: accepted, the instance will restart with its disks and addresses. `operation` names the wish: the
//                 same one twice restarts it once, where the provider can tell. Any error but ERR_THROTTLED,
//                 ERR_TIMEOUT and ERR_IO is final. May be NULL: nothing can be rebooted.
// get             ERR_NOT_FOUND: gone; `error` may say why. An instance that is being terminated still exists, with
//                 `terminating`.
// list            All instances with this cluster's tags.
// instance_types  The types that a NodePool can use through its NodeClass, with present availability and prices.
//                 Answered from memory. The vector is shared and immutable: the same pointer as long as nothing
//                 changed. It lives as long as a ticket of before it was replaced is held, and no other vector has its
//                 address for an hour. ERR_NOT_FOUND: no such NodeClass.
// types_hold      A ticket: whatever instance_types has answered last, and answers from now on, lives until it is given
//                 back. May be NULL together with the next: lists live as long as the cloud.
// types_release   Gives a ticket back, on any thread.
// is_drifted      Why the instance differs from what its NodeClass says now, in the provider's words ("AMIDrift");
//                 empty: it does not.
// receive         The next messages about instances, at least once each, also to another process; waits for some if
//                 there is none and the cloud can wait, for at most 20 s. From a message about an interruption on the
//                 offering counts as unavailable. ERR_NOT_FOUND: the cloud has no queue. May be NULL: so.
// settle          The message was dealt with: it does not come again.
// repair_policies Which conditions of the Nodes of a NodePool mean that they are sick; none: nothing is repaired.
//                 Answered from memory, at any time, without errors. May be NULL: none.
//
// Of several at once, a result for each, in their order; a failure of one says nothing of the others. An id may come
// twice: two controllers end the same instance. May be NULL together with `windows`: they are called one at a time.
// launch_many, terminate_many, get_many
// windows         How long to gather for them, and for `list`, whose one answer is for all; answered from memory.
//                 NULL, and an answer of NULL: not at all.
//
// The rest may be NULL: there is nothing to do.
// class_resolve   Looks up all that a NodeClass names. ERR_NOT_FOUND: there is none of that name.
// class_finalize  OK: what was made for the NodeClass, which no NodeClaim uses any more, is gone. Otherwise it is to be
//                 tried again.
// late_labels     Keys, NULL at their end, of labels that `launch` may leave empty because they are not known then.
//                 Lookups give them once they are. Answered from memory.
// tag             Names the instance of a registered NodeClaim after it and its Node. ERR_NOT_FOUND: it is gone.
// learn           A registered Node of the NodeClaim has so many bytes of memory.
// refreshes       Bits 1 << CloudRefresh of what this cloud has to keep fresh; answered from memory.
// refresh         Does so. Messages are what it found out about instances and zones; they are told again the next time
//                 as long as they hold, and are not settled.
typedef struct {
    ErrCode (*launch)(void *self, Arena *arena, const CloudLaunch *launch, CloudInstance *ret_instance,
                      CloudError *error);
    ErrCode (*terminate)(void *self, Symbol provider_id, CloudError *error);
    ErrCode (*reboot)(void *self, Symbol provider_id, Slice operation, CloudError *error);
    ErrCode (*get)(void *self, Arena *arena, Symbol provider_id, CloudInstance *ret_instance, CloudError *error);
    ErrCode (*list)(void *self, Arena *arena, CloudInstanceVec *ret_instances, CloudError *error);
    ErrCode (*instance_types)(void *self, const NodePool *pool, const InstanceTypeVec **ret_types, CloudError *error);
    uint64_t (*types_hold)(void *self);
    void (*types_release)(void *self, uint64_t ticket);
    ErrCode (*is_drifted)(void *self, const NodeClaim *claim, Slice *ret_reason, CloudError *error);
    RepairPolicies (*repair_policies)(void *self, const NodePool *pool);
    ErrCode (*receive)(void *self, Arena *arena, CloudMessageVec *ret_messages, CloudError *error);
    ErrCode (*settle)(void *self, uint64_t receipt, CloudError *error);
    void (*launch_many)(void *self, Arena *arena, const CloudLaunch *const *launches, uint32_t count,
                        CloudResult *ret_results);
    void (*terminate_many)(void *self, Arena *arena, const Symbol *provider_ids, uint32_t count,
                           CloudResult *ret_results);
    void (*get_many)(void *self, Arena *arena, const Symbol *provider_ids, uint32_t count, CloudResult *ret_results);
    const CloudWindows *(*windows)(void *self);
    ErrCode (*class_resolve)(void *self, Arena *arena, Slice name, CloudClass *ret_class, CloudError *error);
    ErrCode (*class_finalize)(void *self, Slice name, CloudError *error);
    const char *const *(*late_labels)(void *self);
    ErrCode (*tag)(void *self, const NodeClaim *claim, CloudError *error);
    ErrCode (*learn)(void *self, const NodeClaim *claim, int64_t memory, CloudError *error);
    uint32_t (*refreshes)(void *self);
    ErrCode (*refresh)(void *self, Arena *arena, CloudRefresh what, CloudMessageVec *ret_messages, CloudError *error);
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

static inline uint64_t cloud_types_hold(Cloud cloud) {
    return cloud.table->types_hold ? cloud.table->types_hold(cloud.self) : 0;
}

static inline void cloud_types_release(Cloud cloud, uint64_t ticket) {
    if (cloud.table->types_release)
        cloud.table->types_release(cloud.self, ticket);
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

// NULL: nothing is gathered.
static inline const CloudWindows *cloud_windows(Cloud cloud) {
    return cloud.table->windows ? cloud.table->windows(cloud.self) : NULL;
}

static inline void cloud_launch_many(Cloud cloud, Arena *arena, const CloudLaunch *const *launches, uint32_t count,
                                     CloudResult *ret_results) {
    cloud.table->launch_many(cloud.self, arena, launches, count, ret_results);
}

static inline void cloud_terminate_many(Cloud cloud, Arena *arena, const Symbol *provider_ids, uint32_t count,
                                        CloudResult *ret_results) {
    cloud.table->terminate_many(cloud.self, arena, provider_ids, count, ret_results);
}

static inline void cloud_get_many(Cloud cloud, Arena *arena, const Symbol *provider_ids, uint32_t count,
                                  CloudResult *ret_results) {
    cloud.table->get_many(cloud.self, arena, provider_ids, count, ret_results);
}

static inline ErrCode cloud_class_resolve(Cloud cloud, Arena *arena, Slice name, CloudClass *ret_class,
                                          CloudError *error) {
    if (!cloud.table->class_resolve)
        return cloud_fail(error, ERR_NOT_FOUND, "this cloud looks up no NodeClasses");
    return cloud.table->class_resolve(cloud.self, arena, name, ret_class, error);
}

static inline ErrCode cloud_class_finalize(Cloud cloud, Slice name, CloudError *error) {
    return cloud.table->class_finalize ? cloud.table->class_finalize(cloud.self, name, error) : OK;
}

// Never NULL.
static inline const char *const *cloud_late_labels(Cloud cloud) {
    static const char *const none[] = {NULL};

    return cloud.table->late_labels ? cloud.table->late_labels(cloud.self) : none;
}

static inline ErrCode cloud_tag(Cloud cloud, const NodeClaim *claim, CloudError *error) {
    return cloud.table->tag ? cloud.table->tag(cloud.self, claim, error) : OK;
}

// Whether tags, and what nodes report, are of any use to this cloud; answered from memory.
static inline bool cloud_wants_tags(Cloud cloud) {
    return cloud.table->tag != NULL;
}

static inline bool cloud_wants_to_learn(Cloud cloud) {
    return cloud.table->learn != NULL;
}

static inline ErrCode cloud_learn(Cloud cloud, const NodeClaim *claim, int64_t memory, CloudError *error) {
    return cloud.table->learn ? cloud.table->learn(cloud.self, claim, memory, error) : OK;
}

static inline uint32_t cloud_refreshes(Cloud cloud) {
    return cloud.table->refreshes ? cloud.table->refreshes(cloud.self) : 0;
}

static inline ErrCode cloud_refresh(Cloud cloud, Arena *arena, CloudRefresh what, CloudMessageVec *ret_messages,
                                    CloudError *error) {
    *ret_messages = (CloudMessageVec){0};
    return cloud.table->refresh ? cloud.table->refresh(cloud.self, arena, what, ret_messages, error) : OK;
}
