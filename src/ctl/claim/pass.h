// One pass of nodeclaim.lifecycle over a claim, and what its steps share. Private to claim_*.c of that controller.
#pragma once

#include "ctl/claim/lifecycle.h"
#include "ctl/common/claim_facts.h"
#include "ctl/common/conditions.h"
#include "ctl/common/notes.h"

typedef enum {
    LAUNCH_UNTRIED,
    LAUNCH_DONE,
    LAUNCH_NO_CAPACITY,
    LAUNCH_CLASS_NOT_READY,
    LAUNCH_FAILED,
} LaunchOutcome;

// Lines that are said once per claim, though the write they belong to may have to be repeated.
enum {
    TOLD_LAUNCH = 1 << 0,
    TOLD_REGISTERED = 1 << 1,
    TOLD_INITIALIZED = 1 << 2,
    TOLD_TIMEOUT = 1 << 3,
    TOLD_DEADLINE = 1 << 4,
    TOLD_DELETED = 1 << 5,
    TOLD_TAINT = 1 << 6
};

// What the process remembers of a claim.
typedef struct {
    Key uid; // {.name = uid of the claim}
    unsigned told;
    LaunchOutcome outcome;
    Arena arena;            // of the three below
    CloudInstance instance; // LAUNCH_DONE
    Slice message, reason;  // of a failure: the provider's words, and the reason that it wants to be given
    int64_t forget_ns;      // LAUNCH_DONE: when
    int64_t retry_ns;       // LAUNCH_FAILED: not before
    uint32_t failures;      // in a row
    bool terminating, gone; // the cloud accepted the end of the instance; knows no such instance
    int64_t terminate_ns;   // terminating: ask again then
} ClaimNote;

typedef struct {
    Turn *turn;
    Key key;
    Handle handle;
    const NodeClaim *claim;
    ClaimNote *note;
    Symbol provider_id; // of the status, or of a launch that the status does not show yet
    Symbol node_name;   // for the status, when it is new
    bool launched;      // the status gets what the launch gave
    Conditions conditions;
    int64_t wait_ns; // look again after that long; INT64_MAX: not by time
} ClaimPass;

void claim_pass_wait(ClaimPass *pass, int64_t at_ns);
// Whether the line is to be said: once in a claim's life in this process.
bool claim_pass_tell(ClaimPass *pass, unsigned line);
// Publishes an event about the claim, one for each reason (and claim) within two minutes.
void claim_pass_event(ClaimPass *pass, const char *reason, Slice message);
// Deletes the claim.
void claim_pass_remove(ClaimPass *pass);
// Writes the status if anything in it is new.
void claim_pass_write_status(ClaimPass *pass);

// The steps of a claim that is not going away. claim_launch and claim_check_liveness: false when the pass ends with it.
bool claim_launch(ClaimPass *pass);
void claim_register(ClaimPass *pass);
void claim_initialize(ClaimPass *pass);
bool claim_check_liveness(ClaimPass *pass);
// The steps of one that is.
void claim_finalize(ClaimPass *pass);

// What came of a launch and of the end of an instance.
void claim_note_launch(ClaimNote *note, Turn *turn, const Completion *completion);
void claim_note_termination(ClaimNote *note, Turn *turn, const Completion *completion);
