// Makes and caches digests of instance types.
#include "sched/index/type_digest.h"

#include "base/alloc.h"
#include "base/bitset.h"

// --- rows

static bool same_override(const Offering *a, const Offering *b) {
    if (!a->has_override || !b->has_override)
        return a->has_override == b->has_override;
    return resources_eq(&a->capacity_override, &b->capacity_override) &&
           resources_eq(&a->overhead_override, &b->overhead_override);
}

// Whether an earlier offering of the type has the same override.
static bool override_seen(const InstanceType *type, uint32_t offering) {
    for (uint32_t i = 0; i < offering; i++) {
        if (same_override(&type->offerings.items[i], &type->offerings.items[offering]))
            return true;
    }
    return false;
}

uint32_t offering_group(const InstanceType *type, const Offering *offering) {
    uint32_t group = 0;

    if (!offering->has_override)
        return 0;
    for (uint32_t i = 0; i < type->offerings.count; i++) {
        const Offering *other = &type->offerings.items[i];

        if (!other->has_override || override_seen(type, i))
            continue;
        group++;
        if (same_override(other, offering))
            return group;
    }
    return group;
}

static uint32_t group_count(const InstanceType *type) {
    uint32_t count = 1;

    for (uint32_t i = 0; i < type->offerings.count; i++)
        count += type->offerings.items[i].has_override && !override_seen(type, i);
    return count;
}

// The first offering of a group, which has the row's capacity override. NULL for group 0.
static const Offering *group_offering(const InstanceType *type, uint32_t group) {
    for (vec_each(Offering, offering, &type->offerings)) {
        if (group && offering_group(type, offering) == group)
            return offering;
    }
    return NULL;
}

static bool has_negative(const Resources *list) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i].amount < 0)
            return true;
    }
    return false;
}

static void make_rows(TypeDigest *digest, Arena *arena, const Symbols *symbols) {
    uint32_t at = 0;

    for (vec_each(const InstanceType, type, digest->types))
        digest->row_count += group_count(type);
    digest->words = bitset_words(digest->row_count);
    digest->rows = arena_array(arena, TypeRow, digest->row_count);
    digest->allocatable = arena_array(arena, Resources, digest->row_count);
    digest->capacity = arena_array(arena, Resources, digest->row_count);
    for (uint32_t i = 0; i < digest->types->count; i++) {
        const InstanceType *type = &digest->types->items[i];

        for (uint32_t group = 0, count = group_count(type); group < count; group++, at++) {
            const Offering *offering = group_offering(type, group);

            digest->allocatable[at] = instance_type_allocatable(arena, symbols, type, offering);
            digest->capacity[at] = instance_type_capacity(arena, type, offering);
            digest->rows[at] = (TypeRow){
                .type = type, .type_index = i, .group = group, .negative = has_negative(&digest->allocatable[at])};
        }
    }
}

// --- labels

static DigestKey *key_for(TypeDigest *digest, Arena *arena, Symbol symbol) {
    uint32_t found = u64_map_get(&digest->key_index, symbol);
    DigestKey *key;

    if (found != INDEX_NONE)
        return &digest->keys.items[found];
    u64_map_put(arena, &digest->key_index, symbol, digest->keys.count);
    key = vec_add(arena, &digest->keys);
    key->key = symbol;
    return key;
}

static uint64_t hash_requirement(const Requirement *requirement) {
    uint64_t hash = 0;

    if (!requirement)
        return hash;
    hash = hash_combine(requirement->complement, requirement->values.count);
    for (vec_each(const Symbol, value, &requirement->values))
        hash = hash_combine(hash, *value);
    return hash;
}

static bool same_requirement(const Requirement *a, const Requirement *b) {
    return a == b || (a && b && requirement_eq(a, b));
}

static void add_row(TypeDigest *digest, Arena *arena, DigestKey *key, IndexMap *index, const Requirement *requirement,
                    uint32_t row) {
    uint64_t hash = hash_requirement(requirement);
    uint32_t cursor = 0, found;
    DigestRows *rows;

    do {
        found = index_map_next(index, hash, &cursor);
    } while (found != INDEX_NONE && !same_requirement(key->rows.items[found].requirement, requirement));
    if (found == INDEX_NONE) {
        found = key->rows.count;
        rows = vec_add(arena, &key->rows);
        *rows = (DigestRows){requirement, arena_array(arena, uint64_t, digest->words)};
        index_map_add(arena, index, hash, found);
    }
    bitset_set(key->rows.items[found].rows, row);
}

static void make_keys(TypeDigest *digest, Arena *arena) {
    for (vec_each(const InstanceType, type, digest->types)) {
        for (uint32_t i = 0; i < type->requirements.count; i++)
            (void)key_for(digest, arena, type->requirements.items[i].key);
    }
    for (vec_each(DigestKey, key, &digest->keys)) {
        IndexMap index = {0};

        for (uint32_t row = 0; row < digest->row_count; row++)
            add_row(digest, arena, key, &index, requirements_get(&digest->rows[row].type->requirements, key->key), row);
    }
}

