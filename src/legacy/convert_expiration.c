// In v1 each NodeClaim has the lifetime of its nodes itself: Karpenter's conversion takes it from the claim's NodePool.
// Reference legacy.md 6.2.
#include "legacy/convert_parts.h"

#include "text/value_edit.h"

static Slice text_at(const Value *value) {
    return value && value->kind == VALUE_STRING ? value->text : SLICE("");
}

// The lifetime that a NodePool of v1 gives; NULL: it is none, or gives none.
static const Value *lifetime_of(const Item *item) {
    if (!slice_eq(text_at(value_get_text(&item->value, "apiVersion")), SLICE("karpenter.sh/v1")) ||
        !slice_eq(text_at(value_get_text(&item->value, "kind")), SLICE("NodePool")))
        return NULL;
    return value_at(&item->value, "spec", "template", "spec", "expireAfter", NULL);
}

static TextMap lifetimes(const Conversion *conversion) {
    TextMap map = {0};

    for (vec_each(const Item, item, &conversion->items)) {
        Slice lifetime = text_at(lifetime_of(item));

        if (lifetime.len)
            vec_push(conversion->arena, &map,
                     (TextPair){text_at(value_at(&item->value, "metadata", "name", NULL)), lifetime, item->value.line});
    }
    return map;
}

static void take_lifetime(const Conversion *conversion, Item *claim, const TextMap *map) {
    Slice pool = text_at(value_at(&claim->value, "metadata", "labels", "karpenter.sh/nodepool", NULL));
    const TextPair *found = text_map_get(map, pool);

    if (found)
        put_old_text(conversion->arena, value_find_text(&claim->value, "spec"), "expireAfter", found->value);
    else
        convert_note(conversion, claim, "W07", claim->value.line,
                     "spec.expireAfter: its NodePool is not in the input, so 720h, the default, applies");
}

void convert_expiration(const Conversion *conversion) {
    TextMap map = lifetimes(conversion);

    for (vec_each(Item, item, &conversion->items)) {
        if (item->kind == OLD_BETA_CLAIM)
            take_lifetime(conversion, item, &map);
    }
}
