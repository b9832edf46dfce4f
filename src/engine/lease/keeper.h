// The thread that tries for the Lease, again and again, and says what came of it.
#pragma once

#include "engine/lease/lease.h"

typedef struct LeaseKeeper LeaseKeeper;

// Called after each try, on the keeper's thread. `error` is filled when result->code is not OK.
typedef void (*LeaseTold)(void *context, const LeaseTry *result, const KubeError *error);

// Borrows the Lease until lease_keeper_free. Tries at once; stops by itself when the Lease is lost. ERR_IO: the system
// gives no thread.
ErrCode lease_keeper_new(Lease *lease, Clock clock, LeaseTold told, void *context, LeaseKeeper **ret_keeper, Err *err);
// Waits for the try that is under way.
void lease_keeper_free(LeaseKeeper *keeper);
