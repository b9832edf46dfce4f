// KWOK as a cloud: instances are Nodes without machines, made here and kept alive by the kwok controller.
//
// The table of cloud/cloud.h over a Kube. The Node is the instance: launch creates it, terminate and list are about
// Nodes, nothing else is stored anywhere. What a Node looks like is what Karpenter's KWOK provider makes, so Nodes that
// Karpenter left are read as well. Behaviour: reference lifecycle.md 8; where tenon departs from it stands in
// docs/design/cloud-kwok.md.
//
// Idempotency. A Node's name, and the offering among equally cheap ones, are drawn from the uid of the NodeClaim. So a
// launch that is repeated, by this process or by the next one after a crash, asks for the same Node, and the API server
// has it once.
//
// Joining late. A KWOKNodeClass may say that its Nodes join after a while (spec.nodeRegistrationDelay). Such Nodes wait
// in the memory of the process; after a crash the next process finds their NodeClaims (launched, not registered) and
// lets them join.
#pragma once

#include "cloud/cloud.h"
#include "kube/kube.h"

typedef struct KwokProvider KwokProvider;

typedef struct {
    Kube kube;
    const Symbols *symbols; // of the State that the engine is given; the handle is copied
    // Instance types as a JSON list (cloud/kwok/types.h), and the file's name for messages; both empty: Karpenter's
    // own. Every offering in it is available, whatever it says, as with Karpenter. Borrowed for the call.
    Slice types_file, types_text;
    int64_t (*now_ns)(void *context); // never goes back; NULL: the system's clock
    void *now_context;
    // What nobody is there to be told: a Node that was to join later could not be created ("failed creating node from
    // nodeclaim"), a Node cannot be read. Any thread. `subject`: the Node's name. NULL: none.
    void (*log)(void *context, Slice message, Slice subject, const Err *err);
    void *log_context;
} KwokConfig;

// ERR_INVALID: the list of types cannot be read; the text names file, field and line. O(types × offerings).
ErrCode kwok_provider_new(const KwokConfig *config, KwokProvider **ret_provider, Err *err);
// Not while a call of the table runs; the symbols may be gone already. Nodes that wait are dropped, as in a crash.
void kwok_provider_free(KwokProvider *provider);

// Valid until kwok_provider_free. Calls make the requests that they need and no others: launch two (NodeClass, Node),
// terminate and get one, list one for each 500 Nodes of the cluster, instance_types and is_drifted none.
Cloud kwok_provider_cloud(KwokProvider *provider);

// Lets Nodes join whose time has come, the first time also those that an earlier process left waiting. Returns when it
// must be called again (in the clock's time; INT64_MAX: when a launch was made). Blocks while the API server is asked.
// One thread at a time. O(waiting) for each Node.
int64_t kwok_provider_step(KwokProvider *provider);
// Steps on a thread of its own until kwok_provider_free; once, by who leads, with the system's clock only. ERR_IO: the
// system gives no thread.
ErrCode kwok_provider_start(KwokProvider *provider, Err *err);
