// Which classes may go to the same places.
#include "sched/packing/packing_parts.h"

static uint64_t class_hash(const PackBuilder *builder, const PodClass *class) {
    uint64_t hash = 0;

    for (vec_each(Variant, variant, &class->variants))
        hash = hash_combine(hash, (uint64_t)variant->labels << 32 | variant->tolerations);
    for (vec_each(LabelSetId, alternative, &class->volume_alternatives))
        hash = hash_combine(hash, *alternative);
    for (uint32_t i = 0; class->ports && i < builder->solver->classes.port_words; i++)
        hash = hash_combine(hash, class->ports[i]);
    return hash;
}

static bool ports_equal(const PackBuilder *builder, const PodClass *a, const PodClass *b) {
    if (!a->ports || !b->ports)
        return a->ports == b->ports;
    return bitset_eq(a->ports, b->ports, builder->solver->classes.port_words);
}

static bool variants_equal(const PodClass *a, const PodClass *b) {
    if (a->variants.count != b->variants.count || a->volume_alternatives.count != b->volume_alternatives.count)
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

void pack_find_signatures(PackBuilder *builder) {
    const PodClassVec *classes = &builder->solver->classes.classes;
    IndexMap index = {0};

    builder->signature_of = arena_array(&builder->scratch, uint32_t, classes->count);
    for (uint32_t i = 0; i < classes->count; i++) {
        const PodClass *class = &classes->items[i];
        uint64_t hash = class_hash(builder, class);
        uint32_t cursor = 0, found;

        while ((found = index_map_next(&index, hash, &cursor)) != INDEX_NONE) {
            const PodClass *other = builder->signatures.items[found].class;

            if (variants_equal(class, other) && ports_equal(builder, class, other))
                break;
        }
        if (found == INDEX_NONE) {
            found = builder->signatures.count;
            vec_push(&builder->scratch, &builder->signatures, (Signature){class, hash});
            index_map_add(&builder->scratch, &index, hash, found);
        }
        builder->signature_of[i] = found;
    }
    builder->signature_words = bitset_words(builder->signatures.count);
}
