// Tallies: how many pods of some description are on each node, kept as pods come and go.
#include <stdlib.h>

#include "sim/scheduler/usher_parts.h"

static bool in_namespaces(Usher *usher, const UsherTarget *target, Symbol ns) {
    const Namespace *namespace;

    for (uint32_t i = 0; i < target->namespaces.count; i++) {
        if (target->namespaces.items[i] == ns)
            return true;
    }
    if (!target->namespace_selector)
        return false;
    namespace = usher->sources.namespace(usher->sources.self, ns);
    return usher_selector_selects(usher->symbols, target->namespace_selector,
                                  namespace ? &namespace->meta.labels : &(Labels){0});
}

bool usher_tally_selects(Usher *usher, const UsherTally *tally, const UsherClass *class) {
    for (vec_each(const UsherTarget, target, &tally->targets)) {
        if (!in_namespaces(usher, target, class->ns) ||
            !usher_selector_selects(usher->symbols, target->selector, &class->labels))
            return false;
    }
    return true;
}

static void reserve_nodes(Usher *usher, UsherTally *tally) {
    usher_reserve(tally->on_node, usher->node_capacity, &tally->on_node_capacity);
}

static void tally_add(Usher *usher, uint32_t slot, uint32_t node, int sign, uint32_t by) {
    UsherTally *tally = &usher->tallies[slot];

    reserve_nodes(usher, tally);
    tally->on_node[node] += sign > 0 ? by : -by;
    tally->total += sign > 0 ? by : -by;
    for (uint32_t i = 0; i < tally->views.count; i++)
        usher_view_add(&usher->views[tally->views.items[i]], node, sign, by);
}

void usher_tallies_add_pod(Usher *usher, const UsherPod *pod, int sign) {
    const UsherList *tallies = &usher->classes[pod->class_index].counted_in;

    for (uint32_t i = 0; i < tallies->count; i++) {
        if (pod->alive || usher->tallies[tallies->items[i]].kind != TALLY_ALIVE)
            tally_add(usher, tallies->items[i], pod->node, sign, 1);
    }
}

// The pods of a class that are counted somewhere, into or out of one tally.
static void add_class(Usher *usher, uint32_t slot, uint32_t class_index, int sign) {
    for (uint32_t i = usher->classes[class_index].first_pod; i != USHER_NONE; i = usher->pods[i].next_in_class) {
        const UsherPod *pod = &usher->pods[i];

        if (pod->node != USHER_NONE && (pod->alive || usher->tallies[slot].kind != TALLY_ALIVE))
            tally_add(usher, slot, pod->node, sign, 1);
    }
}

void usher_tallies_meet_class(Usher *usher, uint32_t class_index) {
    UsherClass *class = &usher->classes[class_index];

    for (uint32_t i = 0; i < usher->tally_count; i++) {
        const UsherTally *tally = &usher->tallies[i];

        if (tally->refs && usher_tally_selects(usher, tally, class))
            usher_list_add(tally->kind == TALLY_HOLDERS ? &class->aimed_by : &class->counted_in, i);
    }
}

static void meet_classes(Usher *usher, uint32_t slot) {
    for (uint32_t i = 0; i < usher->class_count; i++) {
        UsherClass *class = &usher->classes[i];

        if (!class->refs || !usher_tally_selects(usher, &usher->tallies[slot], class))
            continue;
        if (usher->tallies[slot].kind == TALLY_HOLDERS) {
            usher_list_add(&class->aimed_by, slot);
            continue;
        }
        usher_list_add(&class->counted_in, slot);
        add_class(usher, slot, i, 1);
    }
}

static void write_tally(Buffer *buffer, const UsherTally *tally) {
    buffer->len = 0;
    usher_write_number(buffer, tally->kind);
    usher_write_number(buffer, (uint64_t)tally->role << 32 | (uint32_t)tally->weight);
    usher_write_number(buffer, tally->kind == TALLY_HOLDERS ? tally->view : 0);
    for (vec_each(const UsherTarget, target, &tally->targets)) {
        usher_write_selector(buffer, target->selector);
        usher_write_selector(buffer, target->namespace_selector);
        usher_write_number(buffer, target->namespaces.count);
        for (uint32_t i = 0; i < target->namespaces.count; i++)
            usher_write_number(buffer, target->namespaces.items[i]);
    }
}

static uint32_t tally_slot(Usher *usher) {
    if (usher->free_tallies.count)
        return usher->free_tallies.items[--usher->free_tallies.count];
    usher_reserve(usher->tallies, usher->tally_count + 1, &usher->tally_capacity);
    return usher->tally_count++;
}

uint32_t usher_tally_take(Usher *usher, UsherTally *wanted) {
    Slice identity;
    uint64_t hash;
    uint32_t slot;

    write_tally(&usher->scratch, wanted);
    identity = buffer_slice(&usher->scratch);
    hash = slice_hash(identity);
    slot = usher_index_first(&usher->tally_index, hash);
    while (slot != USHER_NONE && !slice_eq(usher->tallies[slot].identity, identity))
        slot = usher->tally_index.next[slot];
    if (slot != USHER_NONE) {
        arena_free(&wanted->arena);
        usher->tallies[slot].refs++;
        return slot;
    }
    slot = tally_slot(usher);
    wanted->identity = arena_slice(&wanted->arena, identity);
    wanted->hash = hash;
    wanted->refs = 1;
    for (vec_each(const UsherTarget, target, &wanted->targets))
        wanted->asks_namespaces |= target->namespace_selector != NULL;
    usher->tallies[slot] = *wanted;
    usher_index_add(&usher->tally_index, hash, slot);
    usher->tallies_live++;
    meet_classes(usher, slot);
    return slot;
}

void usher_tally_drop(Usher *usher, uint32_t slot) {
    UsherTally *tally = &usher->tallies[slot];

    if (--tally->refs)
        return;
    CHECK(tally->views.count == 0, "a view outlives its tally");
    for (uint32_t i = 0; i < usher->class_count; i++) {
        usher_list_remove(&usher->classes[i].counted_in, slot);
        usher_list_remove(&usher->classes[i].aimed_by, slot);
    }
    usher_index_remove(&usher->tally_index, tally->hash, slot);
    free(tally->on_node);
    free(tally->views.items);
    arena_free(&tally->arena);
    *tally = (UsherTally){0};
    usher_list_add(&usher->free_tallies, slot);
    usher->tallies_live--;
}

static void meet_again(Usher *usher, uint32_t slot, uint32_t class_index) {
    UsherClass *class = &usher->classes[class_index];
    const UsherTally *tally = &usher->tallies[slot];
    UsherList *list = tally->kind == TALLY_HOLDERS ? &class->aimed_by : &class->counted_in;
    bool was = usher_list_has(list, slot), is = usher_tally_selects(usher, tally, class);

    if (was == is)
        return;
    if (is)
        usher_list_add(list, slot);
    else
        usher_list_remove(list, slot);
    if (tally->kind != TALLY_HOLDERS)
        add_class(usher, slot, class_index, is ? 1 : -1);
}

void usher_apply_namespace(Usher *usher, Symbol name) {
    usher->change++;
    for (uint32_t i = 0; i < usher->tally_count; i++) {
        if (!usher->tallies[i].refs || !usher->tallies[i].asks_namespaces)
            continue;
        for (uint32_t j = 0; j < usher->class_count; j++) {
            if (usher->classes[j].refs && usher->classes[j].ns == name)
                meet_again(usher, i, j);
        }
    }
}
