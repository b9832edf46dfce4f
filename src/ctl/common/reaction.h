// What is done about a NodeClaim on each kind of message of the cloud: events, and whether the claim is deleted, by
// force or not. Behaviour: reference aws.md 3.6, 7.7, 7.8.
#pragma once

#include "ctl/ctl.h"

// Whether the kind asks for anything about NodeClaims; the higher, the more: 0 nothing, then events, deletion, deletion
// by force.
int reaction_strength(CloudMessageKind kind);

// Intends what the kind asks for: nothing about a claim that is being deleted already, or is not the provider's. By
// force: the drain's deadline is now, unless the claim has one, which is written first. `tells`: with events; otherwise
// only what is lasting.
void reaction_intend(Turn *turn, CloudMessageKind kind, const NodeClaim *claim, bool tells);
