// Finalization of a NodeClaim that is being deleted: termination deadline, Nodes, instance, finalizer. Steps of
// nodeclaim.lifecycle.
#pragma once

#include "ctl/claim/pass.h"

// Takes all finalization steps that are possible in this pass.
void claim_finalize(ClaimPass *pass);
// Records the cloud's answer to INTENT_TERMINATE in the claim's note.
void claim_note_termination(ClaimNote *note, Turn *turn, const Completion *completion);
