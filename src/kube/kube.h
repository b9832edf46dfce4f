// Kubernetes as a table of functions: what intents are carried out through and watches come from.
//
// Two things stand behind it: a REST client for a real API server, and the embedded API server of src/sim/api. The
// recorder and the fault injector wrap another table. tests/conformance holds them all to the same behaviour, which is
// Kubernetes' own: API concepts (resource versions, watches, pagination), API conventions, and the texts of
// k8s.io/apiserver v0.36.
//
// Threads. Every function may be called from any thread, and from several at once; calls block until they are
// answered (a round trip with the REST client, microseconds with the embedded server). Only the sink of a watch runs on
// a thread that the table chooses: see KubeSink. Nothing is cancelled half-way; the REST client bounds each call in
// time.
//
// Ownership. What goes in is borrowed for the call only. What comes out lives in the caller's arena (an arena belongs
// to one thread, so each worker thread brings its own) and may point into tables of the Kube, so it lives as long as
// both. The trees that come out are the caller's own: they may be changed and sent back.
//
// Errors. Each call returns an ErrCode and fills a KubeError (may be NULL): the code for deciding, the reason where a
// code is too coarse (ERR_CONFLICT is Conflict or AlreadyExists), the API server's own text for the log.
#pragma once

#include "base/err.h"
#include "base/time.h"
#include "kube/kind.h"
#include "text/value.h"

// resourceVersion as a number: comparable since Kubernetes 1.35 promises it. 0: none given.
typedef uint64_t KubeRevision;

// Why a call failed: the reasons of metav1.Status, with the HTTP code and what tenon makes of it.
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
    KubeReason reason;          // KUBE_REASON_NONE: the API server did not answer (err.code says ERR_IO, ERR_TIMEOUT)
    int64_t retry_after_ns;     // ERR_THROTTLED and timeouts: how long the server asks to wait; 0: it does not say
    char cause[KUBE_CAUSE_MAX]; // first of details.causes; empty: none
} KubeError;

// "NotFound" and its HTTP code.
const char *kube_reason_text(KubeReason reason);
int kube_reason_http_code(KubeReason reason);
// The reason for a name and code of a Status; unknown names go by their code.
KubeReason kube_reason_find(Slice name, int http_code);

// Whether a write that failed so may have had its effect all the same: nobody answered, or the server broke on the way.
bool kube_is_doubtful(const KubeError *error);

// Fills `error` (unless NULL) and returns the code that goes with the reason. For those who implement the table.
__attribute__((format(printf, 3, 4))) ErrCode kube_fail(KubeError *error, KubeReason reason, const char *format, ...);

// Names one object. `ns` is empty for kinds without namespaces.
typedef struct {
    KubeKind kind;
    Slice ns, name;
} KubeRef;

// A list: one kind, one namespace (empty: all), selectors as the API server reads them ("app=web,tier in (a,b)";
// "spec.nodeName=n1,status.phase!=Failed"; empty: everything).
//
// With a limit the answer may be one page. `next` of the answer goes into `from` of the next call, with everything else
// unchanged: the pages together are the state at the revision of the first. ERR_GONE when that revision is forgotten.
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
    KubeRevision revision; // of the state: watches start here
    Slice next;            // empty: the last page
    int64_t remaining;     // objects after this page; -1: not known (selectors)
} KubeList;

// Which part of the object a write is about: all but the status, or the status only.
typedef enum { KUBE_OBJECT, KUBE_STATUS } KubePart;

// PATCH_STRATEGIC is for built-in kinds only (KUBE_REASON_UNSUPPORTED_MEDIA_TYPE).
typedef enum { KUBE_PATCH_MERGE, KUBE_PATCH_STRATEGIC } KubePatchType;

// metadata.resourceVersion and metadata.uid in the body are preconditions, as in any patch.
typedef struct {
    KubePatchType type;
    const Value *body;
} KubePatch;

typedef enum {
    KUBE_PROPAGATION_DEFAULT, // background, but for Jobs, whose pods are orphaned
    KUBE_PROPAGATION_BACKGROUND,
    KUBE_PROPAGATION_FOREGROUND,
    KUBE_PROPAGATION_ORPHAN,
} KubePropagation;

// How to delete; {0} means as usual.
typedef struct {
    Slice uid;             // precondition; empty: none
    KubeRevision revision; // precondition; 0: none
    bool has_grace;
    int64_t grace_s; // has_grace: instead of the pod's own terminationGracePeriodSeconds
    KubePropagation propagation;
} KubeDeletion;

