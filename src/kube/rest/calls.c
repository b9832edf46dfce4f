// The calls of the table that are one request and one answer.
#include "base/check.h"
#include "kube/rest/answer.h"
#include "kube/rest/list.h"
#include "kube/rest/request.h"
#include "kube/rest/url.h"
#include "kube/rest/watch.h"

#include <inttypes.h>

// The object with its apiVersion and kind, which callers need not set.
static Value with_type(Arena *arena, KubeKind kind, const Value *object) {
    const KubeKindInfo *info = kube_kind(kind);
    Value copy = value_map();

    if (object->kind != VALUE_MAP)
        return *object;
    for (vec_each(const ValueMember, member, &object->map))
        vec_push(arena, &copy.map, *member);
    if (!value_get_text(object, "apiVersion"))
        value_put(arena, &copy, SLICE("apiVersion"), value_string(info->api_version));
    if (!value_get_text(object, "kind"))
        value_put(arena, &copy, SLICE("kind"), value_string(info->kind));
    return copy;
}

static Slice namespace_of(KubeKind kind, Slice ns) {
    return kube_kind(kind)->namespaced && !ns.len ? SLICE("default") : ns;
}

// Makes the call and parses its answer if the caller wants it. Frees the URL.
static ErrCode finish(KubeRest *rest, RestCall *call, Arena *arena, Value *ret_object, KubeError *error) {
    HttpReply reply = {0};
    size_t charged = 0;
    ErrCode code;

    call->timeout_ns = rest->options.call_timeout_ns;
    call->answer_bytes_max = rest->options.answer_bytes_max;
    code = rest_do(rest, call, &reply, error);
    if (code == OK && ret_object)
        code = rest_read_within(rest, arena, buffer_slice(&reply.body), ret_object, &charged, error);
    memory_budget_give(&rest->budget, charged);
    http_reply_free(&reply);
    buffer_free(&call->url);
    return code;
}

static ErrCode rest_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    KubeRest *rest = self;
    RestCall call = {.verb = "get", .method = "GET", .kind = ref.kind};

    rest_url(rest, &call.url, ref.kind, namespace_of(ref.kind, ref.ns), ref.name, NULL);
    return finish(rest, &call, arena, ret_object, error);
}

ErrCode kube_rest_ask(KubeRest *rest, Arena *arena, Slice path, const Value *question, Value *ret_answer,
                      KubeError *error) {
    RestCall call = {.verb = "create", .method = "POST", .content_type = "application/json", .body = question};

    buffer_append(&call.url, rest->config.server);
    buffer_append(&call.url, path);
    return finish(rest, &call, arena, ret_answer, error);
}

// Common part of all writes: the body in a scratch arena, and the field manager.
static ErrCode write_object(KubeRest *rest, RestCall *call, Slice manager, Arena *arena, Value *ret_object,
                            KubeError *error) {
    url_add_query(&call->url, "fieldManager", manager);
    return finish(rest, call, arena, ret_object, error);
}

// Checks that the answer is the created object. Only a server that stores it returns it: a proxy in between may answer
// 200 as well.
static ErrCode check_made(KubeKind kind, const Value *object, const Value *made, KubeError *error) {
    Slice name = kube_name(object), made_name = kube_name(made);

    if (made_name.len && kube_uid(made).len && (!name.len || slice_eq(name, made_name)))
        return OK;
    if (!name.len)
        name = kube_text(object, "metadata", "generateName", NULL);
    return rest_fail(error, ERR_IO, "the answer to creating %.*s %.*s is not that object, so it does not count as made",
                     SLICE_ARG(kube_kind(kind)->kind), SLICE_ARG(name));
}

static ErrCode rest_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                           Value *ret_object, KubeError *error) {
    Arena scratch = {0};
    Value body = with_type(&scratch, kind, object);
    RestCall call = {
        .verb = "create", .method = "POST", .kind = kind, .content_type = "application/json", .body = &body};
    Value made;
    ErrCode code;

    rest_url(self, &call.url, kind, namespace_of(kind, kube_namespace(object)), SLICE(""), NULL);
    code = write_object(self, &call, manager, arena ? arena : &scratch, &made, error);
    if (code == OK)
        code = check_made(kind, object, &made, error);
    if (code == OK && ret_object)
        *ret_object = made;
    arena_free(&scratch);
    return code;
}

static const char *subresource_of(KubePart part) {
    return part == KUBE_STATUS ? "status" : NULL;
}

static ErrCode rest_update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                           Value *ret_object, KubeError *error) {
    Arena scratch = {0};
    Value body = with_type(&scratch, kind, object);
    RestCall call = {
        .verb = "update", .method = "PUT", .kind = kind, .content_type = "application/json", .body = &body};
    ErrCode code;

    if (!kube_name(object).len)
        return kube_fail(error, KUBE_REASON_BAD_REQUEST, "metadata.name: required to update an object");
    rest_url(self, &call.url, kind, namespace_of(kind, kube_namespace(object)), kube_name(object),
             subresource_of(part));
    code = write_object(self, &call, manager, arena, ret_object, error);
    arena_free(&scratch);
    return code;
}

