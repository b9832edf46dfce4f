#include "obs/meter.h"

#include <stdio.h>

// A call under way.
typedef struct {
    KubeMeter *meter;
    const char *method, *verb, *subresource;
    KubeKind kind;
    int success; // HTTP code of success
    Mono since;
} Call;

static Call begin(void *self, const char *method, const char *verb, const char *subresource, KubeKind kind) {
    KubeMeter *meter = self;

    return (Call){.meter = meter,
                  .method = method,
                  .verb = verb,
                  .subresource = subresource,
                  .kind = kind,
                  .success = strcmp(verb, "CREATE") == 0 ? 201 : 200,
                  .since = meter->now(meter->clock)};
}

// Counts the call; code "<error>" when the API server did not answer, as in client-go.
static ErrCode end(const Call *call, ErrCode code, const KubeError *error) {
    const KubeKindInfo *kind = kube_kind(call->kind);
    KubeMeter *meter = call->meter;
    Mono now = meter->now(meter->clock);
    int http = code == OK ? call->success : kube_reason_http_code(error->reason);
    char text[16];

    snprintf(text, sizeof text, http ? "%d" : "<error>", http);
    registry_add(meter->registry, METRIC_CLIENT_REQUESTS, 1, WITH(slice_of(text), slice_of(call->method)));
    registry_observe(meter->registry, METRIC_CLIENT_DURATION, ns_to_s(mono_since(now, call->since)), now,
                     WITH(slice_of(call->verb), kind->group, kind->version, kind->kind, slice_of(call->subresource)));
    return code;
}

static const char *part_text(KubePart part) {
    return part == KUBE_STATUS ? "status" : "";
}

// Body of each function below: makes the inner call, always with a KubeError, and counts it.
#define METERED(method, verb, subresource, kind, name, ...)                                                            \
    Call call = begin(self, (method), (verb), (subresource), (kind));                                                  \
    KubeError own = {0};                                                                                               \
    KubeError *told = error ? error : &own;                                                                            \
    ErrCode code = call.meter->inner.table->name(call.meter->inner.self, __VA_ARGS__, told);                           \
    return end(&call, code, told)

static ErrCode meter_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    METERED("GET", "GET", "", ref.kind, get, arena, ref, ret_object);
}

static ErrCode meter_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                          KubeError *error) {
    METERED("GET", "LIST", "", request->kind, list, arena, request, ret_list);
}

static ErrCode meter_create(void *self, Arena *arena, Slice manager, KubeKind kind, const Value *object,
                            Value *ret_object, KubeError *error) {
    METERED("POST", "CREATE", "", kind, create, arena, manager, kind, object, ret_object);
}

static ErrCode meter_update(void *self, Arena *arena, Slice manager, KubeKind kind, KubePart part, const Value *object,
                            Value *ret_object, KubeError *error) {
    METERED("PUT", "UPDATE", part_text(part), kind, update, arena, manager, kind, part, object, ret_object);
}

static ErrCode meter_patch(void *self, Arena *arena, Slice manager, KubeRef ref, KubePart part, const KubePatch *patch,
                           Value *ret_object, KubeError *error) {
    METERED("PATCH", "PATCH", part_text(part), ref.kind, patch, arena, manager, ref, part, patch, ret_object);
}

static ErrCode meter_remove(void *self, KubeRef ref, const KubeDeletion *deletion, KubeError *error) {
    METERED("DELETE", "DELETE", "", ref.kind, remove, ref, deletion);
}

static ErrCode meter_evict(void *self, KubeRef pod, const KubeDeletion *deletion, KubeError *error) {
    METERED("POST", "CREATE", "eviction", KUBE_POD, evict, pod, deletion);
}

static ErrCode meter_bind(void *self, KubeRef pod, Slice uid, Slice node, KubeError *error) {
    METERED("POST", "CREATE", "binding", KUBE_POD, bind, pod, uid, node);
}

static ErrCode meter_watch(void *self, const KubeWatchRequest *request, KubeSink sink, KubeWatch **ret_watch,
                           KubeError *error) {
    METERED("GET", "WATCH", "", request->kind, watch, request, sink, ret_watch);
}

static void meter_unwatch(void *self, KubeWatch *watch) {
    KubeMeter *meter = self;

    kube_unwatch(meter->inner, watch);
}

static bool meter_now(void *self, int64_t *ret_wall_ns) {
    KubeMeter *meter = self;

    return kube_now(meter->inner, ret_wall_ns);
}

Kube kube_metered(KubeMeter *meter) {
    static const KubeTable table = {
        .get = meter_get,
        .list = meter_list,
        .create = meter_create,
        .update = meter_update,
        .patch = meter_patch,
        .remove = meter_remove,
        .evict = meter_evict,
        .bind = meter_bind,
        .watch = meter_watch,
        .unwatch = meter_unwatch,
        .now = meter_now,
    };

    return (Kube){&table, meter};
}
