// Compares pods by age and name.
#include "sched/input/pod_order.h"

#include "sched/input/pod_priority.h"

#include <ctype.h>
#include <stdlib.h>

static size_t digits_at(Slice text, size_t at) {
    size_t count = 0;

    while (at + count < text.len && isdigit((unsigned char)text.ptr[at + count]))
        count++;
    return count;
}

// Compares digits by value: after dropping leading zeros the longer number is larger.
static int compare_numbers(Slice a, Slice b) {
    while (a.len > 1 && *a.ptr == '0')
        a = slice_from(a, 1);
    while (b.len > 1 && *b.ptr == '0')
        b = slice_from(b, 1);
    if (a.len != b.len)
        return a.len < b.len ? -1 : 1;
    return memcmp(a.ptr, b.ptr, a.len);
}

// The length of the common prefix, without the digits of a number that the prefix ends in.
static size_t common_start(Slice a, Slice b) {
    size_t least = a.len < b.len ? a.len : b.len, at = 0;

    while (at < least && a.ptr[at] == b.ptr[at])
        at++;
    while (at > 0 && isdigit((unsigned char)a.ptr[at - 1]))
        at--;
    return at;
}

// Text is compared by bytes and numbers by value; names that differ in leading zeros only, by length.
static int compare_names(Slice a, Slice b) {
    size_t i = common_start(a, b), j = i;

    while (i < a.len && j < b.len) {
        size_t m = digits_at(a, i), n = digits_at(b, j);
        int difference = m && n ? compare_numbers((Slice){a.ptr + i, m}, (Slice){b.ptr + j, n})
                                : (unsigned char)a.ptr[i] - (unsigned char)b.ptr[j];

        if (difference)
            return difference;
        i += m && n ? m : 1;
        j += m && n ? n : 1;
    }
    if (a.len - i != b.len - j)
        return a.len - i < b.len - j ? -1 : 1;
    return (a.len > b.len) - (a.len < b.len);
}

int pod_order(const Symbols *symbols, const Pod *a, const Pod *b) {
    int difference = 0;

    if (a->created_ns != b->created_ns)
        return a->created_ns < b->created_ns ? -1 : 1;
    if (a->owners.items && a->owners.items == b->owners.items)
        return 0;
    if (a->ns != b->ns)
        difference = symbol_cmp(symbols, a->ns, b->ns);
    return difference ? difference : compare_names(symbol_text(symbols, a->name), symbol_text(symbols, b->name));
}

static int compare_queued(const void *a, const void *b, void *context) {
    const Cluster *cluster = context;
    const Pod *x = *(const Pod *const *)a, *y = *(const Pod *const *)b;
    int32_t first = pod_priority(cluster, x), second = pod_priority(cluster, y);
    int difference = first != second ? (first > second ? -1 : 1) : pod_order(&cluster->symbols, x, y);

    return difference ? difference : (x > y) - (x < y);
}

void pods_queue(const Cluster *cluster, const Pod **pods, uint32_t count) {
    if (count > 1)
        qsort_r(pods, count, sizeof *pods, compare_queued, (void *)(uintptr_t)cluster);
}

// Pods that compare equal stay in the order of the cluster.
static int compare_pending(const void *a, const void *b, void *symbols) {
    const Pod *x = ((const PendingPod *)a)->pod, *y = ((const PendingPod *)b)->pod;
    int difference = pod_order(symbols, x, y);

    return difference ? difference : (x > y) - (x < y);
}

void pods_sort(const Symbols *symbols, PendingPodVec *pods) {
    uint32_t sorted = 1;

    while (sorted < pods->count &&
           compare_pending(&pods->items[sorted - 1], &pods->items[sorted], (void *)(uintptr_t)symbols) < 0)
        sorted++;
    if (sorted < pods->count)
        qsort_r(pods->items, pods->count, sizeof *pods->items, compare_pending, (void *)(uintptr_t)symbols);
}
