// Ranks.
#include "cloud/aws/launch/deal.h"

#include <stdlib.h>

static int by_text(const void *a, const void *b) {
    return slice_cmp(*(const Slice *)a, *(const Slice *)b);
}

SliceVec fleet_order(Arena *arena, const SliceVec *texts) {
    SliceVec sorted = {0};

    for (vec_each(const Slice, text, texts))
        vec_push(arena, &sorted, *text);
    if (sorted.count)
        qsort(sorted.items, sorted.count, sizeof *sorted.items, by_text);
    return sorted;
}

SliceVec fleet_deal(Arena *arena, const SliceVec *claims, const SliceVec *ids) {
    SliceVec sorted = fleet_order(arena, claims), dealt = {0};

    for (vec_each(const Slice, id, ids)) {
        uint32_t rank = 0;

        for (vec_each(const Slice, other, ids))
            rank += slice_cmp(*other, *id) < 0;
        vec_push(arena, &dealt, rank < sorted.count ? sorted.items[rank] : (Slice){0});
    }
    return dealt;
}
