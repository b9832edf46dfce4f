// The sorted sequence of entries.
#include "sim/api/store/order.h"

#include "base/alloc.h"
#include "sim/api/store/store.h"

void order_free(Order *order) {
    for (uint32_t i = 0; i < order->count; i++)
        free(order->blocks[i]);
    free(order->blocks);
    *order = (Order){0};
}

// The first block whose last entry is not before `key`; `count` when there is none.
static uint32_t find_block(const Order *order, Slice key) {
    uint32_t low = 0, high = order->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const OrderBlock *block = order->blocks[middle];

        if (slice_cmp(entry_key(block->items[block->count - 1]), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t find_in_block(const OrderBlock *block, Slice key) {
    uint32_t low = 0, high = block->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (slice_cmp(entry_key(block->items[middle]), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static OrderBlock *add_block(Order *order, uint32_t at) {
    OrderBlock *block = NEW(OrderBlock);

    GROW(order->blocks, order->capacity, order->count + 1);
    memmove(&order->blocks[at + 1], &order->blocks[at], (order->count - at) * sizeof(OrderBlock *));
    order->blocks[at] = block;
    order->count++;
    return block;
}

// Moves the upper half of a full block into a new one after it. At the very end nothing is moved, so that keys in
// ascending order leave full blocks.
static void split(Order *order, uint32_t at, uint32_t place) {
    OrderBlock *full = order->blocks[at], *upper = add_block(order, at + 1);
    uint32_t keep = at + 2 == order->count && place == ORDER_BLOCK ? ORDER_BLOCK - 1 : ORDER_BLOCK / 2;

    upper->count = ORDER_BLOCK - keep;
    memcpy(upper->items, &full->items[keep], upper->count * sizeof(Entry *));
    full->count = keep;
}

void order_add(Order *order, Entry *entry) {
    Slice key = entry_key(entry);
    uint32_t at = find_block(order, key), place;
    OrderBlock *block;

    if (at == order->count) // after all others: in the last block
        at = order->count ? order->count - 1 : (add_block(order, 0), 0);
    place = find_in_block(order->blocks[at], key);
    if (order->blocks[at]->count == ORDER_BLOCK) {
        split(order, at, place);
        if (place > order->blocks[at]->count) {
            place -= order->blocks[at]->count;
            at++;
        }
    }
    block = order->blocks[at];
    memmove(&block->items[place + 1], &block->items[place], (block->count - place) * sizeof(Entry *));
    block->items[place] = entry;
    block->count++;
}

void order_remove(Order *order, const Entry *entry) {
    OrderPlace place = order_seek(order, entry_key(entry));
    OrderBlock *block;

    CHECK(order_get(order, place) == entry, "an entry that is not in the order");
    block = order->blocks[place.block];
    block->count--;
    memmove(&block->items[place.at], &block->items[place.at + 1], (block->count - place.at) * sizeof(Entry *));
    if (block->count)
        return;
    free(block);
    order->count--;
    memmove(&order->blocks[place.block], &order->blocks[place.block + 1],
            (order->count - place.block) * sizeof(OrderBlock *));
}

OrderPlace order_seek(const Order *order, Slice key) {
    uint32_t block = find_block(order, key);

    return (OrderPlace){block, block < order->count ? find_in_block(order->blocks[block], key) : 0};
}

Entry *order_get(const Order *order, OrderPlace place) {
    return place.block < order->count ? order->blocks[place.block]->items[place.at] : NULL;
}

OrderPlace order_next(const Order *order, OrderPlace place) {
    if (place.at + 1 < order->blocks[place.block]->count)
        return (OrderPlace){place.block, place.at + 1};
    return (OrderPlace){place.block + 1, 0};
}

uint32_t order_rest(const Order *order, OrderPlace place) {
    uint32_t rest = 0;

    for (uint32_t block = place.block; block < order->count; block++)
        rest += order->blocks[block]->count;
    return rest - place.at;
}
