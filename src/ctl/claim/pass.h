// ClaimPass: one pass of nodeclaim.lifecycle over a NodeClaim, the ClaimNote that the process keeps of the claim, and
// helpers that the steps share. Private to that controller.
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
    LAUNCH_ENDED, // what was launched has ended before its Node registered
} LaunchOutcome;

// Log lines that are written once per claim, even when the write they belong to has to be repeated: bits of
// ClaimNote.told.
enum {
    TOLD_LAUNCH = 1 << 0,
    TOLD_REGISTERED = 1 << 1,
    TOLD_INITIALIZED = 1 << 2,
    TOLD_TIMEOUT = 1 << 3,
    TOLD_DEADLINE = 1 << 4,
    TOLD_DELETED = 1 << 5,
    TOLD_TAINT = 1 << 6,
    TOLD_END = 1 << 7
};

// What the process remembers of a NodeClaim. Losing it costs calls to the cloud, nothing else.
typedef struct {
    Key uid; // {.name = uid of the claim}
    unsigned told;
    LaunchOutcome outcome;
    Arena arena;            // holds instance, message and reason
    CloudInstance instance; // of LAUNCH_DONE
    Slice message, reason;  // of a failure, or an end: the provider's message, and the condition reason that it chose
    Mono forget_at;         // of LAUNCH_DONE: when the result is dropped
    Mono retry_at;          // of LAUNCH_FAILED: no launch before then
    uint32_t failures;      // failures in a row
    bool terminating, gone; // the cloud accepted the termination; the cloud knows no such instance
    Mono terminate_at;      // of terminating: when to call the cloud again
    Mono look_at;           // when to look whether the instance still exists; {0}: not known yet
    bool recurs;            // of LAUNCH_ENDED: other instances of the NodeClass would end, too
    Mono label_look_at;     // when to ask for labels that were not known at the launch; {0}: at once
    uint32_t label_looks;   // how often that was done
} ClaimNote;

// What the process remembers of a NodeClass whose instances end before their Nodes register, until one registers.
// Losing it costs a launch.
typedef struct {
    Key name;
    uint32_t failures; // waves of such ends in a row
    int64_t failed_ns; // wall time at which the last wave began
    Mono open_at;      // no launch before then
} ClassNote;

typedef struct {
    Turn *turn;
    Key key;
    Handle handle;
    const NodeClaim *claim;
    ClaimNote *note;
    const ClassNote *class_note; // NULL: nothing is known against launching
    Symbol provider_id;          // from the status, or from a launch that the status does not show yet
    Symbol node_name;            // for the status, when it is new
    bool launched;               // the status takes over the result of the launch
    Conditions conditions;
    int64_t wait_ns; // delay of the next pass; INT64_MAX: only changes start one
} ClaimPass;

// Asks for another pass after at most that delay.
void claim_pass_wait(ClaimPass *pass, int64_t ns);
// Whether a log line is due: true once per claim, line and process.
bool claim_pass_tell(ClaimPass *pass, unsigned line);
// The level of the lines that its node registered and initialized: INFO; of a Machine DEBUG, as in v0.31 (reference
// legacy.md 5.6).
LogLevel claim_pass_joined_level(const ClaimPass *pass);
// first_s, doubled so many times, at most most_s; ns.
int64_t claim_back_off_ns(int64_t first_s, uint32_t times, int64_t most_s);
// Asks the cloud for the claim's instance. Other steps do not wait for the answer.
void claim_look_up(ClaimPass *pass);
// Publishes an event about the claim; the recorder lets one per reason and claim through in two minutes.
void claim_pass_event(ClaimPass *pass, const char *reason, Slice message);
// Intends the deletion of the claim.
void claim_pass_remove(ClaimPass *pass);
// Intends the write of the status if anything in it changed.
void claim_pass_write_status(ClaimPass *pass);
