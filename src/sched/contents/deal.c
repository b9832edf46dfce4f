// A claim of a deal is tied only to domains that matter to its pods, so that it stays as flexible as it can be.
#include "sched/contents/deal.h"

Deal *deals_begin(Deals *deals) {
    Deal *deal = &deals->items[deals->count++ % DEALS_MAX];

    arena_free(&deal->arena);
    *deal = (Deal){0};
    return deal;
}

void deals_end(Deals *deals) {
    uint32_t last = (deals->count - 1) % DEALS_MAX;

    for (uint32_t i = 0; i < DEALS_MAX && i < deals->count; i++) {
        if (i == last || deals->items[i].hash != deals->items[last].hash)
            continue;
        deals->count--;
        return;
    }
}

void deals_free(Deals *deals) {
    for (uint32_t i = 0; i < DEALS_MAX; i++)
        arena_free(&deals->items[i].arena);
    *deals = (Deals){0};
}

// --- what a claim is tied to

// Whether a rule over domains of the key binds or counts a pod of the content.
static bool key_matters(const SmallProblem *problem, uint32_t key, uint32_t content) {
    const Topology *topology = &problem->solver->topology;

    for (uint32_t item = 0; item < problem->item_count; item++) {
        const PodClass *class = small_class(problem, item);
        const U32Vec *lists[] = {&class->counted, &class->inverse, &class->avoided, &class_last_variant(class)->groups};

        for (uint32_t i = 0; i < sizeof lists / sizeof *lists && small_part(problem, content, item); i++) {
            for (vec_each(const uint32_t, group, lists[i])) {
                if (topology->groups.items[*group].key == key)
                    return true;
            }
        }
    }
    return false;
}

static void tie(LabelSetBuilder *builder, Arena *scratch, const Universe *universe, uint32_t key, uint32_t atom) {
    uint64_t *mask;

    if (key == INDEX_NONE || atom == INDEX_NONE)
        return;
    mask = bitset_new(scratch, universe->keys.items[key].words * 64);
    bitset_set(mask, atom);
    label_set_and_mask(builder, key, mask);
}

// The domains of the cell, and with `shape` the zone and capacity type of an offering.
static LabelSetId tied_to(const SmallProblem *problem, const SmallPlace *claim, uint32_t content,
                          const OfferingShape *shape) {
    Universe *universe = &problem->solver->universe;
    const SmallCell *cell = &problem->cells.items[claim->cell];
    Arena scratch = {0};
    LabelSetBuilder builder = label_set_start(&scratch, universe);
    LabelSetId set;

    for (uint32_t i = 0; i < problem->keys.count; i++) {
        if (key_matters(problem, problem->keys.items[i], content))
            tie(&builder, &scratch, universe, problem->keys.items[i], cell->atoms[i]);
    }
    if (shape) {
        const Symbol names[] = {NAME_ZONE, NAME_CAPACITY_TYPE}, values[] = {shape->zone, shape->capacity_type};

        for (uint32_t i = 0; i < 2; i++) {
            uint32_t key = universe_key(universe, names[i]);

            tie(&builder, &scratch, universe, key,
                key == INDEX_NONE ? INDEX_NONE : universe_atom(universe, key, values[i]));
        }
    }
    set = label_set_finish(&builder);
    arena_free(&scratch);
    return set;
}

// --- nodes

static void add_parts(Deal *deal, DealNode *node, const SmallProblem *problem, const SmallPlace *place,
                      uint32_t content) {
    for (uint32_t item = 0; item < problem->item_count; item++) {
        uint32_t count = small_part(problem, content, item);

        node->pods += count;
        if (count)
            vec_push(&deal->arena, &node->parts,
                     (DealPart){problem->items[item].class, count, place->openers >> item & 1});
    }
}

void deal_add(Deal *deal, const SmallProblem *problem, const SmallPlace *place, uint32_t time, uint32_t content) {
    DealNode node = {.pool = place->pool, .bin = INDEX_NONE};

    if (place->pool) {
        const OfferingShape *shape = &place->pool->table->shapes[place->shape];

        node.domains = tied_to(problem, place, content, NULL);
        node.offering = tied_to(problem, place, content, shape);
        node.reserved = place->supply != INDEX_NONE;
        deal->price += place->price;
        deal->hash += hash_combine(hash_combine((uint64_t)(place - problem->claims.items), content), 1);
    } else {
        node.bin = place->bins.items[time % place->bins.count];
        deal->hash += hash_combine(hash_combine(node.bin, content), 2);
    }
    add_parts(deal, &node, problem, place, content);
    vec_push(&deal->arena, &deal->nodes, node);
}
