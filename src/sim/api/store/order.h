// Order: the objects of one kind sorted by key, for lists and pages.
//
// A sorted sequence in blocks of at most 128 pointers: a key is found by two binary searches, an insertion moves at
// most one block, and a full block is split in two. Finding: O(log n). Adding, removing: O(log n + block), and O(n /
// block) when a block is added or freed. Keys are compared by bytes, as in etcd ("a-b/x" before "a/x").
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

// Position in the sequence: of an entry, or the end.
typedef struct {
    uint32_t block, at;
} OrderPlace;

void order_free(Order *order);
// `entry` must not be in the sequence; for order_remove it must be.
void order_add(Order *order, Entry *entry);
void order_remove(Order *order, const Entry *entry);

// The first entry whose key is not before `key`.
OrderPlace order_seek(const Order *order, Slice key);
// The entry at a position, NULL at the end; and the next position. O(1).
Entry *order_get(const Order *order, OrderPlace place);
OrderPlace order_next(const Order *order, OrderPlace place);
// Number of entries from a position on. O(blocks).
uint32_t order_rest(const Order *order, OrderPlace place);
