// Choice of the offering for a NodeClaim.
#pragma once

#include "cloud/kwok/provider/parts.h"

// The cheapest offering that the claim allows and its requests fit. Among types of the same price the first in the
// order of the claim's requirements; among offerings of one type a random one (drawn from the claim's uid). O(types ×
// offerings). ERR_CAPACITY: there is none.
ErrCode kwok_choose(const KwokProvider *provider, Arena *arena, const CloudLaunch *launch, KwokOffer *ret_offer,
                    CloudError *error);

// A random generator seeded by a uid, the same at any time. `purpose` separates different uses.
void kwok_random_of(Slice uid, uint64_t purpose, Random *ret_random);