// --- offerings

static uint32_t shape_of(TypeDigest *digest, Arena *arena, IndexMap *index, const Offering *offering) {
    uint64_t hash = hash_combine(hash_combine(offering->zone, offering->capacity_type), offering->reservation_id);
    uint32_t cursor = 0, found;

    while ((found = index_map_next(index, hash, &cursor)) != INDEX_NONE) {
        const Offering *like = digest->shapes.items[found].like;

        if (like->zone == offering->zone && like->capacity_type == offering->capacity_type &&
            like->reservation_id == offering->reservation_id &&
            requirements_eq(&like->requirements, &offering->requirements))
            return found;
    }
    found = digest->shapes.count;
    vec_push(arena, &digest->shapes,
             (DigestShape){offering, arena_array(arena, uint64_t, digest->words), offering->price_per_hour});
    index_map_add(arena, index, hash, found);
    return found;
}

static void make_shapes(TypeDigest *digest, Arena *arena) {
    IndexMap index = {0};

    for (uint32_t number = 0; number < digest->row_count; number++) {
        TypeRow *row = &digest->rows[number];

        for (vec_each(const Offering, offering, &row->type->offerings)) {
            DigestShape *shape;
            uint32_t found;

            if (!offering->available || offering_group(row->type, offering) != row->group)
                continue;
            found = shape_of(digest, arena, &index, offering);
            shape = &digest->shapes.items[found];
            bitset_set(shape->rows, number);
            vec_push(arena, &row->offerings, (RowOffering){offering, found});
            if (offering->price_per_hour < shape->price_min)
                shape->price_min = offering->price_per_hour;
        }
    }
}

static void note_offering_keys(TypeDigest *digest, Arena *arena) {
    IndexMap seen = {0};

    for (vec_each(const InstanceType, type, digest->types)) {
        for (vec_each(const Offering, offering, &type->offerings)) {
            for (uint32_t i = 0; i < offering->requirements.count; i++) {
                Symbol key = offering->requirements.items[i].key;

                if (u64_map_get(&seen, key) != INDEX_NONE)
                    continue;
                u64_map_put(arena, &seen, key, 1);
                vec_push(arena, &digest->offering_keys, key);
            }
        }
    }
}

void type_digest_make(TypeDigest *digest, Arena *arena, const Symbols *symbols, const InstanceTypeVec *types) {
    *digest = (TypeDigest){.types = types};
    make_rows(digest, arena, symbols);
    make_keys(digest, arena);
    make_shapes(digest, arena);
    note_offering_keys(digest, arena);
}

// --- cache

typedef struct Kept Kept;
struct Kept {
    Kept *next;
    Arena arena; // memory of the digest
    uint64_t fingerprint;
    bool used; // since the last sweep
    TypeDigest digest;
};

struct TypeDigests {
    Kept *first;
};

TypeDigests *type_digests_new(void) {
    return NEW(TypeDigests);
}

// A hash of the types and of their offerings, which may change in place. What both point to, requirements and amounts,
// belongs to the catalogue as a whole and does not change.
static uint64_t fingerprint_of(const InstanceTypeVec *types) {
    uint64_t hash = slice_hash((Slice){(const char *)types->items, types->count * sizeof *types->items});

    for (vec_each(const InstanceType, type, types)) {
        Slice bytes = {(const char *)type->offerings.items, type->offerings.count * sizeof *type->offerings.items};

        hash = hash_combine(hash, slice_hash(bytes));
    }
    return hash;
}

const TypeDigest *type_digests_get(TypeDigests *digests, const Symbols *symbols, const InstanceTypeVec *types) {
    uint64_t fingerprint = fingerprint_of(types);
    Kept *kept = digests->first;

    while (kept && (kept->fingerprint != fingerprint || kept->digest.types != types))
        kept = kept->next;
    if (!kept) {
        kept = NEW(Kept);
        kept->fingerprint = fingerprint;
        type_digest_make(&kept->digest, &kept->arena, symbols, types);
        kept->next = digests->first;
        digests->first = kept;
    }
    kept->used = true;
    return &kept->digest;
}

void type_digests_sweep(TypeDigests *digests) {
    Kept **link = &digests->first;

    while (*link) {
        Kept *kept = *link;

        if (kept->used) {
            kept->used = false;
            link = &kept->next;
            continue;
        }
        *link = kept->next;
        arena_free(&kept->arena);
        free(kept);
    }
}

void type_digests_free(TypeDigests *digests) {
    if (!digests)
        return;
    for (Kept *kept = digests->first; kept; kept = kept->next)
        kept->used = false;
    type_digests_sweep(digests);
    free(digests);
}
