// Intents: what a controller wishes for. It writes them down, the engine carries them out (engine/execute) and tells it
// what came of it. Nothing else has an effect, so a decision can be replayed from its input.
//
// The intents of one call of a controller for one key form a batch. They are carried out one after the other, in their
// order, by one worker; the first failure ends the batch. While a batch is under way its key is busy: the controller is
// not called for it again, only told what came of it (Controller.complete). Intents marked `aside` are not part of
// that: they are carried out by themselves, at any time, and told by themselves.
#pragma once

#include "cloud/cloud.h"
#include "kube/kube.h"
#include "sched/plan.h"
#include "state/state.h"

// What a key of a work queue is: an object, or nothing ({0}) for a controller that has only one thing to look at.
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
    X(REMOVE, "delete", false)             /* ref, deletion */                                                         \
    X(EVICT, "evict", false)               /* ref, deletion */                                                         \
    X(READ, "read", false)                 /* list: what it asks for is read into the State */                         \
    X(LAUNCH, "launch", false)             /* claim */                                                                 \
    X(TERMINATE, "terminate", false)       /* provider_id */                                                           \
    X(GET_INSTANCE, "get-instance", false) /* provider_id */                                                           \
    X(LIST_INSTANCES, "list-instances", false)                                                                         \
    X(CHECK_DRIFT, "check-drift", false) /* claim */                                                                   \
    X(SOLVE, "solve", false) /* solve: on the solver thread */                                                         \
    X(EVENT, "event", true)  /* event: to the recorder */                                                              \
    X(LOG, "log", true)      /* log */

typedef enum {
#define X(name, ...) INTENT_##name,
    INTENTS(X)
#undef X
        INTENT_TYPE_COUNT
} IntentType;

const char *intent_text(IntentType type); // "evict"
// Whether intents of that type never belong to a batch.
bool intent_is_aside(IntentType type);

// A Kubernetes Event (lifecycle.md 7.2). The recorder drops what it said before within `dedupe_ns` of the same reason
// and `dedupe_key` (empty: reason, object and message), and limits the rate of reasons that have a limit there.
typedef struct {
    KubeRef about;
    Slice uid;
    bool warning;
    const char *reason;
    Slice message;
    Slice dedupe_key;
    int64_t dedupe_ns; // 0: two minutes; negative: never dropped
} EventIntent;

typedef enum { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR } LogLevel;

// A line of the log (lifecycle.md 7.3): message, then pairs of key and value.
typedef struct {
    LogLevel level;
    const char *message;
    const Slice *pairs; // key, value, key, value, …
    uint32_t pair_count;
} LogIntent;

// What the solver is to do. It works on the snapshot that the engine makes with the batch.
typedef struct {
    PreferencePolicy preferences;
    MinValuesPolicy min_values;
    PlanSearch search;
    uint32_t max_instance_types; // per claim; 0: Karpenter's 600
} SolveIntent;

// All texts, trees and vectors are in the turn's arena: the engine copies what it keeps.
typedef struct {
    IntentType type;
    bool aside;
    uint64_t tag; // the controller's own: comes back with the completion
    KubeRef ref;  // kind always; of CREATE only that
    KubePart part;
    KubePatch patch;
    KubeDeletion deletion;
    KubeListRequest list;
    const Value *object;
    Handle claim;
    Symbol provider_id;
    EventIntent event;
    LogIntent log;
    SolveIntent solve; // of SOLVE, which is alone in its batch
} Intent;
typedef Vec(Intent) IntentVec;

// What a solve gave: lives until the completion was told. Indexes and pointers are those of the input.
typedef struct {
    const PlanInput *input;
    const Plan *plan;
} Solved;

// What came of an intent. Everything is borrowed for the call.
typedef struct {
    IntentType type;
    uint64_t tag;
    ErrCode code;                  // OK, else:
    const KubeError *kube_error;   // of CREATE, PATCH, REMOVE, EVICT, READ
    const CloudError *cloud_error; // of LAUNCH, TERMINATE, GET_INSTANCE, LIST_INSTANCES, CHECK_DRIFT
    const Value *object;           // CREATE, PATCH: as the server has it now; it is in the State already
    const CloudInstance *instance; // LAUNCH, GET_INSTANCE
    const CloudInstanceVec *instances;
    Slice drift; // CHECK_DRIFT: the provider's reason; empty: the instance is what its NodeClass says
    const Solved *solved;
    int64_t took_ns;
} Completion;

// Why it failed: the words of the API server or the cloud, else those of the code. Lives as long as the completion.
Slice completion_text(const Completion *completion);
// Whether a write that failed so may have had its effect all the same.
bool completion_is_doubtful(const Completion *completion);
