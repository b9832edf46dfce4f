// Lists of instance types that several share: immutable, counted, and kept for an hour after they were replaced.
//
// A list that differs from another in little shares the rest with it, and holds it. Threads: holders are counted
// atomically; who holds a list may read it.
#pragma once

#include "base/time.h"
#include "model/instance_type.h"

// How long a replaced list lives.
#define TYPE_LIST_KEPT_NS NS_PER_HOUR

typedef struct TypeList TypeList;
struct TypeList {
    Arena arena;
    InstanceTypeVec types;
    TypeList *base;   // whose memory it shares; NULL: none
    uint32_t holders; // atomic
};

// An empty list with one holder, which holds `base` (may be NULL).
TypeList *type_list_new(TypeList *base);
TypeList *type_list_hold(TypeList *list);
void type_list_release(TypeList *list); // NULL is fine

// Replaced lists, in the order of their ends; {0} is valid.
typedef struct {
    struct RetiredList {
        TypeList *list;
        size_t bytes; // of lists that share another's memory
        Mono until;
    } * items;
    uint32_t first, count, capacity; // of a ring
    size_t bytes;                    // of all of them that share another's memory
} RetiredLists;

// Takes over a holder of the list (NULL: nothing), and releases it an hour later. O(1) amortised.
void retired_add(RetiredLists *retired, TypeList *list, Mono now);
// Releases those whose hour is over. O(released).
void retired_release(RetiredLists *retired, Mono now);
// How long a list that differs in little from another is to last before it is replaced, so that the memory of those
// that were replaced stays within about a hundred megabytes however often something changes: 100 ms, doubled for every
// 8 MiB. O(1).
int64_t retired_pace_ns(const RetiredLists *retired);
void retired_free(RetiredLists *retired);
