// Test environments with a NodeClaim in a given phase of its life, for the tests of its controllers.
// nodeclaim.lifecycle itself brings the claim "a" there, with its Node "node-a" of provider id "kwok://a".
#pragma once

#include "ctl/claim/lifecycle.h"
#include "ctl/support/env.h"

// An environment for nodeclaim.lifecycle, without objects.
TestEnv *claim_env(void);
// The claim is launched, its Node does not exist. `spec`: members of the claim's spec ("taints: [...]"), or "".
TestEnv *claim_env_launched(const char *spec);
// Its Node has joined and is registered, but not ready.
TestEnv *claim_env_registered(const char *spec);
// Its Node is ready.
TestEnv *claim_env_initialized(const char *spec);

// The claim "a" with these members of its spec.
void put_claim(TestEnv *env, const char *spec);
// The Node "node-a" as a kubelet makes it: with the unregistered taint, not ready. printf: more members of metadata
// ("labels: {…}", or "").
void put_joining_node(TestEnv *env, const char *metadata);
// The kubelet reports ready, and the taints of a starting node are removed; the claim's own taints stay.
void put_node_ready(TestEnv *env);
void put_named_node_ready(TestEnv *env, const char *name);
