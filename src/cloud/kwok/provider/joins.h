// Delayed Nodes: those that are created after spec.nodeRegistrationDelay.
#pragma once

#include "cloud/kwok/provider/parts.h"

// Schedules the creation of a Node; arguments are copied. Has no effect for a Node that is scheduled already.
void kwok_join_later(KwokProvider *provider, Slice node_name, Slice claim_name, Slice claim_uid, const Value *node,
                     int64_t delay_ns);

// Cancels the creation of a Node; waits while it is being created.
void kwok_join_cancel(KwokProvider *provider, Slice node_name);
// Removes a scheduled Node; called under the lock.
void kwok_join_remove(KwokProvider *provider, KwokJoin *join);

void kwok_joins_free(KwokProvider *provider);
