// Queue of uids for the garbage collector.
#include "sim/api/uid_queue.h"

#include "base/alloc.h"

#include <stdlib.h>

void uid_queue_add(UidQueue *queue, uint64_t uid_hash) {
    if (queue->count == queue->capacity) {
        uint32_t capacity = queue->capacity ? queue->capacity * 2 : 64;
        uint64_t *items = NEW_ARRAY(uint64_t, capacity);

        for (uint32_t i = 0, at = queue->first; i < queue->count; i++, at++)
            items[i] = queue->items[at < queue->capacity ? at : at - queue->capacity];
        free(queue->items);
        *queue = (UidQueue){items, 0, queue->count, capacity};
    }
    CHECK(queue->capacity);
    queue->items[(queue->first + queue->count++) % queue->capacity] = uid_hash;
}

bool uid_queue_take(UidQueue *queue, uint64_t *ret_uid_hash) {
    if (queue->count == 0)
        return false;
    *ret_uid_hash = queue->items[queue->first];
    queue->first = (queue->first + 1) % queue->capacity;
    queue->count--;
    return true;
}