static ErrCode rest_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                          Value *ret_object, KubeError *error) {
    static const char *const types[] = {
        [KUBE_PATCH_MERGE] = "application/merge-patch+json",
        [KUBE_PATCH_STRATEGIC] = "application/strategic-merge-patch+json",
    };
    RestCall call = {
        .verb = "patch", .method = "PATCH", .kind = ref.kind, .content_type = types[patch->type], .body = patch->body};

    rest_url(self, &call.url, ref.kind, namespace_of(ref.kind, ref.ns), ref.name, subresource_of(part));
    return write_object(self, &call, manager, arena, ret_object, error);
}

static Value delete_options(Arena *arena, const KubeDeletion *deletion) {
    static const char *const policies[] = {[KUBE_PROPAGATION_DEFAULT] = NULL,
                                           [KUBE_PROPAGATION_BACKGROUND] = "Background",
                                           [KUBE_PROPAGATION_FOREGROUND] = "Foreground",
                                           [KUBE_PROPAGATION_ORPHAN] = "Orphan"};
    Value options = value_map(), conditions = value_map();

    value_put(arena, &options, SLICE("kind"), value_string(SLICE("DeleteOptions")));
    value_put(arena, &options, SLICE("apiVersion"), value_string(SLICE("v1")));
    if (!deletion)
        return options;
    if (deletion->uid.len)
        value_put(arena, &conditions, SLICE("uid"), value_string(deletion->uid));
    if (deletion->revision)
        value_put(arena, &conditions, SLICE("resourceVersion"),
                  value_string(arena_printf(arena, "%" PRIu64, deletion->revision)));
    if (conditions.map.count)
        value_put(arena, &options, SLICE("preconditions"), conditions);
    if (deletion->has_grace)
        value_put(arena, &options, SLICE("gracePeriodSeconds"), value_int(arena, deletion->grace_s));
    if (policies[deletion->propagation])
        value_put(arena, &options, SLICE("propagationPolicy"), value_string(slice_of(policies[deletion->propagation])));
    return options;
}

static ErrCode rest_remove(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error) {
    Arena scratch = {0};
    Value body = delete_options(&scratch, deletion);
    RestCall call = {
        .verb = "delete", .method = "DELETE", .kind = ref.kind, .content_type = "application/json", .body = &body};
    ErrCode code;

    rest_url(self, &call.url, ref.kind, namespace_of(ref.kind, ref.ns), ref.name, NULL);
    code = finish(self, &call, NULL, NULL, error);
    arena_free(&scratch);
    return code;
}

// POSTs to a subresource of a pod.
static ErrCode post_to_pod(KubeRest *rest, KubeRef pod, const char *subresource, const Value *body, KubeError *error) {
    RestCall call = {.verb = "create",
                     .method = "POST",
                     .kind = KUBE_POD,
                     .content_type = "application/json",
                     .body = body,
                     .impatient = true};

    rest_url(rest, &call.url, KUBE_POD, namespace_of(KUBE_POD, pod.ns), pod.name, subresource);
    return finish(rest, &call, NULL, NULL, error);
}

// An object like Eviction or Binding: its type and the pod's name.
static Value about_pod(Arena *arena, const char *api_version, const char *kind, KubeRef pod) {
    Value object = value_map(), metadata = value_map();

    value_put(arena, &object, SLICE("apiVersion"), value_string(slice_of(api_version)));
    value_put(arena, &object, SLICE("kind"), value_string(slice_of(kind)));
    value_put(arena, &metadata, SLICE("name"), value_string(pod.name));
    value_put(arena, &metadata, SLICE("namespace"), value_string(namespace_of(KUBE_POD, pod.ns)));
    value_put(arena, &object, SLICE("metadata"), metadata);
    return object;
}

static ErrCode rest_evict(void *self, KubeRef pod, const KubeDeletion *deletion, KubeError *error) {
    Arena scratch = {0};
    Value body = about_pod(&scratch, "policy/v1", "Eviction", pod);
    ErrCode code;

    value_put(&scratch, &body, SLICE("deleteOptions"), delete_options(&scratch, deletion));
    code = post_to_pod(self, pod, "eviction", &body, error);
    arena_free(&scratch);
    return code;
}

static ErrCode rest_bind(void *self, KubeRef pod, Slice uid, Slice node, KubeError *error) {
    Arena scratch = {0};
    Value body = about_pod(&scratch, "v1", "Binding", pod), target = value_map();
    ErrCode code;

    if (uid.len)
        value_put(&scratch, &vec_last(&body.map)->value, SLICE("uid"), value_string(uid));
    value_put(&scratch, &target, SLICE("apiVersion"), value_string(SLICE("v1")));
    value_put(&scratch, &target, SLICE("kind"), value_string(SLICE("Node")));
    value_put(&scratch, &target, SLICE("name"), value_string(node));
    value_put(&scratch, &body, SLICE("target"), target);
    code = post_to_pod(self, pod, "binding", &body, error);
    arena_free(&scratch);
    return code;
}

const KubeTable rest_table = {
    .get = rest_get,
    .list = rest_list,
    .create = rest_create,
    .update = rest_update,
    .patch = rest_patch,
    .remove = rest_remove,
    .evict = rest_evict,
    .bind = rest_bind,
    .watch = rest_watch,
    .unwatch = rest_unwatch,
    .now = rest_now,
};
