// NodeClasses of a view: the types of each without prices and availability, and the capacity pools of their offerings.
#include "sim/cloud/view_classes.h"

#include "base/alloc.h"
#include "cloud/aws/instance_types.h"
#include "cloud/kwok/types.h"
#include "sim/cloud/market.h"
#include "sim/cloud/node_classes.h"
#include "sim/cloud/translate.h"
#include "sim/cloud/view_types.h"

// --- the base

static ErrCode make_base(SimView *view, ViewClass *class, const ClassEntry *entry, CloudError *error) {
    SimCloud *cloud = view->cloud;
    Ec2TypeOptions options = EC2_TYPE_OPTIONS(cloud->config.region);
    EC2NodeClass translated;
    Err err = {0};

    if (class->kind == KUBE_EC2_NODE_CLASS) {
        translated = cloud_class_translate(&class->arena, cloud->symbols, &view->symbols, &entry->ec2);
        for (uint32_t i = 0; i < translated.reservations.count; i++)
            translated.reservations.items[i].available_count = 1; // the cloud decides how many there are
        if (ec2_instance_types(&class->arena, &view->symbols, &cloud->catalogue, &options, &translated, &class->base,
                               &err) != OK)
            return cloud_fail(error, ERR_INVALID, "%s", err.text);
    } else if (cloud->config.kwok_catalogue.len) {
        CHECK(kwok_types_read(&class->arena, &view->symbols, SLICE("catalogue"), cloud->config.kwok_catalogue,
                              &class->base, &err) == OK);
    } else {
        class->base = kwok_default_types(&class->arena, &view->symbols);
    }
    return OK;
}

static uint32_t pool_of(const SimView *view, const Market *market, uint32_t type, uint32_t at,
                        const Offering *offering) {
    const SimCloud *cloud = view->cloud;
    Symbol id;

    if (offering->reservation_id == NAME_EMPTY || at < market->types.items[type].offerings.count)
        return market->first_pool[type] + at;
    id = symbol_find(cloud->symbols, symbol_text(&view->symbols, offering->reservation_id));
    return id == INDEX_NONE ? INDEX_NONE : cloud_market_find_reservation(cloud, id);
}

static bool is_exotic(const Symbols *symbols, const InstanceType *type) {
    static const char *const resources[] = {"nvidia.com/gpu", "amd.com/gpu", "aws.amazon.com/neuron",
                                            "aws.amazon.com/neuroncore", "habana.ai/gaudi"};

    if (slice_contains(symbol_text(symbols, type->name), SLICE("metal")))
        return true;
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++) {
        Symbol resource = symbol_find(symbols, slice_of(resources[i]));

        if (resource != INDEX_NONE && resources_get(&type->capacity, resource) != 0)
            return true;
    }
    return false;
}

// Finds the pools. The catalogue gives the same types in the same order for every class; reservations follow a type's
// own offerings.
static void find_pools(SimView *view, ViewClass *class) {
    const Market *market = &view->cloud->markets[class->kind == KUBE_EC2_NODE_CLASS ? MARKET_EC2 : MARKET_KWOK];
    uint32_t types = class->base.count;

    CHECK(types == market->types.count, "%u types of a class, %u of the market", types, market->types.count);
    class->pools = arena_array(&class->arena, uint32_t *, types);
    class->allocatable = arena_array(&class->arena, Resources, types);
    class->offerings = arena_array(&class->arena, Offering *, types);
    class->dirty = arena_array(&class->arena, bool, types);
    class->is_exotic = arena_array(&class->arena, bool, types);
    for (uint32_t i = 0; i < types; i++) {
        const InstanceType *type = &class->base.items[i];

        class->allocatable[i] = instance_type_allocatable(&class->arena, &view->symbols, type, NULL);
        class->pools[i] = arena_array(&class->arena, uint32_t, type->offerings.count);
        for (uint32_t at = 0; at < type->offerings.count; at++)
            class->pools[i][at] = pool_of(view, market, i, at, &type->offerings.items[at]);
        class->dirty[i] = true;
        class->is_exotic[i] = is_exotic(&view->symbols, type);
    }
}

void cloud_view_class_free(ViewClass *class) {
    for (uint32_t i = 0; class->offerings && i < class->base.count; i++)
        free(class->offerings[i]);
    if (class->current) {
        free(class->current->items);
        free((void *)(uintptr_t) class->current);
    }
    arena_free(&class->arena);
    free(class);
}

// Makes a new record for a NodeClass that changed; the old one's arena may still be read, so the view keeps it.
static ErrCode renew(SimView *view, ViewClass *class, const ClassEntry *entry, CloudError *error) {
    Arena kept = class->arena;
    ViewClass fresh = {.kind = class->kind, .name = class->name, .version = entry->version};
    ErrCode code = make_base(view, &fresh, entry, error);

    if (code != OK) {
        arena_free(&fresh.arena);
        return code;
    }
    find_pools(view, &fresh);
    fresh.seen_changes = cloud_log_end(&view->cloud->changed_pools);
    fresh.seen_marks = cloud_log_end(&view->marks);
    cloud_view_class_retire(view, class);
    *class = fresh;
    if (kept.chunk) {
        ViewClass *old = NEW(ViewClass);

        old->kind = KUBE_KIND_COUNT; // never found again, freed with the view
        old->arena = kept;
        vec_push(&view->arena, &view->classes, old);
    }
    return OK;
}

// --- finding

static KubeKind kind_of(const SimView *view, const NodeClassRef *ref) {
    return slice_eq(symbol_text(&view->symbols, ref->kind), SLICE("KWOKNodeClass")) ? KUBE_KWOK_NODE_CLASS
                                                                                    : KUBE_EC2_NODE_CLASS;
}

static ViewClass *find_or_add(SimView *view, KubeKind kind, Symbol name) {
    ViewClass *class;

    for (vec_each(ViewClass *, known, &view->classes)) {
        if ((*known)->kind == kind && (*known)->name == name)
            return *known;
    }
    class = NEW(ViewClass);
    class->kind = kind;
    class->name = name;
    class->version = UINT32_MAX;
    vec_push(&view->arena, &view->classes, class);
    return class;
}

ErrCode cloud_view_class(SimView *view, const NodeClassRef *ref, ViewClass **ret_class, ClassEntry **ret_entry,
                         CloudError *error) {
    KubeKind kind = kind_of(view, ref);
    Slice name = symbol_text(&view->symbols, ref->name);
    Symbol own_name = symbol_find(view->cloud->symbols, name);
    ClassEntry *entry = own_name == INDEX_NONE ? NULL : cloud_classes_find(view->cloud, kind, own_name);
    ViewClass *class;

    if (!entry)
        return cloud_fail(error, ERR_NOT_FOUND, "%.*s.%.*s \"%.*s\" not found",
                          SLICE_ARG(symbol_text(&view->symbols, ref->kind)),
                          SLICE_ARG(symbol_text(&view->symbols, ref->group)), SLICE_ARG(name));
    class = find_or_add(view, kind, kind == KUBE_KWOK_NODE_CLASS ? NAME_EMPTY : own_name);
    if (class->version != entry->version)
        TRY(renew(view, class, entry, error));
    *ret_class = class;
    *ret_entry = entry;
    return OK;
}
