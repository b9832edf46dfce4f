// When to plan: the batching window (ctl/provision/batcher.h) made adaptive.
//
// Karpenter waits for the idle duration (1 s) after every pod. Here a pod that comes after a quiet time is planned on
// the leading edge: its window closes as soon as nothing new came for a twentieth of the idle duration (the pods of one
// workload come within milliseconds of each other and belong into one plan), at the latest after one idle duration.
// What comes while that plan is made, or sooner than one idle duration after it, is gathered as Karpenter does: for
// the idle duration after the last of them, at most the maximum.
#pragma once

#include "ctl/provision/batcher.h"

enum { PROVISION_LEADING_PART = 20 }; // the leading edge waits for this part of the idle duration

typedef struct {
    Batcher batcher;
    int64_t idle_ns, max_ns;
    bool busy;   // a plan is being made or carried out
    Mono rested; // when the last one ended
} ProvisionBatch;

void provision_batch_init(ProvisionBatch *batch, int64_t idle_ns, int64_t max_ns);
void provision_batch_free(ProvisionBatch *batch);

// Something to plan for came: a pod's or a node's uid. O(1) expected.
void provision_batch_trigger(ProvisionBatch *batch, Symbol uid, Mono now);
// As batcher_poll. After BATCH_READY the batch is busy until provision_batch_end.
BatchState provision_batch_poll(ProvisionBatch *batch, Mono now, Mono *ret_look_again);
// The window was ready, but there is nothing to plan for any more: as if it had not been.
void provision_batch_drop(ProvisionBatch *batch);
// The plan was carried out. `again`: not all of it could be done, plan anew after the idle duration.
void provision_batch_end(ProvisionBatch *batch, Mono now, bool again);
