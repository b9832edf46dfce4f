// Internals of the controller of disruption, shared by its files: when to look and what to do with what was found
// (look.c), the writes that start commands (start.c), limits of NodePools (limits.c), commands that wait for their
// replacements (wait.c), what ended commands leave behind (clean.c), commands of a process that died (resume.c), events
// and log lines (report.c).
//
// Keys: {0} for looks, {uuid} (as Key.ns) for a command, the name of a NodeClaim for what a command left on it.
#pragma once

#include "ctl/disruption/commands.h"
#include "ctl/disruption/disruption.h"

enum {
    DISRUPTION_LOOK_S = 10,           // between looks while something changes (Karpenter's period)
    DISRUPTION_LOOK_AGAIN_S = 60,     // without a change, when a budget kept a look from finding more
    DISRUPTION_LOOK_AT_LEAST_S = 300, // without a change: prices change without an event
    DISRUPTION_PROOF_S = 15,          // how long a command is left alone before it is proved
    DISRUPTION_TIMEOUT_MIN_S = 600,   // how long a command may wait for its replacements: 80 ms for each node that is
    DISRUPTION_TIMEOUT_MAX_S = 3600,  // being disrupted, within these bounds
    DISRUPTION_TIMEOUT_NODE_MS = 80,
    DISRUPTION_RESTLESS_MAX_S = 300, // how long consolidation waits for the fleet to come to rest before it looks
    DISRUPTION_POLL_S = 10,          // how often a waiting command is looked at without a change
};

// What is under way for the key {0}.
typedef enum {
    DISRUPTOR_IDLE,
    DISRUPTOR_LOOKING,
    DISRUPTOR_PROVING,
    DISRUPTOR_STARTING, // the writes that start commands
} DisruptorActivity;

typedef struct {
    CommandList commands;
    bool started;
    DisruptorActivity activity;
    bool changed;      // something that looks read changed since the last one was asked for
    Mono look_at;      // when to look again without a change
    Mono looked_at;    // when the last look was asked for
    uint64_t searched; // what the last fleet search that found nothing was asked, and when; 0: there is none
    Mono searched_at;
    Mono restless_since; // when consolidation began to wait for the fleet to come to rest; not set: it does not
    DemandHistory demand;
} Disruptor;

// --- look.c

// Enqueues the next look, or proof.
void disruption_call(Disruptor *disruptor, Turn *turn);
// Asks for a look or a proof, if one is due.
void disruption_look(Disruptor *disruptor, Turn *turn);
// Takes in what was found, and starts what may start.
void disruption_looked(Disruptor *disruptor, Turn *turn, const Completion *completion);

// --- start.c

// Writes the intents that start a command, behind those of other commands in the same batch. False: its nodes are not
// what they were any more, or the limits of a NodePool do not allow its replacements.
bool disruption_start(const CommandList *commands, Turn *turn, Command *command, const DisruptFacts *facts,
                      const DisruptCommand *found);
// Takes in what became of the batch: commands that started wait for their replacements, one that failed is dropped,
// those behind it are as before.
void disruption_started(Disruptor *disruptor, Turn *turn, const Completion *completions, uint32_t count);

// --- reboot.c

// Intends the note that the claim's node is rebooted, as the start of a command that reboots it.
void disruption_note_reboot(Turn *turn, const Command *command, const NodeClaim *claim);
// Intends the request, once that note stands, and takes in what became of it: the command ends.
void disruption_request_reboot(Disruptor *disruptor, Turn *turn, Command *command);
void disruption_reboot_requested(Disruptor *disruptor, Turn *turn, Command *command, const Completion *completion);

// --- limits.c

// Notes what the command's replacements may count against limits.
void disruption_charge(Command *command, const PlannedClaimVec *replacements);
// Which limit the replacements would exceed once the command's nodes are gone and everything on order is launched, in
// Karpenter's words, or which NodeClaim must be launched before that is known; empty: none. O(nodes of the command +
// claims of its pools × orders).
Slice disruption_limits_complaint(const CommandList *commands, Turn *turn, const Command *command);
// Orders the replacements.
void disruption_order(Turn *turn, Command *command);
// Ends the orders of those that are not created, since `failed` failed before them.
void disruption_drop_orders(Turn *turn, const Command *command, const Completion *failed);
// Holds what the command's nodes have beyond its replacements, which others may not use before the nodes are deleted:
// a command that fails gives them back. And lets go of it.
void disruption_hold(Turn *turn, Command *command);
void disruption_let_go(Turn *turn, Command *command);

// --- wait.c

// How long a command may wait for its replacements while so many nodes are in commands that have started.
int64_t disruption_timeout_ns(uint32_t nodes);
// Does what comes next for a command that has started.
void disruption_go_on(Disruptor *disruptor, Turn *turn, Command *command);
// Takes in which of the command's NodeClaims were deleted.
void disruption_deleted(Disruptor *disruptor, Turn *turn, Command *command, const Completion *completions,
                        uint32_t count);

// --- clean.c

// Whether a command, or Karpenter, left something on the NodeClaim or its Node that no command is under way for.
bool disruption_is_left_over(const Disruptor *disruptor, const Turn *turn, const NodeClaim *claim);
// Takes off what was left.
void disruption_clean(const Disruptor *disruptor, Turn *turn, Key key);
// Ends a command: its nodes stay, or are gone already. What it left is taken off, if anything.
void disruption_end(Disruptor *disruptor, Turn *turn, Command *command);

// --- resume.c

// Finds the commands of a process that died, and goes on with those whose replacements all exist.
void disruption_resume(Disruptor *disruptor, Turn *turn);

// --- report.c

void disruption_report_notes(Turn *turn, const DisruptFacts *facts, const DisruptNoteVec *notes);
void disruption_report_found(Turn *turn, const Command *command);
void disruption_report_rejected(Turn *turn, const Command *command, ProposalVerdict verdict);
void disruption_report_start(Turn *turn, const Command *command);
// What v0.31 said of such a start, if all nodes of the command are of Provisioners (report_old.c); else empty.
Slice disruption_old_text(Turn *turn, const Command *command);
void disruption_report_policy(Turn *turn, const Command *command, const RepairPolicy *policy); // of a repair
void disruption_report_reboot(Turn *turn, const Command *command);
void disruption_report_started(Turn *turn, const Command *command); // its writes stand
void disruption_report_waiting(Turn *turn, const Command *command, const NodeClaim *replacement);
void disruption_report_deleting(Turn *turn, const Command *command);
void disruption_report_succeeded(Turn *turn, const Command *command);
void disruption_report_failed(Turn *turn, const Command *command, Slice why);
// Nothing has failed: what the command was made of has changed, and the next look sees that.
void disruption_report_abandoned(Turn *turn, const Command *command, Slice why);
