// Definitions: checks that the API server has the CRDs that tenon needs, NodePool and NodeClaim.
//
// It asks on a thread of its own, so that a readiness probe never waits for the API server: every ten seconds until
// both are known, then every half minute, since definitions may be removed by mistake. Only an API server that answers
// that it does not know a kind changes the result; one that cannot be reached does not. Behaviour: the check "crd" of
// reference lifecycle.md 7.5.
#pragma once

#include "base/buffer.h"
#include "kube/kube.h"

typedef struct Definitions Definitions;

// Starts asking. `kube`'s calls should end within seconds: definitions_free waits for a running one. ERR_IO: no thread
// could be started.
ErrCode definitions_new(Kube kube, Definitions **ret_definitions, Err *err);
void definitions_free(Definitions *definitions); // NULL is allowed

// Whether both are known. False: not yet, or not any more; `why` says which. Any thread; does not block.
bool definitions_are_known(Definitions *definitions, Buffer *why);
