// Zones that the cluster is shifted away from, as ARC tells: no offering of theirs is available, and their instances
// are left alone, until the shift is over. Behaviour: reference aws.md 7.9.
//
// Unlike upstream, an answer replaces the one before, so a shift that was cancelled does not last until its planned end
// because another one goes on; and shifts that AWS began itself (autoshift) count as well.
#pragma once

#include "aws/service/arc_zonal_shift.h"

// Zones by their ids (usw2-az1), which are the same in all accounts.
typedef struct {
    Slice zone_id;
    int64_t until_ns; // since 1970; INT64_MAX: open-ended
} ZonalShift;
typedef Vec(ZonalShift) ZonalShiftVec;

// The shifts of an answer that are applied and not over at that time: by zone id, each zone once, with its last end.
// A shift without a zone or an end is none. O(n log n). Texts are copied.
ZonalShiftVec zonal_shifts_read(Arena *arena, const ArcGetManagedResourceOutput *answer, int64_t wall_ns);

// Whether the cluster is shifted away from the zone at that time. O(n).
bool zonal_shifts_have(const ZonalShiftVec *shifts, Slice zone_id, int64_t wall_ns);

// Zones of `shifts` that `others` lack, by id. With what was read before and now: the shifts that began
// (ZonalShiftActive), and, the other way round, those that ended, in time or before (ZonalShiftCleared). O(n × m).
// Texts are shared.
SliceVec zonal_shifts_beyond(Arena *arena, const ZonalShiftVec *shifts, const ZonalShiftVec *others);
