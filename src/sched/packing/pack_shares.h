// Pods that spreads over labels bind to domains.
//
// Of the pods that a spread counts, so many at least are in each of its domains (index/domain_counts.h). As an item of
// their own, which only nodes in that domain take, they make the packing say what it would else ignore: that some of
// them must be on demand, or in a zone where nodes are dear.
#pragma once

#include "sched/packing/pack_builder.h"

// Finds the shares of builder->placed, with a signature for each. Only spreads that count pods of one size have any: of
// others it is not known which sizes are where. A class is in the shares of one spread at most. Nothing without
// `placed`. O(groups × classes + shares × variants).
void pack_find_shares(PackBuilder *builder);
