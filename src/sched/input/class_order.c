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

// What the comparison of two classes needs.
typedef struct {
    const ClassTable *table;
    const U32Vec *members;
} Order;

static int compare_classes(const void *a, const void *b, void *context) {
    const Order *order = context;

    return compare_pods(order->table, order->members[*(const uint32_t *)a].items[0],
                        order->members[*(const uint32_t *)b].items[0]);
}

// The common case: classes are found in this order when the input is sorted.
static bool is_sorted(const Order *order) {
    for (uint32_t i = 1; i < order->table->classes.count; i++) {
        if (compare_pods(order->table, order->members[i - 1].items[0], order->members[i].items[0]) > 0)
            return false;
    }
    return true;
}

void class_order_classes(ClassTable *table, U32Vec *members) {
    uint32_t count = table->classes.count;
    Order order = {table, members};
    Arena scratch = {0};
    uint32_t *sorted;
    PodClass *classes;
    U32Vec *lists;

    if (is_sorted(&order))
        return;
    sorted = arena_array(&scratch, uint32_t, count);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = i;
    qsort_r(sorted, count, sizeof *sorted, compare_classes, &order);
    classes = arena_copy(&scratch, table->classes.items, count * sizeof *classes);
    lists = arena_copy(&scratch, members, count * sizeof *lists);
    for (uint32_t i = 0; i < count; i++) {
        table->classes.items[i] = classes[sorted[i]];
        members[i] = lists[sorted[i]];
    }
    arena_free(&scratch);
}
