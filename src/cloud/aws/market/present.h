// The list of a NodeClass as it is now: its lasting list (class_list.h) under what is unavailable, the room of
// reservations, and the memory that nodes taught. Reference aws.md 2.6, 3.6, 4.4, 7.5.
#pragma once

#include "cloud/aws/launch/mask.h"
#include "cloud/aws/live/memory_book.h"
#include "cloud/aws/market/reservation_counts.h"
#include "cloud/aws/market/type_list.h"

// A type of a list whose nodes have another memory than the one that was computed.
typedef struct {
    uint32_t place; // in the list
    Resources capacity;
} TaughtType;
typedef Vec(TaughtType) TaughtTypeVec;

// Those types, in the order of the list, by their images. Capacities are in `arena`. O((rows + types) × log rows), and
// O(images) for each type with a row.
TaughtTypeVec present_taught(Arena *arena, const MemoryBook *book, const Symbols *symbols, const AmiStatusVec *amis,
                             const AmiRequirementsVec *requirements, int64_t wall_ns, const InstanceTypeVec *types);

// What holds now. Borrowed.
typedef struct {
    LaunchMask mask;
    const CapacityReservationVec *reservations; // of the class' status
    Symbol expiring;                            // their state near the end, as a symbol
    const ReservationCounts *counts;
    const TaughtTypeVec *taught;
    Mono now;
} PresentFacts;

// Types under what holds now, in `arena`, sharing everything but what differs. A full reservation stays available, with
// no room: changes.md 3. O(types), and as launch_mask_types.
InstanceTypeVec present_types(Arena *arena, const InstanceTypeVec *lasting, const PresentFacts *facts);
// The same as a list, to be released; the lasting one itself when it does not differ.
TypeList *present_list(TypeList *lasting, const PresentFacts *facts);

// Whether two lists over the same lasting one are equal. O(types + offerings that differ).
bool present_eq(const TypeList *a, const TypeList *b);
