// Capacity reservations that end: blocks that are about to, and instances that outlived theirs. Behaviour: reference
// aws.md 1.2, 3.6, 7 (capacityreservation.expiration), 7.6.
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

// Whether an object with these labels (a NodeClaim, or its Node) counts as reserved though its instance, as described
// now, no longer is: EC2 lets the instances of an ordinary reservation that ended run on as on-demand. Not of objects
// that are being deleted or whose claim is not registered. The other way round nothing ever changes. O(log labels).
bool reservation_was_left(const ObjectMeta *object, bool is_registered, const CloudInstance *instance);

// The merge patch that makes such an object an on-demand one: {"metadata": {"labels": …}}. As upstream's, it leaves the
// label that says whether the reservation was interruptible.
Value reservation_left_patch(Arena *arena);
