// Creation: names, system metadata, defaults, first status.
//
// The order of the checks is that of k8s.io/apiserver v0.36: the namespace's life cycle first, then the object.
#include "sim/api/create.h"

#include "sim/api/meta.h"
#include "sim/api/meta_validate.h"
#include "sim/api/request.h"

#include <stdio.h>

enum { SUFFIX_LEN = 5, GENERATED_NAME_MAX = 63, NAME_TRIES = 8 };

static uint64_t random_number(const Request *request) {
    const ApiSources *sources = &request->server->config.sources;

    return sources->random(sources->context);
}

// A version 4 UUID.
static Slice make_uid(const Request *request) {
    uint64_t high = random_number(request), low = random_number(request);

    return arena_printf(request->arena, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(high >> 32),
                        (unsigned)(high >> 16 & 0xffff), (unsigned)(high & 0xfff),
                        (unsigned)(low >> 48 & 0x3fff) | 0x8000, (unsigned long long)(low & 0xffffffffffff));
}

// generateName and five letters that form no words, cut as by k8s.io/apiserver.
static Slice make_name(const Request *request, Slice base) {
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    uint64_t number = random_number(request);
    char suffix[SUFFIX_LEN + 1] = {0};

    for (int i = 0; i < SUFFIX_LEN; i++) {
        suffix[i] = letters[number % (sizeof letters - 1)];
        number /= sizeof letters - 1;
    }
    return arena_printf(request->arena, "%.*s%s", SLICE_ARG(slice_first(base, GENERATED_NAME_MAX - SUFFIX_LEN)),
                        suffix);
}

static ErrCode check_namespace(const Request *request) {
    Request about = request_about(request, KUBE_NAMESPACE, request->ns);
    Entry *entry;
    Value deleted;

    TRY(request_find(&about, &entry));
    if (packed_part(request->arena, &request->store->names, entry->packed, &deleted, "metadata", "deletionTimestamp",
                    NULL)) {
        fail_forbidden(request, "unable to create new content in namespace %.*s because it is being terminated",
                       SLICE_ARG(request->ns));
        if (request->error)
            snprintf(request->error->cause, sizeof request->error->cause, "namespace %.*s is being terminated",
                     SLICE_ARG(request->ns));
        return ERR_DENIED;
    }
    return OK;
}

// Checks apiVersion and kind, if given, against the request, and puts them first.
static ErrCode set_type(const Request *request, Value *object) {
    Slice kind = kube_text(object, "kind", NULL), version = kube_text(object, "apiVersion", NULL);
    Value typed = value_map();

    if ((kind.len && !slice_eq(kind, request->info->kind)) ||
        (version.len && !slice_eq(version, request->info->api_version)))
        return kube_fail(request->error, KUBE_REASON_BAD_REQUEST,
                         "%.*s in version \"%.*s\" cannot be handled as a %.*s", SLICE_ARG(kind), SLICE_ARG(version),
                         SLICE_ARG(request->info->kind));
    if (kind.len && version.len)
        return OK;
    value_put(request->arena, &typed, SLICE("apiVersion"), value_string(request->info->api_version));
    value_put(request->arena, &typed, SLICE("kind"), value_string(request->info->kind));
    for (vec_each(ValueMember, member, &object->map))
        value_put(request->arena, &typed, member->key, member->value);
    *object = typed;
    return OK;
}

static ErrCode settle_namespace(Request *request, Value *meta) {
    Slice ns = kube_text(meta, "namespace", NULL);

    if (!request->info->namespaced && ns.len)
        return kube_fail(request->error, KUBE_REASON_BAD_REQUEST,
                         "the namespace of the provided object does not match the namespace sent on the request");
    if (!request->info->namespaced) {
        value_remove_text(meta, "namespace");
        return OK;
    }
    request->ns = ns.len ? ns : SLICE("default");
    value_put(request->arena, meta, SLICE("namespace"), value_string(request->ns));
    return check_namespace(request);
}

// Sets the fields that only the server sets.
static void set_system_fields(const Request *request, Value *meta) {
    static const char *const others[] = {"resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds",
                                         "generation", "selfLink"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        value_remove(meta, slice_of(others[i]));
    value_put(request->arena, meta, SLICE("uid"), value_string(make_uid(request)));
    value_put(request->arena, meta, SLICE("creationTimestamp"), value_string(request_now(request)));
    if (rules_of(request->kind)->has_generation)
        value_put(request->arena, meta, SLICE("generation"), value_int(request->arena, 1));
}

// Sets the name; a generated name that is taken is drawn again a few times.
static ErrCode settle_name(Request *request, Value *meta) {
    Slice base = kube_text(meta, "generateName", NULL), name = kube_text(meta, "name", NULL);
    const Entry *taken;
    Value deleted;

    for (int tries = 0; tries < NAME_TRIES; tries++) {
        request_name(request, request->ns, name.len || !base.len ? name : make_name(request, base));
        taken = store_find(request->store, request->kind, request->key);
        if (!taken || name.len)
            break;
    }
    value_put(request->arena, meta, SLICE("name"), value_string(request->name));
    if (!taken)
        return OK;
    if (!name.len)
        return kube_fail(
            request->error, KUBE_REASON_ALREADY_EXISTS,
            "%.*s \"%.*s\" already exists, the server was not able to generate a unique name for the object",
            SLICE_ARG(request->info->resource), SLICE_ARG(request->name));
    return kube_fail(request->error, KUBE_REASON_ALREADY_EXISTS, "%s%.*s \"%.*s\" already exists",
                     packed_part(request->arena, &request->store->names, taken->packed, &deleted, "metadata",
                                 "deletionTimestamp", NULL)
                         ? "object is being deleted: "
                         : "",
                     SLICE_ARG(request->info->resource), SLICE_ARG(request->name));
}

// A copy of the given object with its type and namespace.
static ErrCode take(Request *request, const Value *object, Value *ret_next) {
    Value next;

    TRY(meta_check_types(request, object));
    next = value_copy_tree(request->arena, object);
    meta_drop_nulls(&next, !request->info->custom);
    TRY(set_type(request, &next));
    if (kube_revision(&next))
        return kube_fail(request->error, KUBE_REASON_UNKNOWN,
                         "resourceVersion should not be set on objects to be created");
    TRY(settle_namespace(request, meta_of(request->arena, &next)));
    *ret_next = next;
    return OK;
}

static void fill_in(const Request *request, Value *next) {
    const KindRules *rules = rules_of(request->kind);

    if (request->info->has_status && !rules->status_on_create)
        value_remove_text(next, "status");
    if (rules->defaults)
        rules->defaults(request, next);
    if (rules->prepare)
        rules->prepare(request, next);
}

// Errors of the object are reported before a conflict of names.
ErrCode do_create(Request *request, const Value *object, Entry **ret_entry) {
    const KindRules *rules = rules_of(request->kind);
    ErrCode name_free;
    Value next;

    TRY(take(request, object, &next));
    set_system_fields(request, meta_of(request->arena, &next));
    value_remove_text(meta_of(request->arena, &next), "managedFields");
    meta_drop_empty(&next);
    name_free = settle_name(request, meta_of(request->arena, &next));
    fill_in(request, &next);
    if (rules->validate)
        TRY(rules->validate(request, &next, NULL));
    TRY(meta_validate(request, &next, rules->name));
    TRY(name_free);
    return request_write(request, NULL, &next, ret_entry);
}
