// The end of a claim: of its Node, of its instance, of itself.
#pragma once

#include "ctl/claim/pass.h"

// All steps of a claim that is going away.
void claim_finalize(ClaimPass *pass);
// Notes what came of the end of an instance.
void claim_note_termination(ClaimNote *note, Turn *turn, const Completion *completion);
