// Lists of instance types that several share: immutable, counted, and kept after they were replaced for as long as
// somebody may still read them.
//
// A list that differs from another in little shares the rest with it, and holds it. Threads: holders are counted
// atomically; who holds a list may read it.
//
// Readers are given a plain pointer, and hold a ticket while they use it. A list that was replaced ends with the last
// ticket of before. Its address is not used for another list for an hour, because who remembers a pointer without
// reading through it takes an equal one for the same list.
#pragma once

#include "base/time.h"
#include "model/instance_type.h"

// How long the address of a replaced list stays its own.
#define TYPE_LIST_KEPT_NS NS_PER_HOUR

typedef struct TypeList TypeList;
struct TypeList {
    Arena arena;
    InstanceTypeVec types;
    TypeList *base;     // whose memory it shares; NULL: none
    uint32_t holders;   // of what is in it; atomic
    uint32_t addresses; // of its address: one for all holders together, another while it is remembered; atomic
};

// An empty list with one holder, which holds `base` (may be NULL).
TypeList *type_list_new(TypeList *base);
TypeList *type_list_hold(TypeList *list);
void type_list_release(TypeList *list); // NULL is fine

// Replaced lists, in the order in which they were; {0} is valid.
typedef struct {
    struct RetiredList {
        TypeList *list;
        size_t bytes; // of lists that share another's memory
        Mono until;   // when its address may be used again
    } * items;
    uint32_t first, count, capacity; // of a ring
    uint32_t released;               // the first so many are not held any more: only their addresses are
    uint64_t forgotten;              // so many were before the first
    size_t bytes;                    // of all held ones that share another's memory
    struct {
        uint64_t *items;
        uint32_t count, capacity;
    } tickets; // numbers of the lists that were the next to be replaced when the tickets were given
} RetiredLists;

// Takes over a holder of the list (NULL: nothing), for as long as there is a ticket of before. O(1) amortised.
void retired_add(RetiredLists *retired, TypeList *list, Mono now);
// A ticket: lists that are replaced from now on are held until it is given back. O(1).
uint64_t retired_hold(RetiredLists *retired);
void retired_give_back(RetiredLists *retired, uint64_t ticket); // O(tickets)
// Releases those that no ticket holds, and the addresses whose hour is over. O(released + tickets).
void retired_release(RetiredLists *retired, Mono now);
// How long a list that differs in little from another is to last before it is replaced, so that the memory of those
// that are held stays bounded however often something changes while a reader takes long: 100 ms, doubled for every
// 8 MiB. O(1).
int64_t retired_pace_ns(const RetiredLists *retired);
void retired_free(RetiredLists *retired);