typedef enum { KUBE_ADDED, KUBE_MODIFIED, KUBE_DELETED, KUBE_BOOKMARK, KUBE_ENDED } KubeEventType;

// What a watch tells. `object`: the object as it is now, for KUBE_DELETED as it was last (with the revision of the
// deletion); NULL for the two last types. A watch with selectors tells an object that ceases to match as deleted, as it
// was when it still did.
// A KUBE_BOOKMARK says that everything up to `revision` was told; `initial_end`: it closes the initial events.
// KUBE_ENDED is the last event of a watch: with ERR_GONE list anew; otherwise start again from the last revision told.
typedef struct {
    KubeEventType type;
    KubeKind kind;
    KubeRevision revision;
    bool initial_end;
    const Value *object;
    const KubeError *error; // KUBE_ENDED: why
} KubeEvent;

// Where events go. Called for one event after the other, in the order of their revisions (initial events in the order
// of their names), on the watch's own thread (REST) or inside the step of the embedded server. `event` is borrowed for
// the call. The sink must return soon and must not call the Kube: it decodes or copies, and posts to a mailbox. False:
// enough, the watch ends without KUBE_ENDED.
typedef struct {
    bool (*take)(void *context, const KubeEvent *event);
    void *context;
} KubeSink;

// From `revision` on: what changed after it. 0: first the present state as KUBE_ADDED, then changes. With
// `initial_events` the same, and a bookmark with `initial_end` between. `bookmarks`: about one a minute besides.
typedef struct {
    KubeKind kind;
    Slice ns, labels, fields; // as in KubeListRequest
    KubeRevision revision;
    bool initial_events, bookmarks;
} KubeWatchRequest;

typedef struct KubeWatch KubeWatch;

// The table. `self` is the implementation's. `ret_object` may be NULL (and then `arena` too) when the caller does not
// look at what was written. All O(size of the objects) beside what the implementation adds.
//
// get      ERR_NOT_FOUND.
// list     see KubeListRequest.
// create   The object names itself: metadata.namespace ("default" when a namespaced kind gives none) and metadata.name
// or
//          generateName. ERR_CONFLICT (AlreadyExists), ERR_NOT_FOUND (its namespace), ERR_DENIED (namespace is going
//          away), ERR_INVALID.
// update   Replaces the whole object, or its whole status. metadata.resourceVersion, when given, must be the latest:
//          ERR_CONFLICT. Custom kinds, Leases and PodDisruptionBudgets must give it: ERR_INVALID. ERR_NOT_FOUND.
// patch    ERR_NOT_FOUND (but an apply creates), ERR_CONFLICT, ERR_INVALID.
// remove   Marks the object as going away, or removes it when nothing holds it. ERR_NOT_FOUND, ERR_CONFLICT
// (precondition). evict    Deletes a pod unless a PodDisruptionBudget forbids: ERR_THROTTLED; more than one budget:
// KUBE_REASON_UNKNOWN
//          with HTTP 500. ERR_NOT_FOUND, ERR_CONFLICT.
// bind     Gives a pod its node. ERR_CONFLICT: it has one, is going away, or is gated. tenon itself never binds.
// watch    ERR_GONE: the revision is forgotten (the REST client may say so later, through KUBE_ENDED). The handle is
//          valid until unwatch, which must be called once, also after KUBE_ENDED; not from inside the sink. After
//          unwatch returned, the sink is not called any more.
//
// now      What time it is for the API server, whose clock sets creationTimestamp and deletionTimestamp: since 1970, by
//          what its answers said (the REST client is within a second of it). False: it has not answered yet. Does not
//          block. O(1).
//
// `manager` is the field manager that the write is done for ("tenon"); at most 128 bytes.
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
    bool (*now)(void *self, int64_t *ret_wall_ns); // NULL: it never says
} KubeTable;

typedef struct {
    const KubeTable *table;
    void *self;
} Kube;

// What callers write. The comments at KubeTable say what each does.
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

// Reading the metadata of an object. Absent members give the empty slice, 0 and false. O(members).
Slice kube_name(const Value *object);
Slice kube_namespace(const Value *object);
Slice kube_uid(const Value *object);
KubeRevision kube_revision(const Value *object);
int64_t kube_generation(const Value *object);
bool kube_is_deleting(const Value *object); // deletionTimestamp is set
// A text below the object by its keys: kube_text(pod, "spec", "nodeName", NULL).
__attribute__((sentinel)) Slice kube_text(const Value *object, ...);
