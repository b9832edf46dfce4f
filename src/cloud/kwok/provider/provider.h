// KWOK provider: a cloud whose instances are Nodes without machines. The provider creates the Nodes, the kwok
// controller keeps them alive.
//
// It implements the table of cloud/cloud.h over a Kube. The Node is the instance: launch creates it, terminate and list
// work on Nodes, and nothing else is stored. Nodes look like those of Karpenter's KWOK provider, so Nodes that
// Karpenter left are understood, too. Behaviour: reference lifecycle.md 8; tenon's differences are in
// docs/design/cloud-kwok.md.
//
// Idempotency. A Node's name, and the choice among equally cheap offerings, are drawn from the uid of the NodeClaim. A
// launch that is repeated, by this process or by the next one after a crash, therefore creates the same Node, which the
// API server accepts once.
//
// Delayed Nodes. A KWOKNodeClass may delay the registration of its Nodes (spec.nodeRegistrationDelay). Such Nodes wait
// in the memory of the process; after a crash the next process finds their NodeClaims (launched, not registered) and
// creates them.
#pragma once

#include "cloud/cloud.h"
#include "kube/kube.h"

typedef struct KwokProvider KwokProvider;

typedef struct {
    Kube kube;
    const Symbols *symbols; // of the engine's State; the handle is copied
    // Instance types as a JSON list (cloud/kwok/types.h), and the file's name for messages; both empty: Karpenter's
    // defaults. Every offering in the list is available, whatever it says, as in Karpenter. Borrowed for the call.
    Slice types_file, types_text;
    int64_t (*now_ns)(void *context); // monotonic; NULL: the system's clock
    void *now_context;
    // Errors that no caller gets: a delayed Node could not be created ("failed creating node from nodeclaim"), a Node
    // cannot be decoded. Any thread. `subject`: the Node's name. NULL: none.
    void (*log)(void *context, Slice message, Slice subject, const Err *err);
    void *log_context;
} KwokConfig;

// ERR_INVALID: the list of types cannot be parsed; the text names file, field and line. O(types × offerings).
ErrCode kwok_provider_new(const KwokConfig *config, KwokProvider **ret_provider, Err *err);
// Frees the provider; no call of the table may be running. The symbols may have been freed before. Delayed Nodes are
// dropped, as in a crash.
void kwok_provider_free(KwokProvider *provider);

// The table, valid until kwok_provider_free. Requests per call: launch two (NodeClass, Node), terminate and get one,
// list one per 500 Nodes of the cluster, instance_types and is_drifted none.
Cloud kwok_provider_cloud(KwokProvider *provider);

// Creates the delayed Nodes that are due; the first call also those that an earlier process left waiting. Returns when
// it must be called again (time of now_ns; INT64_MAX: after the next launch). Blocks for its requests. One thread at a
// time. O(waiting) per Node.
int64_t kwok_provider_step(KwokProvider *provider);
// Runs the steps on a thread of its own until kwok_provider_free; to be called once, by the leader, with the system's
// clock only. ERR_IO: no thread could be started.
ErrCode kwok_provider_start(KwokProvider *provider, Err *err);
