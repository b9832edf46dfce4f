// Sorting classes and their members.
#include "sched/input/class_order.h"

#include "sched/input/pod_order.h"

#include <stdlib.h>

static int compare_pods(const ClassTable *table, uint32_t a, uint32_t b) {
    const PendingPodVec *pending = &table->input->pending;
    int difference = pod_order(&table->input->cluster->symbols, pending->items[a].pod, pending->items[b].pod);

    return difference ? difference : (a > b) - (a < b);
}

static int compare_members(const void *a, const void *b, void *context) {
    return compare_pods(context, *(const uint32_t *)a, *(const uint32_t *)b);
}

void class_order_members(const ClassTable *table, U32Vec *members) {
    uint32_t sorted = 1;

    while (sorted < members->count && compare_pods(table, members->items[sorted - 1], members->items[sorted]) < 0)
        sorted++;
    if (sorted < members->count)
        qsort_r(members->items, members->count, sizeof *members->items, compare_members, (void *)(uintptr_t)table);
}

typedef struct {
    PodClass class;
    U32Vec members;
} Ordered;

static int compare_classes(const void *a, const void *b, void *context) {
    return compare_pods(context, ((const Ordered *)a)->members.items[0], ((const Ordered *)b)->members.items[0]);
}

void class_order_classes(ClassTable *table, U32Vec *members) {
    uint32_t count = table->classes.count;
    Arena scratch = {0};
    Ordered *ordered = arena_array(&scratch, Ordered, count);

    for (uint32_t i = 0; i < count; i++)
        ordered[i] = (Ordered){table->classes.items[i], members[i]};
    if (count)
        qsort_r(ordered, count, sizeof *ordered, compare_classes, table);
    for (uint32_t i = 0; i < count; i++) {
        table->classes.items[i] = ordered[i].class;
        members[i] = ordered[i].members;
    }
    arena_free(&scratch);
}
