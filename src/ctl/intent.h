// Intents and completions. An intent is an effect that a controller asks for; the engine carries it out
// (engine/execute) and reports its completion. Controllers have no other effect, so a decision can be replayed from its
// input.
//
// The intents that one call of a controller writes for one key form a batch. One worker carries them out in order; the
// first failure ends the batch. Until its batch is complete the key is busy: the controller is not called to reconcile
// it, only for the completion (Controller.complete). Intents marked `aside` are not part of the batch: each is carried
// out on its own, at any time, and reported on its own.
#pragma once

#include "cloud/cloud.h"
#include "disrupt/pass.h"
#include "kube/kube.h"
#include "sched/plan.h"
#include "state/state.h"

// A key of a work queue: namespace and name of an object, or {0} for a controller that reconciles everything at once.
// Symbols are those of the State.
typedef struct {
    Symbol ns, name;
} Key;

static inline bool key_eq(Key a, Key b) {
    return a.ns == b.ns && a.name == b.name;
}

// X(NAME, "name in the journal", aside)
#define INTENTS(X)                                                                                                     \
    X(CREATE, "create", false)             /* object */                                                                \
    X(PATCH, "patch", false)               /* ref, part, patch */                                                      \
    X(GET, "get", false)                   /* ref: for the completion, not for the State */                            \
    X(REMOVE, "delete", false)             /* ref, deletion */                                                         \
    X(EVICT, "evict", false)               /* ref, deletion */                                                         \
    X(READ, "read", false)                 /* list: what it asks for is read into the State */                         \
    X(LAUNCH, "launch", false)             /* claim */                                                                 \
    X(TERMINATE, "terminate", false)       /* provider_id */                                                           \
    X(REBOOT, "reboot", false)             /* provider_id, operation */                                                \
    X(GET_INSTANCE, "get-instance", false) /* provider_id */                                                           \
    X(LIST_INSTANCES, "list-instances", false)                                                                         \
    X(RECEIVE, "receive", false)               /* messages of the cloud */                                             \
    X(SETTLE, "settle", false)                 /* receipt */                                                           \
    X(CHECK_DRIFT, "check-drift", false)       /* claim */                                                             \
    X(TAG, "tag", false)                       /* claim: its instance is named after it */                             \
    X(LEARN, "learn", true)                    /* claim, memory */                                                     \
    X(RESOLVE_CLASS, "resolve-class", false)   /* ref.name: of the NodeClass */                                        \
    X(FINALIZE_CLASS, "finalize-class", false) /* ref.name */                                                          \
    X(REFRESH, "refresh", false)               /* refresh */                                                           \
    X(SOLVE, "solve", false)                   /* solve: on the solver thread */                                       \
    X(DISRUPT, "disrupt", false)               /* disrupt: on the thread of disruption */                              \
    X(STEP, "step", true)                      /* step: to the metrics */                                              \
    X(REBOOTED, "rebooted", true)              /* reboot: to the metrics */                                            \
    X(COSTED, "costed", true)                  /* costed: to the metrics */                                            \
    X(EVENT, "event", true)                    /* event: to the recorder */                                            \
    X(LOG, "log", true)                        /* log */

typedef enum {
#define X(name, ...) INTENT_##name,
    INTENTS(X)
#undef X
        INTENT_TYPE_COUNT
} IntentType;

const char *intent_text(IntentType type); // "evict"
// Whether intents of that type never belong to a batch.
bool intent_is_aside(IntentType type);

// A Kubernetes Event (lifecycle.md 7.2). The recorder drops an event that it published less than `dedupe_ns` ago with
// the same reason and `dedupe_key` (empty: same reason, object and message), and limits the rate of the reasons that
// lifecycle.md gives a limit.
typedef struct {
    KubeRef about;
    Slice uid;
    bool warning;
    const char *reason;
    Slice message;
    Slice dedupe_key;
    int64_t dedupe_ns; // 0: two minutes; negative: no deduplication
} EventIntent;

typedef enum { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR } LogLevel;

// A log line (lifecycle.md 7.3): message, then pairs of key and value.
typedef struct {
    LogLevel level;
    const char *message;
    const Slice *pairs; // key, value, key, value, …
    uint32_t pair_count;
} LogIntent;

// Options of a solve. The solver works on the snapshot that the engine takes with the batch.
typedef struct {
    PreferencePolicy preferences;
    MinValuesPolicy min_values;
    PlanSearch search;           // the engine fills in clock and steps
    uint32_t max_instance_types; // per NodeClaim; 0: Karpenter's 600
    SymbolVec set_aside;         // uids of pods that are left out (sched/set_aside.h)
} SolveIntent;

