// Deletion: preconditions, grace period, finalizers, and work for the garbage collector.
//
// Behaviour: k8s.io/apiserver v0.36 registry Store.Delete and rest.BeforeDelete, the pods' CheckGracefulDelete, the
// namespaces' own storage.
#include "sim/api/remove.h"

#include "sim/api/meta.h"
#include "sim/api/request.h"
#include "sim/api/uid_queue.h"
#include "text/duration.h"

#include <inttypes.h>

// What the deletion does now.
typedef enum {
    DELETE_PENDING, // being deleted already, and not sooner because of this
    DELETE_PLAIN,   // no grace period: removed when nothing holds it
    DELETE_GRACEFUL // deletionTimestamp set; removed at once when that is now
} DeleteWay;

static ErrCode fail_precondition(const Request *request, const char *what, Slice wanted, Slice is, const char *why) {
    return kube_fail(request->error, KUBE_REASON_CONFLICT,
                     "Operation cannot be fulfilled on %.*s \"%.*s\": the %s in the precondition (%.*s) does not match "
                     "the %s in record (%.*s). The object might have been %s",
                     SLICE_ARG(request->info->group_kind), SLICE_ARG(request->name), what, SLICE_ARG(wanted), what,
                     SLICE_ARG(is), why);
}

static ErrCode check_preconditions(const Request *request, const Entry *entry, const Value *object,
                                   const KubeDeletion *deletion) {
    if (deletion->uid.len && !slice_eq(deletion->uid, kube_uid(object)))
        return fail_precondition(request, "UID", deletion->uid, kube_uid(object), "deleted and then recreated");
    if (deletion->revision && deletion->revision != entry->packed->revision)
        return fail_precondition(request, "ResourceVersion",
                                 arena_printf(request->arena, "%" PRIu64, deletion->revision),
                                 arena_printf(request->arena, "%" PRIu64, entry->packed->revision), "modified");
    return OK;
}

static int64_t now_ns(const Request *request) {
    const ApiSources *sources = &request->server->config.sources;

    return sources->now_ns(sources->context);
}

static void set_deletion(const Request *request, Value *object, int64_t at_ns, int64_t grace_s) {
    Value *meta = meta_of(request->arena, object);

    value_put(request->arena, meta, SLICE("deletionTimestamp"), value_string(time_print(request->arena, at_ns)));
    value_put(request->arena, meta, SLICE("deletionGracePeriodSeconds"), value_int(request->arena, grace_s));
}

static void count_generation(const Request *request, Value *object) {
    if (kube_generation(object) > 0)
        value_put(request->arena, meta_of(request->arena, object), SLICE("generation"),
                  value_int(request->arena, kube_generation(object) + 1));
}

// Grace period of a pod: as requested, else its own; 0 when no kubelet has it or it is terminal.
static int64_t grace_of_pod(const Value *pod, const KubeDeletion *deletion) {
    Slice phase = kube_text(pod, "status", "phase", NULL);
    int64_t grace_s = 0;

    if (deletion->has_grace)
        grace_s = deletion->grace_s;
    else
        value_to_int64(value_at(pod, "spec", "terminationGracePeriodSeconds", NULL), &grace_s);
    if (kube_text(pod, "spec", "nodeName", NULL).len == 0 || slice_eq_text(phase, "Failed") ||
        slice_eq_text(phase, "Succeeded"))
        return 0;
    return grace_s < 0 ? 1 : grace_s;
}

// A second deletion may only shorten the grace period of the first one.
static DeleteWay shorten(const Request *request, Value *object, const KubeDeletion *deletion) {
    int64_t grace_s, wanted_s = deletion->grace_s < 0 ? 1 : deletion->grace_s, at_ns, now = now_ns(request);

    if (!meta_grace(object, &grace_s) || grace_s == 0)
        return DELETE_PLAIN;
    if (!deletion->has_grace || wanted_s >= grace_s ||
        time_parse(kube_text(object, "metadata", "deletionTimestamp", NULL), &at_ns, NULL) != OK)
        return DELETE_PENDING;
    at_ns += (wanted_s - grace_s) * NS_PER_S;
    if (at_ns < now) {
        at_ns = now;
        wanted_s = wanted_s ? 1 : 0;
    }
    set_deletion(request, object, at_ns, wanted_s);
    return DELETE_GRACEFUL;
}

// Decides how to delete; only pods have a grace period.
static DeleteWay before_delete(const Request *request, Value *object, const KubeDeletion *deletion) {
    int64_t grace_s;

    if (request->kind != KUBE_POD)
        return DELETE_PLAIN;
    if (kube_is_deleting(object))
        return shorten(request, object, deletion);
    grace_s = grace_of_pod(object, deletion);
    set_deletion(request, object, now_ns(request) + grace_s * NS_PER_S, grace_s);
    count_generation(request, object);
    return DELETE_GRACEFUL;
}

