// Objects of one kind in the order of their keys, for lists and pages.
//
// A sorted sequence in blocks of at most 128 pointers: the place of a key is found by two binary searches, an insertion
// moves at most one block, and a full block splits in two. Finding: O(log n). Adding, removing: O(log n + block), and
// O(n / block) when a block comes or goes. Keys compare by bytes, as etcd's do ("a-b/x" before "a/x").
#pragma once

#include "sim/api/store/packed.h"

typedef struct Entry Entry;

enum { ORDER_BLOCK = 128 };

typedef struct {
    uint32_t count;
    Entry *items[ORDER_BLOCK];
} OrderBlock;

typedef struct {
    OrderBlock **blocks; // none is empty
    uint32_t count, capacity;
} Order;

// A place in the sequence: an entry, or its end.
typedef struct {
    uint32_t block, at;
} OrderPlace;

void order_free(Order *order);
// `entry` must not be in it; to be removed, it must be.
void order_add(Order *order, Entry *entry);
void order_remove(Order *order, const Entry *entry);

// The first entry whose key is not before `key`.
OrderPlace order_seek(const Order *order, Slice key);
// The entry at a place, NULL at the end; and the next place. O(1).
Entry *order_get(const Order *order, OrderPlace place);
OrderPlace order_next(const Order *order, OrderPlace place);
// How many entries there are from a place on. O(blocks).
uint32_t order_rest(const Order *order, OrderPlace place);
