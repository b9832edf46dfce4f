// The table, reading single objects and lists.
#include "legacy/bridge/parts.h"

#include "base/alloc.h"
#include "legacy/present/names.h"

Bridge *bridge_new(Kube inner, const PresentSettings *settings) {
    Bridge *bridge = NEW(Bridge);

    bridge->inner = inner;
    bridge->settings = *settings;
    atomic_init(&bridge->known, BRIDGE_KNOWS_ALL);
    pthread_mutex_init(&bridge->lock, NULL);
    return bridge;
}

void bridge_free(Bridge *bridge) {
    if (!bridge)
        return;
    pthread_mutex_destroy(&bridge->lock);
    free(bridge);
}

// AWSNodeTemplates come first: they are there when the Provisioners that name them are shown.
const KubeKind *bridge_old_kinds(const Bridge *bridge, KubeKind kind, uint32_t *ret_count) {
    static const KubeKind pools[] = {KUBE_PROVISIONER}, claims[] = {KUBE_MACHINE},
                          classes[] = {KUBE_AWS_NODE_TEMPLATE, KUBE_PROVISIONER};
    uint32_t known = bridge_shows(bridge) ? atomic_load(&bridge->known) : 0;
    bool all = known & BRIDGE_KNOWS_TEMPLATES;

    *ret_count = 0;
    if (kind == KUBE_EC2_NODE_CLASS)
        *ret_count = known ? 1 + all : 0;
    else if (kind == KUBE_NODE_POOL)
        *ret_count = known != 0;
    else if (kind == KUBE_NODE_CLAIM)
        *ret_count = (known & BRIDGE_KNOWS_MACHINES) != 0;
    return kind == KUBE_EC2_NODE_CLASS ? all ? classes : pools : kind == KUBE_NODE_POOL ? pools : claims;
}

static bool show_provisioner(const Bridge *bridge, Arena *arena, KubeKind kind, const Value *object,
                             const Value *template, Value *ret_shown) {
    PresentSettings settings = bridge->settings;
    PresentedProvisioner presented;
    bool class = kind == KUBE_EC2_NODE_CLASS;

    settings.lacks_machines = !(atomic_load(&bridge->known) & BRIDGE_KNOWS_MACHINES);
    if (present_provisioner(arena, &settings, SLICE("cluster"), object, template, &presented, NULL, NULL) != OK ||
        (class && !presented.has_class))
        return false;
    *ret_shown = class ? presented.class : presented.pool;
    return true;
}

bool bridge_present(const Bridge *bridge, Arena *arena, KubeKind kind, KubeKind from, const Value *object,
                    const Value *template, Value *ret_shown) {
    *ret_shown = *object;
    if (from == KUBE_PROVISIONER && kind != from)
        return show_provisioner(bridge, arena, kind, object, template, ret_shown);
    if (from == KUBE_AWS_NODE_TEMPLATE && kind != from)
        *ret_shown = present_any_template(arena, &bridge->settings, SLICE("cluster"), object);
    else if (from == KUBE_MACHINE && kind != from)
        *ret_shown = present_machine(arena, object);
    else if (from == KUBE_NODE && bridge_shows(bridge) && node_is_old(object))
        *ret_shown = present_node(arena, object);
    return true;
}

// --- reading

ErrCode bridge_get_old(const Bridge *bridge, Arena *arena, KubeKind old, Slice name, Value *ret_object,
                       Value *ret_template, KubeError *error) {
    ErrCode code = kube_get(bridge->inner, arena, (KubeRef){old, SLICE(""), name}, ret_object, error);
    Slice template = code == OK && old == KUBE_PROVISIONER ? provisioner_template(ret_object) : SLICE("");

    *ret_template = value_null();
    if (template.len && kube_get(bridge->inner, arena, (KubeRef){KUBE_AWS_NODE_TEMPLATE, SLICE(""), template},
                                 ret_template, NULL) != OK)
        *ret_template = value_null();
    return code;
}

static const Value *if_there(const Value *template) {
    return template->kind == VALUE_MAP ? template : NULL;
}

