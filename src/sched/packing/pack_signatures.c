// Finds the signatures of classes.
#include "sched/packing/pack_signatures.h"

// Kinds have a bitset of signatures.
enum { SIGNATURES_MAX = 512 };

static uint64_t class_hash(const PodClass *class) {
    uint64_t hash = 0;

    for (vec_each(Variant, variant, &class->variants))
        hash = hash_combine(hash, (uint64_t)variant->labels << 32 | variant->tolerations);
    for (vec_each(LabelSetId, alternative, &class->volume_alternatives))
        hash = hash_combine(hash, *alternative);
    return hash_combine(hash, port_set_hash(class->ports));
}

bool pack_same_places(const PodClass *a, const PodClass *b) {
    if (!port_sets_equal(a->ports, b->ports) || a->variants.count != b->variants.count ||
        a->volume_alternatives.count != b->volume_alternatives.count)
        return false;
    for (uint32_t i = 0; i < a->variants.count; i++) {
        const Variant *x = &a->variants.items[i], *y = &b->variants.items[i];

        if (x->labels != y->labels || x->tolerations != y->tolerations)
            return false;
    }
    for (uint32_t i = 0; i < a->volume_alternatives.count; i++) {
        if (a->volume_alternatives.items[i] != b->volume_alternatives.items[i])
            return false;
    }
    return true;
}

static uint32_t find_signature(const PackBuilder *builder, const IndexMap *index, uint64_t hash,
                               const PodClass *class) {
    uint32_t cursor = 0, found;

    while ((found = index_map_next(index, hash, &cursor)) != INDEX_NONE) {
        const PodClass *other;

        CHECK(builder->signatures.items, "a signature that is not listed");
        other = builder->signatures.items[found].classes.items[0];
        if (pack_same_places(class, other))
            return found;
    }
    return INDEX_NONE;
}

void pack_find_signatures(PackBuilder *builder) {
    const PodClassVec *classes = &builder->solver->classes.classes;
    IndexMap index = {0};

    builder->signature_of = arena_array(&builder->scratch, uint32_t, classes->count);
    for (uint32_t i = 0; i < classes->count; i++) {
        const PodClass *class = &classes->items[i];
        uint64_t hash = class_hash(class);
        uint32_t found = find_signature(builder, &index, hash, class);
        Signature *signature;

        if (found == INDEX_NONE && builder->signatures.count < SIGNATURES_MAX) {
            found = builder->signatures.count;
            signature = vec_add(&builder->scratch, &builder->signatures);
            vec_push(&builder->scratch, &signature->classes, class);
            index_map_add(&builder->scratch, &index, hash, found);
        } else if (found == INDEX_NONE) {
            if (builder->signatures.count == SIGNATURES_MAX)
                vec_add(&builder->scratch, &builder->signatures);
            found = SIGNATURES_MAX;
        }
        builder->signature_of[i] = found;
    }
    builder->signature_words = bitset_words(builder->signatures.count);
}
