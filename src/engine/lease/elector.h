// LeaderElector: a thread that tries to take or renew the Lease periodically and reports each try.
#pragma once

#include "engine/lease/lease.h"

typedef struct LeaderElector LeaderElector;

// Called after each try, on the elector's thread. `error` is filled when result->code is not OK.
typedef void (*LeaseTold)(void *context, const LeaseTry *result, const KubeError *error);

// Borrows the Lease until leader_elector_free. Tries at once; ends by itself when the Lease is lost. ERR_IO: no thread
// could be started.
ErrCode leader_elector_new(Lease *lease, Clock clock, LeaseTold told, void *context, LeaderElector **ret_elector,
                           Err *err);
// Waits for a try that is under way.
void leader_elector_free(LeaderElector *elector);
