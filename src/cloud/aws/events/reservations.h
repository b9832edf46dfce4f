// Capacity reservations that end: blocks that are about to. Behaviour: reference aws.md 1.2, 3.6, 7
// (capacityreservation.expiration). What became of their instances: ctl/cloud (capacityreservation.capacitytype).
#pragma once

#include "aws/service/ec2_reservation.h"
#include "cloud/cloud.h"
#include "model/objects.h"

// EC2 takes the instances of a capacity block back 30 minutes before its end; 10 minutes earlier they begin to go.
enum { RESERVATION_EXPIRING_MIN = 40 };

// A reservation as the status of a NodeClass has it, at that time: "expiring" or "active", type "default" where EC2
// does not say. Texts that are no symbols are copied. O(1).
CapacityReservation reservation_read(Arena *arena, Symbols *symbols, const Ec2CapacityReservation *reservation,
                                     int64_t wall_ns);

// Ids of the reservations that are expiring at that time, by text, each once: the NodeClaims with their label are to be
// deleted. O(n log n). Texts are shared.
SliceVec reservations_expiring(Arena *arena, const Ec2CapacityReservationVec *reservations, int64_t wall_ns);
