// ClassBed: an AWS provider between the embedded API server and an AWS in memory: every call has an answer that a test
// may replace, and IAM's instance profiles are kept.
#pragma once

#include "aws/support/environment.h"
#include "aws/support/memory.h"
#include "base/buffer.h"
#include "cloud/aws/provider/classes.h"
#include "cloud/aws/provider/cluster.h"
#include "cloud/aws/provider/market.h"
#include "sim/api/api.h"
#include "state/state.h"

// What is answered to the next `times` calls (0: to all) of the action whose body contains `match` (NULL: any).
typedef struct {
    const char *action, *match;
    MemoryReply reply;
    uint32_t times;
    bool is_done_first; // of IAM: the call has its effect all the same
} ClassRule;

typedef struct {
    char name[160], path[160], role[64];
    bool exists;
} ClassProfile;

enum { BED_RULES_MAX = 32, BED_PROFILES_MAX = 32 };

typedef struct {
    Arena arena;
    Arena lookup; // of the last lookup: what the provider keeps must not lie in it
    MemoryTransport *memory;
    TestEnvironment *environment;
    AwsSession *session;
    ApiServer *server;
    Kube kube;
    KubeTable kube_table; // with faults
    uint32_t kube_faults; // so many reads fail
    KubeReason kube_reason;
    int64_t kube_ns;
    uint64_t random;
    State *state;
    AwsConfig config;
    AwsProvider *provider;
    const char *version; // of Kubernetes; NULL: the API server does not say
    ClassRule rules[BED_RULES_MAX];
    uint32_t rule_count;
    ClassProfile profiles[BED_PROFILES_MAX];
    Buffer actions; // "Action\n" for each call
    Buffer log;
    CloudClass class; // of the last lookup
    CloudError error;
} ClassBed;

// With a class "default" (AL2023, role "node-role", uid of the server's), a Service kube-dns, Kubernetes 1.34, and a
// provider of the cluster "c" in us-east-1.
ClassBed *bed_new(void);
void bed_free(ClassBed *bed);
// Ends the process and starts another one; its settings are those of bed->config.
void bed_restart(ClassBed *bed);

// From now on answers so. Rules that were set later go before.
void bed_rule(ClassBed *bed, ClassRule rule);
#define BED_RULE(bed, ...) bed_rule((bed), (ClassRule){__VA_ARGS__})
void bed_clear_rules(ClassBed *bed);
// Faults of EC2's and IAM's, and JSON ones.
MemoryReply bed_fault(ClassBed *bed, const char *code, const char *message);
MemoryReply bed_json_fault(ClassBed *bed, const char *code);
extern const MemoryReply bed_lost; // no answer

// Makes the class anew with `lines` of YAML as its spec, or changes members of its spec or status.
void bed_class(ClassBed *bed, const char *spec);
void bed_create(ClassBed *bed, const char *yaml);
void bed_patch_class(ClassBed *bed, KubePart part, const char *yaml);
// Writes the last answer to the object, as the controller does, with Ready.
void bed_write_back(ClassBed *bed);

// Looks the class up.
ErrCode bed_resolve(ClassBed *bed);
// "True", "False Reason", "Unknown Reason" of the last lookup; "-": not told.
const char *bed_condition(ClassBed *bed, const char *type);
const char *bed_message(ClassBed *bed, const char *type);
// A member of the status of the last lookup, as JSON; "-": not told.
const char *bed_status(ClassBed *bed, const char *member);
// How often the action was called so far.
uint32_t bed_calls(const ClassBed *bed, const char *action);
// The body of the last call of the action, decoded; NULL: there was none.
const char *bed_sent(ClassBed *bed, const char *action);
void bed_forget_calls(ClassBed *bed);
void bed_pass(ClassBed *bed, int64_t ns);
uint32_t bed_profile_count(const ClassBed *bed);
