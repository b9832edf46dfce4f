// Zonal shifts.
#include "cloud/aws/events/zonal_shifts.h"

#include <stdlib.h>

static const ZonalShift *find_shift(const ZonalShiftVec *shifts, Slice zone_id) {
    for (vec_each(const ZonalShift, shift, shifts)) {
        if (slice_eq(shift->zone_id, zone_id))
            return shift;
    }
    return NULL;
}

static bool is_applied(Slice status) {
    return slice_eq_text(status, "APPLIED");
}

// Zone ids, then the later end first.
static int compare_shifts(const void *a, const void *b) {
    const ZonalShift *x = a, *y = b;
    int order = slice_cmp(x->zone_id, y->zone_id);

    return order ? order : (x->until_ns < y->until_ns) - (x->until_ns > y->until_ns);
}

static ZonalShiftVec each_zone_once(ZonalShiftVec shifts) {
    uint32_t kept = 0;

    if (shifts.count)
        qsort(shifts.items, shifts.count, sizeof *shifts.items, compare_shifts);
    for (uint32_t i = 0; i < shifts.count; i++) {
        if (!kept || !slice_eq(shifts.items[kept - 1].zone_id, shifts.items[i].zone_id))
            shifts.items[kept++] = shifts.items[i];
    }
    shifts.count = kept;
    return shifts;
}

ZonalShiftVec zonal_shifts_read(Arena *arena, const ArcGetManagedResourceOutput *answer, int64_t wall_ns) {
    ZonalShiftVec shifts = {0};

    for (vec_each(const ArcZonalShift, shift, &answer->zonal_shifts)) {
        if (shift->away_from.len && is_applied(shift->applied_status) && shift->expiry_time.has &&
            shift->expiry_time.ns > wall_ns)
            vec_push(arena, &shifts, (ZonalShift){arena_slice(arena, shift->away_from), shift->expiry_time.ns});
    }
    for (vec_each(const ArcAutoshift, shift, &answer->autoshifts)) {
        if (shift->away_from.len && is_applied(shift->applied_status))
            vec_push(arena, &shifts, (ZonalShift){arena_slice(arena, shift->away_from), INT64_MAX});
    }
    return each_zone_once(shifts);
}

bool zonal_shifts_have(const ZonalShiftVec *shifts, Slice zone_id, int64_t wall_ns) {
    const ZonalShift *shift = find_shift(shifts, zone_id);

    return shift && shift->until_ns > wall_ns;
}

SliceVec zonal_shifts_beyond(Arena *arena, const ZonalShiftVec *shifts, const ZonalShiftVec *others) {
    SliceVec zones = {0};

    for (vec_each(const ZonalShift, shift, shifts)) {
        if (!find_shift(others, shift->zone_id))
            vec_push(arena, &zones, shift->zone_id);
    }
    return zones;
}