// Sets the finalizers by which the object waits for its dependents: as requested, else as present, else by the kind's
// default.
static bool set_collector_finalizers(const Request *request, Value *object, const KubeDeletion *deletion) {
    bool orphan = meta_has_finalizer(object, FINALIZER_ORPHAN);
    bool foreground = meta_has_finalizer(object, FINALIZER_FOREGROUND), changed;

    switch (deletion->propagation) {
    case KUBE_PROPAGATION_DEFAULT:
        orphan |= !foreground && rules_of(request->kind)->orphans_by_default;
        break;
    case KUBE_PROPAGATION_BACKGROUND:
    case KUBE_PROPAGATION_FOREGROUND:
    case KUBE_PROPAGATION_ORPHAN:
        orphan = deletion->propagation == KUBE_PROPAGATION_ORPHAN;
        foreground = deletion->propagation == KUBE_PROPAGATION_FOREGROUND;
    }
    changed = meta_set_finalizer(request->arena, object, FINALIZER_ORPHAN, orphan);
    return meta_set_finalizer(request->arena, object, FINALIZER_FOREGROUND, foreground) || changed;
}

static void mark_as_deleting(const Request *request, Value *object) {
    int64_t now = now_ns(request), at_ns;

    if (!kube_is_deleting(object))
        count_generation(request, object);
    if (time_parse(kube_text(object, "metadata", "deletionTimestamp", NULL), &at_ns, NULL) != OK || at_ns > now)
        at_ns = now;
    set_deletion(request, object, at_ns, 0);
}

static void tell_collector(const Request *request, const Entry *entry, const Value *object) {
    UidQueue *collect = &request->server->collect;

    if (meta_has_finalizer(object, FINALIZER_ORPHAN))
        uid_queue_add(&request->server->orphans, entry->uid_hash);
    if (!meta_has_finalizer(object, FINALIZER_FOREGROUND))
        return;
    uid_queue_add(collect, entry->uid_hash);
    for (const OwnerLink *link = store_dependents(request->store, entry->uid_hash); link;
         link = store_next_dependent(link))
        uid_queue_add(collect, link->dependent->uid_hash);
}

// Writes the object with its deletionTimestamp; an unchanged one is not written.
static ErrCode write_marked(const Request *request, Entry *entry, Value *object) {
    Value before = request_open(request, entry);

    if (!value_eq(&before, object))
        TRY(request_write(request, entry, object, NULL));
    tell_collector(request, entry, object);
    return OK;
}

static ErrCode remove_generic(const Request *request, Entry *entry, const KubeDeletion *deletion) {
    Value object = request_open(request, entry);
    bool held_before = meta_finalizer_count(&object) > 0, held;
    int64_t grace_s = 0;
    DeleteWay way;

    TRY(check_preconditions(request, entry, &object, deletion));
    way = before_delete(request, &object, deletion);
    if (way == DELETE_PENDING)
        return OK;
    if (set_collector_finalizers(request, &object, deletion) || held_before || way == DELETE_GRACEFUL) {
        held = meta_finalizer_count(&object) > 0;
        if (way == DELETE_PLAIN && held)
            mark_as_deleting(request, &object);
        meta_grace(&object, &grace_s);
        if (way == DELETE_GRACEFUL || held)
            TRY(write_marked(request, entry, &object));
        if (held || (way == DELETE_GRACEFUL && grace_s > 0))
            return OK;
    }
    request_remove(request, entry);
    return OK;
}

// A namespace first becomes Terminating; the namespace controller removes its finalizer in the end.
static ErrCode remove_namespace(const Request *request, Entry *entry, const KubeDeletion *deletion) {
    static const char *const immortal[] = {"default", "kube-public", "kube-system"};
    Value object = request_open(request, entry);
    const Value *finalizers = value_at(&object, "spec", "finalizers", NULL);

    for (size_t i = 0; i < sizeof immortal / sizeof *immortal; i++) {
        if (slice_eq_text(request->name, immortal[i]))
            return fail_forbidden(request, "this namespace may not be deleted");
    }
    TRY(check_preconditions(request, entry, &object, deletion));
    if (!kube_is_deleting(&object)) {
        value_put(request->arena, meta_of(request->arena, &object), SLICE("deletionTimestamp"),
                  value_string(request_now(request)));
        value_put(request->arena, value_make(request->arena, &object, "status", NULL), SLICE("phase"),
                  value_string(SLICE("Terminating")));
        request->server->namespaces_waiting = true;
        return request_write(request, entry, &object, NULL);
    }
    if (finalizers && finalizers->kind == VALUE_LIST && finalizers->list.count)
        return OK;
    return remove_generic(request, entry, deletion);
}

ErrCode do_remove(Request *request, const KubeDeletion *deletion) {
    Entry *entry;

    TRY(request_find(request, &entry));
    if (request->kind == KUBE_NAMESPACE)
        return remove_namespace(request, entry, deletion);
    return remove_generic(request, entry, deletion);
}
