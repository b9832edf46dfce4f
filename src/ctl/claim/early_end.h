// Step of nodeclaim.lifecycle: an instance that ends before its Node registers.
//
// Between launch and registration the cloud is asked now and then whether the instance still exists. When it says that
// it has ended, and why, an event says so, and the claim is deleted, so that its pods are planned anew. An end that
// recurs (a key that may not be used, a missing snapshot) is a fault of the NodeClass: the claim says so in its
// condition Registered and stays for 1 to 4 minutes, longer with each wave of such ends, and until then nothing else is
// launched with that NodeClass, unless it changes. In Karpenter such a claim stays for 15 minutes, and nothing says
// why.
#pragma once

#include "ctl/claim/pass.h"

enum {
    CLAIM_LOOK_FIRST_S = 30, // age of a launch at the first look; from then on twice as old, at most
    CLAIM_LOOK_MAX_S = 120,  // so long between two looks
    CLAIM_LOOK_ENDING_S = 5, // the same while the instance is being terminated
    CLAIM_HOLD_FIRST_S = 60, // back-off of a NodeClass after the first wave of ends; doubles with each further one
    CLAIM_HOLD_MAX_S = 240,  // less than the launch timeout, which claims that wait must not run into
};

// Returns false when the pass ends with this step.
bool claim_check_instance(ClaimPass *pass);

// Whether nothing may be launched with the claim's NodeClass now. If so, the claim says it, and waits.
bool claim_is_held_back(ClaimPass *pass);

// Records the cloud's answer in the note of the claim, and a fault of the NodeClass in the notes of classes.
void claim_note_look(NoteTable *classes, ClaimNote *note, const NodeClaim *claim, Turn *turn,
                     const Completion *completion);

// A Node of the claim has registered: its NodeClass has no fault, if the launch was later than the last one.
void claim_class_works(NoteTable *classes, Turn *turn, const NodeClaim *claim);

// Forgets the faults of a NodeClass, and has the claims looked at that wait for its back-off. O(1); O(NodeClaims) if it
// had any.
void claim_class_reopen(NoteTable *classes, Turn *turn, Symbol class_name);
