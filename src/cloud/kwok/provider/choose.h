// Which offering a claim gets.
#pragma once

#include "cloud/kwok/provider/parts.h"

// The cheapest offering that the claim allows and its requests fit on. The first among types of one price, in the order
// in which the claim names them; any among offerings of one type (drawn from the claim's uid). O(types × offerings).
// ERR_CAPACITY: there is none.
ErrCode kwok_choose(const KwokProvider *provider, Arena *arena, const CloudLaunch *launch, KwokOffer *ret_offer,
                    CloudError *error);

// Numbers that are the same for one uid at any time. `purpose` tells apart what they are for.
void kwok_random_of(Slice uid, uint64_t purpose, Random *ret_random);
