// The instance types of a NodeClass as a view gives them out: shared vectors that never change, and a new one only when
// a price, a reservation or the memory of what was unavailable did.
//
// What a new vector does not share with the one before is one array of types, and the offerings of the types that
// changed. What is replaced is kept for half an hour of the cloud's time, longer than any solve that still reads it.
#include "sim/cloud/cloud_parts.h"

#include "cloud/aws/instance_types.h"
#include "cloud/kwok/types.h"

#include <stdlib.h>

static const int64_t KEPT_NS = INT64_C(1800) * 1000000000;

static void *allocate(size_t size) {
    void *memory = malloc(size ? size : 1);

    CHECK(memory, "no memory for instance types");
    return memory;
}

// Forgets the items before `at` of a queue once they are half of it.
#define drop_first(queue, at)                                                                                          \
    do {                                                                                                               \
        if (*(at)*2 < (queue)->count)                                                                                  \
            break;                                                                                                     \
        (queue)->count -= *(at);                                                                                       \
        memmove((queue)->items, (queue)->items + *(at), (queue)->count * sizeof *(queue)->items);                      \
        *(at) = 0;                                                                                                     \
    } while (0)

static void retire(SimView *view, const void *memory) {
    int64_t now = cloud_now(view->cloud);

    for (; view->retired_at < view->retired.count && now - view->retired.items[view->retired_at].at_ns > KEPT_NS;
         view->retired_at++)
        free(view->retired.items[view->retired_at].memory);
    drop_first(&view->retired, &view->retired_at);
    if (memory)
        vec_push(&view->arena, &view->retired, (Retired){(void *)(uintptr_t)memory, now});
}

// --- the base

static ErrCode make_base(SimView *view, ViewClass *class, const ClassEntry *entry, CloudError *error) {
    SimCloud *cloud = view->cloud;
    Ec2TypeOptions options = EC2_TYPE_OPTIONS(cloud->config.region);
    EC2NodeClass translated;
    Err err = {0};

    if (class->kind == KUBE_EC2_NODE_CLASS) {
        translated = cloud_class_translate(&class->arena, cloud->symbols, &view->symbols, &entry->ec2);
        for (uint32_t i = 0; i < translated.reservations.count; i++)
            translated.reservations.items[i].available_count = 1; // how many there are is the cloud's to say
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

// The catalogue gives the same types in the same order for every class; reservations follow a type's own offerings.
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

static void retire_all(SimView *view, ViewClass *class) {
    for (uint32_t i = 0; class->offerings && i < class->base.count; i++) {
        if (class->offerings[i])
            retire(view, class->offerings[i]);
    }
    if (class->current) {
        retire(view, class->current->items);
        retire(view, class->current);
    }
    class->current = NULL;
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

// A NodeClass that changed gets a new record; the old one's arena may still be read, so it stays with the view.
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
    retire_all(view, class);
    *class = fresh;
    if (kept.chunk) {
        ViewClass *old = calloc(1, sizeof *old);

        CHECK(old, "no memory for a NodeClass");
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
    class = calloc(1, sizeof *class);
    CHECK(class, "no memory for a NodeClass");
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

// --- what changed

static Offering offering_now(const SimView *view, const Offering *base, uint32_t number) {
    const CapacityPool *pool;
    Offering now = *base;

    if (number == INDEX_NONE) {
        now.available = false; // a reservation that EC2 does not know
        now.reservation_capacity = 0;
        return now;
    }
    pool = &view->cloud->pools.items[number];
    if (pool->price_nano != pool->base_nano)
        now.price_per_hour = (double)pool->price_nano / 1e9;
    if (pool->kind == SIM_RESERVED && base->reservation_id != NAME_EMPTY) {
        uint32_t left = pool->reserved > pool->used ? pool->reserved - pool->used : 0;

        now.reservation_capacity = (int32_t)left;
        now.available = base->available && left > 0;
    }
    now.available = now.available && !cloud_view_is_marked(view, number);
    return now;
}

// Whether the offerings of a type are not any more what they were.
static bool refresh_type(SimView *view, ViewClass *class, uint32_t type) {
    const OfferingVec *base = &class->base.items[type].offerings;
    const Offering *before = class->offerings[type] ? class->offerings[type] : base->items;
    Offering *now = allocate(base->count * sizeof *now);
    bool same = true;

    for (uint32_t i = 0; i < base->count; i++) {
        now[i] = offering_now(view, &base->items[i], class->pools[type][i]);
        same = same && now[i].available == before[i].available && now[i].price_per_hour == before[i].price_per_hour &&
               now[i].reservation_capacity == before[i].reservation_capacity;
    }
    if (same) {
        free(now);
        return false;
    }
    if (class->offerings[type])
        retire(view, class->offerings[type]);
    class->offerings[type] = now;
    return true;
}

static void note_pool(const SimView *view, ViewClass *class, uint32_t number, bool *ret_any) {
    const CapacityPool *pool = &view->cloud->pools.items[number];

    if (pool->market != (class->kind == KUBE_EC2_NODE_CLASS ? MARKET_EC2 : MARKET_KWOK))
        return;
    class->dirty[pool->type] = true;
    *ret_any = true;
}

// From position `*seen` on; all types are dirty when the log has forgotten some of it.
static void read_log(const SimView *view, ViewClass *class, const PoolLog *log, uint64_t *seen, bool *ret_any) {
    if (*seen < log->begin) {
        memset(class->dirty, true, class->base.count);
        *ret_any = true;
        *seen = cloud_log_end(log);
    }
    for (; *seen < cloud_log_end(log); ++*seen)
        note_pool(view, class, log->pools.items[*seen - log->begin], ret_any);
}

// Marks that have run out since it was last looked.
static void expire_marks(SimView *view) {
    for (; view->queue_at < view->queue.count && view->queue.items[view->queue_at].until_ns <= cloud_now(view->cloud);
         view->queue_at++)
        cloud_log_pool(view->cloud, &view->arena, &view->marks, view->queue.items[view->queue_at].pool);
    drop_first(&view->queue, &view->queue_at);
}

static bool read_logs(SimView *view, ViewClass *class) {
    bool any = class->current == NULL;

    expire_marks(view);
    read_log(view, class, &view->cloud->changed_pools, &class->seen_changes, &any);
    read_log(view, class, &view->marks, &class->seen_marks, &any);
    return any;
}

static void publish(SimView *view, ViewClass *class) {
    InstanceTypeVec *types = allocate(sizeof *types);
    uint32_t count = class->base.count;

    *types = (InstanceTypeVec){allocate(count * sizeof *types->items), count, count};
    if (count)
        memcpy(types->items, class->base.items, count * sizeof *types->items);
    for (uint32_t i = 0; i < count; i++) {
        if (class->offerings[i])
            types->items[i].offerings.items = class->offerings[i];
    }
    if (class->current) {
        retire(view, class->current->items);
        retire(view, class->current);
    }
    class->current = types;
}

const InstanceTypeVec *cloud_view_types(SimView *view, ViewClass *class) {
    bool changed = class->current == NULL;

    retire(view, NULL);
    if (!read_logs(view, class))
        return class->current;
    for (uint32_t i = 0; i < class->base.count; i++) {
        if (class->dirty[i])
            changed |= refresh_type(view, class, i);
        class->dirty[i] = false;
    }
    if (changed)
        publish(view, class);
    return class->current;
}
