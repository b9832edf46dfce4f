// Checks of Provisioners and NodePools alone.
#include "doctor/check_parts.h"

#include "model/well_known.h"

// A boot takes 45 s (seed 002) to some minutes; what lives shorter may be gone before its first pod starts.
enum { BOOT_S = 300 };

bool has_pools(const Facts *facts) {
    return facts->pools.count > 0;
}

bool has_several_pools(const Facts *facts) {
    return facts->pools.count > 1;
}

bool has_pools_and_classes(const Facts *facts) {
    return facts->pools.count && facts->classes.count;
}

Slice pool_object(const Examination *examination, const FactPool *pool) {
    return arena_printf(examination->arena, "%.*s %.*s", SLICE_ARG(pool->kind), SLICE_ARG(pool->name));
}

// R134: keys that no node has, though one like it.
static void check_key(const Examination *examination, Symbols *symbols, const FactPool *pool, Slice key) {
    Symbol symbol = symbol_intern(symbols, key);
    Slice meant = label_meant(symbols, symbol), owner = label_owner(symbols, symbol);

    if (meant.len)
        find(examination, CHECK_WARNING, pool->place, pool_object(examination, pool),
             arena_printf(examination->arena, "write %.*s", SLICE_ARG(meant)),
             "%.*s is a mere label of nodes; did you mean %.*s?", SLICE_ARG(key), SLICE_ARG(meant));
    else if (owner.len)
        find(examination, CHECK_WARNING, pool->place, pool_object(examination, pool), SLICE("remove the requirement"),
             "%.*s is a label of nodes of %.*s, and says nothing about Karpenter's", SLICE_ARG(key), SLICE_ARG(owner));
}

void check_label_keys(const Examination *examination) {
    Symbols symbols;

    names_init(&symbols);
    for (vec_each(const FactPool, pool, &examination->facts->pools)) {
        for (uint32_t i = 0; i < pool->written; i++)
            check_key(examination, &symbols, pool, pool->requirements.items[i].key);
    }
    symbols_free(&symbols);
}

// Requirements.

static bool has_value(const SliceVec *values, Slice value) {
    for (vec_each(const Slice, member, values)) {
        if (slice_eq(*member, value))
            return true;
    }
    return false;
}

static bool requirement_allows(const OldRequirement *requirement, Slice value) {
    if (slice_eq(requirement->operator, SLICE("In")))
        return has_value(&requirement->values, value);
    if (slice_eq(requirement->operator, SLICE("NotIn")))
        return !has_value(&requirement->values, value);
    return !slice_eq(requirement->operator, SLICE("DoesNotExist"));
}

bool pool_allows(const FactPool *pool, const char *key, Slice value) {
    const TextPair *label = text_map_get(&pool->labels, slice_of(key));

    if (label && !slice_eq(label->value, value))
        return false;
    for (vec_each(const OldRequirement, requirement, &pool->requirements)) {
        if (slice_eq_text(requirement->key, key) && !requirement_allows(requirement, value))
            return false;
    }
    return true;
}

// R036. A pod without a selector may go to any pool whose taints it tolerates: requirements and labels keep only those
// pods apart that select by them.

static bool is_hard(const OldTaint *taint) {
    return !slice_eq(taint->effect, SLICE("PreferNoSchedule"));
}

static bool has_taint(const FactPool *pool, const OldTaint *wanted) {
    for (vec_each(const OldTaint, taint, &pool->taints)) {
        if (slice_eq(taint->key, wanted->key) && slice_eq(taint->value, wanted->value) &&
            slice_eq(taint->effect, wanted->effect))
            return true;
    }
    return false;
}

static bool is_tainted_beyond(const FactPool *pool, const FactPool *other) {
    for (vec_each(const OldTaint, taint, &pool->taints)) {
        if (is_hard(taint) && !has_taint(other, taint))
            return true;
    }
    return false;
}

static bool want_the_same(const FactPool *a, const FactPool *b) {
    return a->weight == b->weight && !is_tainted_beyond(a, b) && !is_tainted_beyond(b, a);
}

void check_exclusive_pools(const Examination *examination) {
    const FactPoolVec *pools = &examination->facts->pools;

    for (uint32_t i = 0; i < pools->count; i++) {
        for (uint32_t k = i + 1; k < pools->count; k++) {
            const FactPool *a = &pools->items[i], *b = &pools->items[k];

            if (want_the_same(a, b))
                find(examination, CHECK_WARNING, b->place, pool_object(examination, b),
                     SLICE("give them different weights, or one of them a taint"),
                     "a pod without a selector may go to it or to %.*s %.*s: both have the weight %d and the same "
                     "taints",
                     SLICE_ARG(a->kind), SLICE_ARG(a->name), (int)a->weight);
        }
    }
}

// R183.
void check_lifetimes(const Examination *examination) {
    for (vec_each(const FactPool, pool, &examination->facts->pools)) {
        if (pool->lifetime_s >= 0 && pool->lifetime_s < BOOT_S)
            find(examination, CHECK_ERROR, pool->place, pool_object(examination, pool),
                 arena_printf(examination->arena, "set %s to hours, or leave it out", pool->lifetime_field),
                 "%s: %lld s are shorter than a boot may take (%d s): nodes expire before their pods run",
                 pool->lifetime_field, (long long)pool->lifetime_s, BOOT_S);
    }
}

static bool has_class(const Facts *facts, Slice name) {
    for (vec_each(const FactClass, class, &facts->classes)) {
        if (slice_eq(class->name, name))
            return true;
    }
    return false;
}

// R038 R056.
void check_references(const Examination *examination) {
    for (vec_each(const FactPool, pool, &examination->facts->pools)) {
        if (pool->class_name.len && !has_class(examination->facts, pool->class_name))
            find(examination, CHECK_ERROR, pool->place, pool_object(examination, pool),
                 SLICE("name one that is there, or give its manifest with -f, too"), "its class %.*s is not there",
                 SLICE_ARG(pool->class_name));
    }
}
