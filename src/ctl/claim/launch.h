// Launch step of nodeclaim.lifecycle: an instance for a NodeClaim that is not being deleted.
#pragma once

#include "ctl/claim/pass.h"

// Returns false when the pass ends with this step.
bool claim_launch(ClaimPass *pass);

// Records the cloud's answer to INTENT_LAUNCH in the claim's note.
void claim_note_launch(ClaimNote *note, Turn *turn, const Completion *completion);
// The same of the answer to INTENT_GET_INSTANCE about the instance that a claim is linked to (link.h).
void claim_note_linked(ClaimNote *note, const NodeClaim *claim, Turn *turn, const Completion *completion);
