// The longest rising subsequence of the present values stays; the others get numbers in the gaps.
#include "ctl/outlook/cost_values.h"

#include "base/check.h"
#include "base/map.h"

// Between neighbours that are numbered together: sixteen nodes may come between two before all are numbered anew. There
// is as much room before the first as behind the last.
enum { SPACING = 1 << 16, MIDDLE = -(1 << 30) };

// Marks the present values that stay. `tails[l]`: the last of the rising subsequence of l + 1 values that ends lowest;
// `before[i]`: its predecessor in one that ends with i.
static void find_kept(Arena *arena, const int32_t *present, uint32_t count, bool *kept) {
    uint32_t *tails = arena_array(arena, uint32_t, count + 1), *before = arena_array(arena, uint32_t, count + 1);
    uint32_t length = 0, at;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t low = 0, high = length;

        if (present[i] >= 0 || present[i] == COST_VALUE_FIRST)
            continue;
        while (low < high) {
            uint32_t middle = (low + high) / 2;

            if (present[tails[middle]] < present[i])
                low = middle + 1;
            else
                high = middle;
        }
        before[i] = low ? tails[low - 1] : INDEX_NONE;
        tails[low] = i;
        length += low == length;
    }
    at = length ? tails[length - 1] : INDEX_NONE;
    for (; at != INDEX_NONE; at = before[at])
        kept[at] = true;
}

// How nodes between two values are numbered: counted back from the later one, on from the earlier one, or evenly.
typedef enum { BEFORE_HIGH, BEHIND_LOW, EVENLY } Filling;

static bool fill(int64_t low, int64_t high, Filling filling, uint32_t count, int32_t *ret_values) {
    int64_t step = (high - low) / ((int64_t)count + 1);

    if (count && step < 1)
        return false;
    if (filling != EVENLY && step > SPACING)
        step = SPACING;
    for (uint32_t i = 0; i < count; i++)
        ret_values[i] = (int32_t)(filling == BEFORE_HIGH ? high - step * (count - i) : low + step * (i + 1));
    return true;
}

static bool fill_gaps(const int32_t *present, const bool *kept, uint32_t count, int32_t *ret_values) {
    int64_t low = COST_VALUE_FIRST;
    uint32_t first = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (!kept[i])
            continue;
        if (!fill(low, present[i], first ? EVENLY : BEFORE_HIGH, i - first, ret_values + first))
            return false;
        ret_values[i] = present[i];
        low = present[i];
        first = i + 1;
    }
    if (!first)
        return fill(COST_VALUE_FIRST, MIDDLE, BEFORE_HIGH, count, ret_values);
    return fill(low, 0, BEHIND_LOW, count - first, ret_values + first);
}

void cost_values_assign(Arena *arena, const int32_t *present, uint32_t count, int32_t *ret_values) {
    bool *kept = arena_array(arena, bool, count + 1), fits;

    CHECK(count < -MIDDLE, "%u nodes", count);
    find_kept(arena, present, count, kept);
    if (fill_gaps(present, kept, count, ret_values))
        return;
    memset(kept, 0, count * sizeof *kept);
    fits = fill_gaps(present, kept, count, ret_values);
    CHECK(fits, "no room for %u numbers", count);
}
