// The fields of the template, as in Karpenter's Go struct.
#include "model/hash/nodepool_hash.h"

#include "model/hash/struct_hash.h"

static void struct_add_text(uint64_t *hash, const char *field, Slice text) {
    if (text.len)
        struct_hash_add(hash, field, struct_hash_text(text));
}

static uint64_t hash_map(const Symbols *symbols, const Labels *labels) {
    uint64_t hash = 0;

    for (uint32_t i = 0; i < labels->count; i++)
        hash ^= struct_hash_ordered(struct_hash_text(symbol_text(symbols, labels->items[i].key)),
                                    struct_hash_text(symbol_text(symbols, labels->items[i].value)));
    return struct_hash_number(hash);
}

// Lists are hashed as sets: the order of elements does not matter.
static uint64_t hash_taints(const Symbols *symbols, const TaintVec *taints) {
    uint64_t hash = 0;

    for (vec_each(const Taint, taint, taints)) {
        uint64_t element = struct_hash_start("Taint");

        struct_add_text(&element, "Key", symbol_text(symbols, taint->key));
        struct_add_text(&element, "Value", symbol_text(symbols, taint->value));
        struct_add_text(&element, "Effect", slice_of(taint_effect_text(taint->effect)));
        hash ^= element;
    }
    return hash;
}

static uint64_t hash_node_class(const Symbols *symbols, const NodeClassRef *node_class) {
    uint64_t hash = struct_hash_start("NodeClassReference");

    struct_add_text(&hash, "Kind", symbol_text(symbols, node_class->kind));
    struct_add_text(&hash, "Name", symbol_text(symbols, node_class->name));
    struct_add_text(&hash, "Group", symbol_text(symbols, node_class->group));
    return hash;
}

// The inner struct of a duration of zero is Go's zero value, but the grace period is a pointer, which is set.
static uint64_t hash_grace_period(int64_t ns) {
    uint64_t hash = struct_hash_start("Duration");

    if (ns)
        struct_hash_add(&hash, "Duration", struct_hash_number((uint64_t)ns));
    return hash;
}

static uint64_t hash_expire_after(int64_t ns) {
    uint64_t hash = struct_hash_start("NillableDuration");

    struct_hash_add(&hash, "Duration", struct_hash_number((uint64_t)ns));
    return hash;
}

static uint64_t hash_spec(const Symbols *symbols, const NodeClaimTemplateSpec *spec) {
    uint64_t hash = struct_hash_start("NodeClaimTemplateSpec");

    if (spec->has_taints)
        struct_hash_add(&hash, "Taints", hash_taints(symbols, &spec->taints));
    if (spec->has_startup_taints)
        struct_hash_add(&hash, "StartupTaints", hash_taints(symbols, &spec->startup_taints));
    struct_hash_add(&hash, "NodeClassRef", hash_node_class(symbols, &spec->node_class));
    if (spec->has_termination_grace_period)
        struct_hash_add(&hash, "TerminationGracePeriod", hash_grace_period(spec->termination_grace_period_ns));
    if (spec->expire_after_ns != DURATION_NEVER)
        struct_hash_add(&hash, "ExpireAfter", hash_expire_after(spec->expire_after_ns));
    return hash;
}

static uint64_t hash_metadata(const Symbols *symbols, const NodePool *pool) {
    uint64_t hash = struct_hash_start("ObjectMeta");

    if (pool->has_template_labels)
        struct_hash_add(&hash, "Labels", hash_map(symbols, &pool->template_labels));
    if (pool->has_template_annotations)
        struct_hash_add(&hash, "Annotations", hash_map(symbols, &pool->template_annotations));
    return hash;
}

uint64_t node_pool_hash(const Symbols *symbols, const NodePool *pool) {
    uint64_t hash = struct_hash_start("NodeClaimTemplate");

    if (pool->has_template_labels || pool->has_template_annotations)
        struct_hash_add(&hash, "ObjectMeta", hash_metadata(symbols, pool));
    struct_hash_add(&hash, "Spec", hash_spec(symbols, &pool->template_spec));
    return hash;
}
