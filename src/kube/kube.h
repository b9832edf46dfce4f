// Kube: Kubernetes as a table of functions, for the execution of intents and for watches.
//
// Two implementations: a REST client of a real API server, and the embedded API server of src/sim/api. The recorder and
// the fault injector wrap another table. tests/conformance tests all of them for the same behaviour, which is
// Kubernetes' own: API concepts (resource versions, watches, pagination), API conventions, and the messages of
// k8s.io/apiserver v0.36.
//
// Threads. Every function may be called from any thread, and concurrently; calls block until they are answered (a round
// trip with the REST client, microseconds with the embedded server). Only the sink of a watch runs on a thread that the
// implementation chooses: see KubeSink. Calls cannot be cancelled; the REST client bounds the time of each.
//
// Ownership. Arguments are borrowed for the call. Results are in the caller's arena (an arena belongs to one thread, so
// each worker thread has its own) and may point into tables of the Kube, so they live as long as both. Result trees
// belong to the caller: they may be changed and sent back.
//
// Errors. Each call returns an ErrCode and fills a KubeError (may be NULL): the code for decisions, the reason where a
// code is too coarse (ERR_CONFLICT is Conflict or AlreadyExists), the API server's message for the log.
#pragma once

#include "base/err.h"
#include "base/time.h"
#include "kube/kind.h"
#include "text/value.h"

// resourceVersion as a number: they are comparable, as Kubernetes guarantees since 1.35. 0: none.
typedef uint64_t KubeRevision;

