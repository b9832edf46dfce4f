// Fence: lets writes to Kubernetes and the cloud through only while the Lease is held.
//
// A process that was stopped for a while (paused machine, swapping) goes on in the middle of its work and does not know
// yet that another one is the leader. Each call checks the clock before it is sent, so nothing is sent after the lease
// has expired; calls that are under way then have the 3 s that the Lease leaves (lease.h). Reads and watches always
// pass.
//
// A call that the fence refuses fails with ERR_IO (ServiceUnavailable for Kubernetes): it was not sent and had no
// effect.
#pragma once

#include "cloud/cloud.h"
#include "engine/lease/lease.h"

typedef struct {
    Kube kube;
    Cloud cloud;
    const Lease *lease; // NULL: no fence, every call passes
    CloudTable fenced;  // filled by fence_cloud
} Fence;

// The fenced tables, which live as long as the Fence. Each call costs one more read of the clock. What the cloud behind
// has no use for (tags, what nodes report), the fenced one has none for.
Kube fence_kube(Fence *fence);
Cloud fence_cloud(Fence *fence);
