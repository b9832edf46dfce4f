// FNV-1 (64 bit) over names, values and orders of fields, as Go's structure of the template has them.
#include "model/nodepool_hash.h"

static uint64_t hash_bytes(const void *bytes, size_t len) {
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < len; i++)
        hash = hash * UINT64_C(1099511628211) ^ ((const uint8_t *)bytes)[i];
    return hash;
}

static uint64_t hash_text(Slice text) {
    return hash_bytes(text.ptr, text.len);
}

static void put_little_endian(uint8_t bytes[8], uint64_t number) {
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
}

// A number as a value, and the finish of every field and map.
static uint64_t hash_number(uint64_t number) {
    uint8_t bytes[8];

    put_little_endian(bytes, number);
    return hash_bytes(bytes, sizeof bytes);
}

static uint64_t hash_ordered(uint64_t a, uint64_t b) {
    uint8_t bytes[16];

    put_little_endian(bytes, a);
    put_little_endian(bytes + 8, b);
    return hash_bytes(bytes, sizeof bytes);
}

// Structs start with their type's name; fields that are Go's zero value are left out by the caller.
static uint64_t struct_start(const char *type) {
    return hash_text(slice_of(type));
}

static void struct_add(uint64_t *hash, const char *field, uint64_t value) {
    *hash = hash_number(*hash ^ hash_ordered(hash_text(slice_of(field)), value));
}

static void struct_add_text(uint64_t *hash, const char *field, Slice text) {
    if (text.len)
        struct_add(hash, field, hash_text(text));
}

static uint64_t hash_map(const Symbols *symbols, const Labels *labels) {
    uint64_t hash = 0;

    for (uint32_t i = 0; i < labels->count; i++)
        hash ^= hash_ordered(hash_text(symbol_text(symbols, labels->items[i].key)),
                             hash_text(symbol_text(symbols, labels->items[i].value)));
    return hash_number(hash);
}

// Lists are sets: the order of elements does not count.
static uint64_t hash_taints(const Symbols *symbols, const TaintVec *taints) {
    uint64_t hash = 0;

    for (vec_each(const Taint, taint, taints)) {
        uint64_t element = struct_start("Taint");

        struct_add_text(&element, "Key", symbol_text(symbols, taint->key));
        struct_add_text(&element, "Value", symbol_text(symbols, taint->value));
        struct_add_text(&element, "Effect", slice_of(taint_effect_text(taint->effect)));
        hash ^= element;
    }
    return hash;
}

static uint64_t hash_node_class(const Symbols *symbols, const NodeClassRef *node_class) {
    uint64_t hash = struct_start("NodeClassReference");

    struct_add_text(&hash, "Kind", symbol_text(symbols, node_class->kind));
    struct_add_text(&hash, "Name", symbol_text(symbols, node_class->name));
    struct_add_text(&hash, "Group", symbol_text(symbols, node_class->group));
    return hash;
}

// A duration of zero is Go's zero value inside its struct, but the grace period itself is a pointer that is set.
static uint64_t hash_grace_period(int64_t ns) {
    uint64_t hash = struct_start("Duration");

    if (ns)
        struct_add(&hash, "Duration", hash_number((uint64_t)ns));
    return hash;
}

static uint64_t hash_expire_after(int64_t ns) {
    uint64_t hash = struct_start("NillableDuration");

    struct_add(&hash, "Duration", hash_number((uint64_t)ns));
    return hash;
}

static uint64_t hash_spec(const Symbols *symbols, const NodeClaimTemplateSpec *spec) {
    uint64_t hash = struct_start("NodeClaimTemplateSpec");

    if (spec->has_taints)
        struct_add(&hash, "Taints", hash_taints(symbols, &spec->taints));
    if (spec->has_startup_taints)
        struct_add(&hash, "StartupTaints", hash_taints(symbols, &spec->startup_taints));
    struct_add(&hash, "NodeClassRef", hash_node_class(symbols, &spec->node_class));
    if (spec->has_termination_grace_period)
        struct_add(&hash, "TerminationGracePeriod", hash_grace_period(spec->termination_grace_period_ns));
    if (spec->expire_after_ns != DURATION_NEVER)
        struct_add(&hash, "ExpireAfter", hash_expire_after(spec->expire_after_ns));
    return hash;
}

static uint64_t hash_metadata(const Symbols *symbols, const NodePool *pool) {
    uint64_t hash = struct_start("ObjectMeta");

    if (pool->has_template_labels)
        struct_add(&hash, "Labels", hash_map(symbols, &pool->template_labels));
    if (pool->has_template_annotations)
        struct_add(&hash, "Annotations", hash_map(symbols, &pool->template_annotations));
    return hash;
}

uint64_t node_pool_hash(const Symbols *symbols, const NodePool *pool) {
    uint64_t hash = struct_start("NodeClaimTemplate");

    if (pool->has_template_labels || pool->has_template_annotations)
        struct_add(&hash, "ObjectMeta", hash_metadata(symbols, pool));
    struct_add(&hash, "Spec", hash_spec(symbols, &pool->template_spec));
    return hash;
}