// Reasons of failures: those of metav1.Status, with the HTTP code and tenon's ErrCode.
#define KUBE_REASONS(X)                                                                                                \
    X(NONE, "", 0, OK)                                                                                                 \
    X(BAD_REQUEST, "BadRequest", 400, ERR_INVALID)                                                                     \
    X(UNAUTHORIZED, "Unauthorized", 401, ERR_DENIED)                                                                   \
    X(FORBIDDEN, "Forbidden", 403, ERR_DENIED)                                                                         \
    X(NOT_FOUND, "NotFound", 404, ERR_NOT_FOUND)                                                                       \
    X(METHOD_NOT_ALLOWED, "MethodNotAllowed", 405, ERR_INVALID)                                                        \
    X(CONFLICT, "Conflict", 409, ERR_CONFLICT)                                                                         \
    X(ALREADY_EXISTS, "AlreadyExists", 409, ERR_CONFLICT)                                                              \
    X(EXPIRED, "Expired", 410, ERR_GONE)                                                                               \
    X(GONE, "Gone", 410, ERR_GONE)                                                                                     \
    X(TOO_LARGE, "RequestEntityTooLarge", 413, ERR_TOO_LARGE)                                                          \
    X(UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", 415, ERR_INVALID)                                                \
    X(INVALID, "Invalid", 422, ERR_INVALID)                                                                            \
    X(TOO_MANY_REQUESTS, "TooManyRequests", 429, ERR_THROTTLED)                                                        \
    X(UNKNOWN, "Unknown", 500, ERR_IO)                                                                                 \
    X(INTERNAL_ERROR, "InternalError", 500, ERR_IO)                                                                    \
    X(SERVICE_UNAVAILABLE, "ServiceUnavailable", 503, ERR_IO)                                                          \
    X(TIMEOUT, "Timeout", 504, ERR_TIMEOUT)                                                                            \
    X(SERVER_TIMEOUT, "ServerTimeout", 504, ERR_TIMEOUT)

typedef enum {
#define X(name, ...) KUBE_REASON_##name,
    KUBE_REASONS(X)
#undef X
        KUBE_REASON_COUNT
} KubeReason;

enum { KUBE_CAUSE_MAX = 256 };

typedef struct {
    Err err;                    // err.text: the message of the Status
    KubeReason reason;          // KUBE_REASON_NONE: no answer from the API server (err.code is ERR_IO or ERR_TIMEOUT)
    int64_t retry_after_ns;     // ERR_THROTTLED and timeouts: when the server asks to retry; 0: not stated
    char cause[KUBE_CAUSE_MAX]; // first of details.causes; empty: none
} KubeError;

// "NotFound" and its HTTP code.
const char *kube_reason_text(KubeReason reason);
int kube_reason_http_code(KubeReason reason);
// The reason of a Status by its name and code; unknown names are mapped by code.
KubeReason kube_reason_find(Slice name, int http_code);

// Whether a write that failed may have taken effect all the same: no answer, or an internal error of the server.
bool kube_is_doubtful(const KubeError *error);

// Fills `error` (unless NULL) and returns the code of the reason. For implementations of the table.
__attribute__((format(printf, 3, 4))) ErrCode kube_fail(KubeError *error, KubeReason reason, const char *format, ...);

// KubeRef: names one object. `ns` is empty for cluster-scoped kinds.
typedef struct {
    KubeKind kind;
    Slice ns, name;
} KubeRef;

// A list request: one kind, one namespace (empty: all), selectors in the API server's syntax ("app=web,tier in (a,b)";
// "spec.nodeName=n1,status.phase!=Failed"; empty: everything).
//
// With a limit the answer may be one page. `next` of the answer goes into `from` of the next request, with all else
// unchanged: the pages together are the state at the revision of the first one. ERR_GONE when that revision is too old.
// `at`: a state not older than that revision (ERR_TIMEOUT when it lies in the future).
typedef struct {
    KubeKind kind;
    Slice ns, labels, fields;
    uint32_t limit; // 0: everything in one answer
    Slice from;     // empty: the first page
    KubeRevision at;
} KubeListRequest;

typedef struct {
    ValueList items;       // sorted by namespace/name
    KubeRevision revision; // of the state; watches start from it
    Slice next;            // empty: the last page
    int64_t remaining;     // objects after this page; -1: unknown (with selectors)
} KubeList;

// The part of the object that a write changes: everything but the status, or the status only.
typedef enum { KUBE_OBJECT, KUBE_STATUS } KubePart;

// PATCH_STRATEGIC is for built-in kinds only (KUBE_REASON_UNSUPPORTED_MEDIA_TYPE).
typedef enum { KUBE_PATCH_MERGE, KUBE_PATCH_STRATEGIC } KubePatchType;

// metadata.resourceVersion and metadata.uid in the body are preconditions, as in any patch.
typedef struct {
    KubePatchType type;
    const Value *body;
} KubePatch;

typedef enum {
    KUBE_PROPAGATION_DEFAULT, // background, but orphan for Jobs
    KUBE_PROPAGATION_BACKGROUND,
    KUBE_PROPAGATION_FOREGROUND,
    KUBE_PROPAGATION_ORPHAN,
} KubePropagation;

// Options of a deletion; {0} means the defaults.
typedef struct {
    Slice uid;             // precondition; empty: none
    KubeRevision revision; // precondition; 0: none
    bool has_grace;
    int64_t grace_s; // has_grace: instead of the pod's own terminationGracePeriodSeconds
    KubePropagation propagation;
} KubeDeletion;

typedef enum { KUBE_ADDED, KUBE_MODIFIED, KUBE_DELETED, KUBE_BOOKMARK, KUBE_ENDED } KubeEventType;

// An event of a watch. `object`: the object as it is now; of KUBE_DELETED as it was last (with the revision of the
// deletion); of the last two types NULL. A watch with selectors reports an object that no longer matches as deleted, as
// it was when it still matched. KUBE_BOOKMARK: everything up to `revision` was delivered; `initial_end`: the initial
// events are complete. KUBE_ENDED is the last event of a watch: after ERR_GONE list again, otherwise watch again from
// the last revision delivered; `anew`: what the next list shows may look otherwise than before, though the objects have
// not changed, or lack what comes back later (the bridge of legacy, when definitions come and go).
typedef struct {
    KubeEventType type;
    KubeKind kind;
    KubeRevision revision;
    bool initial_end, anew;
    const Value *object;
    const KubeError *error; // of KUBE_ENDED: why
} KubeEvent;

// Receives the events of a watch, one at a time, in the order of their revisions (initial events in the order of
// names), on the watch's own thread (REST) or inside the step of the embedded server. `event` is borrowed for the call.
// The sink must return soon and must not call the Kube: it decodes or copies, and posts to a mailbox. Returns false to
// end the watch without KUBE_ENDED.
typedef struct {
    bool (*take)(void *context, const KubeEvent *event);
    void *context;
} KubeSink;

// A watch request. From `revision` on: changes after it. revision 0: first the present state as KUBE_ADDED, then
// changes. `initial_events`: the same with a bookmark `initial_end` in between. `bookmarks`: further ones about every
// minute.
typedef struct {
    KubeKind kind;
    Slice ns, labels, fields; // as in KubeListRequest
    KubeRevision revision;
    bool initial_events, bookmarks;
} KubeWatchRequest;

typedef struct KubeWatch KubeWatch;

// The table. `self` is the implementation's. `ret_object` may be NULL (then `arena` too) when the caller does not need
// the object that was written. All O(size of the objects), plus the implementation's own cost.
//
//   get      ERR_NOT_FOUND.
//   list     See KubeListRequest.
//   create   The object has metadata.namespace ("default" when a namespaced kind has none) and metadata.name or
//            generateName. ERR_CONFLICT (AlreadyExists), ERR_NOT_FOUND (no such namespace), ERR_DENIED (the namespace
//            is terminating), ERR_INVALID.
//   update   Replaces the whole object, or its whole status. metadata.resourceVersion, when given, must be the latest:
//            ERR_CONFLICT. Custom kinds, Leases and PodDisruptionBudgets must give it: ERR_INVALID. ERR_NOT_FOUND.
//   patch    ERR_NOT_FOUND (but an apply creates), ERR_CONFLICT, ERR_INVALID.
//   remove   Sets deletionTimestamp, or removes the object when nothing holds it. ERR_NOT_FOUND, ERR_CONFLICT
//            (precondition).
//   evict    Deletes a pod unless a PodDisruptionBudget forbids it: ERR_THROTTLED; when several budgets cover the pod:
//            KUBE_REASON_UNKNOWN with HTTP 500. ERR_NOT_FOUND, ERR_CONFLICT.
//   bind     Assigns a pod to a node. ERR_CONFLICT: the pod is bound, terminating or gated. tenon itself never binds.
//   watch    ERR_GONE: the revision is too old (the REST client may report it later, by KUBE_ENDED). The handle is
//   valid
//            until unwatch.
//   unwatch  Must be called once per watch, also after KUBE_ENDED, and not from inside the sink. After it returned, the
//            sink is not called any more.
//   now      Wall time of the API server, whose clock sets creationTimestamp and deletionTimestamp: since 1970, derived
//            from its answers (the REST client is right to a second). False: no answer yet. Does not block. O(1).
//
// `manager` is the field manager of the write ("tenon"); at most 128 bytes.
typedef struct {
    ErrCode (*get)(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error);
    ErrCode (*list)(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list, KubeError *error);
    ErrCode (*create)(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object, Value *ret_object,
                      KubeError *error);
    ErrCode (*update)(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                      Value *ret_object, KubeError *error);
    ErrCode (*patch)(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                     Value *ret_object, KubeError *error);
    ErrCode (*remove)(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error);
    ErrCode (*evict)(void *self, KubeRef pod, const KubeDeletion *deletion, KubeError *error);
    ErrCode (*bind)(void *self, KubeRef pod, Slice uid, Slice node, KubeError *error);
    ErrCode (*watch)(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                     KubeError *error);
    void (*unwatch)(void *self, KubeWatch *watch);
    bool (*now)(void *self, int64_t *ret_wall_ns); // NULL: never known
} KubeTable;

typedef struct {
    const KubeTable *table;
    void *self;
} Kube;

// Wrappers for callers; see KubeTable.
static inline ErrCode kube_get(Kube kube, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    return kube.table->get(kube.self, arena, ref, ret_object, error);
}

static inline ErrCode kube_list(Kube kube, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                                KubeError *error) {
    return kube.table->list(kube.self, arena, request, ret_list, error);
}

static inline ErrCode kube_create(Kube kube, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                                  Value *ret_object, KubeError *error) {
    return kube.table->create(kube.self, arena, manager, kind, object, ret_object, error);
}

static inline ErrCode kube_update(Kube kube, Arena *arena, Slice manager, KubeKind kind, KubePart part,
                                  const Value *object, Value *ret_object, KubeError *error) {
    return kube.table->update(kube.self, arena, manager, kind, part, object, ret_object, error);
}

static inline ErrCode kube_patch(Kube kube, Arena *arena, Slice manager, KubeRef ref, KubePart part,
                                 const KubePatch *patch, Value *ret_object, KubeError *error) {
    return kube.table->patch(kube.self, arena, manager, ref, part, patch, ret_object, error);
}

static inline ErrCode kube_remove(Kube kube, KubeRef ref, const KubeDeletion *deletion, KubeError *error) {
    return kube.table->remove(kube.self, ref, deletion, error);
}

static inline ErrCode kube_evict(Kube kube, KubeRef pod, const KubeDeletion *deletion, KubeError *error) {
    return kube.table->evict(kube.self, pod, deletion, error);
}

static inline ErrCode kube_bind(Kube kube, KubeRef pod, Slice uid, Slice node, KubeError *error) {
    return kube.table->bind(kube.self, pod, uid, node, error);
}

static inline ErrCode kube_watch(Kube kube, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                                 KubeError *error) {
    return kube.table->watch(kube.self, request, sink, ret_watch, error);
}

static inline void kube_unwatch(Kube kube, KubeWatch *watch) {
    kube.table->unwatch(kube.self, watch);
}

static inline bool kube_now(Kube kube, int64_t *ret_wall_ns) {
    return kube.table->now && kube.table->now(kube.self, ret_wall_ns);
}

// Makes a list request in pages of 500, since thousands of objects are more than one answer may be, and calls `take`
// with each object. It lives in `page`, until `take` has been called with the last one of its page. `limit` and `from`
// of the request do not count. Errors as kube_list's; then those of the pages before were taken.
ErrCode kube_list_each(Kube kube, const KubeListRequest *wanted,
                       void (*take)(void *context, Arena *page, const Value *object), void *context, KubeError *error);

// Metadata of an object. Absent members give the empty slice, 0 or false. O(members).
Slice kube_name(const Value *object);
Slice kube_namespace(const Value *object);
Slice kube_uid(const Value *object);
KubeRevision kube_revision(const Value *object);
int64_t kube_generation(const Value *object);
bool kube_is_deleting(const Value *object); // deletionTimestamp is set
// A string in the object, by its keys: kube_text(pod, "spec", "nodeName", NULL).
__attribute__((sentinel)) Slice kube_text(const Value *object, ...);
