// Launching: the first step of a claim that is not going away.
#pragma once

#include "ctl/claim/pass.h"

// False when the pass ends with it.
bool claim_launch(ClaimPass *pass);

// Notes what came of a launch.
void claim_note_launch(ClaimNote *note, Turn *turn, const Completion *completion);
