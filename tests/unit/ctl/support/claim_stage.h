// Stages of a NodeClaim's life, for the tests of its controllers. Each brings the claim "a" there with
// nodeclaim.lifecycle itself, with its Node "node-a" of provider id "kwok://a".
#pragma once

#include "ctl/claim/lifecycle.h"
#include "ctl/support/stage.h"

// An empty stage for nodeclaim.lifecycle.
Stage *claim_stage(void);
// The claim is launched, its Node is not there. `spec`: members of the claim's spec ("taints: [...]"), or "".
Stage *claim_stage_launched(const char *spec);
// Its Node has joined and is registered, but not ready.
Stage *claim_stage_registered(const char *spec);
// Its Node is ready.
Stage *claim_stage_initialized(const char *spec);

// The claim "a" with these members of its spec.
void put_claim(Stage *stage, const char *spec);
// The Node "node-a" as a kubelet makes it: with the unregistered taint, not ready. printf: more members of metadata
// ("labels: {…}", or "").
void put_joining_node(Stage *stage, const char *metadata);
// The kubelet says ready, and the taints of a starting node go; what the claim's own taints are stays.
void put_node_ready(Stage *stage);
void put_named_node_ready(Stage *stage, const char *name);
