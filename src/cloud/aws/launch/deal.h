// Which claim gets which instance of a launch of several: by rank, so that everybody who knows the claims and the
// instances comes to the same, also after the answer was lost.
#pragma once

#include "base/vec.h"

// Texts in byte order; the slices are copies, their bytes shared. O(n log n).
SliceVec fleet_order(Arena *arena, const SliceVec *texts);

// The claim of each instance, in the order of the ids that are given: the claim of the lowest uid gets the instance of
// the lowest id, and so on. Empty: there are more instances than claims. `ids`: of all instances of the launch, those
// that have ended too. O(n²) for n instances.
SliceVec fleet_deal(Arena *arena, const SliceVec *claims, const SliceVec *ids);
