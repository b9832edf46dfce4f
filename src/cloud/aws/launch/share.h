// Which offerings the launches of a fleet share, where some have room for fewer than all of them.
#pragma once

#include "cloud/aws/launch/unavailable.h"

// An offering that the fleet would ask for.
typedef struct {
    UnavailableMark offering;
    double price;
    uint32_t room;   // for launches; UINT32_MAX: any number
    bool is_cramped; // its zone lacks the addresses for all: as without room
    bool is_left_out;
    bool is_counted; // among those under way (trouble_book.h)
} ShareOffering;
typedef Vec(ShareOffering) ShareOfferingVec;

// Sets `is_left_out`, and returns for how many of the launches that holds; the others are to be shared out again, with
// `is_last`, when these have ended. O(offerings).
//
// Offerings without room for all are left out where others have it. Before that, and not in the last turn, where some
// of them are cheaper than all others, as many launches go first as the roomiest of those takes, with that one: so it
// is probed, or its small budget used. Where no offering has room for all, none is left out: no launch waits.
uint32_t launch_share(ShareOfferingVec *offerings, uint32_t launches, bool is_last);
