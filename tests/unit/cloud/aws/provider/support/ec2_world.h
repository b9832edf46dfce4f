// A small EC2 and a Kubernetes for tests of launches: the provider's client speaks to it through the transport in
// memory, so that every byte is written and read; any call can fail before or after its effect, and a process can die
// between any two calls.
//
// EC2 keeps templates, fleets by their client tokens, and instances with tags; the first override by priority that has
// capacity gets all instances that there is room for. Kubernetes is the embedded API server. What classes, market and
// news would say is what the world has.
#pragma once

#include "aws/support/environment.h"
#include "aws/support/memory.h"
#include "cloud/aws/provider/launching/launching.h"
#include "cloud/support/class.h"
#include "cloud/support/offers.h"
#include "sim/api/api.h"

typedef struct {
    const char *id, *token, *type, *zone, *subnet, *image, *pool, *node_class, *reservation, *name, *claim, *group;
    const char *state;     // "running"
    const char *end, *why; // its StateReason: code and message; NULL: none
    bool is_spot;
    int64_t visible_ns; // monotonic: descriptions show it from then
} WorldInstance;

typedef struct {
    const char *token, *body, *reply;
} WorldFleet;

// The next `times` calls of the action fail, after `skip` ones that do not. `after`: but take effect.
typedef struct {
    const char *action; // "CreateFleet"; "PATCH": of Kubernetes
    uint32_t times, skip;
    bool after;
    ErrCode lost; // the transport's; OK: a fault
    int status;   // [400]
    const char *code, *message;
} WorldFault;

typedef struct {
    MemoryTransport *memory;
    TestEnvironment *environment;
    AwsSession *session;
    ApiServer *server;
    Arena arena;
    Symbols symbols;
    Kube kube; // without faults
    AwsProvider *provider;
    Cloud cloud;

    TestClass *classes[3];
    ClassSnapshot snapshots[3];
    uint32_t class_count;
    InstanceTypeVec types;
    bool is_confirmed, lacks_class, cidr_fails;
    Slice endpoint;
    Vec(UnavailableMark) marks;
    uint32_t launched, listed, reservations_launched;
    const char *full_reservation, *ended_reservation; // the last that market was told of
    const char *left_zone;                            // that the cluster is shifted away from
    Buffer log;
    Buffer counted; // failures: "a az1 spot LaunchFailed; ", of terminations "a az1; "
    size_t user_data_bytes;

    Vec(const char *) templates;
    Vec(WorldFleet) fleets;
    Vec(WorldInstance) instances;
    const char *errors; // "InsufficientInstanceCapacity m5.large a; …": of each fleet, and these have no room
    uint32_t room;      // instances of a fleet at most
    uint32_t surplus;   // more than asked for
    bool doubles_ids;
    int64_t hidden_ns; // how long new instances are not shown
    const char *stuck; // an instance that stays as it is
    uint32_t body_max; // bytes of CreateFleet; 0: any

    Vec(WorldFault) faults;
    uint32_t budget;           // calls until the process dies; UINT32_MAX: never
    uint32_t calls;            // of AWS and Kubernetes
    Vec(const char *) actions; // of AWS, in order
    uint32_t server_ns_ahead;
} World;

// A class "default" that is ready, with subnets subnet-a and subnet-b, and types m5.large (spot and on demand in a and
// b), c5.large, r5.large.
World *world_new(void);
World *world_new_with(const char *class_lines, const char *types);
void world_free(World *w);

// The process ends and a new one begins.
void world_restart(World *w);
// A further class of that name.
void world_add_class(World *w, const char *name, const char *lines);

// A NodeClaim in Kubernetes, as a process reads it; `requirements` as test_launch's. `extra`: YAML in its spec or
// metadata's annotations.
typedef struct {
    const char *name, *class_name, *requirements, *labels, *annotations, *requests;
} WorldClaim;
NodeClaim *world_claim(World *w, const char *name);
NodeClaim *world_claim_with(World *w, const WorldClaim *claim);
// As Kubernetes has it now.
NodeClaim *world_read(World *w, const char *name);

// Launches; the results are the world's.
CloudResult *world_launch(World *w, NodeClaim *const *claims, uint32_t count);
CloudResult world_launch_one(World *w, const NodeClaim *claim);

WorldFault *world_fault(World *w, const char *action, const char *code);
WorldFault *world_lose(World *w, const char *action, bool after);

uint32_t world_calls(const World *w, const char *action);
// The actions since the call number, joined by spaces.
const char *world_actions(World *w, uint32_t from);
// The body of the last call of the action, decoded; a parameter of it.
const char *world_body(World *w, const char *action);
const char *world_param(World *w, const char *body, const char *name);
uint32_t world_running(const World *w);
const WorldInstance *world_instance(const World *w, Slice id);
void world_add_instance(World *w, const WorldInstance *instance);

const char *world_text(const World *w, Symbol symbol);
const char *world_label(const World *w, const Labels *labels, const char *key);
// The annotation of a claim as Kubernetes has it; "": none.
const char *world_record(World *w, const char *name);
