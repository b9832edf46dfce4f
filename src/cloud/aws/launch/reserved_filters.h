// The filters of a launch that choose among capacity reservations. Reference aws.md 3.2, stages 2 to 4.
#pragma once

#include "cloud/aws/launch/launch_types.h"

// Ordinary reservations, interruptible ones and capacity blocks are asked for in different ways, so that a request is
// for one of these kinds: the one with the cheapest offering (of equal ones ordinary, then blocks). Offerings of others
// go, those outside of reservations too. Without an offering in a reservation nothing changes. O(offerings).
void launch_filter_reservation_kind(const LaunchWish *wish, InstanceTypeVec *types);

// A request for a capacity block is for one type and one offering: the cheapest. O(offerings).
void launch_filter_capacity_block(const LaunchWish *wish, InstanceTypeVec *types);

// Of each type and zone keeps the reservation with most room. Without an offering in a reservation nothing changes.
// O(offerings²) of a type.
void launch_filter_reserved_offerings(Arena *arena, const LaunchWish *wish, InstanceTypeVec *types);
