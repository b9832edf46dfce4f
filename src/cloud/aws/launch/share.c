// The cheapest offering with room for all is what the others are compared with.
#include "cloud/aws/launch/share.h"

static const ShareOffering *cheapest_with_room(const ShareOfferingVec *offerings, uint32_t launches) {
    const ShareOffering *best = NULL;

    for (vec_each(const ShareOffering, offering, offerings)) {
        if (offering->room >= launches && (!best || offering->price < best->price))
            best = offering;
    }
    return best;
}

// The most room of offerings that are cheaper, and lack room for all.
static uint32_t scarce_room(const ShareOfferingVec *offerings, uint32_t launches, double price) {
    uint32_t most = 0;

    for (vec_each(const ShareOffering, offering, offerings)) {
        if (offering->room < launches && offering->price < price && offering->room > most)
            most = offering->room;
    }
    return most;
}

uint32_t launch_share(ShareOfferingVec *offerings, uint32_t launches, bool is_last) {
    const ShareOffering *other = cheapest_with_room(offerings, launches);
    uint32_t scarce = other && !is_last ? scarce_room(offerings, launches, other->price) : 0;
    uint32_t now = scarce ? scarce : launches;

    for (vec_each(ShareOffering, offering, offerings))
        offering->is_left_out = other && offering->room < now;
    return now;
}
