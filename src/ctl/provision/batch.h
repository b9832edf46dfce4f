// ProvisionBatch: when to plan. The batching window of Karpenter (ctl/provision/batcher.h), made adaptive.
//
// Karpenter waits for the idle duration (1 s) after every pod. Here a pod that comes after a quiet time is planned on
// the leading edge: its window closes as soon as no new pod came for a twentieth of the idle duration (the pods of one
// workload come within milliseconds of each other and belong into one plan), at the latest after one idle duration.
// Pods that come while that plan is made, or sooner than one idle duration after it, are batched as in Karpenter: until
// none came for the idle duration, at most for the maximum duration.
#pragma once

#include "ctl/provision/batcher.h"

enum { PROVISION_LEADING_PART = 20 }; // window on the leading edge: this part of the idle duration

typedef struct {
    Batcher batcher;
    int64_t idle_ns, max_ns;
    bool busy;   // a plan is being made or carried out
    Mono rested; // when the last plan ended
} ProvisionBatch;

void provision_batch_init(ProvisionBatch *batch, int64_t idle_ns, int64_t max_ns);
void provision_batch_free(ProvisionBatch *batch);

// Opens the window or extends it, by the uid of a pod or node. O(1) expected.
void provision_batch_trigger(ProvisionBatch *batch, Symbol uid, Mono now);
// As batcher_poll. After BATCH_READY the batch is busy until provision_batch_end.
BatchState provision_batch_poll(ProvisionBatch *batch, Mono now, Mono *ret_look_again);
// Cancels a window that was ready, because nothing needs a plan any more.
void provision_batch_drop(ProvisionBatch *batch);
// Ends the plan: it was carried out. `again`: not completely, so plan again after the idle duration.
void provision_batch_end(ProvisionBatch *batch, Mono now, bool again);
