// NodePass: one pass of node.termination over a terminating Node, the NodeNote that the process keeps of the Node, and
// helpers of the steps. Private to node/termination.c, node/pass.c, node/steps.c and node/taint.c. Behaviour: reference
// lifecycle.md 3.2.
#pragma once

#include "ctl/common/conditions.h"
#include "ctl/common/node_facts.h"
#include "ctl/node/drain.h"
#include "ctl/node/termination.h"

// What the process remembers of a Node. Losing it costs a call to the cloud or an event, nothing else.
typedef struct {
    Key node;
    Symbol uid;
    bool missing;       // the cloud knew no such instance, asked when the node was not ready
    bool gone;          // the cloud said that there is no instance left to terminate
    Mono seen;          // when the cloud last said that the instance exists
    Mono terminated;    // when the cloud last accepted the termination
    Mono claim_removed; // when the NodeClaim was deleted
    Mono released;      // when the finalizer was removed; the Node may be in the State for a while yet
    bool pods_read;     // the node's pods were read from the API server since the drain last saw one that it waits for
    Mono said;          // when events were last published
    // Pods that were handed to the eviction queue (node/enqueue.c): for which tier and deadline, and until when that
    // holds.
    Arena arena;
    IndexMap asked;
    uint32_t asked_tier;
    int64_t asked_deadline_ns, ask_every_ns;
    Mono ask_all;
} NodeNote;

typedef struct {
    Turn *turn;
    Key key;
    NodeNote *note;
    const Node *node;
    const NodeClaim *claim; // NULL: none, or several
    int64_t deadline_ns;    // INT64_MAX: none
    Conditions conditions;  // the claim's conditions, as they are to be written
    bool conditions_changed;
    bool speaks;     // whether this pass publishes events
    bool wrote;      // an intent has to complete before the next step
    int64_t wait_ns; // delay of the next pass; INT64_MAX: only changes start one
} NodePass;

enum { NODE_TAG_TAINT = 1, NODE_TAG_FINALIZER }; // of patches

// Asks for another pass after at most that delay.
void node_pass_wait(NodePass *pass, int64_t ns);
void node_pass_wait_until(NodePass *pass, int64_t wall_ns); // INT64_MAX: no pass by time
// Asks for a pass in a second; less often for a node that has been stuck for long. Changes start a pass anyway.
void node_pass_wait_for_changes(NodePass *pass);
// Publishes an event about the node; the recorder lets one per reason and node through in two minutes.
void node_pass_say(NodePass *pass, bool warning, const char *reason, Slice message);
// Ends a pass that cannot go on: logs why, and retries with back-off.
void node_pass_fail(Turn *turn, Key key, Slice why);
// Sets a condition of the claim, if there is one. The message is the reason, of True the type.
void node_pass_set_unknown(NodePass *pass, const char *type, const char *reason);
void node_pass_set_false(NodePass *pass, const char *type, const char *reason);
void node_pass_set_true(NodePass *pass, const char *type);

// Hands the chosen pods to the eviction queue, those that it was not given yet. O(chosen).
void node_ask_to_leave(NodePass *pass, const NodeDrain *drain);
void node_note_forget_asks(NodeNote *note);

// Intends the patch that keeps new pods and load balancers away from the Node, unless it is there already. Sets
// `wrote`.
void node_taint(NodePass *pass);

// Takes all steps from the first one, as far as they go in this pass.
void node_steps_take(NodePass *pass);
