// Spreads over capacity types come first, since prices differ most between these, then those that bind most pods.
#include "sched/packing/pack_shares.h"

#include "sched/index/domain_counts.h"
#include "sched/packing/pack_items.h"

#include <stdlib.h>

// A spread, and the pods that it counts.
typedef struct {
    uint32_t group;
    bool over_capacity_types;
    U32Vec classes;
    DomainCounts counts;
    int64_t bound; // pods that are bound to some domain
} Spread;
typedef Vec(Spread) SpreadVec;

// Collects the classes that the spread counts, and their pods. False: their sizes differ.
static bool collect(PackBuilder *builder, Spread *spread) {
    const ClassTable *table = &builder->solver->classes;
    uint32_t dims = builder->packing->dims;
    int64_t *first = arena_array(&builder->scratch, int64_t, dims + 1);
    int64_t *size = arena_array(&builder->scratch, int64_t, dims + 1);

    for (uint32_t i = 0; i < table->classes.count; i++) {
        const PodClass *class = &table->classes.items[i];

        if (!builder->placed->pods[i] || !class_counts_for(class, spread->group))
            continue;
        pack_fill_size(builder, i, spread->classes.count ? size : first);
        if (spread->classes.count && memcmp(size, first, dims * sizeof *size) != 0)
            return false;
        vec_push(&builder->scratch, &spread->classes, i);
        spread->counts.counted += builder->placed->pods[i];
        if (u32_vec_has(&class_last_variant(class)->groups, spread->group))
            spread->counts.owners += builder->placed->pods[i];
    }
    return spread->counts.owners > 0;
}

static SpreadVec find_spreads(PackBuilder *builder) {
    const Solver *solver = builder->solver;
    SpreadVec spreads = {0};

    for (uint32_t i = 0; i < solver->topology.groups.count; i++) {
        const TopologyGroup *group = &solver->topology.groups.items[i];
        Spread spread = {.group = i, .over_capacity_types = group->topology_key == NAME_CAPACITY_TYPE};

        if (!topology_spreads_label(group) || builder->placed->settled[i] || !collect(builder, &spread) ||
            !domain_counts_make(&spread.counts, &builder->scratch, group) || spread.counts.count < 2)
            continue;
        for (uint32_t k = 0; k < spread.counts.count; k++)
            spread.bound += spread.counts.least[k];
        if (spread.bound)
            vec_push(&builder->scratch, &spreads, spread);
    }
    return spreads;
}

static int compare_spreads(const void *a, const void *b) {
    const Spread *x = a, *y = b;

    if (x->over_capacity_types != y->over_capacity_types)
        return x->over_capacity_types ? -1 : 1;
    if (x->bound != y->bound)
        return x->bound > y->bound ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

static bool is_free(const PackBuilder *builder, const Spread *spread) {
    for (vec_each(const uint32_t, class, &spread->classes)) {
        if (builder->in_share[*class])
            return false;
    }
    return true;
}

// Adds a share: pods of these classes, on nodes within the constraints.
static void add_share(PackBuilder *builder, const Spread *spread, LabelSetId within, int64_t count) {
    Signature signature = {.within = within};

    if (count <= 0)
        return;
    for (vec_each(const uint32_t, class, &spread->classes))
        vec_push(&builder->scratch, &signature.classes, &builder->solver->classes.classes.items[*class]);
    vec_push(&builder->scratch, &builder->shares,
             (PackShare){spread->classes.items[0], builder->signatures.count, (uint32_t)count});
    vec_push(&builder->scratch, &builder->signatures, signature);
}

// The pods that must be in each domain, and the others, which may be anywhere.
static void share_out(PackBuilder *builder, const Spread *spread) {
    Solver *solver = builder->solver;
    uint32_t key = solver->topology.groups.items[spread->group].key;

    for (uint32_t i = 0; i < spread->counts.count; i++)
        add_share(builder, spread, label_state_pin_set(&solver->states, key, spread->counts.atoms[i]),
                  spread->counts.least[i]);
    add_share(builder, spread, LABEL_SET_EMPTY, spread->counts.counted - spread->bound);
    for (vec_each(const uint32_t, class, &spread->classes))
        builder->in_share[*class] = true;
}

void pack_find_shares(PackBuilder *builder) {
    SpreadVec spreads;

    builder->in_share = arena_array(&builder->scratch, bool, builder->solver->classes.classes.count);
    if (!builder->placed)
        return;
    spreads = find_spreads(builder);
    if (spreads.count)
        qsort(spreads.items, spreads.count, sizeof *spreads.items, compare_spreads);
    for (vec_each(const Spread, spread, &spreads)) {
        if (is_free(builder, spread))
            share_out(builder, spread);
    }
    builder->packing->has_shares = builder->shares.count > 0;
    builder->signature_words = bitset_words(builder->signatures.count);
}
