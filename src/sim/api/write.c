// Updates and patches, by one function, whatever made the new state.
//
// Order of the checks as in k8s.io/apiserver v0.36, registry Store.Update and BeforeUpdate: preconditions, metadata,
// the part that is written, defaults, validation, generation; then the object is written, or nothing changed, or its
// last finalizer was removed and it is removed.
#include "sim/api/write.h"

#include "sim/api/create.h"
#include "sim/api/meta.h"
#include "sim/api/meta_validate.h"
#include "sim/api/request.h"
#include "sim/api/strategic.h"
#include "sim/api/uid_queue.h"

static ErrCode check_revision(const Request *request, const Entry *entry, const Value *next) {
    KubeRevision revision = kube_revision(next);

    if (revision == entry->packed->revision)
        return OK;
    if (revision)
        return fail_conflict(request, "the object has been modified; please apply your changes to the latest version "
                                      "and try again");
    if (kube_text(next, "metadata", "resourceVersion", NULL).len)
        return kube_fail(request->error, KUBE_REASON_BAD_REQUEST, "metadata.resourceVersion is not a number");
    if (rules_of(request->kind)->unconditional_update)
        return OK;
    return kube_fail(request->error, KUBE_REASON_INVALID,
                     "%.*s \"%.*s\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an "
                     "update",
                     SLICE_ARG(request->info->resource), SLICE_ARG(request->name));
}

// Refuses an update with another uid: it is about another object of that name. Patches fail on it later, as Invalid.
static ErrCode check_uid(const Request *request, const Value *next, const Value *old) {
    Slice wanted = kube_uid(next), uid = kube_uid(old);

    if (wanted.len == 0 || slice_eq(wanted, uid))
        return OK;
    return fail_other_uid(request, wanted, uid);
}

static void take(const Request *request, Value *next, const Value *from, const char *member) {
    const Value *value = value_get(from, slice_of(member));

    if (value)
        value_put(request->arena, next, slice_of(member), *value);
    else
        value_remove(next, slice_of(member));
}

// Keeps a pod's owners and QoS class, whatever a kubelet's status contains.
static void keep_pod_parts(const Request *request, Value *next, const Value *old) {
    const Value *owners = value_at(old, "metadata", "ownerReferences", NULL);
    Slice qos = kube_text(old, "status", "qosClass", NULL);

    if (owners)
        value_put(request->arena, meta_of(request->arena, next), SLICE("ownerReferences"), *owners);
    if (qos.len && !kube_text(next, "status", "qosClass", NULL).len)
        value_put(request->arena, value_make(request->arena, next, "status", NULL), SLICE("qosClass"),
                  value_string(qos));
}

// Keeps the status in a write of the object, and everything else in a write of the status. There custom kinds keep
// their metadata, which built-in kinds may change.
static void keep_other_part(const Request *request, KubePart part, Value *next, const Value *old) {
    Value status_only;

    if (!request->info->has_status)
        return;
    if (part == KUBE_OBJECT) {
        take(request, next, old, "status");
        if (request->kind == KUBE_NAMESPACE)
            take(request, next, old, "spec"); // its finalizers, which have a subresource of their own
        return;
    }
    status_only = value_copy_tree(request->arena, old);
    take(request, &status_only, next, "status");
    if (!request->info->custom)
        take(request, &status_only, next, "metadata");
    if (request->kind == KUBE_POD)
        keep_pod_parts(request, &status_only, old);
    *next = status_only;
}

// Whether the generation increases. Custom kinds: any change outside metadata and status; Deployments: annotations too.
static bool is_new_generation(const Request *request, const Value *next, const Value *old) {
    if (request->info->custom) {
        Value one = *next, other = *old;

        one.map.items = arena_copy(request->arena, one.map.items, one.map.count * sizeof(ValueMember));
        other.map.items = arena_copy(request->arena, other.map.items, other.map.count * sizeof(ValueMember));
        for (int i = 0; i < 2; i++) {
            value_remove(&one, i ? SLICE("status") : SLICE("metadata"));
            value_remove(&other, i ? SLICE("status") : SLICE("metadata"));
        }
        return !value_eq(&one, &other);
    }
    if (request->kind == KUBE_DEPLOYMENT &&
        !member_eq(value_get_text(next, "metadata"), value_get_text(old, "metadata"), "annotations"))
        return true;
    return !member_eq(next, old, "spec");
}

static void count_generation(const Request *request, Value *next, const Value *old) {
    if (rules_of(request->kind)->has_generation && is_new_generation(request, next, old))
        value_put(request->arena, meta_of(request->arena, next), SLICE("generation"),
                  value_int(request->arena, kube_generation(old) + 1));
}

static bool is_finished(const Value *next, const Value *old) {
    int64_t grace_s;

    return meta_finalizer_count(next) == 0 && kube_is_deleting(old) && (!meta_grace(old, &grace_s) || grace_s == 0);
}

