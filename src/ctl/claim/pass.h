// One pass of nodeclaim.lifecycle over a claim, and what its steps share. Private to that controller.
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
    Mono forget_at;         // LAUNCH_DONE: when
    Mono retry_at;          // LAUNCH_FAILED: not before
    uint32_t failures;      // in a row
    bool terminating, gone; // the cloud accepted the end of the instance; knows no such instance
    Mono terminate_at;      // terminating: ask again then
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

// Asks for another pass after that long, at the latest.
void claim_pass_wait(ClaimPass *pass, int64_t ns);
// Whether the line is to be said: once in a claim's life in this process.
bool claim_pass_tell(ClaimPass *pass, unsigned line);
// Publishes an event about the claim, one for each reason (and claim) within two minutes.
void claim_pass_event(ClaimPass *pass, const char *reason, Slice message);
// Deletes the claim.
void claim_pass_remove(ClaimPass *pass);
// Writes the status if anything in it is new.
void claim_pass_write_status(ClaimPass *pass);
