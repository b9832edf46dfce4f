// Nodes that join later: who waits.
#pragma once

#include "cloud/kwok/provider/parts.h"

// Takes a copy of all. Nothing happens when that Node waits already.
void kwok_join_later(KwokProvider *provider, Slice node_name, Slice claim_name, Slice claim_uid, const Value *node,
                     int64_t delay_ns);

// The Node does not join any more; waits while it is being created.
void kwok_join_cancel(KwokProvider *provider, Slice node_name);
// Forgets one that waits; under the lock.
void kwok_join_remove(KwokProvider *provider, KwokJoin *join);

void kwok_joins_free(KwokProvider *provider);
