// The table of kube/kube.h over the embedded server: lock, build the key, call, unlock.
#include "sim/api/collect.h"
#include "sim/api/create.h"
#include "sim/api/evict.h"
#include "sim/api/list.h"
#include "sim/api/meta.h"
#include "sim/api/namespaces.h"
#include "sim/api/remove.h"
#include "sim/api/request.h"
#include "sim/api/watch.h"
#include "sim/api/write.h"

// Refuses names that cannot be part of a URL.
static ErrCode check_ref(const Request *request) {
    if (request->name.len == 0 || (request->info->namespaced && request->ns.len == 0))
        return kube_fail(request->error, KUBE_REASON_BAD_REQUEST, "%.*s: name and namespace may not be empty",
                         SLICE_ARG(request->info->resource));
    return OK;
}

static Request start(void *self, KubeRef ref, KubeError *error) {
    Request request = request_start(self, ref.kind, error);

    request_name(&request, ref.ns, ref.name);
    return request;
}

static ErrCode api_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    Request request = start(self, ref, error);
    Entry *entry;
    ErrCode code = check_ref(&request);

    if (code == OK)
        code = request_find(&request, &entry);
    if (code == OK)
        request_answer(&request, entry, arena, ret_object);
    request_end(&request);
    return code;
}

static ErrCode api_list(void *self, Arena *arena, const KubeListRequest *list, KubeList *ret_list, KubeError *error) {
    Request request = request_start(self, list->kind, error);
    ErrCode code = do_list(&request, arena, list, ret_list);

    request_end(&request);
    return code;
}

static ErrCode api_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                          Value *ret_object, KubeError *error) {
    Request request = request_start(self, kind, error);
    Entry *entry;
    ErrCode code;

    (void)manager;
    code = do_create(&request, object, &entry);
    if (code == OK)
        request_answer(&request, entry, arena, ret_object);
    request_end(&request);
    return code;
}

static ErrCode api_update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                          Value *ret_object, KubeError *error) {
    Request request = request_start(self, kind, error);
    ErrCode code;

    (void)manager;
    code = do_update(&request, part, object, arena, ret_object);
    request_end(&request);
    return code;
}

static ErrCode api_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                         Value *ret_object, KubeError *error) {
    Request request = start(self, ref, error);
    ErrCode code = check_ref(&request);

    (void)manager;
    if (code == OK)
        code = do_patch(&request, part, patch, arena, ret_object);
    request_end(&request);
    return code;
}

static ErrCode api_remove(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error) {
    Request request = start(self, ref, error);
    ErrCode code = check_ref(&request);

    if (code == OK)
        code = do_remove(&request, deletion ? deletion : &(KubeDeletion){0});
    request_end(&request);
    return code;
}

static ErrCode api_evict(void *self, KubeRef pod, const KubeDeletion *deletion, KubeError *error) {
    Request request;
    ErrCode code;

    CHECK(pod.kind == KUBE_POD, "only pods are evicted");
    request = start(self, pod, error);
    code = check_ref(&request);
    if (code == OK)
        code = do_evict(&request, deletion ? deletion : &(KubeDeletion){0});
    request_end(&request);
    return code;
}

static ErrCode api_bind(void *self, KubeRef pod, Slice uid, Slice node, KubeError *error) {
    Request request;
    ErrCode code;

    CHECK(pod.kind == KUBE_POD, "only pods are bound");
    request = start(self, pod, error);
    code = check_ref(&request);
    if (code == OK)
        code = do_bind(&request, uid, node);
    request_end(&request);
    return code;
}

static ErrCode api_watch(void *self, const KubeWatchRequest *watch, KubeSink sink, KubeWatch **ret_watch,
                         KubeError *error) {
    Request request = request_start(self, watch->kind, error);
    ErrCode code = do_watch(&request, watch, sink, ret_watch);

    request_end(&request);
    return code;
}

static void api_unwatch(void *self, KubeWatch *watch) {
    Request request = request_start(self, KUBE_POD, NULL);

    do_unwatch(&request, watch);
    request_end(&request);
}

static bool api_now(void *self, int64_t *ret_wall_ns) {
    const ApiSources *sources = &((ApiServer *)self)->config.sources;

    *ret_wall_ns = sources->now_ns(sources->context);
    return true;
}

Kube api_kube(ApiServer *server) {
    static const KubeTable table = {
        .get = api_get,
        .list = api_list,
        .create = api_create,
        .update = api_update,
        .patch = api_patch,
        .remove = api_remove,
        .evict = api_evict,
        .bind = api_bind,
        .watch = api_watch,
        .unwatch = api_unwatch,
        .now = api_now,
    };

    return (Kube){&table, server};
}

bool api_collect(ApiServer *server) {
    bool any = collect_garbage(server);

    return empty_namespaces(server) || any;
}

bool api_step(ApiServer *server) {
    bool any = api_collect(server);

    return api_tell_watches(server) || any;
}