// A look at the whole cluster for what may be disrupted, or at commands that were found before: these have been left
// alone for a while, and are to be found again. The look is at the snapshot that the engine takes with the batch.
typedef struct {
    DisruptOptions options; // the engine fills in clock and steps of the search
    CostRules cost_rules;
    SymbolVec in_command;         // uids of the NodeClaims that a command is under way for
    SymbolVec nominated;          // names of Nodes
    SymbolVec settling;           // names of Nodes that pods were moved to, as long as that has not paid back
    DisruptProposalVec proposals; // none: look for commands
} DisruptIntent;

// A step of a command of disruption, for metrics. Creations of replacements say the method, deletions of nodes the
// method, `nodes` 1, and what is below.
typedef struct {
    enum {
        DISRUPTION_STARTED,
        DISRUPTION_REJECTED, // it was not found again
        DISRUPTION_FAILED,   // its nodes stay
    } event;
    DisruptMethod method;
    uint32_t nodes, replacements;
    SymbolVec pools; // of its nodes, each once
    // Of a deletion, of static storage: the condition for which a node is repaired (NULL: it has passed), the kind of a
    // message. And the longest a repaired node's drain may take (REPAIR_NO_BOUND).
    const char *cause;
    int64_t bound_ns;
} DisruptionStep;

// How a reboot ended, for metrics.
typedef enum { REBOOT_SUCCEEDED, REBOOT_PROVIDER_ERROR, REBOOT_RECOVERY_TIMEOUT, REBOOT_INVALID_REQUEST } RebootResult;

typedef struct {
    RebootResult result;
    int64_t took_ns;      // from its request
    int64_t recovered_ns; // of a success: from the cloud's answer to the node being ready
} RebootStep;

// What a pass over deletion costs found in a NodePool, for metrics.
typedef struct {
    Symbol pool;
    uint32_t nodes_pending;  // some pod of theirs is still to be written
    uint32_t pods_unchanged; // they have the value that they should have
} CostedStep;

// All texts, trees and vectors are in the turn's arena: the engine copies what it keeps.
typedef struct {
    IntentType type;
    bool aside;
    uint64_t tag; // chosen by the controller; returned with the completion
    KubeRef ref;  // kind always; of CREATE the kind alone
    KubePart part;
    KubePatch patch;
    // Of a patch with a resourceVersion: what it was made of. When the object has another version by now but all of
    // this still (value_has), the patch is made again for that one, some times at most: who writes to other members,
    // as kubelets do all the time, does not fail a batch of hundreds. NULL: the version alone decides.
    const Value *given;
    KubeDeletion deletion;
    KubeListRequest list;
    const Value *object;
    Handle claim;
    Symbol provider_id;
    Slice operation; // of REBOOT
    uint64_t receipt;
    int64_t memory; // of LEARN: bytes
    CloudRefresh refresh;
    EventIntent event;
    LogIntent log;
    DisruptionStep step;
    RebootStep reboot;
    CostedStep costed;
    SolveIntent solve;     // of SOLVE, the only intent of its batch
    DisruptIntent disrupt; // of DISRUPT, the only intent of its batch
} Intent;
typedef Vec(Intent) IntentVec;

// Result of a solve; freed when the completion was delivered. Indexes and pointers are those of the input.
typedef struct {
    const PlanInput *input;
    const Plan *plan;
} Solved;

// Result of a look; freed when the completion was delivered.
typedef struct {
    const DisruptFacts *facts;
    DisruptPass pass;         // of a look for commands
    ProvenProposalVec proven; // else: one for each proposal
} Disrupted;

// Result of an intent. Everything is borrowed for the call.
typedef struct {
    IntentType type;
    uint64_t tag;
    ErrCode code;                  // OK, else one of the two errors below is set
    const KubeError *kube_error;   // of CREATE, PATCH, GET, REMOVE, EVICT, READ
    const CloudError *cloud_error; // of all others that are calls: LAUNCH to REFRESH
    const Value *object;           // of CREATE, PATCH: the object as stored, already in the State; of GET
    const CloudInstance *instance; // LAUNCH, GET_INSTANCE
    const CloudInstanceVec *instances;
    const CloudMessageVec *messages; // RECEIVE, REFRESH
    const CloudClass *node_class;    // RESOLVE_CLASS
    Slice drift; // CHECK_DRIFT: the provider's reason; empty: the instance is what its NodeClass says
    const Solved *solved;
    const Disrupted *disrupted;
    int64_t took_ns;
} Completion;

// Error message: the API server's or the cloud's, else the text of the code. Lives as long as the completion.
Slice completion_text(const Completion *completion);
// Whether a write that failed may have taken effect all the same (timeout, connection lost).
bool completion_is_doubtful(const Completion *completion);
