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

static const Value *template_among(const ValueList *templates, const Value *provisioner) {
    Slice name = provisioner_template(provisioner);

    for (vec_each(const Value, template, templates)) {
        if (slice_eq(kube_name(template), name))
            return template;
    }
    return NULL;
}

// --- pages
//
// Behind the pages of a kind come those of the old kinds behind it. Where one of these begins is said by its kind,
// since definitions come and go between two pages, and by what the server called it, which nothing of the server's
// begins like.

static const char OLD[] = "old kind ";

// What the server called it may be any bytes.
static Slice page_of_old(Arena *arena, KubeKind kind, Slice from) {
    size_t head = strlen(OLD) + 2;
    char *text = arena_alloc(arena, head + from.len);

    memcpy(text, OLD, head - 2);
    text[head - 2] = (char)('0' + kind);
    text[head - 1] = ' ';
    if (from.len)
        memcpy(text + head, from.ptr, from.len);
    return (Slice){text, head + from.len};
}

static bool is_of_old(Slice page, KubeKind *ret_kind, Slice *ret_from) {
    Slice rest;

    if (!slice_starts_with(page, slice_of(OLD)) || page.len < sizeof OLD + 1)
        return false;
    rest = slice_from(page, strlen(OLD));
    *ret_kind = (KubeKind)(unsigned char)(rest.ptr[0] - '0');
    *ret_from = slice_from(rest, 2);
    return *ret_kind < KUBE_KIND_COUNT;
}

// Who lists must not take what is there for all.
static ErrCode has_gone(KubeKind kind, KubeError *error) {
    return kube_fail(error, KUBE_REASON_EXPIRED, "the definition of %.*s went while its objects were listed",
                     SLICE_ARG(kube_kind(kind)->kind));
}

// The templates that Provisioners among the list's objects may name: there are few.
static ErrCode list_templates(const Bridge *bridge, Arena *arena, KubeKind shown, KubeKind old, KubeList *ret_templates,
                              KubeError *error) {
    ErrCode code = OK;

    *ret_templates = (KubeList){0};
    if (shown == KUBE_EC2_NODE_CLASS && old == KUBE_PROVISIONER)
        code =
            kube_list(bridge->inner, arena, &(KubeListRequest){.kind = KUBE_AWS_NODE_TEMPLATE}, ret_templates, error);
    return code == ERR_NOT_FOUND ? OK : code;
}

// The old kinds that a list goes on with.
static const KubeKind *kinds_behind(const Bridge *bridge, const KubeListRequest *request, uint32_t *ret_count) {
    const KubeKind *kinds = bridge_old_kinds(bridge, request->kind, ret_count);

    if (request->labels.len || request->fields.len)
        *ret_count = 0;
    return kinds;
}

// A page of an old kind. A kind without a definition has no objects.
static ErrCode list_old(const Bridge *bridge, Arena *arena, const KubeListRequest *request, KubeKind kind, Slice from,
                        KubeList *ret_list, KubeError *error) {
    KubeListRequest page = {.kind = kind, .limit = request->limit, .from = from};
    KubeList old = {0}, templates;
    ErrCode code = kube_list(bridge->inner, arena, &page, &old, error);

    if (code == ERR_NOT_FOUND)
        return from.len ? has_gone(kind, error) : OK;
    if (code == OK)
        code = list_templates(bridge, arena, request->kind, kind, &templates, error);
    for (uint32_t i = 0; code == OK && i < old.items.count; i++) {
        const Value *object = &old.items.items[i];
        Value shown;

        if (bridge_present(bridge, arena, request->kind, kind, object, template_among(&templates.items, object),
                           &shown))
            vec_push(arena, &ret_list->items, shown);
    }
    ret_list->next = old.next;
    return code;
}

static ErrCode list_today(const Bridge *bridge, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                          KubeError *error) {
    ErrCode code = kube_list(bridge->inner, arena, request, ret_list, error);

    for (uint32_t i = 0; code == OK && i < ret_list->items.count && request->kind == KUBE_NODE; i++)
        bridge_present(bridge, arena, KUBE_NODE, KUBE_NODE, &ret_list->items.items[i], NULL, &ret_list->items.items[i]);
    return code;
}

static ErrCode list_page(const Bridge *bridge, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                         KubeError *error) {
    uint32_t count, following = 0;
    const KubeKind *kinds = kinds_behind(bridge, request, &count);
    KubeKind old = request->kind;
    Slice from = {0};
    bool is_old = is_of_old(request->from, &old, &from);
    ErrCode code;

    *ret_list = (KubeList){0};
    while (is_old && following < count && kinds[following] != old)
        following++;
    if (is_old && following++ == count)
        return has_gone(old, error);
    code = is_old ? list_old(bridge, arena, request, old, from, ret_list, error)
                  : list_today(bridge, arena, request, ret_list, error);
    if (code != OK || (!is_old && ret_list->next.len))
        return code;
    if (ret_list->next.len)
        ret_list->next = page_of_old(arena, old, ret_list->next);
    else if (following < count)
        ret_list->next = page_of_old(arena, kinds[following], (Slice){0});
    if (ret_list->next.len)
        ret_list->remaining = -1;
    return OK;
}

static ErrCode call_list(void *self, Arena *arena, const KubeListRequest *request, KubeList *ret_list,
                         KubeError *error) {
    KubeListRequest more = *request;
    KubeList page;

    TRY(list_page(self, arena, request, ret_list, error));
    while (!request->limit && ret_list->next.len) {
        more.from = ret_list->next;
        TRY(list_page(self, arena, &more, &page, error));
        for (vec_each(const Value, item, &page.items))
            vec_push(arena, &ret_list->items, *item);
        ret_list->next = page.next;
        ret_list->remaining = page.remaining;
    }
    return OK;
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
