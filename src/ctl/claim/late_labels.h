// Step of nodeclaim.lifecycle: labels that the cloud knows later than the launch (cloud_late_labels). The claim has
// them with an empty value. Until the cloud has filled them in, the Node does not register, for its pods may ask for
// their values; the cloud is asked 1, 2, 4 s and so on, at most 30 s, after one another. Behaviour: reference
// lifecycle.md 2.4 (registration hooks), aws.md 3.6.
#pragma once

#include "ctl/claim/pass.h"

enum { CLAIM_LABELS_MAX_S = 30 };

// False: the Node may not register yet; the condition says what is missing.
bool claim_wait_for_labels(ClaimPass *pass);

// Takes what a lookup says of such labels: intends the write of those that the claim lacks.
void claim_take_labels(Turn *turn, const NodeClaim *claim, const Completion *completion);
