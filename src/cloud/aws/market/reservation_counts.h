// How many instances still fit into capacity reservations, between two descriptions of them: EC2's count, less what
// was launched since, and more what ended. Reference aws.md 3.6; corrections of 1.15.
//
// EC2 describes a reservation once a minute. What is counted here holds until EC2 says another number than that which
// it was counted from, and no longer than three minutes.
#pragma once

#include "base/map.h"
#include "base/time.h"
#include "base/vec.h"
#include "model/names.h"

#define RESERVATION_COUNTED_FOR_NS (3 * 60 * NS_PER_S)
// How long an instance that ended is remembered, so that it counts once.
#define RESERVATION_ENDED_FOR_NS (15 * 60 * NS_PER_S)
enum { RESERVATION_ENDED_MAX = 4096 };

typedef struct {
    Symbol id;
    int32_t described, change;
    bool is_full;
    Mono until;
} ReservationCount;

// {0} is valid. Counts follow the number of reservations.
typedef struct {
    Arena arena;
    Vec(ReservationCount) rows;
    struct {
        uint64_t instance; // hash of its id
        Mono until;
    } * ended;
    uint32_t ended_count;
    Mono first_end; // no count ends before it; {0}: there is none
    uint64_t changes;
} ReservationCounts;

void reservation_counts_free(ReservationCounts *counts);

// `described`: what EC2 said last. O(reservations).
void reservation_launched(ReservationCounts *counts, Symbol id, int32_t described, Mono now);
void reservation_full(ReservationCounts *counts, Symbol id, int32_t described, Mono now);
// An instance that was in the reservation is gone. Once for each instance. O(reservations + ended).
void reservation_ended(ReservationCounts *counts, Symbol id, int32_t described, Slice instance, Mono now);
// Forgets what is over; to be called before `changes` is compared. O(1), and O(reservations) when something is.
void reservation_counts_sweep(ReservationCounts *counts, Mono now);

// The room of a reservation now, 0 at least. O(reservations).
int32_t reservation_room(const ReservationCounts *counts, Symbol id, int32_t described, Mono now);
