// In v1 the kubelet's settings belong to the EC2NodeClass: it gets those of its NodePools, and where they differ there
// is a class for each. Reference legacy.md 6.1 and W10.
#include "legacy/convert_parts.h"

#include "base/buffer.h"
#include "text/json.h"
#include "text/value_edit.h"

// A class and the kubelet that it got; several entries of one origin differ in the kubelet.
typedef struct {
    Slice origin, name;
    const Value *kubelet; // NULL: none
    uint32_t item;
} ClassUse;
typedef Vec(ClassUse) ClassUseVec;

static bool same_kubelet(const Value *a, const Value *b) {
    return a == b || (a && b && value_eq(a, b));
}

static Value *spec_of(Item *item) {
    return value_find_text(&item->value, "spec");
}

// The converted class of that name; INDEX_NONE: the input has none.
static uint32_t find_class(const Conversion *conversion, Slice name) {
    for (uint32_t i = 0; i < conversion->items.count; i++) {
        if (conversion->items.items[i].kind == OLD_BETA_CLASS && slice_eq(conversion->items.items[i].name, name))
            return i;
    }
    return INDEX_NONE;
}

static void put_kubelet(Conversion *conversion, uint32_t item, const Value *kubelet) {
    if (kubelet)
        value_put(conversion->arena, spec_of(&conversion->items.items[item]), SLICE("kubelet"),
                  value_copy_tree(conversion->arena, kubelet));
}

// Another class like the first one, behind it.
static ClassUse split_class(Conversion *conversion, const ClassUse *first, Item *pool) {
    Arena *arena = conversion->arena;
    Item class = conversion->items.items[first->item];
    ClassUse use = {first->origin, free_class_name(conversion, first->origin), pool->kubelet, conversion->items.count};

    class.value = value_copy_tree(arena, &class.value);
    class.name = use.name;
    put_old_text(arena, value_make(arena, &class.value, "metadata", NULL), "name", use.name);
    value_remove_text(spec_of(&class), "kubelet");
    convert_note(conversion, pool, "W10", pool->value.line,
                 "spec.template.spec.kubelet: it differs from that of another NodePool of EC2NodeClass %.*s; the class "
                 "%.*s is made for it",
                 SLICE_ARG(first->origin), SLICE_ARG(use.name));
    vec_push(arena, &conversion->items, class);
    put_kubelet(conversion, use.item, use.kubelet);
    return use;
}

// Kept for whoever knows the class, as Karpenter's own conversion did.
static void park_kubelet(const Conversion *conversion, Item *pool) {
    Buffer json = {0};

    if (!pool->kubelet)
        return;
    json_print(&json, pool->kubelet, false);
    put_old_text(conversion->arena, value_make(conversion->arena, &pool->value, "metadata", "annotations", NULL),
                 "compatibility.karpenter.sh/v1beta1-kubelet-conversion",
                 arena_slice(conversion->arena, buffer_slice(&json)));
    buffer_free(&json);
    convert_note(conversion, pool, "W10", pool->value.line,
                 "spec.kubelet: it belongs to EC2NodeClass %.*s, which is not converted here; it is kept in an "
                 "annotation",
                 SLICE_ARG(pool->class_name));
}

static void refer_to(const Conversion *conversion, Item *pool, Slice class_name) {
    Value *reference = value_make(conversion->arena, &pool->value, "spec", "template", "spec", "nodeClassRef", NULL);

    put_old_text(conversion->arena, reference, "name", class_name);
}

// The use that fits the pool; the first use of its class, or NULL, in `ret_first`.
static const ClassUse *find_use(const ClassUseVec *uses, const Item *pool, const ClassUse **ret_first) {
    *ret_first = NULL;
    for (vec_each(const ClassUse, use, uses)) {
        if (!slice_eq(use->origin, pool->class_name))
            continue;
        if (!*ret_first)
            *ret_first = use;
        if (same_kubelet(use->kubelet, pool->kubelet))
            return use;
    }
    return NULL;
}

static void serve(Conversion *conversion, ClassUseVec *uses, uint32_t at) {
    Item *pool = &conversion->items.items[at];
    uint32_t class = find_class(conversion, pool->class_name);
    const ClassUse *first, *use = find_use(uses, pool, &first);
    ClassUse made;

    if (class == INDEX_NONE) {
        park_kubelet(conversion, pool);
        return;
    }
    if (!use && !first) {
        made = (ClassUse){pool->class_name, pool->class_name, pool->kubelet, class};
        put_kubelet(conversion, class, made.kubelet);
        vec_push(conversion->arena, uses, made);
        return;
    }
    if (!use) {
        made = split_class(conversion, first, pool);
        vec_push(conversion->arena, uses, made);
        use = vec_last(uses);
    }
    if (!slice_eq(use->name, pool->class_name))
        refer_to(conversion, &conversion->items.items[at], use->name);
}

void convert_kubelets(Conversion *conversion) {
    uint32_t count = conversion->items.count;
    ClassUseVec uses = {0};

    for (uint32_t i = 0; i < count; i++) {
        Item *item = &conversion->items.items[i];

        if (item->kind == OLD_BETA_CLAIM)
            park_kubelet(conversion, item);
        else if (item->kind == OLD_BETA_POOL)
            serve(conversion, &uses, i);
    }
}