static ErrCode get_old(const Bridge *bridge, Arena *arena, KubeKind kind, KubeKind old, Slice name, Value *ret_object,
                       KubeError *error) {
    Value object, template;
    ErrCode code = bridge_get_old(bridge, arena, old, name, &object, &template, error);

    if (code != OK)
        return code;
    if (!bridge_present(bridge, arena, kind, old, &object, if_there(&template), ret_object))
        return kube_fail(error, KUBE_REASON_NOT_FOUND, "%.*s \"%.*s\" not found", SLICE_ARG(kube_kind(kind)->resource),
                         SLICE_ARG(name));
    return OK;
}

static ErrCode call_get(void *self, Arena *arena, KubeRef ref, Value *ret_object, KubeError *error) {
    const Bridge *bridge = self;
    KubeKind old;
    Slice name;
    Value object;
    ErrCode code;

    if (old_name(ref.kind, ref.name, &old, &name))
        return get_old(bridge, arena, ref.kind, old, name, ret_object, error);
    code = kube_get(bridge->inner, arena, ref, &object, error);
    if (code == OK)
        bridge_present(bridge, arena, ref.kind, ref.kind, &object, NULL, ret_object);
    return code;
}

static const Value *template_among(const KubeList *templates, const Value *provisioner) {
    Slice name = provisioner_template(provisioner);

    for (vec_each(const Value, template, &templates->items)) {
        if (slice_eq(kube_name(template), name))
            return template;
    }
    return NULL;
}

// Appends what lies behind the kind. A kind without a definition has no objects.
static ErrCode list_old(const Bridge *bridge, Arena *arena, const KubeListRequest *request, KubeList *list,
                        KubeError *error) {
    KubeList templates = {0};
    uint32_t count;
    const KubeKind *kinds = bridge_old_kinds(bridge, request->kind, &count);

    for (uint32_t i = 0; i < count; i++) {
        KubeList old = {0};
        ErrCode code = kube_list(bridge->inner, arena, &(KubeListRequest){.kind = kinds[i]}, &old, error);

        if (code != OK && code != ERR_NOT_FOUND)
            return code;
        templates = kinds[i] == KUBE_AWS_NODE_TEMPLATE ? old : templates;
        for (vec_each(const Value, object, &old.items)) {
            Value shown;

            if (bridge_present(bridge, arena, request->kind, kinds[i], object, template_among(&templates, object),
                               &shown))
                vec_push(arena, &list->items, shown);
        }
    }
    return OK;
}

static ErrCode call_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                         KubeError *error) {
    const Bridge *bridge = self;
    KubeList list;
    ErrCode code = kube_list(bridge->inner, arena, request, &list, error);

    for (uint32_t i = 0; code == OK && i < list.items.count && request->kind == KUBE_NODE; i++)
        bridge_present(bridge, arena, KUBE_NODE, KUBE_NODE, &list.items.items[i], NULL, &list.items.items[i]);
    if (code == OK && !request->from.len) // on the first page
        code = list_old(bridge, arena, request, &list, error);
    if (code == OK)
        *ret_list = list;
    return code;
}

static ErrCode call_evict(void *self, KubeRef pod, const KubeDeletion *deletion, KubeError *error) {
    return kube_evict(((Bridge *)self)->inner, pod, deletion, error);
}

static ErrCode call_bind(void *self, KubeRef pod, Slice uid, Slice node, KubeError *error) {
    return kube_bind(((Bridge *)self)->inner, pod, uid, node, error);
}

static bool call_now(void *self, int64_t *ret_wall_ns) {
    return kube_now(((Bridge *)self)->inner, ret_wall_ns);
}

Kube bridge_kube(Bridge *bridge) {
    static const KubeTable table = {
        .get = call_get,
        .list = call_list,
        .create = bridge_create,
        .update = bridge_update,
        .patch = bridge_patch,
        .remove = bridge_remove,
        .evict = call_evict,
        .bind = call_bind,
        .watch = bridge_watch,
        .unwatch = bridge_unwatch,
        .now = call_now,
    };

    return (Kube){&table, bridge};
}
