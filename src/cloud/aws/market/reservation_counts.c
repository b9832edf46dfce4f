// Counts beside EC2's.
#include "cloud/aws/market/reservation_counts.h"

#include "base/alloc.h"

void reservation_counts_free(ReservationCounts *counts) {
    arena_free(&counts->arena);
    free(counts->ended);
    *counts = (ReservationCounts){0};
}

static ReservationCount *find(const ReservationCounts *counts, Symbol id) {
    for (vec_each(ReservationCount, row, &counts->rows)) {
        if (row->id == id)
            return row;
    }
    return NULL;
}

static bool holds(const ReservationCount *row, int32_t described, Mono now) {
    return row->described == described && !mono_reached(now, row->until);
}

// The row to count in, from now on.
static ReservationCount *count_in(ReservationCounts *counts, Symbol id, int32_t described, Mono now) {
    ReservationCount *row = find(counts, id);

    if (!row)
        row = vec_add(&counts->arena, &counts->rows);
    if (!holds(row, described, now))
        *row = (ReservationCount){.id = id, .described = described};
    row->until = mono_after(now, RESERVATION_COUNTED_FOR_NS);
    if (!mono_is_set(counts->first_end) || row->until.ns < counts->first_end.ns)
        counts->first_end = row->until;
    counts->changes++;
    return row;
}

void reservation_launched(ReservationCounts *counts, Symbol id, int32_t described, Mono now) {
    ReservationCount *row = count_in(counts, id, described, now);

    if (row->change > INT32_MIN / 2)
        row->change--;
}

void reservation_full(ReservationCounts *counts, Symbol id, int32_t described, Mono now) {
    count_in(counts, id, described, now)->is_full = true;
}

// Whether the instance ended before; it is remembered in any case, if need be instead of the one that ended first.
static bool was_counted(ReservationCounts *counts, uint64_t instance, Mono now) {
    uint32_t kept = 0;

    if (!counts->ended)
        counts->ended = alloc_zeroed(RESERVATION_ENDED_MAX, sizeof *counts->ended);
    for (uint32_t i = 0; i < counts->ended_count; i++) {
        if (counts->ended[i].instance == instance && !mono_reached(now, counts->ended[i].until))
            return true;
        if (!mono_reached(now, counts->ended[i].until))
            counts->ended[kept++] = counts->ended[i];
    }
    if (kept == RESERVATION_ENDED_MAX)
        memmove(counts->ended, counts->ended + 1, --kept * sizeof *counts->ended);
    counts->ended[kept].instance = instance;
    counts->ended[kept].until = mono_after(now, RESERVATION_ENDED_FOR_NS);
    counts->ended_count = kept + 1;
    return false;
}

void reservation_ended(ReservationCounts *counts, Symbol id, int32_t described, Slice instance, Mono now) {
    ReservationCount *row;

    if (was_counted(counts, slice_hash(instance), now))
        return;
    row = count_in(counts, id, described, now);
    row->is_full = false;
    if (row->change < INT32_MAX / 2)
        row->change++;
}

void reservation_counts_sweep(ReservationCounts *counts, Mono now) {
    uint32_t kept = 0;

    if (!mono_is_set(counts->first_end) || !mono_reached(now, counts->first_end))
        return;
    counts->first_end = (Mono){0};
    for (vec_each(ReservationCount, row, &counts->rows)) {
        if (mono_reached(now, row->until))
            continue;
        if (!mono_is_set(counts->first_end) || row->until.ns < counts->first_end.ns)
            counts->first_end = row->until;
        counts->rows.items[kept++] = *row;
    }
    counts->rows.count = kept;
    counts->changes++;
}

int32_t reservation_room(const ReservationCounts *counts, Symbol id, int32_t described, Mono now) {
    const ReservationCount *row = find(counts, id);
    int64_t room = described;

    if (row && holds(row, described, now))
        room = row->is_full ? 0 : room + row->change;
    return room < 0 ? 0 : room > INT32_MAX ? INT32_MAX : (int32_t)room;
}
