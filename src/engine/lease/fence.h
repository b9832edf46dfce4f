// A fence around what changes the world: writes pass only while the Lease is held.
//
// A process that was stopped for a while (a paused machine, swapping) wakes up in the middle of its work and does not
// know yet that another one leads. Each call looks at the clock before it goes out, so nothing is begun after the time
// is over; what is under way then has the 3 s that the Lease leaves (lease.h). Reads and watches always pass.
//
// A refused call is ERR_IO (ServiceUnavailable for Kubernetes): it was not sent, and nobody is harmed.
#pragma once

#include "cloud/cloud.h"
#include "engine/lease/lease.h"

typedef struct {
    Kube kube;
    Cloud cloud;
    const Lease *lease; // NULL: everything passes
} Fence;

// The tables, which live as long as the Fence. Each call costs one look at the clock more.
Kube fence_kube(Fence *fence);
Cloud fence_cloud(Fence *fence);
