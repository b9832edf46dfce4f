// The inside of the embedded API server: its state, and a call on its way through it. Private to src/sim/api.
#pragma once

#include "sim/api/api.h"
#include "sim/api/selector.h"
#include "sim/api/store/store.h"

#include <pthread.h>

// A watch: where it is in the history of its kind.
struct KubeWatch {
    KubeWatch *next; // of all watches, oldest first
    KubeKind kind;
    Arena arena; // of the selectors
    Slice ns;
    Selector labels, fields;
    KubeSink sink;
    uint64_t position; // number of the next event
    bool initial;      // the present state was not told yet
    bool initial_end;  // and a bookmark closes it
    bool bookmarks;
    bool ended;
    KubeRevision told; // latest revision told
};

// Objects for the garbage collector, by the hash of their uid.
typedef struct {
    uint64_t *items; // a ring
    uint32_t first, count, capacity;
} UidQueue;

struct ApiServer {
    pthread_mutex_t lock;
    ApiConfig config;
    Store store;
    Arena scratch; // of the call under way
    KubeWatch *watches;
    KubeRevision told;       // up to which every watch was told all
    bool watches_stirred;    // one began, or history was forgotten, since then
    UidQueue collect;        // objects that may have lost an owner, or wait for their dependents
    UidQueue orphans;        // owners whose dependents are to be orphaned
    bool namespaces_waiting; // some namespace is Terminating, and something was removed since it was last looked at
};

// A call: what it is about, where its memory comes from, and where its failure goes.
typedef struct {
    ApiServer *server;
    Store *store;
    Arena *arena; // scratch
    KubeKind kind;
    const KubeKindInfo *info;
    Slice ns, name, key;
    KubeError *error; // may be NULL
} Request;

// Starts a call: locks, and marks the scratch memory. request_end gives both back.
Request request_start(ApiServer *server, KubeKind kind, KubeError *error);
void request_end(Request *request);
// A further request inside the same call, about another object.
Request request_about(const Request *request, KubeKind kind, Slice key);
void request_name(Request *request, Slice ns, Slice name);

// "2026-11-21T05:00:00Z" now.
Slice request_now(const Request *request);

// The tree of an entry with its resourceVersion. Texts point into the entry's version, which stays until the end of the
// call: if the call replaces it, the history has it (HISTORY_MIN events at least).
enum { HISTORY_MIN = 16 };
Value request_open(const Request *request, const Entry *entry);
// Hands an entry's object to the caller. NULL `ret_object`: nothing.
void request_answer(const Request *request, const Entry *entry, Arena *arena, Value *ret_object);

// Failures with Kubernetes' texts.
ErrCode fail_not_found(const Request *request);
ErrCode fail_conflict(const Request *request, const char *why);
// The object of that name has another uid than the caller means.
ErrCode fail_other_uid(const Request *request, Slice wanted, Slice uid);
// "Pod "x" is invalid: path: problem".
__attribute__((format(printf, 3, 4))) ErrCode fail_invalid(const Request *request, const char *path, const char *format,
                                                           ...);
__attribute__((format(printf, 2, 3))) ErrCode fail_forbidden(const Request *request, const char *format, ...);

#ifdef __clang_analyzer__ // as in base/err.h
#define fail_invalid(...)   ((void)fail_invalid(__VA_ARGS__), ERR_INVALID)
#define fail_forbidden(...) ((void)fail_forbidden(__VA_ARGS__), ERR_DENIED)
#endif

// The entry that the request names, or NotFound.
ErrCode request_find(const Request *request, Entry **ret_entry);

// Writes a new version of an existing object, or creates it (`entry` NULL), and tells the garbage collector what it
// must know. `object` is the request's own tree.
ErrCode request_write(const Request *request, Entry *entry, Value *object, Entry **ret_entry);
// Removes an object, and tells the garbage collector.
void request_remove(const Request *request, Entry *entry);

// The calls of the table, one file each, without lock and scratch.
ErrCode do_create(Request *request, const Value *object, Entry **ret_entry);
// `next`: the whole object as it should be, with the resourceVersion that it was made from or none.
typedef enum { WRITE_UPDATE, WRITE_PATCH } WriteVerb;
ErrCode do_write(const Request *request, Entry *entry, KubePart part, WriteVerb verb, Value *next, Arena *arena,
                 Value *ret_object);
ErrCode do_update(Request *request, KubePart part, const Value *object, Arena *arena, Value *ret_object);
ErrCode do_patch(Request *request, KubePart part, const KubePatch *patch, Arena *arena, Value *ret_object);
ErrCode do_remove(Request *request, const KubeDeletion *deletion);
ErrCode do_evict(Request *request, const KubeDeletion *deletion);
ErrCode do_bind(Request *request, Slice uid, Slice node);
ErrCode do_list(Request *request, Arena *arena, const KubeListRequest *list, KubeList *ret_list);
ErrCode do_watch(Request *request, const KubeWatchRequest *watch, KubeSink sink, KubeWatch **ret_watch);
void do_unwatch(Request *request, KubeWatch *watch);

// The controllers inside.
void uid_queue_add(UidQueue *queue, uint64_t uid_hash);
bool uid_queue_take(UidQueue *queue, uint64_t *ret_uid_hash);
bool collect_garbage(ApiServer *server);
bool empty_namespaces(ApiServer *server);
