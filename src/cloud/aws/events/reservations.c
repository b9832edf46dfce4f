// Reservations that end.
#include "cloud/aws/events/reservations.h"

#include "base/time.h"

#include <stdlib.h>

static bool is_expiring(const Ec2CapacityReservation *reservation, int64_t wall_ns) {
    return slice_eq_text(reservation->reservation_type, "capacity-block") && reservation->end_date.has &&
           ns_add(wall_ns, RESERVATION_EXPIRING_MIN * NS_PER_MIN) >= reservation->end_date.ns;
}

static int32_t clamp_count(AwsInteger count) {
    if (!count.has || count.value < 0)
        return 0;
    return count.value < INT32_MAX ? (int32_t)count.value : INT32_MAX;
}

CapacityReservation reservation_read(Arena *arena, Symbols *symbols, const Ec2CapacityReservation *reservation,
                                     int64_t wall_ns) {
    Slice type = reservation->reservation_type.len ? reservation->reservation_type : SLICE("default");

    return (CapacityReservation){
        .id = symbol_intern(symbols, reservation->capacity_reservation_id),
        .zone = symbol_intern(symbols, reservation->availability_zone),
        .instance_type = symbol_intern(symbols, reservation->instance_type),
        .type = symbol_intern(symbols, type),
        .state = symbol_intern(symbols, is_expiring(reservation, wall_ns) ? SLICE("expiring") : SLICE("active")),
        .interruptible = reservation->interruptible.has && reservation->interruptible.value,
        .available_count = clamp_count(reservation->available_instance_count),
        .match_criteria = arena_slice(arena, reservation->instance_match_criteria),
        .owner_id = arena_slice(arena, reservation->owner_id),
        .end_ns = reservation->end_date.has ? reservation->end_date.ns : 0,
    };
}

static int compare_ids(const void *a, const void *b) {
    return slice_cmp(*(const Slice *)a, *(const Slice *)b);
}

SliceVec reservations_expiring(Arena *arena, const Ec2CapacityReservationVec *reservations, int64_t wall_ns) {
    SliceVec ids = {0};
    uint32_t kept = 0;

    for (vec_each(const Ec2CapacityReservation, reservation, reservations)) {
        if (is_expiring(reservation, wall_ns))
            vec_push(arena, &ids, reservation->capacity_reservation_id);
    }
    if (ids.count)
        qsort(ids.items, ids.count, sizeof *ids.items, compare_ids);
    for (uint32_t i = 0; i < ids.count; i++) {
        if (!kept || !slice_eq(ids.items[kept - 1], ids.items[i]))
            ids.items[kept++] = ids.items[i];
    }
    ids.count = kept;
    return ids;
}
