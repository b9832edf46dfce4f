// Garbage collector: deletes objects whose owners are gone, finishes foreground deletion when the dependents are gone,
// and removes owner references of orphaned dependents.
//
// It works through two queues of uids that writes and removals fill, so its cost is proportional to the changes.
// Behaviour: k8s.io/kubernetes v1.36 pkg/controller/garbagecollector (attemptToDeleteItem,
// processDeletingDependentsItem, attemptToOrphanWorker), without its delays and caches.
#include "sim/api/collect.h"

#include "sim/api/meta.h"
#include "sim/api/remove.h"
#include "sim/api/request.h"
#include "sim/api/uid_queue.h"
#include "sim/api/write.h"

// The queues.

#include "base/alloc.h"
// What becomes of an object whose owners are as they are.

typedef enum { OWNER_SOLID, OWNER_GONE, OWNER_WAITING } OwnerState;

// The state of an owner: the live object of that kind and name, in the dependent's namespace or cluster-scoped, if its
// uid matches.
static OwnerState judge_owner(const Request *request, const Value *reference) {
    KubeKind kind =
        kube_kind_find_any_version(kube_text(reference, "apiVersion", NULL), kube_text(reference, "kind", NULL));
    const Entry *entry;
    Value owner;

    if (kind == KUBE_KIND_COUNT)
        return OWNER_SOLID; // a kind that this server does not serve: it cannot be known to be gone
    entry = store_find(request->store, kind,
                       store_key(request->arena, kube_kind(kind)->namespaced ? request->ns : SLICE(""),
                                 kube_text(reference, "name", NULL)));
    if (!entry)
        return OWNER_GONE;
    owner = request_open(request, entry);
    if (!slice_eq(kube_uid(&owner), kube_text(reference, "uid", NULL)))
        return OWNER_GONE;
    return kube_is_deleting(&owner) && meta_has_finalizer(&owner, FINALIZER_FOREGROUND) ? OWNER_WAITING : OWNER_SOLID;
}

static void write_changed(const Request *request, Entry *entry, Value *object) {
    CHECK(do_write(request, entry, KUBE_OBJECT, WRITE_PATCH, object, NULL, NULL) == OK,
          "the garbage collector cannot write %.*s \"%.*s\"", SLICE_ARG(request->info->resource),
          SLICE_ARG(request->name));
}

// Removes the references whose owners are gone.
static void drop_references(const Request *request, Entry *entry, Value *object) {
    Value *references = value_find_text(value_find_text(object, "metadata"), "ownerReferences");

    for (uint32_t i = references->list.count; i-- > 0;) {
        if (judge_owner(request, &references->list.items[i]) != OWNER_SOLID)
            value_list_remove(references, i);
    }
    write_changed(request, entry, object);
}

static void unblock_references(const Request *request, Entry *entry, Value *object) {
    Value *references = value_find_text(value_find_text(object, "metadata"), "ownerReferences");

    for (vec_each(Value, reference, &references->list))
        value_remove_text(reference, "blockOwnerDeletion");
    write_changed(request, entry, object);
}

static bool is_deleting_dependents(const Request *request, const Entry *entry) {
    Value object = request_open(request, entry);

    return kube_is_deleting(&object) && meta_has_finalizer(&object, FINALIZER_FOREGROUND);
}

// Whether a dependent waits for its own dependents, which may include this object: then it must not block its owner.
static bool has_waiting_dependent(const Request *request, const Entry *entry) {
    for (const OwnerLink *link = store_dependents(request->store, entry->uid_hash); link;
         link = store_next_dependent(link)) {
        if (is_deleting_dependents(request, link->dependent))
            return true;
    }
    return false;
}

static void remove_collected(Request *request, const Value *object, KubePropagation propagation) {
    KubeDeletion deletion = {.uid = kube_uid(object), .propagation = propagation};

    do_remove(request, &deletion);
}

