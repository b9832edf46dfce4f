// Whether the API server knows the kinds that tenon cannot do without: NodePool and NodeClaim.
//
// Asked on a thread of its own, so that who asks for readiness never waits for the API server; every ten seconds until
// both are known, then every half minute: definitions are removed by mistake. Only an API server that says that it does
// not know a kind takes that back; one that is away does not. Behaviour: the check "crd" of reference lifecycle.md 7.5.
#pragma once

#include "base/buffer.h"
#include "kube/kube.h"

typedef struct Definitions Definitions;

// Begins to ask. `kube`'s calls should end within seconds: definitions_free waits for the one that runs.
// ERR_IO: the system gives no thread.
ErrCode definitions_new(Kube kube, Definitions **ret_definitions, Err *err);
void definitions_free(Definitions *definitions); // NULL is allowed

// Any thread; does not block. False: not known (yet, or any more), and why.
bool definitions_are_known(Definitions *definitions, Buffer *why);
