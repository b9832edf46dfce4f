// A ring by number.
#include "cloud/aws/events/receipts.h"

#include "base/alloc.h"

void receipts_init(Receipts *receipts) {
    *receipts = (Receipts){.next = 1};
}

void receipts_free(Receipts *receipts) {
    for (uint32_t i = 0; i < RECEIPTS_MAX; i++)
        free(receipts->slots[i].handle);
}

uint64_t receipts_reserve(Receipts *receipts, uint32_t count) {
    uint64_t first = receipts->next;

    receipts->next += count;
    return first;
}

void receipts_put(Receipts *receipts, uint64_t receipt, Slice handle) {
    uint32_t slot = receipt % RECEIPTS_MAX;
    char *copy = alloc_raw(handle.len + 1);

    if (handle.len)
        memcpy(copy, handle.ptr, handle.len);
    copy[handle.len] = '\0';
    free(receipts->slots[slot].handle);
    receipts->slots[slot].receipt = receipt;
    receipts->slots[slot].handle = copy;
}

static bool has(const Receipts *receipts, uint64_t receipt) {
    uint32_t slot = receipt % RECEIPTS_MAX;

    return receipts->slots[slot].handle && receipts->slots[slot].receipt == receipt;
}

Slice receipts_get(const Receipts *receipts, Arena *arena, uint64_t receipt) {
    return has(receipts, receipt) ? arena_slice(arena, slice_of(receipts->slots[receipt % RECEIPTS_MAX].handle))
                                  : SLICE("");
}

void receipts_remove(Receipts *receipts, uint64_t receipt) {
    if (!has(receipts, receipt))
        return;
    free(receipts->slots[receipt % RECEIPTS_MAX].handle);
    receipts->slots[receipt % RECEIPTS_MAX].handle = NULL;
}