static void collect_dependent(Request *request, Entry *entry, Value *object) {
    const Value *references = value_at(object, "metadata", "ownerReferences", NULL);
    uint32_t states[OWNER_WAITING + 1] = {0};

    for (uint32_t i = 0; references && i < references->list.count; i++)
        states[judge_owner(request, &references->list.items[i])]++;
    if (!references || references->list.count == 0)
        return;
    if (states[OWNER_SOLID]) {
        if (states[OWNER_GONE] || states[OWNER_WAITING])
            drop_references(request, entry, object);
        return;
    }
    if (states[OWNER_WAITING] && store_dependents(request->store, entry->uid_hash)) {
        if (has_waiting_dependent(request, entry))
            unblock_references(request, entry, object);
        remove_collected(request, object, KUBE_PROPAGATION_FOREGROUND);
        return;
    }
    remove_collected(request, object,
                     meta_has_finalizer(object, FINALIZER_ORPHAN)       ? KUBE_PROPAGATION_ORPHAN
                     : meta_has_finalizer(object, FINALIZER_FOREGROUND) ? KUBE_PROPAGATION_FOREGROUND
                                                                        : KUBE_PROPAGATION_BACKGROUND);
}

// Whether a dependent blocks its owner's deletion until it is gone.
static bool blocks(const Request *request, const Entry *dependent, Slice owner_uid) {
    Value object = request_open(request, dependent);
    const Value *references = value_at(&object, "metadata", "ownerReferences", NULL);

    for (uint32_t i = 0; references && i < references->list.count; i++) {
        const Value *reference = &references->list.items[i], *block = value_get_text(reference, "blockOwnerDeletion");

        if (slice_eq(kube_text(reference, "uid", NULL), owner_uid) && block && block->kind == VALUE_BOOL &&
            block->boolean)
            return true;
    }
    return false;
}

// Finishes an owner in foreground deletion when its last blocking dependent is gone.
static void collect_owner(const Request *request, Entry *entry, Value *object) {
    for (const OwnerLink *link = store_dependents(request->store, entry->uid_hash); link;
         link = store_next_dependent(link)) {
        if (blocks(request, link->dependent, kube_uid(object)))
            return;
    }
    meta_set_finalizer(request->arena, object, FINALIZER_FOREGROUND, false);
    write_changed(request, entry, object);
}

static void collect_item(Request *request, Entry *entry) {
    Value object = request_open(request, entry);

    if (!kube_is_deleting(&object))
        collect_dependent(request, entry, &object);
    else if (meta_has_finalizer(&object, FINALIZER_FOREGROUND))
        collect_owner(request, entry, &object);
}

// Removes the references to a deleted owner from its dependents, then finishes the owner.

static void orphan_dependent(const Request *request, Entry *entry, Slice owner_uid) {
    Value object = request_open(request, entry);
    Value *references = value_find_text(value_find_text(&object, "metadata"), "ownerReferences");

    for (uint32_t i = references ? references->list.count : 0; i-- > 0;) {
        if (slice_eq(kube_text(&references->list.items[i], "uid", NULL), owner_uid))
            value_list_remove(references, i);
    }
    write_changed(request, entry, &object);
}

static void orphan_item(Request *request, Entry *entry) {
    Value object = request_open(request, entry);
    Vec(Entry *) dependents = {0};

    if (!meta_has_finalizer(&object, FINALIZER_ORPHAN))
        return;
    for (const OwnerLink *link = store_dependents(request->store, entry->uid_hash); link;
         link = store_next_dependent(link))
        vec_push(request->arena, &dependents, link->dependent);
    for (uint32_t i = 0; i < dependents.count; i++) {
        Entry *dependent = dependents.items[i];
        Request about =
            request_about(request, (KubeKind)dependent->kind, arena_slice(request->arena, entry_key(dependent)));

        orphan_dependent(&about, dependent, kube_uid(&object));
    }
    meta_set_finalizer(request->arena, &object, FINALIZER_ORPHAN, false);
    write_changed(request, entry, &object);
}

// Handles one object of a queue. Entries are looked up each time, since handling one may remove others. False: the
// queue is empty.
static bool work_one(ApiServer *server, UidQueue *queue, void (*work)(Request *request, Entry *entry)) {
    Request request = request_start(server, KUBE_POD, NULL);
    uint64_t uid_hash;
    bool any = uid_queue_take(queue, &uid_hash);
    Entry *entry = any ? store_find_uid(&server->store, uid_hash) : NULL;

    if (entry) {
        Request about = request_about(&request, (KubeKind)entry->kind, arena_slice(request.arena, entry_key(entry)));

        work(&about, entry);
    }
    request_end(&request);
    return any;
}

bool collect_garbage(ApiServer *server) {
    bool any = false;

    while (work_one(server, &server->orphans, orphan_item))
        any = true;
    while (work_one(server, &server->collect, collect_item))
        any = true;
    return any;
}
