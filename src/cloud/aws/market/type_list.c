// Counting, and the queue of lists that were replaced.
#include "cloud/aws/market/type_list.h"

#include "base/alloc.h"

static const int64_t PACE_NS = 100 * NS_PER_MS;
static const size_t PACE_BYTES = 8 << 20;
enum { DOUBLINGS_MAX = 12 };

TypeList *type_list_new(TypeList *base) {
    TypeList *list = NEW(TypeList);

    list->holders = list->addresses = 1;
    list->base = base ? type_list_hold(base) : NULL;
    return list;
}

TypeList *type_list_hold(TypeList *list) {
    __atomic_add_fetch(&list->holders, 1, __ATOMIC_RELAXED);
    return list;
}

static void forget_address(TypeList *list) {
    if (__atomic_sub_fetch(&list->addresses, 1, __ATOMIC_ACQ_REL) == 0)
        free(list);
}

void type_list_release(TypeList *list) {
    while (list && __atomic_sub_fetch(&list->holders, 1, __ATOMIC_ACQ_REL) == 0) {
        TypeList *base = list->base;

        arena_free(&list->arena);
        forget_address(list);
        list = base;
    }
}

static void grow(RetiredLists *retired) {
    uint32_t capacity = retired->capacity ? 2 * retired->capacity : 16;
    struct RetiredList *items = NEW_ARRAY(struct RetiredList, capacity);

    for (uint32_t i = 0; i < retired->count; i++)
        items[i] = retired->items[(retired->first + i) % retired->capacity];
    free(retired->items);
    retired->items = items;
    retired->first = 0;
    retired->capacity = capacity;
}

void retired_add(RetiredLists *retired, TypeList *list, Mono now) {
    struct RetiredList added = {.list = list, .until = mono_after(now, TYPE_LIST_KEPT_NS)};

    if (!list)
        return;
    __atomic_add_fetch(&list->addresses, 1, __ATOMIC_RELAXED);
    added.bytes = list->base ? arena_used(&list->arena) : 0;
    if (retired->count == retired->capacity)
        grow(retired);
    retired->items[(retired->first + retired->count++) % retired->capacity] = added;
    retired->bytes += added.bytes;
}

uint64_t retired_hold(RetiredLists *retired) {
    uint64_t ticket = retired->forgotten + retired->count;

    GROW(retired->tickets.items, retired->tickets.capacity, retired->tickets.count + 1);
    return retired->tickets.items[retired->tickets.count++] = ticket;
}

void retired_give_back(RetiredLists *retired, uint64_t ticket) {
    for (uint32_t i = 0; i < retired->tickets.count; i++) {
        if (retired->tickets.items[i] == ticket) {
            retired->tickets.items[i] = retired->tickets.items[--retired->tickets.count];
            return;
        }
    }
    CHECK(false, "ticket %llu was given back before", (unsigned long long)ticket);
}

static void release_next(RetiredLists *retired) {
    struct RetiredList *next = &retired->items[(retired->first + retired->released++) % retired->capacity];

    retired->bytes -= next->bytes;
    type_list_release(next->list);
}

static void forget_first(RetiredLists *retired) {
    forget_address(retired->items[retired->first].list);
    retired->first = (retired->first + 1) % retired->capacity;
    retired->count--;
    retired->released--;
    retired->forgotten++;
}

void retired_release(RetiredLists *retired, Mono now) {
    uint64_t held = retired->forgotten + retired->count; // number of the first list that is

    for (uint32_t i = 0; i < retired->tickets.count; i++)
        held = retired->tickets.items[i] < held ? retired->tickets.items[i] : held;
    while (retired->forgotten + retired->released < held)
        release_next(retired);
    while (retired->released && mono_reached(now, retired->items[retired->first].until))
        forget_first(retired);
}

int64_t retired_pace_ns(const RetiredLists *retired) {
    size_t doublings = retired->bytes / PACE_BYTES;

    return PACE_NS << (doublings < DOUBLINGS_MAX ? doublings : DOUBLINGS_MAX);
}

void retired_free(RetiredLists *retired) {
    while (retired->released < retired->count)
        release_next(retired);
    while (retired->count)
        forget_first(retired);
    free(retired->items);
    free(retired->tickets.items);
    *retired = (RetiredLists){0};
}