// Whether something else holds the object: a namespace is removed when the namespace controller has emptied it.
static bool is_held_otherwise(const Request *request, const Value *next) {
    const Value *finalizers = value_at(next, "spec", "finalizers", NULL);

    return request->kind == KUBE_NAMESPACE && finalizers && finalizers->kind == VALUE_LIST &&
           finalizers->list.count > 0;
}

// Queues owners that may have waited for this reference, and the object itself when it may have lost its last one.
static void tell_collector(const Request *request, const Entry *entry, const Value *next, const Value *old) {
    if (member_eq(value_get_text(next, "metadata"), value_get_text(old, "metadata"), "ownerReferences"))
        return;
    for (uint32_t i = 0; i < entry->owner_count; i++)
        uid_queue_add(&request->server->collect, entry->owners[i].owner_hash);
    uid_queue_add(&request->server->collect, entry->uid_hash);
}

// Turns `next` into what would be written: checks, defaults and system fields.
static ErrCode prepare(const Request *request, KubePart part, Value *next, const Value *old) {
    const KindRules *rules = rules_of(request->kind);

    meta_drop_nulls(next, !request->info->custom);
    TRY(meta_check_types(request, next));
    keep_other_part(request, part, next, old);
    take(request, next, old, "apiVersion");
    take(request, next, old, "kind");
    TRY(meta_carry(request, next, old));
    meta_drop_empty(next);
    if (rules->defaults)
        rules->defaults(request, next);
    if (rules->validate)
        TRY(rules->validate(request, next, old));
    if (request->info->custom && part == KUBE_STATUS)
        TRY(conditions_validate(request, next));
    TRY(meta_validate(request, next, rules->name));
    if (part == KUBE_OBJECT)
        count_generation(request, next, old);
    return OK;
}

ErrCode do_write(const Request *request, Entry *entry, KubePart part, WriteVerb verb, Value *next, Arena *arena,
                 Value *ret_object) {
    Value old = request_open(request, entry);

    if (verb == WRITE_UPDATE)
        TRY(check_uid(request, next, &old));
    TRY(check_revision(request, entry, next));
    TRY(prepare(request, part, next, &old));
    tell_collector(request, entry, next, &old);
    if (is_finished(next, &old) && !is_held_otherwise(request, next)) {
        if (ret_object)
            *ret_object = value_copy(arena, next);
        request_remove(request, entry);
        return OK;
    }
    value_put(request->arena, meta_of(request->arena, next), SLICE("resourceVersion"),
              value_string(kube_text(&old, "metadata", "resourceVersion", NULL)));
    if (!value_eq(next, &old))
        TRY(request_write(request, entry, next, NULL));
    request_answer(request, entry, arena, ret_object);
    return OK;
}

static ErrCode check_part(const Request *request, KubePart part) {
    if (part == KUBE_STATUS && !request->info->has_status)
        return kube_fail(request->error, KUBE_REASON_NOT_FOUND, "the server could not find the requested resource");
    return OK;
}

ErrCode do_update(Request *request, KubePart part, const Value *object, Arena *arena, Value *ret_object) {
    Slice kind = kube_text(object, "kind", NULL), ns = kube_namespace(object);
    Entry *entry;
    Value next;

    TRY(check_part(request, part));
    TRY(meta_check_types(request, object));
    if (kind.len && !slice_eq(kind, request->info->kind))
        return kube_fail(request->error, KUBE_REASON_BAD_REQUEST, "the object provided is a %.*s, not a %.*s",
                         SLICE_ARG(kind), SLICE_ARG(request->info->kind));
    request_name(request, ns.len ? ns : SLICE("default"), kube_name(object));
    entry = store_find(request->store, request->kind, request->key);
    if (!entry && part == KUBE_OBJECT && rules_of(request->kind)->create_on_update) {
        TRY(do_create(request, object, &entry));
        request_answer(request, entry, arena, ret_object);
        return OK;
    }
    TRY(request_find(request, &entry));
    next = value_copy_tree(request->arena, object);
    return do_write(request, entry, part, WRITE_UPDATE, &next, arena, ret_object);
}

ErrCode do_patch(Request *request, KubePart part, const KubePatch *patch, Arena *arena, Value *ret_object) {
    Entry *entry;
    Value next;

    TRY(check_part(request, part));
    if (patch->body->kind != VALUE_MAP)
        return kube_fail(request->error, KUBE_REASON_BAD_REQUEST, "a patch must be a map, got a %s",
                         value_kind_text(patch->body->kind));
    if (patch->type == KUBE_PATCH_STRATEGIC && request->info->custom)
        return kube_fail(request->error, KUBE_REASON_UNSUPPORTED_MEDIA_TYPE,
                         "the body of the request was in an unknown format - accepted media types include: "
                         "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
    TRY(request_find(request, &entry));
    next = request_open(request, entry);
    if (patch->type == KUBE_PATCH_MERGE)
        value_merge_patch(request->arena, &next, patch->body);
    else
        TRY(strategic_merge_patch(request, &next, patch->body));
    return do_write(request, entry, part, WRITE_PATCH, &next, arena, ret_object);
}
