// Start, end and failures of a call.
#include "sim/api/request.h"

#include "sim/api/uid_queue.h"
#include "text/duration.h"
#include "text/value_edit.h"

#include <stdarg.h>
#include <stdio.h>

Request request_start(ApiServer *server, KubeKind kind, KubeError *error) {
    CHECK(pthread_mutex_lock(&server->lock) == 0);
    if (error)
        *error = (KubeError){0};
    return (Request){.server = server,
                     .store = &server->store,
                     .arena = &server->scratch,
                     .kind = kind,
                     .info = kube_kind(kind),
                     .error = error};
}

void request_end(Request *request) {
    arena_free(request->arena);
    CHECK(pthread_mutex_unlock(&request->server->lock) == 0);
}

void request_name(Request *request, Slice ns, Slice name) {
    request->ns = request->info->namespaced ? ns : SLICE("");
    request->name = name;
    request->key = store_key(request->arena, request->ns, name);
}

Request request_about(const Request *request, KubeKind kind, Slice key) {
    Request about = *request;
    Slice ns = store_key_namespace(key);

    about.kind = kind;
    about.info = kube_kind(kind);
    about.ns = ns;
    about.name = ns.len ? slice_from(key, ns.len + 1) : key;
    about.key = key;
    return about;
}

Slice request_now(const Request *request) {
    const ApiSources *sources = &request->server->config.sources;

    return time_print(request->arena, sources->now_ns(sources->context));
}

Value request_open(const Request *request, const Entry *entry) {
    return packed_open(request->arena, &request->store->names, entry->packed, entry->packed->revision, true);
}

void request_answer(const Request *request, const Entry *entry, Arena *arena, Value *ret_object) {
    if (ret_object)
        *ret_object = packed_open(arena, &request->store->names, entry->packed, entry->packed->revision, false);
}

ErrCode request_find(const Request *request, Entry **ret_entry) {
    Entry *entry = store_find(request->store, request->kind, request->key);

    if (!entry)
        return fail_not_found(request);
    *ret_entry = entry;
    return OK;
}

// Failures.

ErrCode fail_not_found(const Request *request) {
    return kube_fail(request->error, KUBE_REASON_NOT_FOUND, "%.*s \"%.*s\" not found",
                     SLICE_ARG(request->info->resource), SLICE_ARG(request->name));
}

ErrCode fail_conflict(const Request *request, const char *why) {
    return kube_fail(request->error, KUBE_REASON_CONFLICT, "Operation cannot be fulfilled on %.*s \"%.*s\": %s",
                     SLICE_ARG(request->info->resource), SLICE_ARG(request->name), why);
}

// The etcd key, for messages: custom kinds are below their group.
static Slice storage_key(const Request *request) {
    const KubeKindInfo *info = request->info;

    if (info->custom)
        return arena_printf(request->arena, "/registry/%.*s/%.*s/%.*s", SLICE_ARG(info->group), SLICE_ARG(info->plural),
                            SLICE_ARG(request->key));
    return arena_printf(request->arena, "/registry/%.*s/%.*s", SLICE_ARG(info->plural), SLICE_ARG(request->key));
}

ErrCode fail_other_uid(const Request *request, Slice wanted, Slice uid) {
    return fail_conflict(request,
                         arena_printf(request->arena,
                                      "StorageError: invalid object, Code: 4, Key: %.*s, ResourceVersion: 0, "
                                      "AdditionalErrorMsg: Precondition failed: UID in precondition: %.*s, UID "
                                      "in object meta: %.*s",
                                      SLICE_ARG(storage_key(request)), SLICE_ARG(wanted), SLICE_ARG(uid))
                             .ptr);
}

ErrCode(fail_invalid)(const Request *request, const char *path, const char *format, ...) {
    char text[ERR_TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    kube_fail(request->error, KUBE_REASON_INVALID, "%.*s \"%.*s\" is invalid: %s%s%s",
              SLICE_ARG(request->info->group_kind), SLICE_ARG(request->name), path, path[0] ? ": " : "", text);
    if (request->error)
        snprintf(request->error->cause, sizeof request->error->cause, "%.*s", KUBE_CAUSE_MAX - 1, text);
    return ERR_INVALID;
}

ErrCode(fail_forbidden)(const Request *request, const char *format, ...) {
    char text[ERR_TEXT_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return kube_fail(request->error, KUBE_REASON_FORBIDDEN, "%.*s \"%.*s\" is forbidden: %s",
                     SLICE_ARG(request->info->resource), SLICE_ARG(request->name), text);
}

// Writing and removing, with the garbage collector's queues.

ErrCode request_write(const Request *request, Entry *entry, Value *object, Entry **ret_entry) {
    bool is_new = !entry;

    value_remove_text(value_find_text(object, "metadata"), "resourceVersion");
    entry = store_put(request->store, request->kind, entry, request->key, object);
    if (!entry)
        return kube_fail(request->error, KUBE_REASON_BAD_REQUEST, "%.*s \"%.*s\": nested deeper than %d levels",
                         SLICE_ARG(request->info->resource), SLICE_ARG(request->name), PACKED_DEPTH_MAX);
    if (is_new && entry->owner_count)
        uid_queue_add(&request->server->collect, entry->uid_hash);
    if (ret_entry)
        *ret_entry = entry;
    return OK;
}

void request_remove(const Request *request, Entry *entry) {
    UidQueue *collect = &request->server->collect;

    for (const OwnerLink *link = store_dependents(request->store, entry->uid_hash); link;
         link = store_next_dependent(link))
        uid_queue_add(collect, link->dependent->uid_hash);
    for (uint32_t i = 0; i < entry->owner_count; i++) {
        const Entry *owner = store_find_uid(request->store, entry->owners[i].owner_hash);
        Value deleted;

        if (owner && packed_part(request->arena, &request->store->names, owner->packed, &deleted, "metadata",
                                 "deletionTimestamp", NULL))
            uid_queue_add(collect, owner->uid_hash);
    }
    request->server->namespaces_waiting |= request->info->namespaced;
    store_remove(request->store, entry);
}
